//! The turns between the record of a death and the end, one step each: acceptance, settlement, homecoming, reflection, legacy,
//! and the farewell, which is the last word. Nothing is decided, paid for living or learnt in them. Settlement and homecoming
//! may take several turns, within their limits; nothing keeps a golem from the stage after them. What the chain takes back
//! later is tried again on the way.

mod accept;
mod bequeath;
mod home;
mod late;
mod settle;

pub(crate) use settle::{closes, refusal};

use crate::fact::Fact;
use crate::heartbeat::Heartbeat;
use crate::life::Life;
use crate::step::{Answer, Step};
use crate::turn_end::Word;
use golem_core::{Observation, Receipt};
use golem_mortality::DyingStage;

impl Life {
    /// True while its death is on record and not yet final.
    pub(crate) fn is_dying(&self) -> bool {
        self.state.mortality.dying.is_some()
    }

    /// The first half of a turn of dying: time passes. Only a settlement and the way home want anything.
    pub(crate) fn begin_dying_turn(&mut self, seen: &Observation) -> Step {
        self.turn.dying = true;
        self.state.core.age = self.state.core.age.after(self.state.core.interval);
        self.state.core.heartbeat = Heartbeat::Acting;
        let wishes = match self.state.mortality.dying {
            Some(DyingStage::Settlement) => self.wish_to_settle(seen),
            Some(DyingStage::Homecoming) => self.wish_to_go_home(seen),
            Some(DyingStage::Acceptance) | None => Vec::new(),
            Some(DyingStage::Reflection | DyingStage::Legacy | DyingStage::Farewell) => {
                self.wish_to_go_home_again(seen)
            }
        };
        if self.state.mortality.dying == Some(DyingStage::Reflection)
            && let Some(question) = self.ask_for_telling()
        {
            self.turn.late = wishes;
            return Step::Ask(question);
        }
        Step::Wishes(wishes)
    }

    /// The only thing that the dying ask is how a model would tell their testament.
    pub(crate) fn dying_answered(&mut self, answer: &Answer) -> Step {
        self.heard_telling(answer);
        Step::Wishes(std::mem::take(&mut self.turn.late))
    }

    /// The second half: what came of it is booked, and a stage that is over passes. After the last one the golem is dead,
    /// and says so.
    pub(crate) fn finish_dying_turn(&mut self, receipts: &[Receipt]) {
        let Some(stage) = self.state.mortality.dying else { return };
        if stage > DyingStage::Homecoming {
            self.come_home_again(receipts);
        }
        let outcome = match stage {
            DyingStage::Acceptance => Some(self.accept()),
            DyingStage::Settlement => self.settle_up(receipts),
            DyingStage::Homecoming => self.come_home(receipts),
            DyingStage::Reflection => Some(self.leave_testament()),
            DyingStage::Legacy => Some(self.bequeath()),
            DyingStage::Farewell => Some("its last words are said".to_owned()),
        };
        if let Some(deathbed) = &mut self.state.deathbed {
            deathbed.turns = deathbed.turns.saturating_add(1);
        }
        let Some(outcome) = outcome else { return };
        let mut told = Vec::new();
        let dead = self.state.mortality.pass_stage(outcome, &mut told);
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
