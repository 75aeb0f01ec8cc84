//! The weather a market is in, as the golem classifies it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What the market is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Regime {
    /// Not enough has been seen to say.
    #[default]
    Unknown,
    /// Within half a deviation of its mean for a while.
    RangeBound,
    /// Beyond one deviation above its mean.
    TrendingUp,
    /// Beyond one deviation below its mean.
    TrendingDown,
    /// Returns twice as wide as they used to be.
    Volatile,
}

impl Regime {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Unknown, Self::RangeBound, Self::TrendingUp, Self::TrendingDown, Self::Volatile];

    /// The word used in facts, files and expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::RangeBound => "range_bound",
            Self::TrendingUp => "trending_up",
            Self::TrendingDown => "trending_down",
            Self::Volatile => "volatile",
        }
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
