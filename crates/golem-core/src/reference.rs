//! The reference price: what a pool's price is held against before value is given up. The block in which it is asked for
//! cannot move it.
//!
//! It is carried in ticks of the pool, in the pool's own token order: a tick is a ten-thousandth of the price, which is far
//! finer than any distance that is allowed, and it takes a few bytes of a record.

use serde::{Deserialize, Serialize};

/// Where a reference comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// The time-weighted mean of the pool's own observations.
    PoolMean,
    /// The last closed bar: a bar is longer than the window, so that no mean lies within it.
    LastBar,
    /// Nothing can be asked now: the last one that was known.
    LastKnown,
}

impl ReferenceKind {
    /// The word used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PoolMean => "the pool's mean",
            Self::LastBar => "the last closed bar",
            Self::LastKnown => "the last known one",
        }
    }
}

/// A reference price, with the pool's own price that it was asked for beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReferencePrice {
    /// Where it comes from.
    pub kind: ReferenceKind,
    /// The reference, as a tick of the pool.
    pub tick: i32,
    /// The tick at which the pool itself stood.
    pub spot: i32,
    /// Seconds that the mean reaches back, or that a bar is long.
    pub window_s: u32,
}

/// How far back the mean of a pool's observations reaches, in seconds: 45 nominal blocks.
pub const REFERENCE_WINDOW_S: u32 = 1_800;
/// A mean over less than this is none: one pushed block would be too much of it.
pub const LEAST_WINDOW_S: u32 = 300;
/// Without a reference, what must be sold goes in at least so many parts.
pub const BLIND_PARTS: u128 = 10;

/// One, in the fixed point of [`root_ratio`].
pub const ONE: u128 = 1 << 64;
/// The square root of the price of one tick above another, in the same.
const ROOT_TICK: u128 = 18_447_666_387_855_959_850;
/// Beyond this many ticks a ratio is as good as endless; it still fits.
const MOST_TICKS: u32 = 400_000;
/// The logarithm of one tick.
const LOG_TICK: f64 = 9.999_500_033_330_834e-5;

impl ReferencePrice {
    /// How far the pool's price is from the reference, up or down alike, in basis points of the lower of the two.
    #[must_use]
    pub fn off_bps(&self) -> u32 {
        apart_bps(self.tick, self.spot)
    }
    /// USDC for one whole of the asset at the reference.
    #[must_use]
    pub fn price(&self) -> f64 {
        price_at(self.tick)
    }
    /// USDC for one whole of the asset where the pool itself stood.
    #[must_use]
    pub fn spot_price(&self) -> f64 {
        price_at(self.spot)
    }
    /// The same reference beside another price of the pool.
    #[must_use]
    pub fn beside(self, spot: i32) -> Self {
        Self { spot, ..self }
    }
}

/// How far two ticks are apart, in basis points of the lower price.
#[must_use]
pub fn apart_bps(a: i32, b: i32) -> u32 {
    // A unit of the last digit more, so that one tick is one basis point; far ratios must not overflow.
    let more = ((ratio_x64(a.abs_diff(b)) - ONE) >> 32) + 1;
    u32::try_from((more * 10_000) >> 32).unwrap_or(u32::MAX)
}

/// An amount of USDC for some of the asset at one tick, as it would be at another, rounded down.
#[must_use]
pub fn value_at(usdc: u128, from: i32, to: i32) -> u128 {
    let ratio = ratio_x64(from.abs_diff(to));
    let higher = if is_usdc_first(from) { to < from } else { to > from };
    // The product has at most 256 bits; what does not fit is the largest there is.
    let by = if higher { ratio } else { u128::MAX / ratio };
    let (low, high) = usdc.carrying_mul(by, 0);
    if high >> 64 > 0 { u128::MAX } else { (high << 64) | (low >> 64) }
}

/// Whether USDC is the pool's first token: with 6 decimals against 18, a price above one in smallest units says so as long
/// as a whole of the asset costs less than 1e12 USDC.
fn is_usdc_first(tick: i32) -> bool {
    tick >= 0
}

/// USDC for one whole of the asset at a tick, for what only describes.
#[must_use]
pub fn price_at(tick: i32) -> f64 {
    let raw = libm::exp(f64::from(tick) * LOG_TICK);
    if is_usdc_first(tick) { 1e12 / raw } else { raw * 1e12 }
}

/// The ratio of two prices that are so many ticks apart, times 2^64.
fn ratio_x64(ticks: u32) -> u128 {
    root_ratio(ticks.saturating_mul(2))
}

/// The ratio of the square roots of two prices that are so many ticks apart, times 2^64, by repeated squaring.
#[must_use]
pub fn root_ratio(ticks: u32) -> u128 {
    let (mut left, mut power, mut product) = (ticks.min(2 * MOST_TICKS), ROOT_TICK, ONE);
    while left > 0 {
        if left & 1 == 1 {
            product = times(product, power);
        }
        left >>= 1;
        if left > 0 {
            power = times(power, power);
        }
    }
    product
}

/// The product of two numbers of this fixed point, each below 2^60.
fn times(a: u128, b: u128) -> u128 {
    let (low, high) = a.carrying_mul(b, 0);
    (high << 64) | (low >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reference(tick: i32, spot: i32) -> ReferencePrice {
        ReferencePrice { kind: ReferenceKind::PoolMean, tick, spot, window_s: REFERENCE_WINDOW_S }
    }

    #[test]
    fn distances_are_those_of_the_prices() {
        for (tick, spot, expected) in [
            (1_000, 1_000, 0),
            (-196_000, -195_999, 1),
            (1_000, 1_500, 512),
            (1_500, 1_000, 512),
            (-887_272, 887_272, u32::MAX),
            (i32::MIN, i32::MAX, u32::MAX),
        ] {
            assert_eq!(reference(tick, spot).off_bps(), expected, "{tick} {spot}");
        }
    }

    #[test]
    fn a_price_is_the_same_in_both_token_orders() {
        // 3,000 USDC for one whole.
        let [first, second] = [196_255, -196_256].map(|tick| reference(tick, tick).price());
        assert!((first / 3_000.0 - 1.0).abs() < 2e-4 && (second / 3_000.0 - 1.0).abs() < 2e-4, "{first} {second}");
    }

    proptest! {
        #[test]
        fn values_scale_like_prices(usdc in 1_000_000_u64.., at in 100_000_i32..300_000, by in -5_000_i32..5_000, first: bool) {
            let (from, to) = if first { (at, at + by) } else { (-at, -at + by) };
            let value = value_at(u128::from(usdc), from, to) as f64;
            let expected = usdc as f64 * price_at(to) / price_at(from);
            prop_assert!((value / expected - 1.0).abs() < 1e-5, "{value} {expected}");
        }
        #[test]
        fn no_tick_makes_it_panic(a: i32, b: i32, usdc: u128) {
            let _ = (apart_bps(a, b), value_at(usdc, a, b), reference(a, b).price());
        }
    }
}
