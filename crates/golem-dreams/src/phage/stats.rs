//! Children at a glance: how many there were, what is believed of what they tried, how the latest ended.

use super::verdict::PhageVerdict;
use golem_core::VirtualTime;
use golem_mortality::micro_death::PhageSignals;
use serde::{Deserialize, Serialize};

/// What was found about one hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HypothesisRecord {
    pub trials: u32,
    pub survived: u32,
    pub belief: f64,
    pub(super) last: VirtualTime,
    /// When a replicant was last sent for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<VirtualTime>,
}

/// How many there were, and what they took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhageCounts {
    pub born: u64,
    pub replicants: u64,
    pub survived: u64,
    pub failed: u64,
    pub indifferent: u64,
    pub untested: u64,
    /// Runs on copies, and nominal ticks lived on them: what self-testing costs.
    pub runs: u64,
    pub shadow_ticks: u64,
}

/// One that lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlivePhage {
    pub id: u64,
    pub hypothesis: String,
    pub turns_left: u32,
}

/// One that has died.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndedPhage {
    pub id: u64,
    pub hypothesis: String,
    pub verdict: PhageVerdict,
}

/// What is believed of one hypothesis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedHypothesis {
    pub hypothesis: String,
    #[serde(flatten)]
    pub record: HypothesisRecord,
}

/// Children at a glance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhageStats {
    #[serde(flatten)]
    pub counts: PhageCounts,
    pub signals: PhageSignals,
    /// What fitness loses by them now.
    pub felt: f64,
    pub alive: Vec<AlivePhage>,
    /// The latest ends, the newest first.
    pub ends: Vec<EndedPhage>,
    /// What is believed of what was tried, the surest first.
    pub tried: Vec<TriedHypothesis>,
}
