//! The minima of a liquidity action, tied to its tolerance on both sides: what must come out, or go in, of each token is at
//! least what it would be at the end of the tolerated move at which there is the least of it.
//!
//! Of token0 there is the less the higher the price is, in proportion to `root(upper - at) - 1`; of token1 the less the
//! lower it is, in proportion to `root(at - lower) - 1`, where `root` is the ratio of the square roots of two prices.

use golem_core::reference::{ONE, root_ratio};
use golem_core::venue::Range;

/// Amounts may be rounded by this many units on their way.
const ROUNDING: u128 = 2;
/// Beyond this distance the one in the proportions above is nothing; distances are cut to it together.
const FAR: u32 = 300_000;

/// A pool's tick, a range, and how far the price may move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerated {
    pub tick: i32,
    pub range: Range,
    pub bps: u32,
}

/// Whether liquidity goes in or comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiquidityWay {
    In,
    Out,
}

impl Tolerated {
    /// Whether minima of token0 and token1 are no lower than the tolerated move makes of these amounts.
    pub(crate) fn holds(&self, way: LiquidityWay, now: [u128; 2], least: [u128; 2]) -> bool {
        let Range { lower, upper } = self.range;
        if lower >= upper {
            return false;
        }
        let at = self.tick.clamp(lower, upper);
        // The price lies somewhere within its tick; a move downwards takes a little more than a tick for a basis point.
        let ticks = self.bps.saturating_add(self.bps / 50).saturating_add(2);
        let high = self.tick.saturating_add_unsigned(ticks).clamp(lower, upper);
        let low = self.tick.saturating_sub_unsigned(ticks).clamp(lower, upper);
        let first = |to: i32| (upper.abs_diff(to), upper.abs_diff(at));
        let second = |to: i32| (to.abs_diff(lower), at.abs_diff(lower));
        let mut need = [part(now[0], first(high)), part(now[1], second(low))];
        if way == LiquidityWay::In {
            // What goes in is also cut by the other token, of which more is needed there.
            let swapped = |(to, at): (u32, u32)| (at, to);
            need = [part(need[0], swapped(second(high))), part(need[1], swapped(first(low)))];
        }
        need.iter().zip(least).all(|(need, least)| least.saturating_add(ROUNDING) >= *need)
    }
}

/// `amount * (root(to) - 1) / (root(from) - 1)`, rounded down, at most the amount.
fn part(amount: u128, (to, from): (u32, u32)) -> u128 {
    let cut = from.max(to).saturating_sub(FAR);
    let (to, from) = (to.saturating_sub(cut), from.saturating_sub(cut));
    let (top, bottom) = (root_ratio(to) - ONE, root_ratio(from) - ONE);
    if top >= bottom {
        return if bottom == 0 { 0 } else { amount };
    }
    // In 32 bits of share: what is lost is below a unit in four billion, always downwards.
    let spare = (u128::BITS - bottom.leading_zeros()).saturating_sub(96);
    let share = ((top >> spare) << 32) / ((bottom >> spare) + 1);
    let (low, high) = amount.carrying_mul(share, 0);
    (high << 96) | (low >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(range: (i32, i32), bps: u32, way: LiquidityWay, least: [u128; 2]) -> bool {
        let range = Range { lower: range.0, upper: range.1 };
        Tolerated { tick: 0, range, bps }.holds(way, [1_000_000; 2], least)
    }

    #[test]
    fn both_sides_are_tied_to_the_tolerance() {
        // Of a range of 600 ticks to either side a move of 50 takes about a twelfth of one token out.
        for (least, expected) in [
            ([1_000_000, 1_000_000], true),
            ([912_000, 912_000], true),
            ([908_000, 912_000], false),
            ([912_000, 908_000], false),
            ([1, 1_000_000], false),
            ([0, 0], false),
        ] {
            assert_eq!(held((-600, 600), 50, LiquidityWay::Out, least), expected, "{least:?}");
        }
        // What goes in is cut twice.
        for (least, expected) in [([840_000, 840_000], true), ([820_000, 840_000], false), ([840_000, 820_000], false)]
        {
            assert_eq!(held((-600, 600), 50, LiquidityWay::In, least), expected, "{least:?}");
        }
        // The full range: half of the tolerance on each side.
        for (least, expected) in [([998_000, 998_000], true), ([990_000, 998_000], false)] {
            assert_eq!(held((-887_270, 887_270), 50, LiquidityWay::Out, least), expected, "{least:?}");
        }
    }

    #[test]
    fn what_the_move_can_take_out_of_a_side_needs_no_minimum_there() {
        assert!(held((-40, 40), 50, LiquidityWay::Out, [0, 0]), "a range within the tolerance");
        assert!(held((-600, 40), 50, LiquidityWay::Out, [0, 1_000_000]));
        assert!(!held((-600, 40), 50, LiquidityWay::Out, [0, 0]));
        // Outside of the range all is of one token, and a move that does not reach it changes nothing.
        let above = Tolerated { tick: 900, range: Range { lower: -600, upper: 600 }, bps: 50 };
        assert!(above.holds(LiquidityWay::Out, [0, 500], [0, 500]));
        assert!(!above.holds(LiquidityWay::Out, [0, 500], [0, 400]));
    }

    #[test]
    fn ranges_that_cannot_be_hold_nothing_and_nothing_panics() {
        for (lower, upper) in [(100, -100), (0, 0), (i32::MIN, i32::MAX), (i32::MAX, i32::MIN)] {
            for tick in [i32::MIN, -1, 0, i32::MAX] {
                for way in [LiquidityWay::In, LiquidityWay::Out] {
                    let range = Range { lower, upper };
                    let held = Tolerated { tick, range, bps: u32::MAX }.holds(way, [u128::MAX; 2], [u128::MAX; 2]);
                    assert_eq!(held, lower < upper);
                }
            }
        }
    }
}
