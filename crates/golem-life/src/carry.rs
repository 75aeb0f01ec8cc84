//! What an experiment carries from one life into the next, or lets one lose that goes on. A successor of the ordinary kind is
//! given an inheritance and nothing else; here everything besides it can be handed over too, each part by itself, so that what
//! a death takes can be told from dying.

use crate::diary::Diary;
use crate::life::{Core, Genesis, Life, State};
use golem_core::{Secret, VirtualTime};
use golem_mortality::GolemMode;
use serde::{Deserialize, Serialize};

/// Which parts of a life go on in the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedOver {
    /// Money, positions, and what guards them.
    pub estate: bool,
    /// Age, with the clocks and what is felt.
    pub age: bool,
    /// What it sees of the market, and its habits.
    pub senses: bool,
    /// What has been learnt by doing: forecasters, and how far they are trusted. Nothing without the senses.
    pub learner: bool,
    /// What is known: entries, episodes, playbook, dreams.
    pub memory: bool,
}

impl CarriedOver {
    /// All of it: a restart.
    pub const ALL: Self = Self { estate: true, age: true, senses: true, learner: true, memory: true };
    /// None of it: a newborn.
    pub const NOTHING: Self = Self { estate: false, age: false, senses: false, learner: false, memory: false };
}

impl Life {
    /// The first death that its clocks have on record is carried out between two turns, where they may kill nobody themselves:
    /// the stages of dying begin in the next one, as if it had been enforced. False when there is none, or it dies already.
    pub fn dies_as_recorded(&mut self) -> bool {
        let (tick, age) = (self.state.core.tick, self.state.core.age);
        let carried_out = self.state.mortality.carry_out(tick, age);
        if carried_out {
            self.begin_dying();
        }
        carried_out
    }

    /// Go on as somebody who is born like this, with what is carried over. A death that is on record stays behind.
    #[must_use]
    pub fn carried_into(self, genesis: &Genesis, secret: &Secret, what: CarriedOver) -> Self {
        let (old, new) = (self.state, Self::new(genesis, secret));
        let began = if what.age { old.core.age } else { VirtualTime(0) };
        let grimoire = if what.memory { self.grimoire } else { new.grimoire };
        if what == CarriedOver::ALL {
            return Self::with_age(genesis, secret, State { deathbed: None, ..old }, grimoire, self.began);
        }
        let mut state = new.state;
        if what.age {
            state.core = Core { mode: GolemMode::Waking, action: None, exposure: 0.0, ..old.core };
            (state.core.trades, state.core.profit, state.core.loss) = Default::default();
            state.mortality = old.mortality;
            (state.mortality.death, state.mortality.dying) = (None, None);
            (state.inner, state.chronicle) = (old.inner, old.chronicle);
        }
        if what.estate {
            (state.ledger, state.portfolio, state.cage) = (old.ledger, old.portfolio, old.cage);
            (state.thought, state.context) = (old.thought, old.context);
            (state.core.trades, state.core.profit, state.core.loss) = (old.core.trades, old.core.profit, old.core.loss);
            state.core.exposure = old.core.exposure;
        }
        if what.senses {
            state.mind = if what.learner { old.mind } else { old.mind.unlearnt() };
            state.core.action = old.core.action;
            state.info = old.info;
        }
        (state.diary, state.dreams) =
            if what.memory { (old.diary, old.dreams) } else { (Diary::default(), state.dreams) };
        Self::with_age(genesis, secret, state, grimoire, began)
    }
}
