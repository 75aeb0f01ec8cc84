//! What came of an action is known after a while: then its episode is marked, and credit flows to what was used.

use super::Grimoire;
use crate::choices::{Choices, Counterfactual, OtherChoice};
use crate::credit::TurnedOut;
use crate::episode::EpisodeId;
use golem_core::observed::{Field, Snapshot};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

/// How long an action is given to show what it was worth: the horizon of a price forecast.
pub const HORIZON: Elapsed = Elapsed::nominal(90);
/// Liquidity is no matter of one hour's fees: a day.
const POOL_HORIZON: Elapsed = Elapsed::nominal(2_160);
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
    /// Which of the plain choices it was, if one of them; and what else there was to do.
    pub taken: Option<OtherChoice>,
    /// See `taken`.
    pub choices: Choices,
}

impl Awaited {
    /// How long it is given to show what it was worth.
    fn horizon(&self) -> Elapsed {
        if self.pooled.abs() > 1e-4 { POOL_HORIZON } else { HORIZON }
    }
    /// What it was worth, in basis points of wealth, against having done nothing: exposure earns the return, the pool earns
    /// fees, and the cost is paid.
    fn outcome(&self, price: f64, fee_yield: f64, now: VirtualTime) -> f64 {
        let days = now.since(self.at).as_days();
        let earned = self.exposure * (price / self.price - 1.0) + self.pooled * fee_yield * days;
        (earned * 1e4 - self.cost_bps).clamp(-1e4, 1e4)
    }
    /// How it compares: an action with having done nothing, and having done nothing with what else there was to do, in the
    /// mean. Then the best of the others, which is what there is to regret.
    fn judged(&self, price: f64, fee_yield: f64, now: VirtualTime) -> (f64, f64, Option<Counterfactual>) {
        let (own, earned) = (self.outcome(price, fee_yield, now), price / self.price - 1.0);
        let best = self.choices.best(self.taken, earned);
        let regret = best.map_or(-own, |best| f64::from(best.bps) - own).max(0.0);
        let compared = match self.taken {
            Some(OtherChoice::Hold) => self.choices.mean(self.taken, earned).map_or(0.0, |mean| -mean),
            _ => own,
        };
        (compared, regret, best)
    }
}

impl Grimoire {
    pub(super) fn settle_awaited(&mut self, seen: &Snapshot, now: VirtualTime) {
        let is_due = |a: &Awaited| now.since(a.at) >= a.horizon();
        if !self.awaited.iter().any(is_due) {
            let surplus = self.awaited.len().saturating_sub(MOST);
            self.awaited.drain(..surplus);
            return;
        }
        let number = |field: Field| seen.get(field).and_then(|v| v.as_f64());
        // Without a price nothing can be said; it waits for the next turn that has one.
        let Some(price) = number(Field::MarketPrice) else { return };
        let fee_yield = number(Field::MarketFeeYield).unwrap_or(0.0);
        let (due, waits): (Vec<Awaited>, Vec<Awaited>) = self.awaited.drain(..).partition(is_due);
        self.awaited = waits;
        for awaited in due.into_iter().filter(|a| a.price > 0.0) {
            let (outcome, regret, instead) = awaited.judged(price, fee_yield, now);
            self.shelf.mark(awaited.episode, |marks| {
                marks.outcome_bps = Some(outcome as f32);
                marks.regret_bps = Some(regret as f32);
                marks.instead = instead;
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
