//! Where a golem stands when it wants to act: everything that the gate looks at.

use crate::band::Band;
use golem_mortality::{BehavioralPhase, GolemMode};
use serde::{Deserialize, Serialize};

/// Why safety holds something back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SafetyCause {
    /// The owner halted it.
    Halted,
    /// A drawdown breaker has tripped.
    Breaker,
    /// What is known of the world is too old or cannot be believed.
    StaleWorld,
    /// The chain and the golem's own books say different things.
    BooksDiffer,
}

impl SafetyCause {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Halted, Self::Breaker, Self::StaleWorld, Self::BooksDiffer];

    /// In words, for reasons.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Halted => "the owner has halted it",
            Self::Breaker => "a drawdown breaker has tripped",
            Self::StaleWorld => "its view of the world is stale",
            Self::BooksDiffer => "the chain does not hold what its books say",
        }
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(self) -> &'static str {
        match self {
            Self::Halted => "the owner's resume; reducing stays possible",
            Self::Breaker => "recovery, time, or the owner's resume; reducing stays possible",
            Self::StaleWorld => "a fresh observation; reducing stays possible",
            Self::BooksDiffer => {
                "the chain and the books agreeing again (bring back what left the account); reducing stays possible"
            }
        }
    }
}

/// What the cage and the loop leave open, in the few words that the gate needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// Nothing is held back.
    Open,
    /// No new risk; what is open may be tended.
    NoNewRisk {
        /// Why.
        why: SafetyCause,
    },
    /// Only taking risk away.
    ReduceOnly {
        /// Why.
        why: SafetyCause,
    },
}

/// Whether the world can be acted on at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permits {
    /// Yes.
    All,
    /// The owner has switched trading off.
    TradingOff,
}

/// A part of the situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatePart {
    /// The phase of life.
    Phase,
    /// The suffering band.
    Band,
    /// Waking, dreaming, dying.
    Mode,
    /// Whether the world can be acted on.
    Permits,
    /// What safety leaves open.
    Safety,
}

impl GatePart {
    /// The word used in reasons.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["phase", "band", "mode", "permits", "safety"][self as usize]
    }
}

/// Where a golem stands. A part that could not be read is `None`: the gate then closes. The default is that nothing
/// could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GateSituation {
    /// The phase of life.
    pub phase: Option<BehavioralPhase>,
    /// The suffering band, with its latch. The lightest one where suffering is switched off.
    pub band: Option<Band>,
    /// Waking, dreaming, dying.
    pub mode: Option<GolemMode>,
    /// Whether the world can be acted on.
    pub permits: Option<Permits>,
    /// What safety leaves open.
    pub safety: Option<Safety>,
    /// Whether what is open loses money as it stands (a range that has lost the price): in Conservation a position is
    /// moved only to avert loss.
    pub averts_loss: bool,
}

impl GateSituation {
    /// Nothing holds anything back.
    pub const FREE: Self = Self {
        phase: Some(BehavioralPhase::Thriving),
        band: Some(Band::Background),
        mode: Some(GolemMode::Waking),
        permits: Some(Permits::All),
        safety: Some(Safety::Open),
        averts_loss: false,
    };

    /// The first part that could not be read.
    #[must_use]
    pub fn unreadable(&self) -> Option<GatePart> {
        let missing = [
            (GatePart::Phase, self.phase.is_none()),
            (GatePart::Band, self.band.is_none()),
            (GatePart::Mode, self.mode.is_none()),
            (GatePart::Permits, self.permits.is_none()),
            (GatePart::Safety, self.safety.is_none()),
        ];
        missing.into_iter().find(|(_, missing)| *missing).map(|(part, _)| part)
    }
}
