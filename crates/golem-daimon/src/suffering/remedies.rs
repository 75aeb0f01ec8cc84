//! What is done about each stressor, by the golem itself and without a model: a table of steps, each taken once while its
//! stressor is open, and given up when it closes. A remedy changes what is done; it never touches a severity.

use super::canonical::Canonical;
use super::state::Suffering;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Something that is done against a stressor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// Rules of its own that never fired are taken out of the playbook.
    RetireIdleRules,
    /// Goals within reach are set: a small gain, and to find a strategy that would pay on paper.
    SetNearGoal,
    /// The owner is sent a digest, and asked for a word.
    SendDigest,
    /// The rule or the habit yields, whichever the record supports.
    YieldToRecord,
    /// Nothing is spent that need not be: nothing is opened, no model is asked.
    LiveCheaply,
    /// The owner is asked for help, once.
    AskOwner,
    /// The other ways to act are tried on paper, and the best is taken.
    TryOtherWays,
}

impl Remedy {
    /// The words for it in facts and on surfaces.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::RetireIdleRules => "takes rules that never fired out of its playbook",
            Self::SetNearGoal => "sets itself a goal within reach",
            Self::SendDigest => "tells its owner how it has been, and asks for a word",
            Self::YieldToRecord => "lets the rule or the habit go, whichever the record speaks against",
            Self::LiveCheaply => "spends nothing that it need not",
            Self::AskOwner => "asks its owner for help",
            Self::TryOtherWays => "tries its other ways on paper",
        }
    }
}

/// One step: what, and how long after the onset.
struct RemedyStep {
    against: Canonical,
    remedy: Remedy,
    after: Elapsed,
}

const AT_ONCE: Elapsed = Elapsed(0);
const A_DAY: Elapsed = Elapsed::secs(86_400);

/// In the order of [`Canonical::ALL`]; what is milder comes first.
static STEPS: [RemedyStep; 9] = [
    RemedyStep { against: Canonical::Futility, remedy: Remedy::RetireIdleRules, after: AT_ONCE },
    RemedyStep { against: Canonical::Futility, remedy: Remedy::SetNearGoal, after: AT_ONCE },
    RemedyStep { against: Canonical::Invisibility, remedy: Remedy::SendDigest, after: AT_ONCE },
    RemedyStep { against: Canonical::IdentityViolation, remedy: Remedy::YieldToRecord, after: AT_ONCE },
    RemedyStep { against: Canonical::ExistentialThreat, remedy: Remedy::LiveCheaply, after: AT_ONCE },
    RemedyStep { against: Canonical::ExistentialThreat, remedy: Remedy::AskOwner, after: A_DAY },
    RemedyStep { against: Canonical::RepeatedFailure, remedy: Remedy::TryOtherWays, after: AT_ONCE },
    RemedyStep { against: Canonical::RepeatedFailure, remedy: Remedy::SetNearGoal, after: A_DAY },
    RemedyStep { against: Canonical::Purposelessness, remedy: Remedy::SetNearGoal, after: AT_ONCE },
];

impl Canonical {
    /// What the golem itself does about it, in order.
    pub fn remedies(self) -> impl Iterator<Item = Remedy> {
        STEPS.iter().filter(move |s| s.against == self).map(|s| s.remedy)
    }
}

/// Which steps have been taken against what is open now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RemedyLog {
    taken: BTreeSet<(Canonical, Remedy)>,
}

impl RemedyLog {
    /// The steps that are to be taken now, each once for every time that its stressor opens. Steps against what has closed
    /// are forgotten, and with them what they changed.
    pub fn due(&mut self, suffering: &Suffering, now: VirtualTime) -> Vec<(Canonical, Remedy)> {
        if self.taken.is_empty() && suffering.active() == 0 {
            return Vec::new();
        }
        let onset = |c: Canonical| suffering.open().find(|o| o.canonical == Some(c)).map(|o| o.onset);
        self.taken.retain(|(against, _)| onset(*against).is_some());
        let due = |s: &&RemedyStep| onset(s.against).is_some_and(|at| now.since(at) >= s.after);
        STEPS.iter().filter(due).map(|s| (s.against, s.remedy)).filter(|step| self.taken.insert(*step)).collect()
    }
    /// Whether a remedy is being taken.
    #[must_use]
    pub fn takes(&self, remedy: Remedy) -> bool {
        self.taken.iter().any(|(_, r)| *r == remedy)
    }
}
