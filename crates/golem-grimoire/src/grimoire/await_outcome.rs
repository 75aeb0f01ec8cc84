//! What came of an action is known after a while: then its episode is marked, and credit flows to what was used.

use super::Grimoire;
use super::twins::{TwinDifference, TwinPath, daily_variance};
use crate::choices::{Choices, Counterfactual, OtherChoice};
use crate::credit::TurnedOut;
use crate::episode::EpisodeId;
use golem_core::VirtualTime;
use golem_core::observed::{Field, Snapshot};
use serde::{Deserialize, Serialize};

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
    /// What it has beyond having done nothing.
    pub beyond: TwinDifference,
    /// Which of the plain choices it was, if one of them; and what else there was to do.
    pub taken: Option<OtherChoice>,
    /// See `taken`.
    pub choices: Choices,
}

impl Awaited {
    /// How it compares: an action with having done nothing, and having done nothing with what else there was to do, in the
    /// mean. Then the best of the others, which is what there is to regret.
    fn judged(&self, path: &TwinPath) -> (f64, f64, Option<Counterfactual>) {
        let (own, earned) = (self.beyond.worth_bps(path), path.earned);
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
        let is_due = |a: &Awaited| now.since(a.at) >= a.beyond.horizon();
        if !self.awaited.iter().any(is_due) {
            let surplus = self.awaited.len().saturating_sub(MOST);
            self.awaited.drain(..surplus);
            return;
        }
        let number = |field: Field| seen.get(field).and_then(|v| v.as_f64());
        // Without a price nothing can be said; it waits for the next turn that has one.
        let Some(price) = number(Field::MarketPrice) else { return };
        let looks = (number(Field::MarketFeeYield).unwrap_or(0.0), daily_variance(seen));
        let (due, waits): (Vec<Awaited>, Vec<Awaited>) = self.awaited.drain(..).partition(is_due);
        self.awaited = waits;
        for awaited in due.into_iter().filter(|a| a.price > 0.0) {
            let path = self.path_since(&awaited.beyond, (awaited.at, awaited.price), price, looks, now);
            let (outcome, regret, instead) = awaited.judged(&path);
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
