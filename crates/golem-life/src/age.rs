//! Ageing, all of it: time passes at the beginning of a turn; at its end the clocks run, the phase follows, and a life may end.

use crate::fact::{Fact, LifeFact};
use crate::life::Life;
use crate::turn::Word;
use golem_core::Elapsed;
use golem_mortality::{BehavioralPhase, GolemMode, MortalityFact, Seen};

impl Life {
    /// An interval passes; a new day opens new allowances.
    pub(crate) fn pass_time(&mut self) {
        let core = &mut self.state.core;
        core.age = core.age.after(core.interval);
        self.state.ledger.open_turn(core.age.day());
    }

    /// The lifespan: clocks, vitality and phase, the roll, death.
    pub(crate) fn run_lifespan(&mut self) {
        let before = self.phase();
        let dead = self.run_clocks();
        self.follow_phase(before);
        if dead {
            self.die();
        }
    }

    fn run_clocks(&mut self) -> bool {
        let core = &self.state.core;
        let seen = Seen {
            tick: core.tick,
            age: core.age,
            elapsed: core.interval,
            at: core.at,
            balance: self.balance(),
            reserve: self.reserve(),
            credit: self.state.ledger.operating(),
            initial: self.genesis.birth.funding,
            burn_rate: self.state.ledger.burn.0,
            settled: &self.turn.settled,
            roll: self.death_dice.uniform(core.tick.0, 0),
            entropy_rate: self.state.info.as_ref().and_then(|d| d.information.diagnostics().entropy_rate),
            ordered: self.turn.ordered.as_ref(),
        };
        let mut told = std::mem::take(&mut self.turn.mortality);
        let dead = self.state.mortality.tick(&seen, &self.genesis.settings.mortality, &mut told);
        let order = self.turn.order_seq;
        for fact in told {
            let cause = if matches!(fact, MortalityFact::Dead { .. }) { order } else { None };
            self.emit(cause, Fact::Mortality(fact));
        }
        dead
    }

    /// Purses and interval are those of the phase.
    fn follow_phase(&mut self, before: BehavioralPhase) {
        let after = self.phase();
        if before != after {
            let words = format!("the phase went from {} to {}", before.name(), after.name());
            self.state.diary.event(words);
            let shares = self.shares();
            self.state.ledger.repartition(&shares);
        }
        self.state.core.interval = Elapsed::secs(self.genesis.interval_s.max(1) * after.behaviour().interval);
    }

    fn die(&mut self) {
        self.state.core.mode = GolemMode::Dying;
        let tick = self.state.core.tick;
        self.tell(LifeFact::ModeChange { mode: GolemMode::Dying, tick });
        let cause = self.state.mortality.death.as_ref().map_or_else(String::new, |d| d.cause.name().to_owned());
        self.turn.peers.push(Word { text: format!("I died at turn {tick}: {cause}."), died: true });
    }
}
