//! What can be read off a pool: its spot price, and what a range of prices does to a position. These numbers describe;
//! they are never money.

use golem_core::Book;
use golem_core::venue::{PoolSeen, Range};
use serde::{Deserialize, Serialize};

/// Units of the asset per whole over units of USDC per whole.
const SCALE: f64 = 1e12;
/// 2^64 and 2^96.
const LIMB: f64 = (1u128 << 64) as f64;
const X96: f64 = (1u128 << 96) as f64;
const LN_SCALE: f64 = 27.631_021_115_928_547;
/// Natural logarithm of 1.0001: one tick.
const LN_TICK: f64 = 9.999_500_033_330_834e-5;

/// USDC for one of the asset at the pool's price. Which token USDC is follows from what the price is `near`: the two
/// readings lie twenty orders of magnitude apart. A pool without a price is read as `near`.
pub(crate) fn spot(pool: &PoolSeen, near: f64) -> f64 {
    let root = pool.sqrt_price_x96.0.iter().rev().fold(0.0, |sum, limb| sum * LIMB + *limb as f64);
    let root = root / X96;
    let (one, other) = (root * root * SCALE, SCALE / (root * root));
    let usable = |x: f64| x.is_normal() && x > 0.0;
    if !usable(one) || !usable(other) {
        return near;
    }
    let away = |x: f64| (x / near).max(near / x);
    if away(one) <= away(other) { one } else { other }
}

/// The range of a position in log prices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Span {
    low: f64,
    high: f64,
}

impl Span {
    /// Around a log price, with a half-width in basis points of the price; 0 is everything.
    #[must_use]
    pub fn around(at: f64, width_bps: u32) -> Self {
        let half = if width_bps == 0 { 100.0 } else { libm::log1p(f64::from(width_bps) / 1e4) };
        Self { low: at - half, high: at + half }
    }
    /// Of the position in a book, read in the token order that puts the pool near this log price.
    #[must_use]
    pub fn of(book: &Book, near: f64) -> Option<Self> {
        book.position.map(|p| Self::of_ticks(p.range, book.pool.tick, near))
    }
    fn of_ticks(range: Range, pool_tick: i32, near: f64) -> Self {
        let (low, high) = (f64::from(range.lower) * LN_TICK, f64::from(range.upper) * LN_TICK);
        let tick = f64::from(pool_tick) * LN_TICK;
        if (LN_SCALE + tick - near).abs() <= (LN_SCALE - tick - near).abs() {
            Self { low: LN_SCALE + low, high: LN_SCALE + high }
        } else {
            Self { low: LN_SCALE - high, high: LN_SCALE - low }
        }
    }
    /// The log price in its middle.
    pub(crate) fn middle(&self) -> f64 {
        0.5 * (self.high + self.low)
    }
    /// Half of its width.
    pub(crate) fn half(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
    /// How far the nearer edge is, in halves of its width: 1 in the middle, 0 at the edge and outside.
    pub(crate) fn room(&self, at: f64) -> f64 {
        crate::math::unit(crate::math::ratio((at - self.low).min(self.high - at), self.half()))
    }
    /// Share of a position's worth that is the asset, at a log price.
    pub(crate) fn asset_share(&self, at: f64) -> f64 {
        let (asset, usdc) = self.parts(at);
        crate::math::ratio(asset, asset + usdc)
    }
    /// How many times the liquidity of an unbounded position of the same worth it has, inside the range.
    pub(crate) fn concentration(&self, at: f64) -> f64 {
        let (asset, usdc) = self.parts(at);
        crate::math::ratio(2.0, asset + usdc).max(1.0)
    }
    /// What each token is worth, in units of liquidity times the root of the price.
    fn parts(&self, at: f64) -> (f64, f64) {
        // Outside, a position is what it was at the edge it left by.
        let at = at.max(self.low).min(self.high);
        (-libm::expm1(-0.5 * (self.high - at)), -libm::expm1(-0.5 * (at - self.low)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::venue::Wide;

    /// The square root of a price as a pool writes it, by long division in plain integers.
    fn root_x96(raw: f64) -> Wide {
        let root = (libm::sqrt(raw) * X96) as u128;
        Wide([root as u64, (root >> 64) as u64, 0, 0])
    }

    #[test]
    fn both_token_orders_give_the_same_price() {
        for price in [0.5, 1_234.5, 2_000.0, 98_765.0] {
            for raw in [price / 1e12, 1e12 / price] {
                let pool = PoolSeen { sqrt_price_x96: root_x96(raw), ..Default::default() };
                let read = spot(&pool, price * 1.4);
                assert!((read / price - 1.0).abs() < 1e-6, "{read} {price}");
            }
        }
        assert!((spot(&PoolSeen::default(), 7.0) - 7.0).abs() < 1e-12, "no price is no news");
        let full = PoolSeen { sqrt_price_x96: Wide([u64::MAX; 4]), ..Default::default() };
        assert!(spot(&full, 7.0).is_finite());
    }

    #[test]
    fn ticks_are_read_in_both_orders() {
        // 2,000 USDC lie at tick -200,311 when USDC is token1, and at 200,311 when it is token0.
        let near = libm::log(2_000.0);
        let one = Span::of_ticks(Range { lower: -201_310, upper: -199_310 }, -200_311, near);
        let other = Span::of_ticks(Range { lower: 199_310, upper: 201_310 }, 200_311, near);
        for span in [one, other] {
            assert!((span.low - (near - 0.1)).abs() < 2e-4 && (span.high - (near + 0.1)).abs() < 2e-4, "{span:?}");
        }
    }

    #[test]
    fn a_position_is_half_and_half_in_the_middle_and_whole_at_the_edges() {
        let full = Span::around(7.6, 0);
        assert!((full.asset_share(7.6) - 0.5).abs() < 1e-12 && (full.concentration(7.6) - 1.0).abs() < 1e-12);
        let tight = Span::around(7.6, 2_000);
        assert!((tight.asset_share(7.6) - 0.5).abs() < 1e-12);
        // 1 / (1 - 1.2^(-1/2)): the usual figure for a range of a fifth.
        assert!((tight.concentration(7.6) - 11.477).abs() < 1e-3, "{}", tight.concentration(7.6));
        let edge = 7.6 + libm::log(1.2);
        for (at, room) in [(7.6, 1.0), (0.5 * (7.6 + edge), 0.5), (edge, 0.0), (9.0, 0.0)] {
            assert!((tight.room(at) - room).abs() < 1e-9, "{at}");
        }
        for (at, share) in [(7.0, 1.0), (8.5, 0.0), (-345.0, 1.0), (345.0, 0.0)] {
            assert!((tight.asset_share(at) - share).abs() < 1e-12, "{at}");
        }
    }

    /// The share against the textbook amounts of both tokens, with square roots of prices.
    #[test]
    fn shares_agree_with_token_amounts() {
        for (low, high, price) in
            [(1_500.0, 2_500.0, 1_600.0), (1_000.0, 9_000.0, 2_000.0), (1_990.0, 2_010.0, 2_009.0)]
        {
            let (a, b, p): (f64, f64, f64) = (libm::sqrt(low), libm::sqrt(high), libm::sqrt(price));
            let (asset, usdc) = ((1.0 / p - 1.0 / b) * price, p - a);
            let span = Span { low: libm::log(low), high: libm::log(high) };
            let share = span.asset_share(libm::log(price));
            assert!((share - asset / (asset + usdc)).abs() < 1e-9);
            assert!((span.concentration(libm::log(price)) - 2.0 * p / (asset + usdc)).abs() < 1e-6);
        }
    }
}
