//! Inheriting: in the first turn in which time passes an heir takes in what it was left, as far as it can stand examination; a
//! day later, when it has base rates of its own, it takes up what its predecessor was still testing.
//!
//! Both follow from the birth record and from the turns lived: a replay needs nothing else.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_clade::inheritance::HYPOTHESES_AT;

impl Life {
    /// Take in what falls due at this age; nothing for a first ancestor.
    pub(crate) fn inherit(&mut self) {
        let Some(inheritance) = self.genesis.inheritance.clone() else { return };
        let (now, birth) = (self.state.core.age, &self.genesis.birth);
        let (taken_in, hypotheses_at) = (self.taken_in_at(), self.began.after(HYPOTHESES_AT.age()));
        let (heir, from, world) = (birth.id, inheritance.heirloom.lineage.golem, birth.born_at.after(now.age()));
        let Some(grimoire) = &mut self.grimoire else { return };
        if now == taken_in {
            let report = inheritance.take_in(grimoire, heir, now, world);
            self.tell(LifeFact::Inherited { from, report });
            return;
        }
        let before = now.0.saturating_sub(self.state.core.interval.0);
        if before < hypotheses_at.0 && hypotheses_at <= now && !inheritance.heirloom.hypotheses.is_empty() {
            let left = u32::try_from(inheritance.heirloom.hypotheses.len()).unwrap_or(u32::MAX);
            let origin = grimoire.origin();
            let staged = inheritance.take_up_hypotheses(grimoire, origin, now);
            self.tell(LifeFact::HypothesesTaken { left, staged });
        }
    }
}
