//! The seam to the maths crate: every formula of Uniswap v3 that the pool uses, with failures as `None`.

use super::{MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, quick};
use alloy_primitives::{I256, U256};
use std::cell::RefCell;
use uniswap_v3_math::{full_math, sqrt_price_math, swap_math, tick_math};

/// Prices of ticks that are remembered: a pool moves about in few of them.
const REMEMBERED: usize = 512;

thread_local! {
    /// Ticks and their prices, each in the one place that its last bits say. The same number whoever asks: remembering it
    /// changes nothing but the time it takes.
    static RATIOS: RefCell<[(i32, U256); REMEMBERED]> = const { RefCell::new([(i32::MAX, U256::ZERO); REMEMBERED]) };
}

/// The square root of the price at a tick, times 2^96.
#[must_use]
pub fn ratio_at(tick: i32) -> Option<U256> {
    if !(MIN_TICK..=MAX_TICK).contains(&tick) {
        return None;
    }
    RATIOS.with_borrow_mut(|known| {
        let place = &mut known[(tick - MIN_TICK) as usize % REMEMBERED];
        if place.0 != tick {
            *place = (tick, tick_math::get_sqrt_ratio_at_tick(tick).ok()?);
        }
        Some(place.1)
    })
}

/// The highest tick whose price is not above this one.
#[must_use]
pub fn tick_at(sqrt_price: U256) -> Option<i32> {
    if !(MIN_RATIO..MAX_RATIO).contains(&sqrt_price) {
        return None;
    }
    near_tick(sqrt_price).or_else(|| tick_math::get_tick_at_sqrt_ratio(sqrt_price).ok())
}

/// The tick that a float says, if its price and the next one's bear that out.
fn near_tick(sqrt_price: U256) -> Option<i32> {
    /// Ticks for each unit of the logarithm of a square root: 2 / ln 1.0001.
    const TICKS: f64 = 20_000.999_983_334_164;
    let [a, b, c, _] = sqrt_price.as_limbs().map(|limb| limb as f64);
    // In units of 2^96.
    const HALF_LIMB: f64 = 4_294_967_296.0;
    let root = c * HALF_LIMB + b / HALF_LIMB + a / HALF_LIMB / HALF_LIMB / HALF_LIMB;
    let mut near = (libm::floor(libm::log(root) * TICKS) as i32).clamp(MIN_TICK, MAX_TICK - 1);
    if sqrt_price < ratio_at(near)? {
        near -= 1;
    } else if sqrt_price >= ratio_at(near + 1)? {
        near += 1;
    }
    (ratio_at(near)? <= sqrt_price && sqrt_price < ratio_at(near + 1)?).then_some(near)
}

/// `a * b / d`, rounded down, in full width.
#[must_use]
pub fn mul_div(a: U256, b: U256, d: U256) -> Option<U256> {
    quick::mul_div(a, b, d).or_else(|| full_math::mul_div(a, b, d).ok())
}

const Q128: U256 = U256::from_limbs([0, 0, 1, 0]);

/// `a * b / 2^128`, rounded down: what a growth of fees is worth to a liquidity. It always fits.
#[must_use]
pub fn times_128th(a: U256, b: u128) -> U256 {
    let (a, b) = (*a.as_limbs(), [b as u64, (b >> 64) as u64]);
    let mut product = [0u64; 6];
    for (i, x) in a.into_iter().enumerate() {
        let mut carry = 0u64;
        for (j, y) in b.into_iter().enumerate() {
            // At most 2^128 - 1: a product of two words, and two words on top.
            let sum = u128::from(x) * u128::from(y) + u128::from(product[i + j]) + u128::from(carry);
            (product[i + j], carry) = (sum as u64, (sum >> 64) as u64);
        }
        product[i + 2] = carry;
    }
    let [_, _, low, second, third, high] = product;
    U256::from_limbs([low, second, third, high])
}

/// `a * 2^128 / b`, rounded down: the growth that a fee is for each unit of a liquidity.
#[must_use]
pub fn share_128(a: U256, b: u128) -> Option<U256> {
    let [low, high, 0, 0] = *a.as_limbs() else { return mul_div(a, Q128, U256::from(b)) };
    U256::from_limbs([0, 0, low, high]).checked_div(U256::from(b))
}

/// Token0 between two prices at a liquidity.
#[must_use]
pub fn amount0(a: U256, b: U256, liquidity: u128, up: bool) -> Option<U256> {
    quick::amount0(a, b, liquidity, up).or_else(|| sqrt_price_math::_get_amount_0_delta(a, b, liquidity, up).ok())
}

/// Token1 between two prices at a liquidity.
#[must_use]
pub fn amount1(a: U256, b: U256, liquidity: u128, up: bool) -> Option<U256> {
    quick::amount1(a, b, liquidity, up).or_else(|| sqrt_price_math::_get_amount_1_delta(a, b, liquidity, up).ok())
}

/// One step of a swap of an exact input: the price it ends at, what goes in, what comes out, and the fee on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwapStep {
    /// The price after it.
    pub sqrt_price: U256,
    /// What goes in, without the fee.
    pub amount_in: U256,
    pub amount_out: U256,
    pub fee: U256,
}

/// From a price towards a target with so much left to pay in, at a fee in hundredths of a basis point.
#[must_use]
pub fn step(sqrt_price: U256, target: U256, liquidity: u128, left: U256, fee: u32) -> Option<SwapStep> {
    if fee >= 1_000_000 {
        return None;
    }
    quick::step(sqrt_price, target, liquidity, left, fee).or_else(|| by_crate(sqrt_price, target, liquidity, left, fee))
}

fn by_crate(sqrt_price: U256, target: U256, liquidity: u128, left: U256, fee: u32) -> Option<SwapStep> {
    let left = I256::try_from(left).ok()?;
    let (sqrt_price, amount_in, amount_out, fee) =
        swap_math::compute_swap_step(sqrt_price, target, liquidity, left, fee).ok()?;
    Some(SwapStep { sqrt_price, amount_in, amount_out, fee })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wide() -> impl Strategy<Value = U256> {
        (any::<[u64; 4]>(), 0usize..256).prop_map(|(limbs, by)| U256::from_limbs(limbs) >> by)
    }

    proptest! {
        #[test]
        fn the_short_ways_are_the_long_one(a in wide(), b: u128, by in 0u32..128) {
            let b = b >> by;
            prop_assert_eq!(Some(times_128th(a, b)), mul_div(a, U256::from(b), Q128));
            prop_assert_eq!(share_128(a, b), mul_div(a, Q128, U256::from(b)));
        }

        #[test]
        fn ticks_and_prices_are_the_crates(tick in MIN_TICK..MAX_TICK, more: u64, less in 0usize..64, walk in -40i32..40) {
            for tick in [tick, tick + walk, tick].map(|tick| tick.clamp(MIN_TICK, MAX_TICK - 1)) {
                let at = tick_math::get_sqrt_ratio_at_tick(tick).unwrap();
                prop_assert_eq!(ratio_at(tick), Some(at));
                let beside = U256::from(more >> less);
                for price in [at, at - U256::from(1), at + beside, at.saturating_sub(beside)] {
                    prop_assert_eq!(tick_at(price), tick_math::get_tick_at_sqrt_ratio(price).ok());
                }
                prop_assert!(near_tick(at.max(MIN_RATIO)).is_some());
            }
        }
    }
}
