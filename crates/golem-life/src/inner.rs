//! What a golem feels and suffers between turns.

use crate::settings::Settings;
use golem_core::VirtualTime;
use golem_daimon::affect::{Affect, AffectConfig};
use golem_daimon::gate::Denials;
use golem_daimon::suffering::{ActivityDomain, MessageChannel, RemedyLog, Suffering};
use golem_grimoire::playbook::RuleId;
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
    /// The other ways that are tried on paper, and the one that was found best, with when.
    pub trial: Option<WaysTrial>,
    pub way: Option<(OtherWay, VirtualTime)>,
}

impl Inner {
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
