//! Beliefs that can be checked go on being checked: the sweep asks their claims too, with what is left of its turn.
//!
//! Many true claims are only likelier than usual, so single misses prove nothing. A block of [`BLOCK`] checks is held
//! against the base rate as a whole: better is one validation, no better is one contradiction.

use super::proposal::{ClaimTest, Trial};
use super::{DueCheck, Staging};
use crate::entry::{Entry, EntryBody, EntryId};
use crate::shelf::Shelf;
use crate::standing::EntryStatus;
use golem_core::VirtualTime;

/// Begins the tag that says how often a claim came true anyway when it was staged, in basis points.
pub const BASE_RATE_TAG: &str = "base_rate_bp:";
/// Beliefs that are watched at once.
pub const MOST_WATCHED: usize = 64;
/// Checks in a block.
const BLOCK: u32 = 10;
/// For claims whose base rate nobody measured.
const UNKNOWN_BASE_BP: u32 = 5_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct WatchedBelief {
    pub(super) test: ClaimTest,
    pub(super) trial: Trial,
    pub(super) after_ticks: u32,
    base_rate_bp: u32,
}

impl WatchedBelief {
    pub(super) fn of(entry: &Entry, trial: Trial) -> Option<Self> {
        let claim = entry.body.claim.as_ref()?;
        let base_rate_bp = base_rate_bp(&entry.body).unwrap_or(UNKNOWN_BASE_BP);
        Some(Self { test: ClaimTest::compile(claim).ok()?, trial, after_ticks: claim.after_ticks.max(1), base_rate_bp })
    }
    /// Book a check; when the block is full, say whether it did better than its base rate.
    pub(super) fn book(&mut self, hit: bool, miss: bool) -> Option<bool> {
        self.trial.book(hit, miss);
        let asked = self.trial.hits + self.trial.misses;
        if asked < BLOCK {
            return None;
        }
        let better = self.trial.hits * 10_000 > self.base_rate_bp * asked;
        (self.trial.hits, self.trial.misses) = (0, 0);
        Some(better)
    }
}

fn base_rate_bp(body: &EntryBody) -> Option<u32> {
    let tag = body.tags.iter().find_map(|t| t.strip_prefix(BASE_RATE_TAG))?;
    tag.parse().ok().filter(|bp| *bp <= 10_000)
}

impl Staging {
    /// Choose which beliefs are watched: those in use or kept aside that have a claim, the most trusted first. Called by
    /// the curator. Trials under way go on.
    pub fn choose_watched(&mut self, shelf: &Shelf, now: VirtualTime) {
        let kept_aside = |e: &Entry| matches!(e.standing.status, EntryStatus::Quarantined(_));
        let mut beliefs: Vec<(f64, EntryId)> = shelf
            .entries()
            .filter(|e| e.body.claim.is_some() && (e.is_in_use() || kept_aside(e)))
            .map(|e| (e.effective(now), e.id))
            .collect();
        beliefs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        beliefs.truncate(MOST_WATCHED);
        let mut old = std::mem::take(&mut self.watched);
        for (_, id) in beliefs {
            let known = old.remove(&id);
            let watched = known.or_else(|| WatchedBelief::of(shelf.entry(id)?, Trial::default()));
            self.watched.extend(watched.map(|w| (id, w)));
        }
        for (id, gone) in old {
            if let Some(due) = gone.trial.due {
                self.due.remove(&(due, DueCheck::Belief(id)));
            }
        }
    }
}
