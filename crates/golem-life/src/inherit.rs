//! Inheriting: in the first turn in which time passes an heir takes in what it was left, as far as it can stand examination. What
//! its predecessor was still testing is taken up by its dreams, a little each night and before anything of its own; who does not
//! dream takes it up a day later, when it has base rates of its own.
//!
//! All of it follows from the birth record and from the turns lived: a replay needs nothing else.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_clade::inheritance::{DREAMERS_HYPOTHESES_AT, HYPOTHESES_AT, Inheritance};
use golem_core::Timestamp;
use std::sync::Arc;

impl Life {
    /// The time of the world that it lives in.
    pub(crate) fn world_time(&self) -> Timestamp {
        self.genesis.birth.born_at.after(self.state.core.age.age())
    }

    /// What it inherits, once the life that left it is over in the world that it lives in.
    pub(crate) fn left_to_it(&self) -> Option<&Arc<Inheritance>> {
        self.genesis.inheritance.as_ref().filter(|inheritance| inheritance.is_past(self.world_time()))
    }

    /// What it is born with stands in its playbook from here on.
    fn begin_with_defaults(&mut self) {
        let rules = self.genesis.settings.defaults.read();
        let revised = self.grimoire.as_mut().filter(|_| !rules.is_empty()).and_then(|g| g.begin_with(rules));
        self.tell_revised(revised);
    }

    /// Take in what falls due at this age; nothing for a first ancestor.
    pub(crate) fn inherit(&mut self) {
        if self.state.core.age == self.taken_in_at() {
            self.begin_with_defaults();
        }
        let Some(inheritance) = self.genesis.inheritance.clone() else { return };
        let (now, world) = (self.state.core.age, self.world_time());
        let (heir, from) = (self.genesis.birth.id, inheritance.heirloom.lineage.golem);
        let (taken_in, began) = (self.taken_in_at(), self.began);
        let Some(grimoire) = &mut self.grimoire else { return };
        if now == taken_in {
            let report = inheritance.take_in(grimoire, heir, (now, world), &self.turn.chain_said);
            self.tell(LifeFact::Inherited { from, report });
            return;
        }
        let before = now.0.saturating_sub(self.state.core.interval.0);
        let wait = if self.state.dreams.is_some() { DREAMERS_HYPOTHESES_AT } else { HYPOTHESES_AT };
        let due = began.after(wait.age());
        if before < due.0 && due <= now && inheritance.is_past(world) {
            let left = inheritance.unfinished().len().saturating_sub(self.state.heir.taken.len());
            if left == 0 {
                return;
            }
            let (left, origin) = (u32::try_from(left).unwrap_or(u32::MAX), grimoire.origin());
            let staged = inheritance.take_up_hypotheses(grimoire, origin, now, &mut self.state.heir.taken);
            self.tell(LifeFact::HypothesesTaken { left, staged });
        }
    }
}
