//! Ageing, all of it: time passes at the beginning of a turn; at its end the clocks run, the phase follows, and a life may end.

use crate::fact::{Fact, LifeFact};
use crate::life::Life;
use golem_core::Elapsed;
use golem_dreams::journal::DreamEnd;
use golem_mortality::{BehavioralPhase, GolemMode, LifespanSeen, MortalityFact};

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
        let dying = self.run_clocks();
        self.follow_phase(before);
        if dying {
            self.begin_dying();
        }
    }

    fn run_clocks(&mut self) -> bool {
        let felt = self.feel_phages();
        let core = &self.state.core;
        let seen = LifespanSeen {
            tick: core.tick,
            age: core.age,
            elapsed: core.interval,
            at: core.at,
            balance: self.balance(),
            reserve: self.reserve(),
            credit: self.state.ledger.operating(),
            initial: self.genesis.birth.funding,
            burn_rate: self.state.ledger.burn.per_tick(),
            settled: &self.turn.settled,
            roll: self.death_dice.uniform(core.tick.0, 0),
            entropy_rate: self.state.info.as_ref().and_then(|d| d.information.diagnostics().entropy_rate),
            ordered: self.turn.ordered.as_ref(),
            felt,
        };
        let mut told = std::mem::take(&mut self.turn.mortality);
        let dying = self.state.mortality.tick(&seen, &self.genesis.settings.mortality, &mut told);
        self.note_transition(&told);
        let order = self.turn.order_seq;
        for fact in told {
            let cause = if matches!(fact, MortalityFact::Dying { .. }) { order } else { None };
            self.emit(cause, Fact::Mortality(fact));
        }
        dying
    }

    /// A change of phase is worth remembering, with what fell or recovered most.
    fn note_transition(&mut self, told: &[MortalityFact]) {
        for fact in told {
            if let MortalityFact::PhaseTransition { from_phase, to_phase, trigger_clock, .. } = fact {
                let (clock, way) = (trigger_clock.word(), if to_phase > from_phase { "recovered" } else { "fell" });
                self.state.diary.event(format!("the phase went from {from_phase} to {to_phase}: {clock} {way} most"));
            }
        }
    }

    /// Purses and interval are those of the phase; purses are divided anew only where the plan is another.
    fn follow_phase(&mut self, before: BehavioralPhase) {
        let after = self.phase();
        if before.divides_unlike(after) {
            let shares = self.shares();
            self.state.ledger.repartition(&shares);
        }
        self.state.core.interval = Elapsed::secs(self.genesis.interval_s.max(1) * after.behaviour().interval);
    }

    /// Death is on record; the turns of dying follow.
    pub(crate) fn begin_dying(&mut self) {
        self.break_off_dream(DreamEnd::Died);
        self.orphan_phages();
        self.state.core.mode = GolemMode::Dying;
        let tick = self.state.core.tick;
        self.tell(LifeFact::ModeChange { mode: GolemMode::Dying, tick });
    }
}
