//! The five phases of a life, how a golem moves between them, and the one table of what each phase does.

use crate::config::PartitionShares;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A named region of composite vitality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BehavioralPhase {
    /// Below 0.1: the death protocol opens.
    Terminal = 0,
    /// From 0.1: death preparation.
    Declining = 1,
    /// From 0.3: survival mode.
    Conservation = 2,
    /// From 0.5: normal operation.
    Stable = 3,
    /// From 0.7: everything is allowed.
    Thriving = 4,
}

impl BehavioralPhase {
    /// From worst to best.
    pub const ALL: [Self; 5] = [Self::Terminal, Self::Declining, Self::Conservation, Self::Stable, Self::Thriving];

    /// The least composite vitality of this phase.
    #[must_use]
    pub fn threshold(self) -> f64 {
        [0.0, 0.1, 0.3, 0.5, 0.7][self as usize]
    }
    /// The word used in facts, files and expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["terminal", "declining", "conservation", "stable", "thriving"][self as usize]
    }
    /// The phase of a composite vitality, without memory. NaN is Terminal.
    #[must_use]
    pub fn of(composite: f64) -> Self {
        Self::ALL.into_iter().rev().find(|p| composite >= p.threshold()).unwrap_or(Self::Terminal)
    }
    /// Whether operating credit is divided by another plan there: only then is it divided anew.
    #[must_use]
    pub fn divides_unlike(self, other: Self) -> bool {
        self.behaviour().partitions != other.behaviour().partitions
    }
    /// What this phase does.
    #[must_use]
    pub fn behaviour(self) -> &'static PhaseBehaviour {
        &TABLE[self as usize]
    }
}

impl fmt::Display for BehavioralPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The next phase: falling is immediate, climbing goes to the highest phase whose threshold + hysteresis is reached.
#[must_use]
pub fn determine_phase(composite: f64, current: BehavioralPhase, hysteresis: f64) -> BehavioralPhase {
    let raw = BehavioralPhase::of(composite);
    if raw <= current {
        return raw;
    }
    BehavioralPhase::ALL
        .into_iter()
        .rev()
        // 0.1 + 0.05 is a hair above 0.15 in floats; the line itself must count as reached.
        .find(|p| *p > current && composite >= p.threshold() + hysteresis - 1e-12)
        .unwrap_or(current)
}

/// What a golem does with what it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeMode {
    /// Novel insights.
    Producing,
    /// Keeping what works.
    Maintaining,
    /// Compressing for transfer.
    Distilling,
    /// Preparing the testament.
    Legacy,
    /// Writing it.
    Reflecting,
}

/// Which models may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseInference {
    /// All tiers.
    AllTiers,
    /// T1 first, T2 on novelty or a high probe.
    T1First,
    /// T1 only.
    T1Only,
    /// T1 with a hard token limit.
    T1Limited,
    /// Reflection only.
    ReflectionOnly,
}

/// What may be done with money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trading {
    /// All of it.
    All,
    /// All of it, and revenue is sought.
    AllSeekingRevenue,
    /// Reduce; rebalance only to avert loss.
    ReduceOrAvertLoss,
    /// Unwind over 50 turns within slippage.
    Unwinding,
    /// Settlement only, when dying.
    SettlementOnly,
}

/// How much is learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseLearning {
    /// Free exploration, replicants.
    Free,
    /// Exploration and exploitation in balance.
    Balanced,
    /// Updates at the doubled interval, no exploration.
    Slowed,
    /// Nothing new.
    None,
}

/// When insurance snapshots are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseSnapshots {
    /// Every six virtual hours.
    SixHourly,
    /// Once, when the phase begins.
    AtEntry,
}

/// One column of the phase table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PhaseBehaviour {
    /// What it does with knowledge.
    pub knowledge: KnowledgeMode,
    /// Which models it may ask.
    pub inference: PhaseInference,
    /// The turn interval is multiplied by this.
    pub interval: u64,
    /// What it may do with money.
    pub trading: Trading,
    /// Sizes are multiplied by this.
    pub risk: f64,
    /// How much it learns.
    pub learning: PhaseLearning,
    /// Phages a day.
    pub phages_per_day: u32,
    /// Life of cached decisions is multiplied by this; none are cached in Terminal.
    pub cache_life: Option<u32>,
    /// Confidence from which knowledge is shared.
    pub sharing_threshold: f64,
    /// Turns between batches of shared knowledge.
    pub sharing_batch: u64,
    /// When insurance snapshots are taken.
    pub snapshots: PhaseSnapshots,
    /// Turns between drafts of the testament, where drafts are kept.
    pub draft_testament_every: Option<u64>,
    /// Share of the inference budget that dreams may take.
    pub dream_share: f64,
    /// How operating credit is divided: the owner's partitions, or fixed shares with legacy.
    pub partitions: PartitionPlan,
}

/// How operating credit is divided in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum PartitionPlan {
    /// As configured, nothing for legacy.
    Configured,
    /// Fixed shares; what is missing to 1 is legacy.
    Fixed(PartitionShares),
}

