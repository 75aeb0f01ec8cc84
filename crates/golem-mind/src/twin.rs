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
    /// The share of wealth that goes into the pool, times how concentrated it is there.
    pub pooled: f64,
    /// Fees and gas, in basis points of wealth.
    pub cost_bps: f64,
}

impl DecisionShape {
    /// The shape of what is wanted at a price, with gas at so many gwei.
    #[must_use]
    pub fn of(intents: &[Intent], price: f64, gas_gwei: f64, value: &Valuation, config: &PolicyConfig) -> Self {
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
                Intent::Add { width_bps, .. } => (size * concentrated(width_bps), 3.0),
                Intent::Remove { .. } => (size, 2.0),
                Intent::Rebalance { width_bps, .. } => (value.liquidity.0 as f64 / nav * concentrated(width_bps), 5.0),
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
