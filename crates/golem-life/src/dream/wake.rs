//! What wakes a sleeper besides its owner: the market, by thresholds that the owner sets, and a cry of its fleet. While a
//! threshold is passed nobody falls asleep either: it would be woken in the next turn.

use crate::dreaming::MarketWatch;
use crate::life::Life;
use golem_core::words::one_line;
use golem_core::{Elapsed, Observation, VirtualTime};
use golem_dreams::config::WakeInterruptsConfig;
use golem_dreams::journal::{WakeInterrupt, WakeInterruptSource};
use golem_dreams::schedule::WhyAwake;

/// A fleet wakes a sleeper at most once in so long: whoever hears decides how much it hears.
const FLEET_WAKES_EVERY: Elapsed = Elapsed::secs(6 * 3_600);

/// A threshold that is passed now.
struct Passed {
    moved_percent: f64,
    wakes_at: f64,
    asset: String,
    window: String,
}

/// The first of the owner's thresholds that the market has passed.
fn passed(watch: &MarketWatch, now: VirtualTime, wake: &WakeInterruptsConfig) -> Option<Passed> {
    if !wake.enabled {
        return None;
    }
    wake.market_thresholds.iter().find_map(|t| {
        let moved_percent = watch.largest_move(now, t.window.elapsed()) * 100.0;
        (moved_percent.abs() >= t.change_percent).then(|| Passed {
            moved_percent,
            wakes_at: t.change_percent,
            asset: t.asset.clone(),
            window: t.window.to_string(),
        })
    })
}

impl Life {
    /// The sentinel on the feed: it watches in every turn, and wakes only who dreams.
    pub(crate) fn watch_while_dreaming(&mut self, seen: &Observation) {
        let Some(price) = self.state.portfolio.price.map(golem_core::Positive::get) else { return };
        let (now, timestamp) = (self.state.core.age, self.state.core.at);
        let wake = &self.genesis.settings.dream.wake_interrupts;
        let Some(dreaming) = &mut self.state.dreams else { return };
        dreaming.watch.see(now, price, seen.book.map(|book| book.pool.liquidity));
        if dreaming.cycle.is_none() {
            return;
        }
        if let Some(Passed { moved_percent, asset, window, .. }) = passed(&dreaming.watch, now, wake) {
            let reason = format!("{asset} moved by {moved_percent:+.1} % within {window}");
            let source = WakeInterruptSource::MarketThreshold;
            dreaming.woken.get_or_insert(WakeInterrupt { source, reason, timestamp });
        }
    }

    /// Why it had better stay awake: what would wake it holds already.
    pub(super) fn market_keeps_awake(&self) -> Option<WhyAwake> {
        let wake = &self.genesis.settings.dream.wake_interrupts;
        let Passed { moved_percent, wakes_at, .. } =
            passed(&self.state.dreams.as_ref()?.watch, self.state.core.age, wake)?;
        Some(WhyAwake::MarketMoves { moved_percent, wakes_at })
    }

    /// A cry of the fleet wakes a sleeper, and not every cry: it hears one in a while.
    pub(crate) fn alerted(&mut self, from: &str, text: &str) {
        let (now, timestamp) = (self.state.core.age, self.state.core.at);
        let enabled = self.genesis.settings.dream.wake_interrupts.enabled;
        let Some(dreaming) = self.state.dreams.as_mut().filter(|d| enabled && d.cycle.is_some()) else { return };
        if dreaming.woken.is_some() || dreaming.fleet_woke.is_some_and(|at| now.since(at) < FLEET_WAKES_EVERY) {
            return;
        }
        dreaming.fleet_woke = Some(now);
        let reason = one_line(&format!("{from} says: {text}"), 200);
        dreaming.woken = Some(WakeInterrupt { source: WakeInterruptSource::CladeAlert, reason, timestamp });
    }
}
