//! The turns between the record of a death and the end. Nothing is decided, paid or learnt in them; each passes one stage,
//! and the farewell is the last word. What the stages will do is the business of rooms to come.

use crate::fact::Fact;
use crate::heartbeat::Heartbeat;
use crate::life::{Facts, Life};
use crate::step::Step;
use golem_core::Intent;

impl Life {
    /// The first half of a turn of dying: time passes, and nothing is wanted.
    pub(crate) fn begin_dying_turn(&mut self) -> Step {
        self.half.dying = true;
        self.state.core.age = self.state.core.age.after(self.state.core.interval);
        self.state.core.heartbeat = Heartbeat::Acting;
        Step::Wishes(Vec::<Intent>::new())
    }

    /// The second half: the next stage passes. After the last one the golem is dead, and says so.
    pub(crate) fn finish_dying_turn(&mut self, facts: &mut Facts) {
        let mut told = Vec::new();
        let dead = self.state.mortality.dying_turn(&mut told);
        for fact in told {
            self.emit(facts, None, Fact::Mortality(fact));
        }
        if let Some(death) = self.state.mortality.death.as_ref().filter(|_| dead) {
            let word = self.word(format!("I died at turn {}: {}.", death.tick, death.cause.name()), true);
            self.half.peers.push(word);
        }
    }
}
