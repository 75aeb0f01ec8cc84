//! Numbers with 27 decimals, and the roundings of whoever wrote the contracts: halves go up. What does not fit is nothing, as the
//! contracts revert.

use alloy_primitives::U256;

/// One.
pub const RAY: u128 = 1_000_000_000_000_000_000_000_000_000;
/// A year has 365 days here.
const YEAR: u128 = 365 * 24 * 3600;
/// A hundred per cent, in basis points.
const ALL_BPS: u128 = 10_000;

/// `a * b`, both with 27 decimals.
#[must_use]
pub fn ray_mul(a: u128, b: u128) -> Option<u128> {
    over(wide(a).checked_mul(wide(b))?, RAY)
}

/// `a / b`, both with 27 decimals.
#[must_use]
pub fn ray_div(a: u128, b: u128) -> Option<u128> {
    over(wide(a).checked_mul(wide(RAY))?, b)
}

/// A share of something, in basis points.
#[must_use]
pub fn percent_mul(a: u128, bps: u32) -> Option<u128> {
    over(wide(a).checked_mul(U256::from(bps))?, ALL_BPS)
}

/// What one becomes at a yearly rate after so many seconds, without interest on interest.
#[must_use]
pub fn linear(rate: u128, seconds: u64) -> Option<u128> {
    let grown = wide(rate).checked_mul(U256::from(seconds))? / wide(YEAR);
    narrow(grown)?.checked_add(RAY)
}

/// What one becomes with interest on interest every second: the first three terms of the binomial series.
#[must_use]
pub fn compounded(rate: u128, seconds: u64) -> Option<u128> {
    if seconds == 0 {
        return Some(RAY);
    }
    let times = U256::from(seconds);
    let (less_one, less_two) = (U256::from(seconds - 1), U256::from(seconds.saturating_sub(2)));
    let square = wide(ray_mul(rate, rate)?) / (wide(YEAR) * wide(YEAR));
    let cube = wide(ray_mul(narrow(square)?, rate)?) / wide(YEAR);
    let first = wide(rate).checked_mul(times)? / wide(YEAR);
    let pairs = times.checked_mul(less_one)?;
    let second = pairs.checked_mul(square)? / U256::from(2);
    let third = pairs.checked_mul(less_two)?.checked_mul(cube)? / U256::from(6);
    narrow(wide(RAY).checked_add(first)?.checked_add(second)?.checked_add(third)?)
}

/// The quotient, halves up.
fn over(product: U256, by: u128) -> Option<u128> {
    let by = wide(by);
    narrow(product.checked_add(by >> 1)?.checked_div(by)?)
}

fn wide(x: u128) -> U256 {
    U256::from(x)
}

fn narrow(x: U256) -> Option<u128> {
    u128::try_from(x).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_up() {
        let half = RAY / 2;
        for (a, b, product) in [(1, half, 1), (1, half - 1, 0), (3, half, 2), (7, RAY, 7), (0, RAY, 0)] {
            assert_eq!(ray_mul(a, b), Some(product), "{a} * {b}");
        }
        for (a, b, quotient) in [(1, 2 * RAY, 1), (1, 2 * RAY + 1, 0), (5, RAY, 5), (3, 2 * RAY, 2)] {
            assert_eq!(ray_div(a, b), Some(quotient), "{a} / {b}");
        }
        for (a, bps, share) in [(1, 5_000, 1), (1, 4_999, 0), (10_000, 1_000, 1_000), (15, 1_000, 2), (14, 1_000, 1)] {
            assert_eq!(percent_mul(a, bps), Some(share), "{bps} of {a}");
        }
        assert_eq!(ray_div(1, 0), None);
        assert_eq!(ray_mul(u128::MAX, u128::MAX), None);
    }

    #[test]
    fn a_year_at_a_rate() {
        let (five, year) = (RAY / 20, 365 * 24 * 3600);
        assert_eq!(linear(five, year), Some(RAY + five));
        assert_eq!(linear(five, 0), Some(RAY));
        assert_eq!(compounded(five, 0), Some(RAY));
        assert_eq!(compounded(five, 1), Some(RAY + five / u128::from(year)));
        let grown = compounded(five, year).expect("a number") as f64 / RAY as f64;
        // The cube of a second's rate has one digit left: up to a third of that term is lost, as it is by the contracts.
        assert!((grown - 0.05_f64.exp()).abs() < 1e-5, "{grown}");
    }

    proptest! {
        /// What was taken apart and put together again is what it was: so whoever takes everything out takes all.
        #[test]
        fn a_share_is_the_same_there_and_back(scaled in 1..1u128 << 100, index in RAY..RAY * 4) {
            let amount = ray_mul(scaled, index).expect("it fits");
            prop_assert_eq!(ray_div(amount, index), Some(scaled));
        }

        #[test]
        fn interest_never_takes(rate in 0..RAY * 3, seconds in 0..1_000_000_000u64) {
            let (plain, on_interest) = (linear(rate, seconds).expect("fits"), compounded(rate, seconds).expect("fits"));
            prop_assert!(plain >= RAY && on_interest >= plain);
        }
    }
}
