//! What a cycle did, for people, for fitness and for the playbook's writer.

use crate::junk::{JunkReport, junk};
use crate::shelf::Shelf;
use crate::staging::PlaybookWish;
use crate::standing::EntryStatus;
use golem_core::{Tick, VirtualTime};
use serde::{Deserialize, Serialize};

/// A cycle's work: a fact of the life, as JSON.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CycleReport {
    /// The turn.
    pub tick: Tick,
    /// The cycle's number in the life.
    pub cycle: u64,
    /// What was distilled.
    pub distilled: Distilled,
    /// Entries that came into use.
    pub promoted: u32,
    /// Entries put back on trial.
    pub demoted: u32,
    /// Entries that faded into the archive.
    pub archived: u32,
    /// Warnings whose time was over.
    pub expired: u32,
    /// Entries that nobody asked for.
    pub idle: u32,
    /// Entries that had to make room.
    pub evicted: u32,
    /// Entries that came back from the archive.
    pub returned: u32,
    /// Entries that are gone for good.
    pub burnt: u32,
    /// Those of them that burnt out of use, not out of the archive.
    pub burnt_in_use: u32,
    /// Episodes marked for the next dream.
    pub tagged: u32,
    /// The share of entries in use that lost its confidence in this cycle: what fitness feels one turn later.
    pub pruned_share: f64,
    /// Open questions and gaps.
    pub questions: u32,
    /// Entries on trial.
    pub candidates: u32,
    /// Entries kept aside.
    pub quarantined: u32,
    /// Entries in the archive.
    pub in_archive: u32,
    /// How much of active memory is junk.
    pub junk: JunkReport,
    /// For the playbook's writer.
    #[serde(skip)]
    pub playbook: Vec<PlaybookWish>,
}

/// What was distilled in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Distilled {
    /// Episodes that were looked at.
    pub episodes: u32,
    /// New insights.
    pub insights: u32,
    /// New evidence for what is known.
    pub upvotes: u32,
    /// New evidence against what is known.
    pub downvotes: u32,
    /// New warnings.
    pub warnings: u32,
    /// Claims that were staged.
    pub staged: u32,
    /// New causal links.
    pub links: u32,
    /// New strategy fragments.
    pub fragments: u32,
    /// New questions.
    pub questions: u32,
    /// Questions that were answered.
    pub answered: u32,
}

impl CycleReport {
    /// Count what is there at the end; `before` is how many were in use at the start.
    pub(super) fn count(&mut self, shelf: &Shelf, before: usize, now: VirtualTime) {
        for entry in shelf.entries() {
            let count = match entry.standing.status {
                EntryStatus::Candidate => &mut self.candidates,
                EntryStatus::Quarantined(_) => &mut self.quarantined,
                EntryStatus::Archived(_) => &mut self.in_archive,
                EntryStatus::Active if entry.body.is_question => &mut self.questions,
                EntryStatus::Active | EntryStatus::Burnt(_) => continue,
            };
            *count += 1;
        }
        // Only what lost its confidence counts: a warning that expires on its day is no decay of knowledge.
        let lost = f64::from(self.archived + self.burnt_in_use);
        self.pruned_share = if before == 0 { 0.0 } else { (lost / before as f64).min(1.0) };
        self.junk = junk(shelf, now);
    }
}
