//! Where a dreamer stands: the seed's names for tiers, stages and state.

use golem_core::{Tick, Usdc};
use golem_mortality::GolemMode;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How richly it dreams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamTier {
    /// By rules and execution alone, between turns.
    #[default]
    Core,
    /// With language models, asleep.
    Hardened,
}

/// The five stages of a cycle, in their only order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamPhase {
    /// The input gate closes; what is left of the day falls apart into fragments.
    #[serde(rename = "onset")]
    HypnagogicOnset,
    /// What was is lived through again.
    Nrem,
    /// What was not is imagined, and what must not be is rehearsed.
    Rem,
    /// What was found is sorted and proposed.
    Integration,
    /// The gate opens again.
    #[serde(rename = "return")]
    HypnopompicReturn,
}

impl DreamPhase {
    pub const ALL: [Self; 5] =
        [Self::HypnagogicOnset, Self::Nrem, Self::Rem, Self::Integration, Self::HypnopompicReturn];

    /// The stage after this one; nothing after the last.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }
    /// The word for it in events.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::HypnagogicOnset => "onset",
            Self::Nrem => "nrem",
            Self::Rem => "rem",
            Self::Integration => "integration",
            Self::HypnopompicReturn => "return",
        }
    }
}

impl fmt::Display for DreamPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The seed's `DreamState`: what readers see of a dreamer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DreamState {
    pub mode: GolemMode,
    pub tier: DreamTier,
    pub current_phase: Option<DreamPhase>,
    pub cycle_number: u32,
    pub total_cycles_this_window: u32,
    pub budget_remaining: Usdc,
    pub budget_spent: Usdc,
    pub episodes_replayed: u32,
    pub hypotheses_generated: u32,
    pub threats_simulated: u32,
    pub dream_start_tick: Tick,
    pub last_dream_tick: Tick,
    pub urgency: f64,
    pub episode_count: u64,
}

/// A stage of falling asleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoriStage {
    /// Temperatures below 1.0.
    Shallow,
    /// From 1.0: alpha waves go.
    Transitional,
    /// From 1.2 to 1.5: theta waves come, and the smallest dreams.
    Peak,
    /// Beyond: nothing that is said there is kept.
    TooDeep,
}

/// What wakes a falling sleeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnsetAlarm {
    Move,
    Drain,
    Paused,
}