/// Permissions never loosen with stress. Index = `BehavioralPhase as usize`.
const TABLE: [PhaseBehaviour; 5] = [
    PhaseBehaviour {
        knowledge: KnowledgeMode::Reflecting,
        inference: PhaseInference::ReflectionOnly,
        interval: 2,
        trading: Trading::SettlementOnly,
        risk: 0.0,
        learning: PhaseLearning::None,
        phages_per_day: 0,
        cache_life: None,
        sharing_threshold: 0.1,
        sharing_batch: 1,
        snapshots: PhaseSnapshots::AtEntry,
        draft_testament_every: None,
        dream_share: 0.0,
        partitions: PartitionPlan::Fixed(PartitionShares { llm: 0.0, gas: 0.0, data: 0.0 }),
    },
    PhaseBehaviour {
        knowledge: KnowledgeMode::Legacy,
        inference: PhaseInference::T1Limited,
        interval: 2,
        trading: Trading::Unwinding,
        risk: 0.0,
        learning: PhaseLearning::None,
        phages_per_day: 0,
        cache_life: Some(4),
        sharing_threshold: 0.3,
        sharing_batch: 10,
        snapshots: PhaseSnapshots::SixHourly,
        draft_testament_every: Some(50),
        dream_share: 0.01,
        partitions: PartitionPlan::Fixed(PartitionShares { llm: 0.40, gas: 0.20, data: 0.15 }),
    },
    PhaseBehaviour {
        knowledge: KnowledgeMode::Distilling,
        inference: PhaseInference::T1Only,
        interval: 2,
        trading: Trading::ReduceOrAvertLoss,
        risk: 0.0,
        learning: PhaseLearning::Slowed,
        phages_per_day: 1,
        cache_life: Some(2),
        sharing_threshold: 0.45,
        sharing_batch: 25,
        snapshots: PhaseSnapshots::SixHourly,
        draft_testament_every: None,
        dream_share: 0.03,
        partitions: PartitionPlan::Configured,
    },
    PhaseBehaviour {
        knowledge: KnowledgeMode::Maintaining,
        inference: PhaseInference::T1First,
        interval: 1,
        trading: Trading::AllSeekingRevenue,
        risk: 0.8,
        learning: PhaseLearning::Balanced,
        phages_per_day: 2,
        cache_life: Some(2),
        sharing_threshold: 0.55,
        sharing_batch: 50,
        snapshots: PhaseSnapshots::SixHourly,
        draft_testament_every: None,
        dream_share: 0.05,
        partitions: PartitionPlan::Configured,
    },
    PhaseBehaviour {
        knowledge: KnowledgeMode::Producing,
        inference: PhaseInference::AllTiers,
        interval: 1,
        trading: Trading::All,
        risk: 1.0,
        learning: PhaseLearning::Free,
        phages_per_day: 3,
        cache_life: Some(1),
        sharing_threshold: 0.6,
        sharing_batch: 50,
        snapshots: PhaseSnapshots::SixHourly,
        draft_testament_every: None,
        dream_share: 0.10,
        partitions: PartitionPlan::Configured,
    },
];

#[cfg(test)]
mod tests {
    use super::BehavioralPhase::{self, *};
    use super::determine_phase;
    use proptest::prelude::*;

    #[test]
    fn falling_is_immediate_and_climbing_is_earned() {
        for (composite, from, to) in [
            (0.69, Thriving, Stable),
            (0.05, Thriving, Terminal),
            (0.72, Terminal, Stable),
            (0.75, Terminal, Thriving),
            (0.52, Declining, Conservation),
            (0.35, Conservation, Conservation),
            (0.55, Conservation, Stable),
            (0.54, Conservation, Conservation),
            (0.149, Terminal, Terminal),
            (0.15, Terminal, Declining),
            (0.7, Thriving, Thriving),
            (f64::NAN, Thriving, Terminal),
        ] {
            assert_eq!(determine_phase(composite, from, 0.05), to, "{composite} from {from}");
        }
    }

    proptest! {
        #[test]
        fn more_vitality_is_never_a_worse_phase(a in 0.0..1.0f64, b in 0.0..1.0f64, from in 0usize..5, h in 0.0..0.2f64) {
            let from = BehavioralPhase::ALL[from];
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(determine_phase(low, from, h) <= determine_phase(high, from, h));
        }
    }

    #[test]
    fn permissions_never_loosen_with_stress() {
        for pair in BehavioralPhase::ALL.windows(2) {
            let (worse, better) = (pair[0].behaviour(), pair[1].behaviour());
            assert!(worse.risk <= better.risk && worse.interval >= better.interval);
            assert!(worse.phages_per_day <= better.phages_per_day && worse.dream_share <= better.dream_share);
            assert!(worse.sharing_threshold <= better.sharing_threshold && worse.sharing_batch <= better.sharing_batch);
        }
    }
}
