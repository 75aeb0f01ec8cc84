//! What a golem that dreams keeps between turns: its schedule, the dream that is open, what dreams have learnt, and what it
//! watches for while it sleeps.

use golem_core::{Elapsed, Usdc, VirtualTime};
use golem_dreams::cycle::{DreamCycle, DreamMemory};
use golem_dreams::journal::WakeInterrupt;
use golem_dreams::schedule::DreamScheduler;
use golem_mind::PolicyConfig;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What a golem that dreams keeps between turns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Dreaming {
    pub scheduler: DreamScheduler,
    #[serde(with = "golem_core::plain::as_text")]
    pub cycle: Option<DreamCycle>,
    pub memory: DreamMemory,
    /// The owner has asked for a dream.
    pub ordered: bool,
    /// Somebody wakes it.
    pub woken: Option<WakeInterrupt>,
    /// What it watches for while it sleeps.
    pub watch: MarketWatch,
    /// Orders whose words wait until it wakes.
    pub held: Vec<u64>,
    /// What kept it from dreaming when that was last told.
    pub blocked: Option<String>,
    /// Parameters that dreams have moved: the strategy as it is by now.
    #[serde(with = "golem_core::plain::as_text")]
    pub tuned: Option<PolicyConfig>,
    /// What it was worth at the end of each of the last hours.
    pub worths: Vec<(VirtualTime, Usdc)>,
}

/// Prices that are remembered at most: an hour of turns, the longest that a threshold may look back.
const MOST_PRICES: usize = 96;

/// The prices of the last while.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct MarketWatch(VecDeque<(VirtualTime, f64)>);

impl MarketWatch {
    /// A price was seen.
    pub fn see(&mut self, now: VirtualTime, price: f64) {
        if self.0.len() == MOST_PRICES {
            self.0.pop_front();
        }
        self.0.push_back((now, price));
    }
    /// The largest move within a time up to now, as a signed fraction.
    pub fn largest_move(&self, now: VirtualTime, within: Elapsed) -> f64 {
        let Some((_, last)) = self.0.back() else { return 0.0 };
        // The price at the beginning of the time counts too: a turn may be longer than it.
        let from = self.0.iter().rposition(|(at, _)| now.since(*at) >= within).unwrap_or(0);
        let moves = self.0.iter().skip(from).map(|(_, price)| last / price - 1.0).filter(|m| m.is_finite());
        moves.fold(0.0, |most: f64, m| if m.abs() > most.abs() { m } else { most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_move_within_a_time_is_seen() {
        let mut watch = MarketWatch::default();
        let at = |s: u64| VirtualTime(s * 1_000);
        for (s, price) in [(0, 100.0), (40, 112.0), (400, 110.0), (440, 99.0)] {
            watch.see(at(s), price);
        }
        let within = |s: u64| watch.largest_move(at(440), Elapsed::secs(s));
        assert!((within(40) - (99.0 / 110.0 - 1.0)).abs() < 1e-12);
        assert!((within(300) - (99.0 / 112.0 - 1.0)).abs() < 1e-12, "what stood at the beginning counts");
        assert!((within(3_000) - (99.0 / 112.0 - 1.0)).abs() < 1e-12);
        assert!(MarketWatch::default().largest_move(at(5), Elapsed::secs(9)).abs() < 1e-12);
    }
}
