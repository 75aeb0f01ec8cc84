//! Phages beside a waking golem: born at the end of a turn, held against their parent on copies when their time is over, and what
//! they found goes to confidences, to what is staged and to the signals of health.

mod found;
mod menu;
mod shadow;

use crate::fact::Fact;
use crate::life::Life;
use crate::step::{Answer, Question};
use golem_core::door::ForkReply;
use golem_daimon::affect::Event;
use golem_dreams::phage::{ChildKind, PhageBirth, PhageColony, PhageConfig, PhageEnd, PhageFact, PhageStats};
use golem_mortality::epistemic::SenescenceStage;
use golem_mortality::micro_death::{PhageHealth, children_a_day};
use golem_mortality::phase::PhaseLearning;

impl Life {
    fn phage_config(&self) -> PhageConfig {
        self.genesis.settings.phages
    }
    fn colony(&mut self) -> Option<&mut PhageColony> {
        self.state.phages.as_mut().map(|nest| &mut nest.colony)
    }

    /// A turn passes for the children; what must be tried on copies before those whose time is over can be judged.
    pub(crate) fn end_phages(&mut self) -> Option<Question> {
        let (now, config) = (self.state.core.age, self.phage_config());
        let colony = self.colony()?;
        colony.pass_turn();
        let request = colony.ask(now);
        if !request.runs.is_empty() {
            self.turn.phages_on = true;
            return Some(Question::Fork(Box::new(request)));
        }
        let none = ForkReply { request: request.hash(), runs: Vec::new() };
        let ends = colony.take(&none, now, &config);
        self.phages_ended(ends);
        None
    }

    /// What came of their runs.
    pub(crate) fn phages_answered(&mut self, answer: &Answer) {
        self.turn.phages_on = false;
        let (now, config) = (self.state.core.age, self.phage_config());
        let none = ForkReply { request: golem_core::Hash::default(), runs: Vec::new() };
        let reply = if let Answer::Forked(reply) = answer { reply } else { &none };
        let ends = self.colony().map(|colony| colony.take(reply, now, &config)).unwrap_or_default();
        self.phages_ended(ends);
    }

    /// The golem dies, and its children with it.
    pub(crate) fn orphan_phages(&mut self) {
        let now = self.state.core.age;
        let ends = self.colony().map(|colony| colony.orphan(now)).unwrap_or_default();
        self.phages_ended(ends);
    }

    fn phages_ended(&mut self, ends: Vec<PhageEnd>) {
        if ends.is_empty() {
            return;
        }
        for end in ends {
            let entry = self.phage_evidence(&end);
            self.tell_phage(end.fact(entry));
            if end.phage.kind == ChildKind::Replicant {
                self.replicant_returned(&end);
            }
        }
        if let Some(signals) = self.colony().and_then(PhageColony::news) {
            if signals.health == PhageHealth::Systemic {
                self.turn.felt.events.push(Event::KnowledgeContradicted);
            }
            self.tell_phage(PhageFact::Health { signals });
        }
    }

    /// The end of a turn: whether a child is born, and whether one that thrives sends a replicant.
    pub(crate) fn consider_phages(&mut self) {
        let (phase, config, now) = (self.phase(), self.phage_config(), self.state.core.age);
        let core = &self.state.core;
        let idle = self.is_dying() || core.paused || self.turn.slept || !self.learning().enabled;
        let (Some(point), false) = (self.turn.point, idle || !self.genesis.settings.mind.trading) else { return };
        let has_position = self.state.portfolio.worth.position > golem_core::Usdc::ZERO;
        let birth = PhageBirth { tick: core.tick, now, point, has_position };
        let is_warned = self.state.mortality.epistemic.senescence.stage != SenescenceStage::None;
        let Some(colony) = self.state.phages.as_ref().map(|nest| &nest.colony) else { return };
        let a_day = children_a_day(config.per_day.table(), phase, colony.signals().health, is_warned);
        let thrives = phase.behaviour().learning == PhaseLearning::Free;
        let sends = config.replicants && thrives && colony.is_time_for_replicant(now);
        let bears = colony.is_time(now, a_day);
        if !bears && !sends {
            return;
        }
        let (menu, draw) = (self.phage_menu(), self.phage_dice.uniform(birth.tick.0, 0));
        let mut told = Vec::new();
        if let Some(colony) = self.colony() {
            let next = bears.then(|| colony.choose(&menu, (now, a_day), draw)).flatten();
            told.extend(next.map(|next| colony.bear(ChildKind::Phage, next, &birth, &config)));
            let errand = sends.then(|| colony.errand(&menu, now)).flatten();
            told.extend(errand.map(|errand| colony.bear(ChildKind::Replicant, errand, &birth, &config)));
        }
        for fact in told {
            self.tell_phage(fact);
        }
    }

    /// What fitness loses by how its children ended, from the turn after on.
    pub(crate) fn feel_phages(&mut self) -> f64 {
        self.colony().map_or(0.0, PhageColony::feel)
    }

    /// Its children at a glance, where it has any.
    pub(crate) fn phage_stats(&self) -> Option<PhageStats> {
        self.state.phages.as_ref().map(|nest| nest.colony.stats())
    }

    fn tell_phage(&mut self, fact: PhageFact) {
        self.emit(None, Fact::Phage(Box::new(fact)));
    }
}
