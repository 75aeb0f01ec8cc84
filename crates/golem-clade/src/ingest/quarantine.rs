//! The last layer: what is on trial or kept aside, and what each of it waits for. The shadow execution itself is the
//! grimoire's: it watches claims against its own base rates, and nothing else promotes what came from elsewhere.

use super::verdict::promoted_by;
use golem_core::VirtualTime;
use golem_grimoire::curator::{PromotionWait, waits_for};
use golem_grimoire::decay::ceiling;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, EntryId, EntryStatus};
use serde::{Deserialize, Serialize};

/// Something from elsewhere that is not in use yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuarantinedEntry {
    /// Which.
    pub id: EntryId,
    /// True while it is kept aside, and does not even inform.
    pub kept_aside: bool,
    /// What it waits for; none when the next cycle of the curator takes it into use.
    pub wait: Option<PromotionWait>,
    /// True when nothing in it can be executed: without a claim it informs for as long as it lasts, and is never promoted by
    /// a test.
    pub untestable: bool,
}

impl QuarantinedEntry {
    /// The number of what it waits for, and what would bring it out.
    #[must_use]
    pub fn lifted_by(&self) -> Option<(u16, &'static str)> {
        self.wait.map(promoted_by)
    }
}

/// Everything from elsewhere that is on trial or kept aside, by id.
#[must_use]
pub fn quarantine(shelf: &Shelf, now: VirtualTime) -> Vec<QuarantinedEntry> {
    let aside = |e: &Entry| matches!(e.standing.status, EntryStatus::Quarantined(_));
    let waiting = |e: &&Entry| aside(e) || e.standing.status == EntryStatus::Candidate;
    let foreign = shelf.entries().filter(|e| ceiling(e.body.provenance) < 1.0).filter(waiting);
    let of = |e: &Entry| QuarantinedEntry {
        id: e.id,
        kept_aside: aside(e),
        wait: waits_for(e, now),
        untestable: e.body.claim.is_none() && e.body.edge.is_none(),
    };
    foreign.map(of).collect()
}
