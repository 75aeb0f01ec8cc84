//! What wakes a sleeper besides its owner: the market, by thresholds that the owner sets, and a cry of its fleet.

use crate::life::Life;
use golem_core::words::one_line;
use golem_dreams::journal::{WakeInterrupt, WakeInterruptSource};

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
            (moved.abs() * 100.0 >= t.change_percent).then_some((moved, t))
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
