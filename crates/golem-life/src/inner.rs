//! What a golem feels and suffers between turns.

use crate::settings::Settings;
use golem_core::VirtualTime;
use golem_daimon::affect::{Affect, AffectConfig};
use golem_daimon::gate::Denials;
use golem_daimon::suffering::{ActivityDomain, MessageChannel, Remedy, RemedyLog, Suffering};
use golem_grimoire::playbook::RuleId;
use golem_mind::explore::Exploration;
use golem_mind::ways::{OtherWay, WaysTrial};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// At most this many actions against rules are remembered.
const MOST_VIOLATIONS: usize = 16;

/// What a golem feels and suffers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Inner {
    pub affect: Option<Affect>,
    pub suffering: Option<Suffering>,
    pub denials: Denials,
    /// Whether owner and siblings speak to it, and when they last did.
    pub channel: MessageChannel,
    /// What it did against a rule that it believed.
    pub violations: VecDeque<(VirtualTime, RuleId)>,
    /// What it did last.
    pub doing: Option<ActivityDomain>,
    /// When its fleet was last told of a crisis.
    pub cried: Option<VirtualTime>,
    /// What it does about what it suffers from.
    pub remedies: RemedyLog,
    /// What is tried on paper, and the way that was found best, with when.
    pub trial: Option<PaperTrials>,
    pub way: Option<(OtherWay, VirtualTime)>,
}

/// What is tried on paper as a remedy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct PaperTrials {
    /// Other ways to act by its own strategy.
    pub ways: Option<WaysTrial>,
    /// Strategies that are not its own.
    pub others: Option<Exploration>,
}

impl Inner {
    /// What is tried on paper, to begin something.
    pub fn trials(&mut self) -> &mut PaperTrials {
        self.trial.get_or_insert_default()
    }

    /// End the trials that no remedy asks for any more, and what came of them.
    pub fn end_trials(&mut self) {
        let (ways, others) = (self.remedies.takes(Remedy::TryOtherWays), self.remedies.takes(Remedy::SetNearGoal));
        if !ways {
            self.way = None;
        }
        if let Some(trial) = &mut self.trial {
            trial.ways = trial.ways.take().filter(|_| ways);
            trial.others = trial.others.take().filter(|_| others);
        }
        self.trial = self.trial.take().filter(|t| t.ways.is_some() || t.others.is_some());
    }

    pub fn new(settings: &Settings, affect: &AffectConfig) -> Self {
        Self {
            affect: affect.is_on().then(|| Affect::new(affect)),
            suffering: settings.suffering.enabled.then(Suffering::default),
            ..Self::default()
        }
    }

    /// It acted against a rule that it believes.
    pub fn violated(&mut self, now: VirtualTime, rule: RuleId) {
        if self.violations.len() == MOST_VIOLATIONS {
            self.violations.pop_front();
        }
        self.violations.push_back((now, rule));
    }
}
