//! What a decision does to wealth, in numbers that two decisions can be compared by: what was done, and what would have
//! been done without a rule.

use crate::policy::{PolicyConfig, Valuation, action_vector};
use crate::pool::Span;
use golem_core::Intent;
use serde::{Deserialize, Serialize};

/// A decision as shares of wealth, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct DecisionShape {
    /// By how much the share of wealth that follows the price changes.
    pub exposure: f64,
    /// By how much the share of wealth in the pool changes, times how concentrated it is there.
    pub pooled: f64,
    /// Fees and gas, in basis points of wealth.
    pub cost_bps: f64,
}

impl DecisionShape {
    /// The shape of what is wanted at a price, with gas at so many gwei, where what is in the pool is so concentrated there
    /// already (0: nothing is, or the price has left it).
    #[must_use]
    pub fn of(
        intents: &[Intent],
        (price, gas_gwei): (f64, f64),
        open: f64,
        value: &Valuation,
        config: &PolicyConfig,
    ) -> Self {
        let mut shape = Self::default();
        let nav = (value.nav.0 as f64).max(1.0);
        // Gwei are 1e-9 of the asset, and the price is USDC for one of it: micro-USDC for a swap.
        let swap = gas_gwei.max(0.0) * config.gas_units as f64 * price / 1e3;
        for intent in intents {
            let [size, _, exposure] = action_vector(&[*intent], price, value);
            let concentrated =
                |width_bps: u32| if width_bps == 0 { 1.0 } else { Span::around(0.0, width_bps).concentration(0.0) };
            let (pooled, swaps) = match *intent {
                Intent::Buy { .. } | Intent::Sell { .. } => (0.0, 1.0),
                // An open position keeps its range.
                Intent::Add { width_bps, .. } => (size * if open > 0.0 { open } else { concentrated(width_bps) }, 3.0),
                Intent::Remove { .. } => (size * open, 2.0),
                // What is there already was there before: a wider range is less of it, not more.
                Intent::Rebalance { width_bps, .. } => {
                    (value.liquidity.0 as f64 / nav * (concentrated(width_bps) - open), 5.0)
                }
                Intent::Hold | Intent::Collect | Intent::Home { .. } | Intent::Unwrap { .. } => (0.0, 0.0),
            };
            shape.exposure += exposure;
            shape.pooled += pooled;
            shape.cost_bps += exposure.abs() * config.assumed_cost_bps + swaps * swap / nav * 1e4;
        }
        shape
    }
    /// What one decision has beyond another.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Self {
        Self {
            exposure: self.exposure - other.exposure,
            pooled: self.pooled - other.pooled,
            cost_bps: self.cost_bps - other.cost_bps,
        }
    }
    /// True when it comes to nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.exposure.abs() < 1e-6 && self.pooled.abs() < 1e-6
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Usdc;
    use golem_core::intent::Asset;

    /// Twenty of a hundred are in the pool, five times as concentrated as an unbounded position; or nothing is.
    #[test]
    fn what_is_in_the_pool_already_counts_by_what_becomes_of_it() {
        let give = Asset(5 * Asset::WHOLE / 1_000);
        let add = Intent::Add { pay: Usdc::whole(10), give, width_bps: 2_000, tolerance_bps: 50 };
        let remove = Intent::Remove { share_bps: 5_000, tolerance_bps: 50 };
        let rebalance = |width_bps: u32| Intent::Rebalance { width_bps, tolerance_bps: 50 };
        // A fifth to each side is 11.477 times as concentrated.
        for (what, intent, liquidity, open, pooled) in [
            ("a new position", add, 0, 0.0, 0.2 * 11.477),
            ("more into an open one, which keeps its range", add, 20, 5.0, 0.2 * 5.0),
            ("half of it out", remove, 20, 5.0, -0.1 * 5.0),
            ("half out of one that the price has left", remove, 20, 0.0, 0.0),
            ("a narrower range", rebalance(2_000), 20, 5.0, 0.2 * (11.477 - 5.0)),
            ("a wider range", rebalance(2_000), 20, 20.0, 0.2 * (11.477 - 20.0)),
            ("a range everywhere", rebalance(0), 20, 5.0, 0.2 * (1.0 - 5.0)),
        ] {
            let value = Valuation { nav: Usdc::whole(100), liquidity: Usdc::whole(liquidity) };
            let shape = DecisionShape::of(&[intent], (2_000.0, 0.02), open, &value, &PolicyConfig::default());
            assert!((shape.pooled - pooled).abs() < 1e-3, "{what}: {} for {pooled}", shape.pooled);
        }
    }
}
