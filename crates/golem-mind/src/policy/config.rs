//! What an owner can change about the policy, with defaults and ranges.

use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// Settings of the T0 policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyConfig {
    /// Aversion to variance: the forecast return is divided by this times the forecast variance. 0.5 to 100.
    pub risk_aversion: f64,
    /// Exposure to the asset when the forecast says nothing, as a share of capital at usual volatility. 0 to 0.5.
    pub base_exposure: f64,
    /// The highest exposure, as a share of capital. 0 to 0.5.
    pub max_exposure: f64,
    /// The highest share of capital in the liquidity position. 0 to 0.8.
    pub max_liquidity: f64,
    /// Fee yield per day above what arbitrage takes at which the highest share is worth it. 0.00001 to 1.
    pub full_yield: f64,
    /// A gap between target and holding below this share of capital is left alone. 0.005 to 0.5.
    pub band: f64,
    /// Days over which a change of position is expected to pay. 0.05 to 30.
    pub hold_days: f64,
    /// Forecast horizons over which a forecast return is expected to last. 1 to 100.
    pub signal_horizons: f64,
    /// How far below the spot quote an outcome may lie, in basis points. 1 to 1000.
    pub slippage_bps: u32,
    /// What a trade costs before own actions have taught it, in basis points. 0 to 1000.
    pub assumed_cost_bps: f64,
    /// Gas that one action takes. 0 (paid by someone else) to 10,000,000.
    pub gas_units: u64,
    /// The smallest trade, at least 0.01 USDC.
    #[serde(with = "golem_core::money::as_text")]
    pub min_trade_usdc: Usdc,
    /// Nominal ticks between two turns with actions. 1 to 21,600.
    pub cooldown_ticks: u64,
    /// Half-width of the liquidity range in daily deviations of the price; 0 is the full range. 0 to 20.
    pub range_sigmas: f64,
    /// Turns that unwinding takes. 1 to 500.
    pub unwind_turns: u32,
    /// Pieces in which it is done. 1 to `unwind_turns`.
    pub unwind_pieces: u32,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Self {
            risk_aversion: 6.0,
            base_exposure: 0.30,
            max_exposure: 0.5,
            max_liquidity: 0.3,
            full_yield: 0.001,
            band: 0.05,
            hold_days: 10.0,
            signal_horizons: 6.0,
            slippage_bps: 50,
            assumed_cost_bps: 10.0,
            gas_units: 100_000,
            min_trade_usdc: Usdc(500_000),
            cooldown_ticks: 90,
            range_sigmas: 0.0,
            unwind_turns: 50,
            unwind_pieces: 10,
        }
    }
}

impl PolicyConfig {
    /// Every problem, with the key it is about.
    #[must_use]
    pub fn validate(&self) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        let mut check = |key, x: f64, low: f64, high: f64| {
            if !(low..=high).contains(&x) {
                problems.push((key, format!("{x} is outside {low} to {high}")));
            }
        };
        check("risk_aversion", self.risk_aversion, 0.5, 100.0);
        check("base_exposure", self.base_exposure, 0.0, 0.5);
        check("max_exposure", self.max_exposure, 0.0, 0.5);
        check("max_liquidity", self.max_liquidity, 0.0, 0.8);
        check("full_yield", self.full_yield, 1e-5, 1.0);
        check("band", self.band, 0.005, 0.5);
        check("hold_days", self.hold_days, 0.05, 30.0);
        check("signal_horizons", self.signal_horizons, 1.0, 100.0);
        check("slippage_bps", f64::from(self.slippage_bps), 1.0, 1_000.0);
        check("assumed_cost_bps", self.assumed_cost_bps, 0.0, 1_000.0);
        check("gas_units", self.gas_units as f64, 0.0, 1e7);
        check("cooldown_ticks", self.cooldown_ticks as f64, 1.0, 21_600.0);
        check("range_sigmas", self.range_sigmas, 0.0, 20.0);
        check("unwind_turns", f64::from(self.unwind_turns), 1.0, 500.0);
        check("unwind_pieces", f64::from(self.unwind_pieces), 1.0, f64::from(self.unwind_turns.max(1)));
        if self.min_trade_usdc < Usdc(10_000) {
            problems.push(("min_trade_usdc", format!("{} is below 0.01 USDC", self.min_trade_usdc)));
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid_and_every_problem_is_named() {
        assert_eq!(PolicyConfig::default().validate(), []);
        let bad = PolicyConfig {
            risk_aversion: f64::NAN,
            base_exposure: -0.1,
            max_exposure: 0.6,
            max_liquidity: 1.0,
            full_yield: 0.0,
            band: 0.0,
            hold_days: 0.0,
            signal_horizons: 0.0,
            slippage_bps: 0,
            assumed_cost_bps: -1.0,
            gas_units: 99_999_999,
            min_trade_usdc: Usdc(1),
            cooldown_ticks: 0,
            range_sigmas: f64::INFINITY,
            unwind_turns: 0,
            unwind_pieces: 0,
        };
        let problems = bad.validate();
        assert_eq!(problems.len(), 16, "{problems:?}");
        let shown = problems.iter().find(|p| p.0 == "max_exposure").map(|p| p.1.as_str());
        assert_eq!(shown, Some("0.6 is outside 0 to 0.5"));
    }
}
