//! The same formulas as the maths crate's, in fewer steps: products are divided as they are, without the detour that a
//! machine of 256 bits has to take. Whole numbers: a result is either the same or none, and then the crate is asked.

use super::maths::SwapStep;
use alloy_primitives::{U256, U512};

/// 2^160, the first price that does not fit.
const PRICES: U256 = U256::from_limbs([0, 0, 1 << 32, 0]);
const MILLION: u32 = 1_000_000;

/// `a * b / d` rounded down, and whether something is left.
fn mul_div_rem(a: U256, b: U256, d: U256) -> Option<(U256, bool)> {
    if d.is_zero() {
        return None;
    }
    if a.bit_len() + b.bit_len() <= U256::BITS {
        let (whole, rest) = a.wrapping_mul(b).div_rem(d);
        return Some((whole, !rest.is_zero()));
    }
    let product: U512 = a.widening_mul(b);
    let (whole, rest) = product.div_rem(U512::from(d));
    let [a, b, c, d, 0, 0, 0, 0] = *whole.as_limbs() else { return None };
    Some((U256::from_limbs([a, b, c, d]), !rest.is_zero()))
}

/// `a * b / d`, rounded down.
pub(super) fn mul_div(a: U256, b: U256, d: U256) -> Option<U256> {
    mul_div_rem(a, b, d).map(|(whole, _)| whole)
}

fn rounded(whole: U256, rest: bool, up: bool) -> Option<U256> {
    whole.checked_add(U256::from(u8::from(rest && up)))
}

/// Token0 between two prices at a liquidity.
pub(super) fn amount0(a: U256, b: U256, liquidity: u128, up: bool) -> Option<U256> {
    let (low, high) = if a > b { (b, a) } else { (a, b) };
    if low.is_zero() || high >= PRICES {
        return None;
    }
    let (whole, rest) = mul_div_rem(shifted(liquidity), high - low, high)?;
    let (whole, rest) = rounded(whole, rest, up)?.div_rem(low);
    rounded(whole, !rest.is_zero(), up)
}

/// Token1 between two prices at a liquidity.
pub(super) fn amount1(a: U256, b: U256, liquidity: u128, up: bool) -> Option<U256> {
    let apart = if a > b { a - b } else { b - a };
    if apart >= PRICES {
        return None;
    }
    // 128 bits times 160 of them, without the lowest 96.
    let [low, high] = [liquidity as u64, (liquidity >> 64) as u64];
    let [x, y, z, _] = *apart.as_limbs();
    let mut product = [0u64; 5];
    for (i, factor) in [low, high].into_iter().enumerate() {
        let mut carry = 0u64;
        for (j, limb) in [x, y, z].into_iter().enumerate() {
            // At most 2^128 - 1: a product of two words, and two words on top.
            let sum = u128::from(factor) * u128::from(limb) + u128::from(product[i + j]) + u128::from(carry);
            (product[i + j], carry) = (sum as u64, (sum >> 64) as u64);
        }
        product[i + 3] = carry;
    }
    let [a, b, c, d, e] = product;
    let joined = |low: u64, high: u64| low >> 32 | high << 32;
    let whole = U256::from_limbs([joined(b, c), joined(c, d), joined(d, e), e >> 32]);
    rounded(whole, a != 0 || b as u32 != 0, up)
}

/// A liquidity times 2^96.
fn shifted(liquidity: u128) -> U256 {
    let (low, high) = (liquidity as u64, (liquidity >> 64) as u64);
    U256::from_limbs([0, low << 32, low >> 32 | high << 32, high >> 32])
}

/// True when more token0 than `left` lies between two prices, by so much that floats can tell.
fn is_beyond(low: U256, high: U256, liquidity: u128, left: U256) -> bool {
    const TWO_96: f64 = (1_u128 << 96) as f64;
    if low.is_zero() || high < low {
        return false;
    }
    let between = liquidity as f64 * TWO_96 * (float(high - low) / float(high) / float(low));
    between * 0.999 > float(left)
}

/// The nearest float, within a rounding or two.
fn float(x: U256) -> f64 {
    const TWO_64: f64 = (1_u128 << 64) as f64;
    x.as_limbs().iter().rev().fold(0.0, |sum, &limb| sum * TWO_64 + limb as f64)
}

/// The price after an amount went in.
fn after_input(sqrt_price: U256, liquidity: u128, amount: U256, down: bool) -> Option<U256> {
    if liquidity == 0 {
        return None;
    }
    if !down {
        // Of 160 bits at most: times 2^96 it still fits.
        let next = sqrt_price.checked_add((amount << 96) / U256::from(liquidity))?;
        return (amount < PRICES && next < PRICES).then_some(next);
    }
    if amount.is_zero() {
        return Some(sqrt_price);
    }
    let numerator = shifted(liquidity);
    if amount.bit_len() + sqrt_price.bit_len() > U256::BITS {
        return None;
    }
    let denominator = numerator.checked_add(amount.wrapping_mul(sqrt_price))?;
    let (whole, rest) = mul_div_rem(numerator, sqrt_price, denominator)?;
    rounded(whole, rest, true)
}

