//! Whether to sleep, who wished for it, and what the cycle is given.

use crate::config::DreamConfig;
use crate::schedule::budget::CycleAllowance;
use crate::schedule::clocks::DreamModulation;
use crate::schedule::duration::DreamLength;
use crate::schedule::gate::WhyAwake;
use crate::schedule::intensity::DreamBounds;
use crate::schedule::urgency::UrgencyInput;
use crate::state::DreamTier;
use serde::{Deserialize, Serialize};

/// Who wished for a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamTrigger {
    /// A window of the owner's is open.
    Window,
    /// A core cycle was due.
    Interval,
    /// It needed to, and most of all for this.
    Urgency { largest: UrgencyInput },
    /// The owner said so.
    Owner,
    /// The one dream of a terminal golem.
    Emergency,
}

impl DreamTrigger {
    /// The word in events: the seed's three where they fit.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Window | Self::Interval => "time",
            Self::Urgency { largest } => largest.word(),
            Self::Owner => "owner",
            Self::Emergency => "emergency",
        }
    }
    /// What kind of trigger it was.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Interval => "interval",
            Self::Urgency { .. } => "urgency",
            Self::Owner => "owner",
            Self::Emergency => "emergency",
        }
    }
    /// The tier of its cycle: the last dream asks no model.
    #[must_use]
    pub fn tier(self, config: &DreamConfig) -> DreamTier {
        if self == Self::Emergency { DreamTier::Core } else { config.tier }
    }
}

/// Whether to sleep now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DreamVerdict {
    Open { trigger: DreamTrigger },
    Stay { why: WhyAwake },
}

impl DreamVerdict {
    /// The same, unless it would open: this speaks against it.
    #[must_use]
    pub fn unless(self, why: WhyAwake) -> Self {
        match self {
            Self::Open { .. } => Self::Stay { why },
            Self::Stay { .. } => self,
        }
    }
}

/// What a cycle that opens now is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CyclePlan {
    pub tier: DreamTier,
    pub modulation: DreamModulation,
    pub bounds: DreamBounds,
    pub length: DreamLength,
    pub allowance: CycleAllowance,
}
