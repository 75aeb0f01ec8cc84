//! What came of an action is known after a while: then its episode is marked, and credit flows to what was used.

use super::Grimoire;
use crate::credit::TurnedOut;
use crate::episode::EpisodeId;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// How long an action is given to show what it was worth: the horizon of a price forecast.
pub const HORIZON: Elapsed = Elapsed::nominal(90);
/// Actions that can wait at once; the oldest is forgotten first.
const MOST: usize = 256;
/// Less than this, in basis points of wealth, is neither good nor bad.
const CLEAR_BPS: f64 = 0.5;

/// An action that waits for its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Awaited {
    /// Its episode.
    pub episode: EpisodeId,
    /// The decision it belongs to.
    pub decision: u64,
    /// When it was done.
    pub at: VirtualTime,
    /// The price then.
    pub price: f64,
    /// By how much the share of wealth that follows the price changed.
    pub exposure: f64,
    /// The share of wealth that went into the pool.
    pub pooled: f64,
    /// What it cost, in basis points of wealth.
    pub cost_bps: f64,
}

impl Awaited {
    /// What it was worth, in basis points of wealth, against having done nothing: exposure earns the return, the pool earns
    /// fees, and the cost is paid.
    fn outcome(&self, price: f64, fee_yield: f64, now: VirtualTime) -> f64 {
        let days = now.since(self.at).as_days();
        let earned = self.exposure * (price / self.price - 1.0) + self.pooled * fee_yield * days;
        (earned * 1e4 - self.cost_bps).clamp(-1e4, 1e4)
    }
}

impl Grimoire {
    pub(super) fn settle_awaited(&mut self, seen: &Snapshot, now: VirtualTime) {
        let due = self.awaited.iter().take_while(|a| now.since(a.at) >= HORIZON).count();
        if due == 0 {
            let surplus = self.awaited.len().saturating_sub(MOST);
            self.awaited.drain(..surplus);
            return;
        }
        let number = |field: Field| seen.get(field).and_then(|v| v.as_f64());
        // Without a price nothing can be said; it waits for the next turn that has one.
        let Some(price) = number(Field::MarketPrice) else { return };
        let fee_yield = number(Field::MarketFeeYield).unwrap_or(0.0);
        let due: Vec<Awaited> = self.awaited.drain(..due).collect();
        for awaited in due.into_iter().filter(|a| a.price > 0.0) {
            let outcome = awaited.outcome(price, fee_yield, now);
            self.shelf.mark(awaited.episode, |marks| {
                marks.outcome_bps = Some(outcome as f32);
                marks.regret_bps = Some((-outcome).max(0.0) as f32);
            });
            let turned = if outcome > CLEAR_BPS {
                TurnedOut::Well
            } else if outcome < -CLEAR_BPS {
                TurnedOut::Badly
            } else {
                TurnedOut::Unclear
            };
            self.credits.settle(&mut self.shelf, awaited.decision, turned, now);
        }
    }
}
