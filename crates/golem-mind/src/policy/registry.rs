//! The one list of parameters: key, range, default and meaning, and how each is read and written. Whoever shows, checks
//! or tunes a parameter goes by this list.

use super::config::PolicyConfig;
use golem_core::{Problem, Usdc};

/// One number of the policy.
pub struct Parameter {
    /// Its key under `[policy]`.
    pub key: &'static str,
    /// The lowest that is allowed.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// What it is unless somebody changes it.
    pub default: f64,
    /// True when it counts something and has no fractions.
    pub whole: bool,
    /// What it means.
    pub what: &'static str,
    read: fn(&PolicyConfig) -> f64,
    write: fn(&mut PolicyConfig, f64),
}

impl Parameter {
    /// Its value.
    #[must_use]
    pub fn get(&self, config: &PolicyConfig) -> f64 {
        (self.read)(config)
    }
    /// True when a value lies in its range. NaN lies in none.
    #[must_use]
    pub fn admits(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
    /// What is wrong with its value, if anything.
    pub(super) fn problem(&self, config: &PolicyConfig) -> Option<Problem> {
        let (value, low, high) = (self.get(config), self.low, self.high);
        let message = || format!("{value} is out of range; it must lie between {low} and {high}");
        (!self.admits(value)).then(|| Problem::new(self.key, message()))
    }
    /// Write a value that lies in its range; a count takes the nearest whole number.
    pub(super) fn put(&self, config: &mut PolicyConfig, value: f64) {
        (self.write)(config, if self.whole { libm::round(value) } else { value });
    }
}

macro_rules! parameter {
    ($key:expr, $low:expr, $high:expr, $default:expr, $whole:expr, $what:expr, $read:expr, $write:expr) => {
        Parameter {
            key: $key,
            low: $low,
            high: $high,
            default: $default,
            whole: $whole,
            what: $what,
            read: $read,
            write: $write,
        }
    };
}
macro_rules! real {
    ($($path:ident).+, $low:expr, $high:expr, $default:expr, $what:expr) => {
        parameter!(key!($($path).+), $low, $high, $default, false, $what, |c| c.$($path).+, |c, x| c.$($path).+ = x)
    };
}
macro_rules! whole {
    ($($path:ident).+, $low:expr, $high:expr, $default:expr, $what:expr) => {
        parameter!(key!($($path).+), $low, $high, $default, true, $what, |c| c.$($path).+ as f64, |c, x| c.$($path).+ = x as _)
    };
}
macro_rules! money {
    ($($path:ident).+, $low:expr, $high:expr, $default:expr, $what:expr) => {
        parameter!(key!($($path).+), $low, $high, $default, false, $what, |c| c.$($path).+.as_f64(), |c, x| {
            c.$($path).+ = Usdc(libm::round(x * 1e6) as u64)
        })
    };
}
macro_rules! key {
    ($a:ident) => {
        stringify!($a)
    };
    ($a:ident . $b:ident) => {
        concat!(stringify!($a), ".", stringify!($b))
    };
}

/// What all templates share and only the owner sets: safety, costs, and the way out.
pub(super) const SHARED: &[Parameter] = &[
    whole!(slippage_bps, 1.0, 1_000.0, 50.0, "basis points below the spot quote that an outcome may lie"),
    real!(assumed_cost_bps, 0.0, 1_000.0, 10.0, "basis points that a trade costs, before own actions have taught it"),
    real!(most_cost_bps, 1.0, 1_000.0, 100.0, "basis points that a trade without a forecast may cost, gas included"),
    whole!(gas_units, 0.0, 1e7, 180_000.0, "gas that one swap takes"),
    money!(min_trade_usdc, 0.01, 1e6, 0.5, "USDC of the smallest trade"),
    whole!(unwind_turns, 2.0, 500.0, 50.0, "turns that unwinding takes"),
    whole!(unwind_pieces, 1.0, 500.0, 10.0, "pieces in which it is done"),
    whole!(cooldown_ticks, 1.0, 21_600.0, 90.0, "nominal ticks between two turns with actions"),
];

pub(super) const LP_MANAGEMENT: &[Parameter] = &[
    real!(lp_management.risk_aversion, 0.5, 100.0, 6.0, "divides the forecast return, with the forecast variance"),
    real!(lp_management.base_exposure, 0.0, 0.5, 0.3, "share of capital in the asset when the forecast says nothing"),
    real!(lp_management.max_exposure, 0.0, 0.5, 0.5, "highest share of capital exposed to the asset"),
    real!(lp_management.max_liquidity, 0.0, 0.8, 0.3, "highest share of capital in the liquidity position"),
    real!(lp_management.full_yield, 1e-5, 1.0, 0.002, "net yield a day at which the highest share is worth it"),
    real!(lp_management.band, 0.005, 0.5, 0.05, "share of capital by which a holding may be off its target"),
    real!(lp_management.hold_days, 0.05, 30.0, 10.0, "days over which a change is expected to pay"),
    real!(lp_management.signal_horizons, 1.0, 100.0, 6.0, "horizons over which a forecast return lasts"),
    real!(
        lp_management.range_sigmas,
        0.0,
        20.0,
        6.0,
        "half-width of the range in daily deviations; 0 is the full range"
    ),
];

pub(super) const TREND_FOLLOWING: &[Parameter] = &[
    whole!(trend_following.fast_hours, 2.0, 240.0, 48.0, "hours of the fast mean"),
    whole!(trend_following.slow_hours, 6.0, 480.0, 240.0, "hours of the slow mean"),
    whole!(trend_following.breakout_hours, 2.0, 480.0, 96.0, "hours whose closes a breakout leaves behind"),
    real!(trend_following.entry_sigmas, 0.01, 5.0, 0.5, "daily deviations above the slow mean at which it gets in"),
    real!(trend_following.target_volatility, 0.001, 0.2, 0.02, "daily deviation of the portfolio that is aimed at"),
    real!(trend_following.max_exposure, 0.0, 0.8, 0.5, "highest share of capital in the asset"),
    real!(trend_following.risk_aversion, 0.5, 200.0, 25.0, "how little the forecast return leans on the size"),
    real!(trend_following.stop_sigmas, 0.5, 20.0, 3.0, "daily deviations below its highest price at which it gives up"),
    real!(trend_following.band, 0.005, 0.5, 0.1, "share of capital by which a holding may be off its target"),
];

pub(super) const ETH_DCA: &[Parameter] = &[
    money!(eth_dca.amount_usdc, 0.01, 1e6, 1.0, "USDC of each purchase"),
    whole!(eth_dca.every_ticks, 1.0, 216_000.0, 2_160.0, "nominal ticks in the stretch that has one purchase"),
    real!(eth_dca.dip_multiplier, 1.0, 10.0, 1.0, "times the amount that is bought in a dip"),
    real!(eth_dca.dip_share, 0.001, 0.9, 0.05, "share below its mean of a day at which the price is a dip"),
];

pub(super) const STABLE_YIELD: &[Parameter] = &[
    real!(stable_yield.max_liquidity, 0.0, 0.8, 0.3, "share of capital in the liquidity position while it is open"),
    real!(stable_yield.enter_yield, 1e-5, 0.5, 0.0005, "net yield a day at which it is opened"),
    real!(stable_yield.leave_share, 0.0, 0.9, 0.25, "share of that at which it is closed again"),
    real!(stable_yield.heat, 1.05, 10.0, 2.0, "times the usual volatility at which it is closed"),
    whole!(stable_yield.rest_ticks, 1.0, 43_200.0, 1_080.0, "nominal ticks that it stays out after it was closed"),
    real!(
        stable_yield.range_sigmas,
        0.0,
        40.0,
        12.0,
        "half-width of the range in daily deviations; 0 is the full range"
    ),
    real!(stable_yield.hold_days, 0.05, 30.0, 10.0, "days over which opening it is expected to pay"),
];
