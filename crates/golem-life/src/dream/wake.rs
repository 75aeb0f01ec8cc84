//! What wakes a sleeper besides its owner: the market, by thresholds that the owner sets, and a cry of its fleet.

use crate::life::Life;
use golem_core::words::one_line;
use golem_core::{Elapsed, VirtualTime};
use golem_dreams::journal::{WakeInterrupt, WakeInterruptSource};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Prices that are remembered at most: an hour of turns.
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

impl Life {
    /// The sentinel on the feed: it watches in every turn, and wakes only who dreams.
    pub(crate) fn watch_while_dreaming(&mut self) {
        let Some(price) = self.state.portfolio.price.map(golem_core::Positive::get) else { return };
        let (now, timestamp) = (self.state.core.age, self.state.core.at);
        let wake = &self.genesis.settings.dream.wake_interrupts;
        let Some(dreaming) = &mut self.state.dreams else { return };
        dreaming.watch.see(now, price);
        if !wake.enabled || dreaming.cycle.is_none() {
            return;
        }
        let moved = wake.market_thresholds.iter().find_map(|t| {
            let moved = dreaming.watch.largest_move(now, t.window.elapsed());
            (moved.abs() * 100.0 >= t.change_percent).then(|| (moved, t))
        });
        if let Some((moved, threshold)) = moved {
            let reason = format!("{} moved by {:+.1} % within {}", threshold.asset, moved * 100.0, threshold.window);
            let source = WakeInterruptSource::MarketThreshold;
            dreaming.woken.get_or_insert(WakeInterrupt { source, reason, timestamp });
        }
    }

    /// A cry of the fleet wakes a sleeper.
    pub(crate) fn alerted(&mut self, from: &str, text: &str) {
        let timestamp = self.state.core.at;
        let enabled = self.genesis.settings.dream.wake_interrupts.enabled;
        if let Some(dreaming) = self.state.dreams.as_mut().filter(|d| enabled && d.cycle.is_some()) {
            let reason = one_line(&format!("{from} says: {text}"), 200);
            dreaming.woken.get_or_insert(WakeInterrupt { source: WakeInterruptSource::CladeAlert, reason, timestamp });
        }
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
        assert_eq!(MarketWatch::default().largest_move(at(5), Elapsed::secs(9)), 0.0);
    }
}
