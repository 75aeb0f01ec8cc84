//! The classes of what a golem does, and what each suffering band leaves open.

use crate::band::Band;
use golem_mortality::BehavioralPhase;
use golem_mortality::phase::{PhaseLearning, Trading};
use serde::{Deserialize, Serialize};

/// What kind of thing an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionClass {
    /// Try something new.
    Explore,
    /// Take on exposure.
    Open,
    /// Tend what is open without taking on exposure.
    Manage,
    /// Take in or work over knowledge.
    Learn,
    /// Examine oneself.
    Reflect,
    /// Speak to others of the fleet, or to the owner.
    Peer,
    /// Take exposure away. Never blocked.
    Reduce,
}

impl ActionClass {
    /// All of them, from the boldest to the safest.
    pub const ALL: [Self; 7] =
        [Self::Explore, Self::Open, Self::Manage, Self::Learn, Self::Reflect, Self::Peer, Self::Reduce];

    /// The word used in facts, prompts and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["explore", "open", "manage", "learn", "reflect", "peer", "reduce"][self as usize]
    }

    /// What suffering leaves open. One table for the gate, for the prompt and for surfaces.
    #[must_use]
    pub fn open_at(self, band: Band) -> bool {
        match self {
            Self::Explore | Self::Open => band < Band::High,
            Self::Manage | Self::Learn => band < Band::Crisis,
            Self::Reflect | Self::Peer | Self::Reduce => true,
        }
    }

    /// What the trading and learning rows of the phase table say of it.
    pub(super) fn in_phase(self, phase: BehavioralPhase) -> InPhase {
        let row = phase.behaviour();
        let trades = matches!(row.trading, Trading::All | Trading::AllSeekingRevenue);
        let open = match self {
            Self::Explore => trades && matches!(row.learning, PhaseLearning::Free | PhaseLearning::Balanced),
            Self::Open => trades,
            Self::Manage if row.trading == Trading::ReduceOrAvertLoss => return InPhase::ToAvertLoss,
            Self::Manage => trades,
            Self::Learn => row.learning != PhaseLearning::None,
            Self::Reflect | Self::Peer | Self::Reduce => true,
        };
        if open { InPhase::Open } else { InPhase::Closed }
    }
}

/// What a phase leaves open of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InPhase {
    /// All of it.
    Open,
    /// What averts a loss.
    ToAvertLoss,
    /// Nothing.
    Closed,
}
