//! What a successor is advised: typed, so that it can be carried out, and each with the records that speak for it.

use super::sentence::TestamentSentence;
use crate::entry::EntryId;
use crate::playbook::RuleId;
use serde::{Deserialize, Serialize};

/// A setting that should be another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigAdvice {
    /// The key, as in `golem.toml`.
    pub key: String,
    /// What it was.
    pub was: String,
    /// What it should be.
    pub to: String,
    pub because: TestamentSentence,
}

/// What should become of a rule of the playbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookAdvice {
    pub rule: RuleId,
    pub change: RuleFate,
    pub because: TestamentSentence,
}

/// What should become of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleFate {
    /// It has proved itself.
    Keep,
    /// Reality spoke against it.
    Retire,
    /// It was never put to the test.
    Test,
}

/// Something that was believed and no longer holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaleHeuristic {
    pub entry: EntryId,
    pub because: TestamentSentence,
}

/// What to look into first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeirPriority {
    pub weight: PriorityWeight,
    pub what: TestamentSentence,
}

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriorityWeight {
    Critical,
    Important,
    NiceToHave,
}

/// Everything a successor is advised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SuccessorRecommendations {
    pub config: Vec<ConfigAdvice>,
    pub playbook: Vec<PlaybookAdvice>,
    pub stale_heuristics: Vec<StaleHeuristic>,
    pub priorities: Vec<HeirPriority>,
}

impl SuccessorRecommendations {
    /// Every sentence in it.
    pub fn sentences(&self) -> impl Iterator<Item = &TestamentSentence> {
        let config = self.config.iter().map(|a| &a.because);
        let playbook = self.playbook.iter().map(|a| &a.because);
        let stale = self.stale_heuristics.iter().map(|a| &a.because);
        config.chain(playbook).chain(stale).chain(self.priorities.iter().map(|p| &p.what))
    }
    /// Drop what does not pass.
    pub(super) fn retain(&mut self, keep: impl Fn(&TestamentSentence) -> bool) {
        self.config.retain(|a| keep(&a.because));
        self.playbook.retain(|a| keep(&a.because));
        self.stale_heuristics.retain(|a| keep(&a.because));
        self.priorities.retain(|p| keep(&p.what));
    }
}

impl PriorityWeight {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Important => "important",
            Self::NiceToHave => "nice to have",
        }
    }
}

impl RuleFate {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Retire => "retire",
            Self::Test => "test",
        }
    }
}
