//! Credit: a decision used entries; when its outcome is known, they are validated or contradicted.
//!
//! What was used is a list of entry ids attached to a decision. Confidence moves by whole steps of basis points, so
//! that the same evidence in any order of turns gives the same number.

use crate::decay::MAX_CONFIDENCE_BP;
use crate::entry::EntryId;
use crate::shelf::Shelf;
use crate::standing::{EntryStatus, Standing, Support};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one validation adds, in basis points.
pub const UP_BP: u16 = 1_000;
/// What one contradiction takes.
pub const DOWN_BP: u16 = 1_500;
/// What is on trial is believed at most: the seed's steps are necessary, and proof is too.
pub const UNPROVEN_BP: u16 = 6_900;
/// Strength gained when a retrieved entry helped.
pub const STRENGTH_STEP: f32 = 1.0;
/// Decisions that can wait for their outcome at once; beyond that the oldest is forgotten.
pub const MOST_OPEN: usize = 256;
/// Entries that one decision can have used.
pub const MOST_USED: usize = 32;

/// How a decision turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnedOut {
    /// Better than doing without.
    Well,
    /// Worse.
    Badly,
    /// Nobody can tell.
    Unclear,
}

/// What a decision used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Used {
    /// Entries that spoke for it: retrieved for it, or rules that fired.
    pub entries: Vec<EntryId>,
    /// Those of them that were retrieved for it: only they grow stronger.
    pub retrieved: Vec<EntryId>,
}

/// Decisions that wait for their outcome. Kept in the checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Credits {
    open: BTreeMap<u64, Used>,
}

impl Credits {
    /// A decision used these entries. Its number is its turn or intent: whatever the outcome will come back with.
    pub fn open(&mut self, shelf: &mut Shelf, decision: u64, mut used: Used) {
        used.entries.sort_unstable();
        used.entries.dedup();
        used.entries.truncate(MOST_USED);
        used.retrieved.retain(|id| used.entries.binary_search(id).is_ok());
        for id in &used.entries {
            shelf.stand(*id, |s| s.uses = s.uses.saturating_add(1));
        }
        if used.entries.is_empty() {
            return;
        }
        self.open.insert(decision, used);
        if self.open.len() > MOST_OPEN {
            self.open.pop_first();
        }
    }
    /// The outcome is known: move what was used. Returns the entries that moved.
    pub fn settle(&mut self, shelf: &mut Shelf, decision: u64, turned: TurnedOut, now: VirtualTime) -> Vec<EntryId> {
        let Some(used) = self.open.remove(&decision) else { return Vec::new() };
        let moved = |id: &EntryId| match turned {
            TurnedOut::Well => shelf.stand(*id, |s| {
                validate(s, now);
                if used.retrieved.contains(id) {
                    s.strength += STRENGTH_STEP;
                }
            }),
            TurnedOut::Badly => shelf.stand(*id, contradict),
            TurnedOut::Unclear => false,
        };
        let mut moved = moved;
        used.entries.iter().copied().filter(|id| moved(id)).collect()
    }
    /// How many wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.open.len()
    }
}

/// The golem's own reality confirmed it once.
pub fn validate(standing: &mut Standing, now: VirtualTime) {
    standing.validated = standing.validated.saturating_add(1);
    standing.confidence_bp = standing.confidence_bp.saturating_add(UP_BP).min(MAX_CONFIDENCE_BP);
    standing.last_validated = standing.last_validated.max(now);
    standing.validators = standing.validators.max(1);
    standing.own_validation = true;
    standing.low_cycles = 0;
}

/// Reality confirmed what is not proven once: only what is proven here is this golem's own experience.
pub fn confirm(standing: &mut Standing, now: VirtualTime) {
    let own = standing.own_validation;
    validate(standing, now);
    standing.own_validation = own;
    if standing.status == EntryStatus::Candidate {
        standing.confidence_bp = standing.confidence_bp.min(UNPROVEN_BP);
    }
}

/// The golem's own reality contradicted it once.
pub fn contradict(standing: &mut Standing) {
    standing.contradicted = standing.contradicted.saturating_add(1);
    standing.confidence_bp = standing.confidence_bp.saturating_sub(DOWN_BP);
}

/// New evidence for an entry, seen together: one step up when most of it confirms, one down when most of it does not.
pub fn evidence(shelf: &mut Shelf, id: EntryId, seen: Support, now: VirtualTime) -> bool {
    match seen.confirmed.cmp(&seen.contradicted) {
        std::cmp::Ordering::Greater => shelf.stand(id, |s| validate(s, now)),
        std::cmp::Ordering::Less => shelf.stand(id, contradict),
        std::cmp::Ordering::Equal => false,
    }
}

/// These entries were retrieved, whatever came of it.
pub fn retrieved(shelf: &mut Shelf, ids: &[EntryId]) {
    for id in ids {
        shelf.stand(*id, |s| s.retrievals = s.retrievals.saturating_add(1));
    }
}
