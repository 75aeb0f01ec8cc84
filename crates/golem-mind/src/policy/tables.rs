//! The parameters of each template, one table each. Ranges and meanings are in the registry beside this file.

use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// `[policy.lp_management]`: liquidity where fees pay, exposure where the forecast says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LpManagement {
    /// Aversion to variance: the forecast return is divided by this times the forecast variance.
    pub risk_aversion: f64,
    /// Exposure to the asset when the forecast says nothing, as a share of capital at usual volatility.
    pub base_exposure: f64,
    /// The highest exposure, as a share of capital.
    pub max_exposure: f64,
    /// The highest share of capital in the liquidity position.
    pub max_liquidity: f64,
    /// Fee yield per day above what arbitrage takes at which the highest share is worth it.
    pub full_yield: f64,
    /// A gap between target and holding below this share of capital is left alone.
    pub band: f64,
    /// Days over which a change of position is expected to pay.
    pub hold_days: f64,
    /// Forecast horizons over which a forecast return is expected to last.
    pub signal_horizons: f64,
    /// Half-width of the liquidity range in daily deviations of the price; 0 is the full range.
    pub range_sigmas: f64,
}

impl Default for LpManagement {
    fn default() -> Self {
        Self {
            risk_aversion: 6.0,
            base_exposure: 0.30,
            max_exposure: 0.5,
            max_liquidity: 0.3,
            full_yield: 0.002,
            band: 0.05,
            hold_days: 10.0,
            signal_horizons: 6.0,
            range_sigmas: 6.0,
        }
    }
}

/// `[policy.trend_following]`: exposure while the price rises, none when it does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrendFollowing {
    /// Hours of the fast mean of the price.
    pub fast_hours: u32,
    /// Hours of the slow one.
    pub slow_hours: u32,
    /// A price beyond every close of so many hours is a breakout.
    pub breakout_hours: u32,
    /// How far above the slow mean a rising price must be, in daily deviations.
    pub entry_sigmas: f64,
    /// Daily deviation of the whole portfolio that is aimed at.
    pub target_volatility: f64,
    /// The highest exposure, as a share of capital.
    pub max_exposure: f64,
    /// Aversion to variance: how little the forecast return leans on the size.
    pub risk_aversion: f64,
    /// How far below its highest price since the entry it gives up, in daily deviations.
    pub stop_sigmas: f64,
    /// A gap between target and holding below this share of capital is left alone.
    pub band: f64,
}

impl Default for TrendFollowing {
    fn default() -> Self {
        Self {
            fast_hours: 48,
            slow_hours: 240,
            breakout_hours: 96,
            entry_sigmas: 0.5,
            target_volatility: 0.02,
            max_exposure: 0.5,
            risk_aversion: 25.0,
            stop_sigmas: 3.0,
            band: 0.1,
        }
    }
}

/// `[policy.eth_dca]`: the same amount again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EthDca {
    /// What each purchase is worth; up to four times as much where gas would eat too much of it.
    #[serde(with = "golem_core::money::as_text")]
    pub amount_usdc: Usdc,
    /// Nominal ticks in the stretch that has one purchase.
    pub every_ticks: u64,
    /// How many times the amount is bought in a dip; 1 makes no difference.
    pub dip_multiplier: f64,
    /// A price this share below its mean of a day is a dip.
    pub dip_share: f64,
}

impl Default for EthDca {
    fn default() -> Self {
        Self { amount_usdc: Usdc(1_000_000), every_ticks: 2_160, dip_multiplier: 1.0, dip_share: 0.05 }
    }
}

/// `[policy.stable_yield]`: USDC, and wide liquidity while it clearly pays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StableYield {
    /// The share of capital in the liquidity position while it is open.
    pub max_liquidity: f64,
    /// Net yield per day at which it is opened.
    pub enter_yield: f64,
    /// Share of that at which it is closed again.
    pub leave_share: f64,
    /// It is closed when volatility is forecast at this many times the usual.
    pub heat: f64,
    /// Nominal ticks that it stays out after it was closed.
    pub rest_ticks: u64,
    /// Half-width of the range in daily deviations of the price; 0 is the full range.
    pub range_sigmas: f64,
    /// Days over which opening it is expected to pay.
    pub hold_days: f64,
}

impl Default for StableYield {
    fn default() -> Self {
        Self {
            max_liquidity: 0.3,
            enter_yield: 0.0005,
            leave_share: 0.25,
            heat: 2.0,
            rest_ticks: 1_080,
            range_sigmas: 12.0,
            hold_days: 10.0,
        }
    }
}
