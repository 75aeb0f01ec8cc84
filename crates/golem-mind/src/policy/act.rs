//! An action by its name alone.

use serde::{Deserialize, Serialize};

/// An action as a model may name it: what, and how much of what there is. Amounts are the policy's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Nothing, on purpose.
    Hold,
    /// Swap free USDC for the asset.
    Buy,
    /// Swap the asset for USDC.
    Sell,
    /// Put free USDC into the liquidity position.
    Add,
    /// Take some of the liquidity position out.
    Remove,
    /// Take the fees.
    Collect,
    /// Move the range of the position to the price.
    Rebalance,
}
