//! Every number of the market that an owner may change: defaults and ranges. The seed is not one of them; it comes with the
//! dice.

use super::price;
use crate::GenesisConfig;
use golem_core::Usdc;
use golem_core::problem::{Problem, ranges};
use serde::{Deserialize, Serialize};

/// `[market]`: how the pool is moved between a golem's looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarketConfig {
    /// What the market's own liquidity offers within two per cent of the price at the beginning, both sides together.
    #[serde(with = "golem_core::money::as_text")]
    pub depth_usdc: Usdc,
    /// Mean number of noise trades in a nominal tick.
    pub noise_per_tick: f64,
    /// Median size of a noise trade where the outside volume is not known.
    #[serde(with = "golem_core::money::as_text")]
    pub noise_usdc: Usdc,
    /// Share of the outside volume that comes to this pool as noise, where that volume is known.
    pub noise_share: f64,
    /// Standard deviation of the logarithm of a noise trade's size.
    pub noise_spread: f64,
    /// No noise trade is larger than this share of what lies within two per cent of the price.
    pub noise_most: f64,
    /// Base fee in gwei where the outside does not tell.
    pub gas_gwei: f64,
    /// The base fee is never below this, in gwei.
    pub base_fee_floor_gwei: f64,
    /// The base fee is never above this, in gwei.
    pub base_fee_cap_gwei: f64,
}

impl Default for MarketConfig {
    fn default() -> Self {
        Self {
            depth_usdc: Usdc::whole(2_000_000),
            noise_per_tick: 0.6,
            noise_usdc: Usdc::whole(500),
            noise_share: 0.5,
            noise_spread: 1.0,
            noise_most: 0.05,
            gas_gwei: 0.05,
            base_fee_floor_gwei: 0.001,
            base_fee_cap_gwei: 10_000.0,
        }
    }
}

impl MarketConfig {
    /// Every problem with these settings, with the key it belongs to.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("depth_usdc", self.depth_usdc.as_f64(), 1_000.0, 1e12),
            ("noise_per_tick", self.noise_per_tick, 0.0, 8.0),
            ("noise_usdc", self.noise_usdc.as_f64(), 0.01, 1e9),
            ("noise_share", self.noise_share, 0.0, 10.0),
            ("noise_spread", self.noise_spread, 0.0, 3.0),
            ("noise_most", self.noise_most, 0.0, 0.5),
            ("gas_gwei", self.gas_gwei, 1e-9, 1e6),
            ("base_fee_floor_gwei", self.base_fee_floor_gwei, 1e-9, 1e6),
            ("base_fee_cap_gwei", self.base_fee_cap_gwei, 1e-9, 1e6),
        ]);
        if self.base_fee_cap_gwei < self.base_fee_floor_gwei {
            all.push(Problem::new("base_fee_cap_gwei", "must not lie below base_fee_floor_gwei"));
        }
        all
    }

    /// The base fee in wei for a gas price in gwei, within the bounds.
    #[must_use]
    pub fn base_fee(&self, gas_gwei: f64) -> u128 {
        // Not `clamp`, which panics on bounds that an unchecked configuration may have.
        let gwei = gas_gwei.min(self.base_fee_cap_gwei).max(self.base_fee_floor_gwei);
        (gwei * 1e9).clamp(1.0, 1e15) as u128
    }

    /// Median size of a noise trade, in USDC, when so much is traded outside in a tick.
    #[must_use]
    pub(super) fn noise_median(&self, outside_per_tick: Option<f64>) -> f64 {
        match outside_per_tick {
            Some(volume) if self.noise_per_tick > 0.0 => {
                // The mean of a log-normal lies above its median.
                let mean = self.noise_share * volume / self.noise_per_tick;
                mean * libm::exp(-0.5 * self.noise_spread * self.noise_spread)
            }
            _ => self.noise_usdc.as_f64(),
        }
    }

    /// How a chain begins that this market is to move: at this price, with the market's liquidity in place.
    #[must_use]
    pub fn genesis(&self, usdc_is_token0: bool, price: f64, timestamp: u64, gas_gwei: Option<f64>) -> GenesisConfig {
        let sqrt_price_x96 = price::sqrt_price_near(price, usdc_is_token0);
        // Two per cent to both sides hold four times what one per cent to one side does.
        let depth = self.depth_usdc.ratio(1, 4);
        let base_fee = self.base_fee(gas_gwei.unwrap_or(self.gas_gwei));
        GenesisConfig::deep(usdc_is_token0, sqrt_price_x96, depth, timestamp, base_fee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_sound_and_every_problem_is_told() {
        assert_eq!(MarketConfig::default().problems(), []);
        let bad = MarketConfig {
            depth_usdc: Usdc(1),
            noise_per_tick: f64::NAN,
            base_fee_cap_gwei: 1e-6,
            ..MarketConfig::default()
        };
        let keys: Vec<_> = bad.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["depth_usdc", "noise_per_tick", "base_fee_cap_gwei"]);
    }

    #[test]
    fn base_fees_stay_within_their_bounds() {
        let config = MarketConfig::default();
        for (gwei, wei) in
            [(0.05, 50_000_000), (0.0, 1_000_000), (f64::NAN, 10_000_000_000_000), (1e99, 10_000_000_000_000)]
        {
            assert_eq!(config.base_fee(gwei), wei, "{gwei}");
        }
    }
}
