//! The owner's word on what is staged: approved, it goes through the gate as if it had ripened; rejected, it is refuted.

use super::judged_dream::judged_by_owner;
use super::{Grimoire, JudgedDream, Nearby};
use crate::staging::ContextChange;
use golem_core::VirtualTime;

/// What came of the owner's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerVerdict {
    /// It is believed now, with the revision of the playbook that came of it.
    Admitted { revised: Option<u32>, context: Vec<ContextChange> },
    /// The gate would not have it: it is known already, or speaks against what is better proven.
    TurnedAway,
    /// It is off the table.
    Rejected,
    /// No proposal with that number is staged.
    NoSuchProposal,
}

impl Grimoire {
    /// Judge a staged proposal by the owner's word: what came of it, and what a dream is to know of it.
    pub fn judged_by_owner(
        &mut self,
        number: u64,
        approved: bool,
        now: VirtualTime,
    ) -> (OwnerVerdict, Vec<JudgedDream>) {
        let Some(swept) = self.staging.judged_by_owner(number, approved, now) else {
            return (OwnerVerdict::NoSuchProposal, Vec::new());
        };
        self.refresh();
        let near = Nearby { finder: &self.finder, embedder: &self.embedder };
        let settled = self.staging.settle(&mut self.shelf, &swept, &near, now);
        self.stale = true;
        let verdict = match (approved, settled.promoted.is_empty()) {
            (false, _) => OwnerVerdict::Rejected,
            (true, true) => OwnerVerdict::TurnedAway,
            (true, false) => {
                let revised = self.amend(&settled.playbook, now);
                OwnerVerdict::Admitted { revised, context: settled.context }
            }
        };
        (verdict, judged_by_owner(&swept))
    }
}
