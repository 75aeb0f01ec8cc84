//! The asset at a pool's spot price, in whole micro-USDC, rounded to whichever side is asked for.
//!
//! 160-bit square roots are reckoned with by 64-bit mantissas whose every step is rounded to the asked side, so that the
//! result is never on the wrong side and off by about a unit, or 2^-60 of it where that is more.

use golem_core::intent::Asset;
use golem_core::venue::PoolSeen;

/// To which side a value is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoundTo {
    /// What comes in.
    Down,
    /// What is given away.
    Up,
}

impl RoundTo {
    fn other(self) -> Self {
        match self {
            Self::Down => Self::Up,
            Self::Up => Self::Down,
        }
    }
}

/// `mantissa * 2^exponent`.
#[derive(Clone, Copy)]
struct Scaled {
    mantissa: u64,
    exponent: i32,
}

/// The value of an amount of the asset in micro-USDC; `None` when the pool has no price.
///
/// Which token USDC is follows from the decimals: a millionth of a USDC is worth more than 1e-18 of the asset as long as
/// a whole asset costs less than 1e12 USDC, so the root is above 2^96 exactly when USDC is token0.
pub(crate) fn value(asset: Asset, pool: &PoolSeen, round: RoundTo) -> Option<u128> {
    let limbs = pool.sqrt_price_x96.0;
    if limbs == [0; 4] {
        return None;
    }
    let amount = narrow(asset.0, 0, round);
    if is_usdc_first(pool) {
        // asset * 2^192 / root^2
        let square = square(&limbs, round.other());
        let (dividend, divisor) = (u128::from(amount.mantissa) << 64, u128::from(square.mantissa));
        let ratio = match round {
            RoundTo::Down => dividend / divisor,
            RoundTo::Up => dividend.div_ceil(divisor),
        };
        Some(shift(ratio, amount.exponent + 128 - square.exponent, round))
    } else {
        // asset * root^2 / 2^192
        let square = square(&limbs, round);
        let product = u128::from(amount.mantissa) * u128::from(square.mantissa);
        Some(shift(product, amount.exponent + square.exponent - 192, round))
    }
}

/// Which token USDC is, by the pool's price: see [`value`].
pub(crate) fn is_usdc_first(pool: &PoolSeen) -> bool {
    let limbs = pool.sqrt_price_x96.0;
    limbs[3] > 0 || limbs[2] > 0 || limbs[1] >> 32 > 0
}

/// The square of a number of four limbs, lowest first, that is not zero.
fn square(limbs: &[u64; 4], round: RoundTo) -> Scaled {
    let top = limbs.iter().rposition(|limb| *limb > 0).unwrap_or(0).max(1);
    let head = (u128::from(limbs[top]) << 64) + u128::from(limbs[top - 1]);
    let rest = limbs[..top - 1].iter().any(|limb| *limb > 0);
    // Where this saturates, the narrowing rounds up anyway.
    let head = head.saturating_add(u128::from(rest && round == RoundTo::Up));
    let below = i32::try_from(top - 1).unwrap_or(0) * 64;
    let root = narrow(head, below, round);
    narrow(u128::from(root.mantissa) * u128::from(root.mantissa), 2 * root.exponent, round)
}

fn narrow(x: u128, exponent: i32, round: RoundTo) -> Scaled {
    let spare = (u128::BITS - x.leading_zeros()).saturating_sub(u64::BITS);
    let cut = match round {
        RoundTo::Down => x >> spare,
        RoundTo::Up => (x >> spare) + u128::from(x & ((1 << spare) - 1) > 0),
    };
    let exponent = exponent + i32::try_from(spare).unwrap_or(0);
    match u64::try_from(cut) {
        Ok(mantissa) => Scaled { mantissa, exponent },
        // Rounding up reached 2^64.
        Err(_) => Scaled { mantissa: 1 << 63, exponent: exponent + 1 },
    }
}

