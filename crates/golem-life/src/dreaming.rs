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
    /// When the owner has asked for a dream.
    pub ordered: Option<VirtualTime>,
    /// Somebody wakes it.
    pub woken: Option<WakeInterrupt>,
    /// When its fleet last woke it.
    pub fleet_woke: Option<VirtualTime>,
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
    pub worths: Vec<HourWorth>,
}

/// What it was worth at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HourWorth {
    pub at: VirtualTime,
    pub worth: Usdc,
    /// What had been put in by then, less what had gone home, in micro-USDC: neither is a gain or a loss.
    pub put_in: i128,
}

/// What was lost since the best of these moments, as a share of what it was worth then. Money that was put in or went home
/// since is counted as if it had been there, or gone, at once.
pub(crate) fn recent_loss(worths: &[HourWorth], worth: Usdc, put_in: i128) -> f64 {
    let as_of_now = |then: &HourWorth| i128::from(then.worth.0) + put_in - then.put_in;
    let best = worths.iter().map(as_of_now).max().unwrap_or(0).max(0);
    let lost = (best - i128::from(worth.0)).max(0);
    lost as f64 / best.max(1) as f64
}

/// Prices that are remembered at most: an hour of turns, the longest that a threshold may look back.
const MOST_PRICES: usize = 96;

/// The market at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct MarketGlimpse {
    at: VirtualTime,
    price: f64,
    /// Of the pool, in range; none where it was not seen.
    liquidity: Option<f64>,
}

/// Prices and liquidity of the last while.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct MarketWatch(VecDeque<MarketGlimpse>);

impl MarketWatch {
    /// The market was seen.
    pub fn see(&mut self, at: VirtualTime, price: f64, liquidity: Option<u128>) {
        if self.0.len() == MOST_PRICES {
            self.0.pop_front();
        }
        self.0.push_back(MarketGlimpse { at, price, liquidity: liquidity.map(|l| l as f64) });
    }
    /// From the beginning of a time up to now. What stood at its beginning counts too: a turn may be longer than it.
    fn within(&self, now: VirtualTime, within: Elapsed) -> impl Iterator<Item = &MarketGlimpse> {
        let from = self.0.iter().rposition(|then| now.since(then.at) >= within).unwrap_or(0);
        self.0.iter().skip(from)
    }
    /// The largest move within a time up to now, as a signed fraction.
    pub fn largest_move(&self, now: VirtualTime, within: Elapsed) -> f64 {
        let Some(last) = self.0.back() else { return 0.0 };
        let moves = self.within(now, within).map(|then| last.price / then.price - 1.0).filter(|m| m.is_finite());
        moves.fold(0.0, |most: f64, m| if m.abs() > most.abs() { m } else { most })
    }
    /// The largest share of the pool's liquidity that has gone within a time up to now.
    pub fn largest_drain(&self, now: VirtualTime, within: Elapsed) -> f64 {
        let Some(last) = self.0.back().and_then(|last| last.liquidity) else { return 0.0 };
        let most = self.within(now, within).filter_map(|then| then.liquidity).fold(0.0, f64::max);
        if most > 0.0 { 1.0 - last / most } else { 0.0 }
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
            watch.see(at(s), price, None);
        }
        let within = |s: u64| watch.largest_move(at(440), Elapsed::secs(s));
        assert!((within(40) - (99.0 / 110.0 - 1.0)).abs() < 1e-12);
        assert!((within(300) - (99.0 / 112.0 - 1.0)).abs() < 1e-12, "what stood at the beginning counts");
        assert!((within(3_000) - (99.0 / 112.0 - 1.0)).abs() < 1e-12);
        assert!(MarketWatch::default().largest_move(at(5), Elapsed::secs(9)).abs() < 1e-12);
    }

    #[test]
    fn the_largest_drain_within_a_time_is_seen() {
        let mut watch = MarketWatch::default();
        let at = |s: u64| VirtualTime(s * 1_000);
        let drained = |watch: &MarketWatch, s: u64, within: u64| watch.largest_drain(at(s), Elapsed::secs(within));
        assert!(drained(&watch, 0, 40).abs() < 1e-12, "nothing was seen");
        for (s, liquidity) in [(0, Some(900)), (40, Some(1_000)), (80, None)] {
            watch.see(at(s), 100.0, liquidity);
        }
        assert!(drained(&watch, 80, 80).abs() < 1e-12, "what is not seen is not gone");
        watch.see(at(120), 100.0, Some(700));
        assert!((drained(&watch, 120, 80) - 0.3).abs() < 1e-12, "from the thousand at its beginning");
        assert!(drained(&watch, 120, 40).abs() < 1e-12, "what stood before the time is not asked");
        watch.see(at(160), 100.0, Some(1_400));
        assert!(drained(&watch, 160, 400).abs() < 1e-12, "what comes is no drain");
    }

    #[test]
    fn money_that_is_put_in_or_goes_home_is_neither_a_gain_nor_a_loss() {
        let at = |worth: u64, put_in: i128| HourWorth { at: VirtualTime(0), worth: Usdc(worth), put_in };
        // Worth then, put in by then; worth now, put in by now; the loss.
        for (then, now, loss) in [
            (at(1_000, 0), (1_000, 0), 0.0),
            (at(1_000, 0), (900, 0), 0.1),
            // Six hundred went home, nothing was lost; and a tenth of the rest was.
            (at(1_000, 0), (400, -600), 0.0),
            (at(1_000, 0), (360, -600), 0.1),
            // Fed by a thousand, a loss is not hidden by it.
            (at(1_000, 0), (2_000, 1_000), 0.0),
            (at(1_000, 0), (1_800, 1_000), 0.1),
            // It counts from what it was then, not from birth.
            (at(400, -600), (300, -600), 0.25),
            // More went home than there was by these books.
            (at(100, 0), (5, -600), 0.0),
        ] {
            assert!((recent_loss(&[then], Usdc(now.0), now.1) - loss).abs() < 1e-12, "{then:?} {now:?}");
        }
        let two = [at(1_000, 0), at(700, -600)];
        assert!((recent_loss(&two, Usdc(630), -600) - 0.1).abs() < 1e-12, "the best moment counts, as of now");
        assert!(recent_loss(&[], Usdc(5), 7).abs() < 1e-12);
    }
}
