//! The strategies that a golem can be born with.

use super::registry::{self, Parameter};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A strategy: a policy over typed intents, with parameters of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Template {
    /// Provides liquidity where fees pay for what arbitrage takes, and holds the asset as the forecast says.
    #[default]
    LpManagement,
    /// Holds the asset while its price rises, sized by volatility, with a trailing stop; no liquidity.
    TrendFollowing,
    /// Buys for the same amount at even intervals, and never sells.
    EthDca,
    /// Holds USDC, and wide liquidity while it clearly pays and the market is calm.
    StableYield,
}

impl Template {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::LpManagement, Self::TrendFollowing, Self::EthDca, Self::StableYield];

    /// The word used in files, flags and facts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LpManagement => "lp-management",
            Self::TrendFollowing => "trend-following",
            Self::EthDca => "eth-dca",
            Self::StableYield => "stable-yield",
        }
    }

    /// Everything about it that can be tuned while it lives.
    #[must_use]
    pub fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::LpManagement => registry::LP_MANAGEMENT,
            Self::TrendFollowing => registry::TREND_FOLLOWING,
            Self::EthDca => registry::ETH_DCA,
            Self::StableYield => registry::STABLE_YIELD,
        }
    }

    /// The parameters of all templates.
    pub(crate) fn all_parameters() -> impl Iterator<Item = &'static Parameter> {
        Self::ALL.into_iter().flat_map(|t| t.parameters())
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no template: write lp-management, trend-following, eth-dca or stable-yield")]
pub struct NoSuchTemplate(String);

impl FromStr for Template {
    type Err = NoSuchTemplate;
    fn from_str(s: &str) -> Result<Self, NoSuchTemplate> {
        let found = Self::ALL.into_iter().find(|t| t.name() == s);
        found.ok_or_else(|| NoSuchTemplate(s.chars().take(40).collect()))
    }
}
