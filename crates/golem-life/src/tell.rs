//! Telling: a fact gets its number, its turn and its moment.

use crate::fact::{DaimonFact, Fact, LifeFact};
use crate::life::Life;
use golem_cage::CageFact;
use golem_core::Seq;
use golem_core::fact::Envelope;

impl Life {
    pub(crate) fn emit(&mut self, cause: Option<Seq>, body: Fact) -> Seq {
        let core = &mut self.state.core;
        core.seq = Seq(core.seq.0 + 1);
        let (seq, tick, at) = (core.seq, core.tick, core.at);
        self.turn.facts.push(Envelope { golem: self.genesis.birth.id, seq, tick, at, cause, body });
        seq
    }

    pub(crate) fn tell(&mut self, fact: LifeFact) -> Seq {
        self.emit(None, Fact::Life(fact))
    }

    pub(crate) fn tell_of_cage(&mut self, told: Vec<CageFact>) {
        for fact in told {
            self.emit(None, Fact::Cage(Box::new(fact)));
        }
    }

    pub(crate) fn tell_inner(&mut self, fact: DaimonFact) {
        self.emit(None, Fact::Daimon(Box::new(fact)));
    }
}