/// One step of a swap of an exact input.
pub(super) fn step(sqrt_price: U256, target: U256, liquidity: u128, left: U256, fee: u32) -> Option<SwapStep> {
    // Amounts have a sign in the crate's step, and so one bit less.
    if sqrt_price.is_zero() || sqrt_price >= PRICES || target >= PRICES || left.bit_len() > 255 || fee >= MILLION {
        return None;
    }
    let down = sqrt_price >= target;
    let taken = |to: U256| {
        if down { amount0(to, sqrt_price, liquidity, true) } else { amount1(sqrt_price, to, liquidity, true) }
    };
    // What takes the price to the target, unless that is plainly more than there is.
    let to_target = if down && is_beyond(target, sqrt_price, liquidity, left) { None } else { Some(taken(target)?) };
    // Half of what is left is less than what the fee leaves of it: whoever has far more than enough need not divide.
    let next = if fee <= MILLION / 2 && to_target.is_some_and(|all| left >> 1 >= all) {
        target
    } else {
        let without_fee = mul_div(left, U256::from(MILLION - fee), U256::from(MILLION))?;
        if to_target.is_some_and(|all| without_fee >= all) {
            target
        } else {
            after_input(sqrt_price, liquidity, without_fee, down)?
        }
    };
    let amount_in = match to_target.filter(|_| next == target) {
        Some(all) => all,
        None => taken(next)?,
    };
    let amount_out =
        if down { amount1(next, sqrt_price, liquidity, false)? } else { amount0(sqrt_price, next, liquidity, false)? };
    let fee = if next == target {
        let (whole, rest) = mul_div_rem(amount_in, U256::from(fee), U256::from(MILLION - fee))?;
        rounded(whole, rest, true)?
    } else {
        left.checked_sub(amount_in)?
    };
    Some(SwapStep { sqrt_price: next, amount_in, amount_out, fee })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::I256;
    use proptest::prelude::*;
    use uniswap_v3_math::{full_math, sqrt_price_math, swap_math, tick_math};

    fn wide() -> impl Strategy<Value = U256> {
        (any::<[u64; 4]>(), 0usize..256).prop_map(|(limbs, by)| U256::from_limbs(limbs) >> by)
    }

    /// A price near one of the usual ones, or any.
    fn price() -> impl Strategy<Value = U256> {
        let near = (190_000i32..210_000, any::<bool>(), any::<u32>()).prop_map(|(tick, up, more)| {
            let at = tick_math::get_sqrt_ratio_at_tick(if up { tick } else { -tick }).unwrap();
            at + U256::from(more)
        });
        prop_oneof![3 => near, 1 => (any::<[u64; 3]>(), 96usize..192).prop_map(|([a, b, c], by)| U256::from_limbs([a, b, c, 0]) >> (by - 64))]
    }

    /// Where there is an answer it is the crate's; where the crate has one that cannot be had quickly, it is asked.
    fn same<T: PartialEq + std::fmt::Debug, E>(
        quick: Option<T>,
        crate_says: Result<T, E>,
    ) -> Result<(), TestCaseError> {
        if let Some(quick) = quick {
            prop_assert_eq!(Some(quick), crate_says.ok());
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_096))]

        #[test]
        fn products_are_divided_as_the_crate_does(a in wide(), b in wide(), d in wide()) {
            let crate_says = full_math::mul_div(a, b, d).ok();
            prop_assert_eq!(mul_div(a, b, d), crate_says);
        }

        #[test]
        fn amounts_are_the_crates(a in price(), b in price(), liquidity: u128, by in 0u32..128, up: bool) {
            let liquidity = liquidity >> by;
            same(amount0(a, b, liquidity, up), sqrt_price_math::_get_amount_0_delta(a, b, liquidity, up))?;
            same(amount1(a, b, liquidity, up), sqrt_price_math::_get_amount_1_delta(a, b, liquidity, up))?;
            prop_assert!(amount1(a, b, liquidity, up).is_some());
        }

        #[test]
        fn steps_are_the_crates(
            from in price(), to in price(), apart in 0u32..60, near: bool, liquidity: u128, by in 0u32..128,
            left in wide(), less in 1usize..256, fee in prop_oneof![Just(500u32), 0u32..1_000_000],
        ) {
            let (liquidity, left) = (liquidity >> by, left >> less);
            let to = if near { from + (from >> (apart + 8)) } else { to };
            for (from, to) in [(from, to), (to, from)] {
                let crate_says = swap_math::compute_swap_step(from, to, liquidity, I256::from_raw(left), fee);
                let step = step(from, to, liquidity, left, fee);
                let parts = step.map(|s| (s.sqrt_price, s.amount_in, s.amount_out, s.fee));
                let usual = left.bit_len() <= 128 && liquidity > 0 && liquidity < 1 << 100;
                if usual && near && !to.is_zero() && to < PRICES && from < PRICES {
                    prop_assert!(parts.is_some() || crate_says.is_err(), "{} {} {} {}", from, to, liquidity, left);
                }
                same(parts, crate_says)?;
            }
        }
    }
}
