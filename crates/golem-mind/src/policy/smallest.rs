//! The smallest trade that is worth its price, said before anything is traded: what a budget means depends on it.

use super::config::PolicyConfig;
use super::desk::{ADD, SWAP};
use super::template::Template;
use golem_core::Usdc;

impl PolicyConfig {
    /// The smallest entry of this template whose gas and fees stay within `most_cost_bps` of it, at a gas price and a
    /// price of the asset; none where no size would do.
    #[must_use]
    pub fn smallest_useful_trade(&self, gas_gwei: f64, price: f64) -> Option<Usdc> {
        // Whoever provides liquidity swaps for the other half first, and adds then.
        let steps = match self.template {
            Template::LpManagement | Template::StableYield => SWAP + ADD,
            Template::TrendFollowing | Template::EthDca => SWAP,
        };
        // Gwei are 1e-9 of the asset, and the price is USDC for one of it.
        let gas = gas_gwei * self.gas_units as f64 * price / 1e3 * steps;
        let left = (self.most_cost_bps - self.assumed_cost_bps) / 1e4;
        let least = libm::ceil(gas / left);
        let found = left > 0.0 && (0.0..1e15).contains(&least);
        found.then(|| Usdc(least as u64).max(self.min_trade_usdc))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gas_makes_small_trades_useless() {
        let of = |template| PolicyConfig { template, ..PolicyConfig::default() };
        // 0.05 gwei, 180,000 units, 2,500 USDC: 0.0225 USDC a swap, which is 0.9 % of 2.50 USDC.
        assert_eq!(of(Template::EthDca).smallest_useful_trade(0.05, 2_500.0), Some(Usdc(2_500_000)));
        assert_eq!(of(Template::LpManagement).smallest_useful_trade(0.05, 2_500.0), Some(Usdc(10_000_000)));
        assert_eq!(
            of(Template::EthDca).smallest_useful_trade(0.0, 2_500.0),
            Some(Usdc(500_000)),
            "never below the least"
        );
        assert_eq!(of(Template::EthDca).smallest_useful_trade(f64::NAN, 2_500.0), None);
        let dear = PolicyConfig { most_cost_bps: 5.0, ..PolicyConfig::default() };
        assert_eq!(dear.smallest_useful_trade(0.05, 2_500.0), None, "fees alone are too much");
    }
}
