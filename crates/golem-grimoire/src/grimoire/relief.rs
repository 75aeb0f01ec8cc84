//! What a golem does about its own rules when they weigh on it: those that never fired go, and one that reality speaks
//! against is no longer believed. The owner's rules are the owner's.

use super::Grimoire;
use crate::EntryId;
use crate::staging::PlaybookWish;
use crate::standing::EntryStatus;
use golem_core::VirtualTime;

/// What is left of the belief in a rule that yields, in basis points.
const YIELDED_BP: u16 = 4_900;

impl Grimoire {
    /// Take the rules that were promoted and never fired out of the playbook: how many, and the revision that came of it.
    pub fn retire_idle(&mut self, now: VirtualTime) -> (usize, Option<u32>) {
        let never = |id: &crate::playbook::RuleId| self.rules.firing(id).is_some_and(|f| f.times == 0);
        let rules = self.writer.playbook().rules().filter(|r| !r.is_owners() && never(r.id()));
        let idle: Vec<EntryId> = rules.filter_map(|r| r.id().entry()).collect();
        for id in &idle {
            self.shelf.stand(*id, |s| (s.status, s.true_until) = (EntryStatus::Archived(now), Some(now)));
        }
        let wishes: Vec<PlaybookWish> = idle.iter().map(|id| PlaybookWish::Remove(*id)).collect();
        let revised = if wishes.is_empty() { None } else { self.amend(&wishes, now) };
        (idle.len(), revised)
    }

    /// Stop believing a rule that reality contradicted more often than it confirmed it, and take it out of the playbook: it is
    /// on trial again. The revision that came of it; none at all when the record is for the rule.
    pub fn yield_if_contradicted(&mut self, id: EntryId, now: VirtualTime) -> Option<Option<u32>> {
        self.shelf.entry(id).filter(|e| e.standing.contradicted > e.standing.validated)?;
        self.shelf.stand(id, |s| {
            (s.confidence_bp, s.status) = (s.confidence_bp.min(YIELDED_BP), EntryStatus::Candidate);
        });
        Some(self.amend(&[PlaybookWish::Remove(id)], now))
    }
}
