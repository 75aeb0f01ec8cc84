//! The domains in which a golem acts and can be hurt: a closed list of tags, never text.

use golem_core::Intent;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A field of activity. It is stored when a stressor begins and compared with that of a proposed action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ActivityDomain {
    /// Buying and selling.
    #[serde(rename = "trading.swap")]
    Swap,
    /// Giving liquidity.
    #[serde(rename = "trading.liquidity")]
    Liquidity,
    /// Taking in and working over knowledge.
    #[serde(rename = "learning")]
    Learning,
    /// Examining itself.
    #[serde(rename = "reflection")]
    Reflection,
    /// Speaking with others.
    #[serde(rename = "peer")]
    Peer,
    /// Staying alive.
    #[serde(rename = "survival")]
    Survival,
}

impl ActivityDomain {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Swap, Self::Liquidity, Self::Learning, Self::Reflection, Self::Peer, Self::Survival];

    /// The tag used in facts, files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["trading.swap", "trading.liquidity", "learning", "reflection", "peer", "survival"][self as usize]
    }
    /// The domain of this tag.
    #[must_use]
    pub fn named(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name() == tag)
    }
    /// The domain of an intent; none for doing nothing.
    #[must_use]
    pub fn of_intent(intent: &Intent) -> Option<Self> {
        match intent {
            Intent::Hold | Intent::Home { .. } | Intent::Unwrap { .. } => None,
            Intent::Buy { .. } | Intent::Sell { .. } => Some(Self::Swap),
            Intent::Add { .. } | Intent::Remove { .. } | Intent::Collect | Intent::Rebalance { .. } => {
                Some(Self::Liquidity)
            }
        }
    }
}

impl fmt::Display for ActivityDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
