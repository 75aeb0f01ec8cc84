//! The one measure of what living costs, and the runway that follows from it. Status, context, affect, observed fields,
//! `economic_critical` and the life forecast all read it here.
//!
//! Rent is known to the unit, so it is not estimated: a bill that comes every six hours must not move it. What is wished
//! for (gas, models) comes in lumps and is smoothed over a week.

use super::prices::Prices;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use golem_core::{Elapsed, NOMINAL_TICK_S, Usdc};
use serde::{Deserialize, Serialize};

/// Nominal ticks over which wishes are smoothed.
const WEEK: f64 = 7.0 * NOMINAL_TICKS_PER_DAY as f64;
/// The least of it: the first trade of a newborn is not its way of life.
const DAY: f64 = NOMINAL_TICKS_PER_DAY as f64;

/// What living costs, in micro-USDC per nominal tick.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BurnRate {
    rent: f64,
    wishes: f64,
}

impl BurnRate {
    /// Of a newborn that pays these prices; nothing yet for wishes.
    #[must_use]
    pub fn of_rent(prices: &Prices) -> Self {
        Self { rent: prices.rent_per_day().0 as f64 / DAY, wishes: 0.0 }
    }

    /// A turn has passed in which wishes took so much. `age` is the life so far: its mean counts until a week is full.
    pub fn tick(&mut self, wishes: Usdc, elapsed: Elapsed, age: Elapsed) {
        let n = elapsed.as_nominal();
        if n <= 0.0 {
            return;
        }
        let window = age.as_nominal().clamp(DAY, WEEK);
        let weight = (n / window).min(1.0);
        self.wishes += (wishes.0 as f64 / n - self.wishes) * weight;
    }

    /// Micro-USDC per nominal tick.
    #[must_use]
    pub fn per_tick(&self) -> f64 {
        self.rent + self.wishes
    }

    /// Nominal ticks until this much is burnt; `None` when nothing burns.
    #[must_use]
    pub fn ticks_to_burn(&self, amount: Usdc) -> Option<u64> {
        ticks_to_burn(amount, self.per_tick())
    }

    /// Hours until this much is burnt; `None` when nothing burns.
    #[must_use]
    pub fn hours_to_burn(&self, amount: Usdc) -> Option<f64> {
        self.ticks_to_burn(amount).map(|t| t as f64 * NOMINAL_TICK_S as f64 / 3_600.0)
    }
}

/// Nominal ticks until an amount is burnt at a rate; `None` when nothing burns.
#[must_use]
pub fn ticks_to_burn(amount: Usdc, per_tick: f64) -> Option<u64> {
    (per_tick > 1e-12).then(|| (amount.0 as f64 / per_tick) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EconomicConfig;

    fn newborn() -> BurnRate {
        BurnRate::of_rent(&Prices::of(&EconomicConfig::default()))
    }

    #[test]
    fn rent_is_known_from_the_first_turn_and_never_jumps() {
        // 24 x 0.007 for the machine, 0.02 for the feed, 4 x 0.01 for snapshots.
        let mut burn = newborn();
        for turn in 1..5_000 {
            assert!((burn.per_tick() * DAY - 228_000.0).abs() < 1e-6, "turn {turn}");
            burn.tick(Usdc::ZERO, Elapsed::nominal(1), Elapsed::nominal(turn));
        }
        assert_eq!(burn.ticks_to_burn(Usdc(2_280_000)), Some(21_600));
        assert!((burn.hours_to_burn(Usdc(228_000)).unwrap() - 24.0).abs() < 0.1);
        assert_eq!(BurnRate::default().ticks_to_burn(Usdc(10)), None);
    }

    #[test]
    fn smoothing_does_not_depend_on_the_interval() {
        let (mut one, mut two) = (BurnRate::default(), BurnRate::default());
        for n in 1..40_000u64 {
            one.tick(Usdc(78), Elapsed::nominal(1), Elapsed::nominal(2 * n - 1));
            one.tick(Usdc(78), Elapsed::nominal(1), Elapsed::nominal(2 * n));
            two.tick(Usdc(156), Elapsed::nominal(2), Elapsed::nominal(2 * n));
        }
        assert!((one.per_tick() - two.per_tick()).abs() < 0.01 && (one.per_tick() - 78.0).abs() < 0.5);
    }

    #[test]
    fn a_single_trade_moves_the_runway_by_little() {
        let mut burn = newborn();
        for turn in 1..30 * 2_160u64 {
            // 0.05 USDC of gas twice a day: what a busy trader pays.
            let gas = if turn % 1_080 == 0 { Usdc(50_000) } else { Usdc::ZERO };
            let before = burn.per_tick();
            burn.tick(gas, Elapsed::nominal(1), Elapsed::nominal(turn));
            let moved = burn.per_tick() / before - 1.0;
            assert!(moved.abs() < 0.25 && (turn < 7 * 2_160 || moved.abs() < 0.03), "turn {turn}: {moved:+.3}");
        }
        assert!((burn.per_tick() * DAY / 328_000.0 - 1.0).abs() < 0.02, "{}", burn.per_tick() * DAY);
    }
}
