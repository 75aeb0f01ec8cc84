//! The grimoire works on what it holds, goals are looked after, and what came due is kept for showing.

use crate::fact::LifeFact;
use crate::life::Life;
use golem_core::VirtualTime;
use golem_daimon::affect::Event;
use golem_grimoire::change::NamedTable;
use golem_mind::goals::{GoalEnd, GoalFact, Pursuit};
use golem_mortality::Domain;

impl Life {
    pub(crate) fn reflect(&mut self) {
        let (tick, now, learns) = (self.state.core.tick, self.state.core.age, self.learning().rate() > 0.0);
        let config = &self.genesis.settings.mortality.epistemic;
        let fitness = Domain::ALL.map(|d| self.state.mortality.epistemic.domain_fitness(d, config));
        let Some(grimoire) = &mut self.grimoire else { return };
        // One turn late: what was pruned in the last cycle is felt now.
        if let Some(share) = grimoire.take_pruned() {
            self.state.mortality.epistemic.feel_pruning(share);
        }
        let done = grimoire.reflect(tick, now, fitness, &self.curator_dice, learns);
        self.turn.unresolved = done.micro.unresolved;
        self.tell_revised(done.revised);
        for rule in done.settings {
            self.tell(LifeFact::SettingProposed { rule });
        }
        if let Some(cycle) = done.cycle {
            self.tell(LifeFact::Curated { report: Box::new(cycle) });
        }
        let (template, phase, may_open) = (self.genesis.settings.policy.template, self.phase(), self.may_open());
        let mut told = Vec::new();
        let of = Pursuit { template, phase, may_open, near: self.seeks_near_goals() };
        self.state.mind.pursue(tick, &self.turn.known.snapshot, of, now, &mut told);
        for goal in told {
            self.feel_goal(&goal);
            if let Some(grimoire) = &mut self.grimoire {
                grimoire.note(NamedTable::Goal, format!("{:08}", goal.number()), &goal);
            }
            self.tell(LifeFact::Goal { goal });
        }
        self.keep_predictions(now);
    }

    /// A goal ended: that is felt.
    fn feel_goal(&mut self, goal: &GoalFact) {
        let GoalFact::Ended { end, .. } = goal else { return };
        self.turn.felt.events.extend(match end {
            GoalEnd::Completed => Some(Event::GoalCompleted),
            GoalEnd::Failed | GoalEnd::Abandoned => Some(Event::GoalFailed),
            GoalEnd::Lapsed => None,
        });
    }

    /// Predictions that came due and are worth showing later.
    fn keep_predictions(&mut self, now: VirtualTime) {
        let Some(grimoire) = &mut self.grimoire else { return };
        // One in a horizon is enough for the file: those between say nearly the same. Outcomes of actions are all kept.
        let kept = |p: &&golem_mind::Prediction| {
            let sixth = p.domain.horizon().0 / 6;
            sixth == 0 || (p.made.0 / sixth).is_multiple_of(6)
        };
        for settled in self.state.mind.forecasters().settled_at(now).filter(kept) {
            let key = format!("{}/{:013}", settled.domain.name(), settled.made.0);
            grimoire.note(NamedTable::Prediction, key, settled);
        }
    }

    pub(crate) fn tell_revised(&mut self, revision: Option<u32>) {
        if let Some(revision) = revision {
            self.state.mind.cache().flush();
            let dreamt = self.grimoire.as_ref().is_some_and(|grimoire| grimoire.is_revision_dreamt());
            self.tell(LifeFact::PlaybookRevised { revision, dreamt });
        }
    }
}
