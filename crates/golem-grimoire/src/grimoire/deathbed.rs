//! What a death leaves in memory: entries that are causally tied to it, marked for good.

use super::Grimoire;
use crate::admission::is_tidy;
use crate::entry::{Entry, EntryBody, EntryId};
use crate::standing::{EntryStatus, Standing, Support};
use golem_core::VirtualTime;

/// What a golem is sure of on its deathbed: its own experience, as the seed has it.
const DEATHBED_BP: u16 = 7_000;

impl Grimoire {
    /// Keep something that was learnt from a death. Its mark never fades; its confidence does, like any other's.
    pub fn stain(&mut self, body: EntryBody, now: VirtualTime) -> Option<EntryId> {
        let body = EntryBody { is_bloodstain: true, origin: self.origin, learnt_at: now, ..body };
        if !is_tidy(&body) {
            return None;
        }
        let entry = Entry::new(body, Standing::first(EntryStatus::Active, DEATHBED_BP, Support::default(), now));
        let id = entry.id;
        self.stale = true;
        self.shelf.add(entry).then_some(id)
    }
    /// Who learns here.
    #[must_use]
    pub fn origin(&self) -> crate::entry::EntryOrigin {
        self.origin
    }
    /// How often a rule of the playbook was asked for, and held.
    #[must_use]
    pub fn firing(&self, rule: &crate::playbook::RuleId) -> Option<crate::playbook::Firing> {
        self.rules.firing(rule)
    }
}