/// `x * 2^by`, at most the largest number there is.
fn shift(x: u128, by: i32, round: RoundTo) -> u128 {
    let n = by.unsigned_abs();
    if by >= 0 {
        return 1_u128.checked_shl(n).and_then(|factor| x.checked_mul(factor)).unwrap_or(u128::MAX);
    }
    let (whole, rest) = match x.checked_shr(n) {
        Some(whole) => (whole, x != whole << n),
        None => (0, x > 0),
    };
    whole + u128::from(rest && round == RoundTo::Up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::venue::Wide;
    use proptest::prelude::*;

    /// The product of numbers in 32-bit digits, lowest first, by hand.
    fn times(a: &[u32], b: &[u32]) -> Vec<u32> {
        let mut out = vec![0_u32; a.len() + b.len()];
        for (i, x) in a.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, y) in b.iter().enumerate() {
                carry += u64::from(out[i + j]) + u64::from(*x) * u64::from(*y);
                out[i + j] = carry as u32;
                carry >>= 32;
            }
            out[i + b.len()] = carry as u32;
        }
        out
    }
    fn digits(x: u128) -> Vec<u32> {
        (0..4).map(|n| (x >> (32 * n)) as u32).collect()
    }
    fn limbs(x: &[u64; 4]) -> Vec<u32> {
        x.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]).collect()
    }
    fn at_most(a: &[u32], b: &[u32]) -> bool {
        let digit = |x: &[u32], n: usize| x.get(n).copied().unwrap_or(0);
        let differs = (0..a.len().max(b.len())).rev().find(|n| digit(a, *n) != digit(b, *n));
        differs.is_none_or(|n| digit(a, n) < digit(b, n))
    }
    fn pool(root: [u64; 4]) -> PoolSeen {
        PoolSeen { sqrt_price_x96: Wide(root), ..PoolSeen::default() }
    }
    /// `down <= asset * price <= up`, exactly, and both near each other.
    fn holds(asset: u128, root: [u64; 4]) -> Result<(), TestCaseError> {
        let of = |round| value(Asset(asset), &pool(root), round).unwrap();
        let (down, up) = (of(RoundTo::Down), of(RoundTo::Up));
        let square = times(&limbs(&root), &limbs(&root));
        let two_192 = times(&digits(1 << 96), &digits(1 << 96));
        let (price, per) =
            if root[3] > 0 || root[2] > 0 || root[1] >= 1 << 32 { (two_192, square) } else { (square, two_192) };
        let exact = times(&digits(asset), &price);
        prop_assert!(at_most(&times(&digits(down), &per), &exact), "{down} is above");
        prop_assert!(at_most(&exact, &times(&digits(up), &per)), "{up} is below");
        prop_assert!(up - down <= 2 + (up >> 58), "{down} and {up} are far apart");
        Ok(())
    }

    proptest! {
        #[test]
        fn values_lie_on_their_side_and_near(asset: u128, cut in 0_u32..128, root: [u64; 4], drop in 0_usize..256) {
            let mut root = root;
            for (n, limb) in root.iter_mut().enumerate() {
                let low = 256_usize.saturating_sub(drop).saturating_sub(64 * n);
                *limb = if low >= 64 { *limb } else { *limb & ((1 << low) - 1) };
            }
            root[0] |= 1;
            holds(asset >> cut, root)?;
        }
    }

    #[test]
    fn edges_hold() {
        for root in [
            [1, 0, 0, 0],
            [u64::MAX, 0, 0, 0],
            [0, 1 << 18, 0, 0],
            [1, 1 << 18, 0, 0],
            [u64::MAX, (1 << 32) - 1, 0, 0],
            [0, 1 << 32, 0, 0],
            [1, 1 << 32, 0, 0],
            [1, u64::MAX, 0, 0],
            [u64::MAX, u64::MAX, 0, 0],
            [0, 0, 1, 0],
            [1, 0, 1, 0],
            [1, u64::MAX, 1, 0],
            [u64::MAX, u64::MAX, u64::MAX, 0],
            [0, 0, 0, 1],
            [u64::MAX; 4],
        ] {
            for asset in [0, 1, 2, 1 << 63, (1 << 64) - 1, 1 << 64, (1 << 64) + 1, 1 << 127, u128::MAX] {
                holds(asset, root).unwrap();
            }
        }
    }

    #[test]
    fn round_prices_are_exact_in_both_token_orders() {
        // 2^28 of the asset for a micro-USDC.
        for root in [[0, 1 << 18, 0, 0], [0, 1 << 46, 0, 0]] {
            for round in [RoundTo::Down, RoundTo::Up] {
                for micro in [0, 1, 1_000_000, u128::from(u64::MAX), (1 << 100) - (1 << 37)] {
                    assert_eq!(value(Asset(micro << 28), &pool(root), round), Some(micro), "{root:?} {round:?}");
                }
            }
            let odd = Asset((5 << 28) + 1);
            assert_eq!(value(odd, &pool(root), RoundTo::Down), Some(5));
            assert_eq!(value(odd, &pool(root), RoundTo::Up), Some(6));
        }
        assert_eq!(value(Asset(1), &pool([0; 4]), RoundTo::Up), None);
    }

    #[test]
    fn prices_of_few_digits_are_exact() {
        let exact = |asset: u128, root: [u64; 4], expected: u128| {
            for round in [RoundTo::Down, RoundTo::Up] {
                assert_eq!(value(Asset(asset), &pool(root), round), Some(expected), "{asset} {root:?} {round:?}");
            }
        };
        // A price of one.
        for asset in [1, 2, 3, 7, (1 << 64) | 2, (1 << 64) | 6, (1 << 65) | 4, u128::from(u64::MAX), 3 << 100] {
            exact(asset, [0, 1 << 32, 0, 0], asset);
        }
        // A root of 2^60 * (2^22 + 1), and one of 2^128 or more.
        exact(1 << 72, [1 << 60, 1 << 18, 0, 0], (1 << 44) + (1 << 23) + 1);
        for micro in [1, 3, 1_000_003] {
            exact(micro << 64, [0, 0, 1, 0], micro);
            exact(micro << 100, [0, 0, 1 << 18, 0], micro);
        }
    }

    #[test]
    fn shifting_never_wraps() {
        assert_eq!(shift(1, 127, RoundTo::Down), 1 << 127);
        assert_eq!(shift(1, 128, RoundTo::Down), u128::MAX);
        assert_eq!(shift(2, 127, RoundTo::Down), u128::MAX);
        assert_eq!(shift(3, 0, RoundTo::Up), 3);
        assert_eq!((shift(1 << 127, -127, RoundTo::Down), shift(u128::MAX, -127, RoundTo::Up)), (1, 2));
        assert_eq!(
            (shift(1, -128, RoundTo::Down), shift(1, -128, RoundTo::Up), shift(0, -128, RoundTo::Up)),
            (0, 1, 0)
        );
    }
}
