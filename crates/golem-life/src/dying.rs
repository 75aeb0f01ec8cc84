//! The turns between the record of a death and the end. Nothing is decided, paid or learnt in them; each passes one stage,
//! and the farewell is the last word. What the stages will do is the business of rooms to come.

use crate::fact::Fact;
use crate::heartbeat::Heartbeat;
use crate::life::Life;
use crate::step::Step;
use crate::turn_end::Word;

impl Life {
    /// True while its death is on record and not yet final.
    pub(crate) fn is_dying(&self) -> bool {
        self.state.mortality.dying.is_some()
    }

    /// The first half of a turn of dying: time passes, and nothing is wanted.
    pub(crate) fn begin_dying_turn(&mut self) -> Step {
        self.turn.dying = true;
        self.state.core.age = self.state.core.age.after(self.state.core.interval);
        self.state.core.heartbeat = Heartbeat::Acting;
        Step::Wishes(Vec::new())
    }

    /// The second half: the next stage passes. After the last one the golem is dead, and says so.
    pub(crate) fn pass_dying_stage(&mut self) {
        let mut told = Vec::new();
        let dead = self.state.mortality.dying_turn(&mut told);
        for fact in told {
            self.emit(None, Fact::Mortality(fact));
        }
        if let Some(death) = self.state.mortality.death.as_ref().filter(|_| dead) {
            let word = self.word(format!("I died at turn {}: {}.", death.tick, death.cause.name()), true);
            self.turn.peers.push(word);
        }
    }

    /// A word to the fleet, dated by the calendar of its own world.
    pub(crate) fn word(&self, text: String, died: bool) -> Word {
        Word { text, died, at: self.genesis.birth.born_at.after(self.state.core.age.age()) }
    }
}
