//! The intent vocabulary: the closed list of what a golem can want to do with money, and what came of it.
//!
//! No variant carries an address or calldata; those belong to the door that carries an intent out.

use crate::money::Usdc;
use serde::{Deserialize, Serialize};

/// An amount of the volatile asset in units of 1e-9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Asset(pub u64);

/// What a golem wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "intent")]
pub enum Intent {
    /// Nothing, on purpose.
    Hold,
    /// Pay USDC for the asset.
    Buy {
        /// What is paid, fees included, gas not.
        pay: Usdc,
        /// The least that must come back.
        min_out: Asset,
    },
    /// Give the asset for USDC.
    Sell {
        /// What is given.
        give: Asset,
        /// The least that must come back.
        min_out: Usdc,
    },
    /// Put USDC into a liquidity position.
    Add {
        /// What is put in.
        pay: Usdc,
        /// Half-width of the range in basis points of the price; 0 means the full range.
        width_bps: u32,
    },
    /// Take a share out of the liquidity position.
    Remove {
        /// The share, in basis points.
        share_bps: u32,
        /// The least that must come back.
        min_out: Usdc,
    },
    /// Take the fees that the position has earned.
    Collect,
    /// Move the position to a new range around the price.
    Rebalance {
        /// Half-width of the new range.
        width_bps: u32,
    },
}

impl Intent {
    /// The word used in facts and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Buy { .. } => "buy",
            Self::Sell { .. } => "sell",
            Self::Add { .. } => "add",
            Self::Remove { .. } => "remove",
            Self::Collect => "collect",
            Self::Rebalance { .. } => "rebalance",
        }
    }
    /// True when it can only make the golem less exposed.
    #[must_use]
    pub fn only_reduces(&self) -> bool {
        matches!(self, Self::Hold | Self::Sell { .. } | Self::Remove { .. } | Self::Collect)
    }
}

/// What a golem holds, as far as hands need to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Holdings {
    /// USDC that may be put to work.
    pub capital: Usdc,
    /// The volatile asset.
    pub asset: Asset,
    /// Shares of the liquidity position.
    pub units: u64,
    /// Fees the position has earned and not collected.
    pub fees: Usdc,
}

/// What came of an intent: the world's word, recorded as input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// What was asked.
    pub intent: Intent,
    /// How it ended.
    pub outcome: Outcome,
    /// Gas paid, whatever the outcome.
    pub gas: Usdc,
}

/// How an intent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing was done, as asked.
    Held,
    /// Asset bought.
    Bought {
        /// What was paid.
        paid: Usdc,
        /// What came in.
        got: Asset,
    },
    /// Asset sold.
    Sold {
        /// What was given.
        gave: Asset,
        /// What came in.
        got: Usdc,
    },
    /// Liquidity added; `units` are shares of the pool position.
    Added {
        /// What was put in.
        paid: Usdc,
        /// Shares received.
        units: u64,
    },
    /// Liquidity removed.
    Removed {
        /// Shares given back.
        units: u64,
        /// What came in, fees included.
        got: Usdc,
    },
    /// Fees taken.
    Collected {
        /// What came in.
        got: Usdc,
    },
    /// The world said no.
    Refused {
        /// Why.
        why: Refusal,
    },
}

/// Why the world said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Less would have come back than asked for.
    Slippage,
    /// Not enough to pay with.
    Funds,
    /// No price to trade at.
    NoMarket,
    /// Nothing there to reduce.
    NoPosition,
    /// The golem's own loop kept it back: safe mode, or a full disk.
    Withheld,
}
