//! Why automatic succession stopped and waits for its owner: each reason has a number and what would lift it.

use golem_core::{GolemId, Timestamp, Usdc};
use serde::{Deserialize, Serialize};

/// A reason that no waiting lifts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "halt")]
pub enum SuccessionHalt {
    /// The owner's credit does not cover the budget, and no authorisation does.
    #[error("the successor is to be given {needed} USDC, and {there} USDC of credit are free")]
    Credit {
        /// What it is to be given.
        needed: Usdc,
        /// What is free.
        there: Usdc,
    },
    /// It would be the one that died again.
    #[error("the successor's way of life lies {found:.2} from the one that ended, and {asked:.2} is asked")]
    TooSimilar {
        /// How far.
        found: f64,
        /// How far is asked.
        asked: f64,
    },
    /// The line has come as far as it may by itself.
    #[error("generation {next} would be beyond the {most} that come by themselves")]
    Generations {
        /// The successor's.
        next: u32,
        /// The last that may.
        most: u32,
    },
    /// The directive has run out.
    #[error("the directive ran out at {at}")]
    Expired {
        /// When.
        at: Timestamp,
    },
    /// Settings cannot be made of the dead one's and its advice.
    #[error("no settings can be made for a successor: {why}")]
    Unfit {
        /// What is wrong.
        why: String,
    },
    /// Somebody else has made a successor meanwhile.
    #[error("it has a successor already: {heir}")]
    Succeeded {
        /// Who.
        heir: GolemId,
    },
    /// The owner has turned it off since.
    #[error("the owner has turned automatic succession off")]
    Revoked,
}

impl SuccessionHalt {
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// The word used in tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().1
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(&self) -> &'static str {
        self.entry().2
    }
    /// True where nothing is left to be done.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Succeeded { .. })
    }

    fn entry(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Credit { .. } => (720, "credit", "credit (bardo treasury add USDC), or a successor by hand"),
            Self::TooSimilar { .. } => (721, "too_similar", "a successor by hand, with other settings"),
            Self::Generations { .. } => (722, "generations", "a larger succession.max_generations, or one by hand"),
            Self::Expired { .. } => (723, "expired", "a later succession.expires, or a successor by hand"),
            Self::Unfit { .. } => (724, "unfit", "a successor by hand, with settings that fit"),
            Self::Succeeded { .. } => (725, "succeeded", "nothing is needed"),
            Self::Revoked => (726, "revoked", "succession.auto = true again, or a successor by hand"),
        }
    }
}
