//! The pool's own recent mean, as a second source for its price: a price that was pushed within a block stands out against
//! it, because that block has not had any time yet.

use super::price;
use crate::venue::View;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How far back the mean reaches: 45 nominal blocks, in seconds.
pub const REFERENCE_S: u64 = 1_800;
/// Looks that are kept; a golem that looks more often than once in two seconds has a shorter mean.
const MOST_LOOKS: usize = 1_024;
/// The logarithm of one tick.
const LOG_TICK: f64 = 9.999_500_033_330_834e-5;

/// The time-weighted mean of the pool's tick over the last half hour, from looks: each tick counts from the look that saw it
/// to the next one, so that the newest has no weight yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reference {
    looks: VecDeque<Look>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    timestamp: u64,
    tick: i32,
}

impl Reference {
    /// See the pool.
    pub fn look(&mut self, view: &View) {
        let now = Look { timestamp: view.timestamp, tick: view.pool.tick };
        // A chain that went back has taken back what was seen since; within a block, its end is what stands.
        while self.looks.back().is_some_and(|last| last.timestamp >= now.timestamp) {
            self.looks.pop_back();
        }
        self.looks.push_back(now);
        let from = now.timestamp.saturating_sub(REFERENCE_S);
        // The look before the window begins is kept: its tick reaches into it.
        while self.looks.get(1).is_some_and(|second| second.timestamp <= from) || self.looks.len() > MOST_LOOKS {
            self.looks.pop_front();
        }
    }

    /// The mean tick before a moment; `None` while nothing has had any time.
    #[must_use]
    pub fn mean_tick(&self, timestamp: u64) -> Option<f64> {
        let from = timestamp.saturating_sub(REFERENCE_S);
        let ends = self.looks.iter().skip(1).map(|look| look.timestamp).chain([timestamp]);
        let (mut sum, mut seconds) = (0_i64, 0_i64);
        for (look, end) in self.looks.iter().zip(ends) {
            let time = end.min(timestamp).saturating_sub(look.timestamp.max(from));
            let time = i64::try_from(time).unwrap_or(0);
            sum = sum.saturating_add(i64::from(look.tick).saturating_mul(time));
            seconds = seconds.saturating_add(time);
        }
        (seconds > 0).then(|| sum as f64 / seconds as f64)
    }

    /// The mean as USDC per unit of the asset, as of a view.
    #[must_use]
    pub fn price(&self, view: &View) -> Option<f64> {
        let raw = libm::exp(self.mean_tick(view.timestamp)? * LOG_TICK);
        Some(price::price_of_raw(raw, view.usdc_is_token0))
    }

    /// How far a view's price is from the mean before it, in basis points, up or down alike.
    #[must_use]
    pub fn off_bps(&self, view: &View) -> Option<u32> {
        let apart = libm::fabs(f64::from(view.pool.tick) - self.mean_tick(view.timestamp)?);
        Some((libm::expm1(apart * LOG_TICK) * 10_000.0).min(4e9) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(timestamp: u64, tick: i32) -> View {
        let pool = golem_core::venue::PoolSeen { tick, ..Default::default() };
        View {
            point: Default::default(),
            timestamp,
            base_fee: 0,
            pool,
            fee_growth: Default::default(),
            usdc_is_token0: true,
            code: Default::default(),
        }
    }

    #[test]
    fn a_tick_is_the_tick_of_the_pool() {
        assert!((LOG_TICK - libm::log1p(1e-4)).abs() < 1e-18);
    }

    #[test]
    fn the_newest_tick_has_no_weight_until_time_passes() {
        let mut reference = Reference::default();
        assert_eq!(reference.off_bps(&view(0, 100)), None);
        for t in 0..100 {
            reference.look(&view(t * 40, 1_000));
        }
        reference.look(&view(4_000, 1_500));
        assert_eq!(reference.mean_tick(4_000), Some(1_000.0));
        assert_eq!(reference.off_bps(&view(4_000, 1_500)), Some(512));
        // Back again in the next block: one of 45 blocks was off by 500.
        reference.look(&view(4_040, 1_000));
        let mean = reference.mean_tick(4_040).unwrap();
        assert!((mean - 1_000.0 - 500.0 / 45.0).abs() < 1e-9, "{mean}");
        for t in 102..=146 {
            reference.look(&view(t * 40, 1_000));
        }
        assert_eq!(reference.mean_tick(146 * 40), Some(1_000.0));
    }

    #[test]
    fn a_chain_that_goes_back_takes_its_ticks_back() {
        let mut reference = Reference::default();
        reference.look(&view(100, 10));
        reference.look(&view(140, 900));
        reference.look(&view(140, 20));
        reference.look(&view(130, 30));
        reference.look(&view(160, 99));
        assert_eq!(reference.mean_tick(160), Some((10.0 * 30.0 + 30.0 * 30.0) / 60.0));
    }

    #[test]
    fn it_never_keeps_more_than_it_may() {
        let mut reference = Reference::default();
        for t in 0..5_000 {
            reference.look(&view(t, i32::try_from(t).unwrap()));
        }
        assert!(reference.looks.len() <= MOST_LOOKS);
        reference.look(&view(u64::MAX, -887_272));
        assert!(reference.mean_tick(u64::MAX).is_some());
    }
}
