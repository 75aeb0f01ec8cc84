//! What traders measure an account by: returns, drawdown, ratios, closed trades, and liquidity against what it lost.
//!
//! Everything here describes; nothing decides. The definitions stand once, in [`DEFINITIONS`], and whoever shows a figure
//! can show them beside it.

mod equity;
mod liquidity;
mod ratios;
mod spread;
mod trades;

pub use equity::{Drawdown, Month, Sample, change, daily_returns, drawdown, month_of, months};
pub use liquidity::{Held, Liquidity};
pub use ratios::{DAYS_PER_YEAR, Ratios};
pub use spread::Spread;
pub use trades::Closed;

/// What each figure means, by name.
pub const DEFINITIONS: [(&str, &str); 12] = [
    (
        "worth",
        "liquid USDC and what all positions would fetch if unwound now, after the pool's fee and gas, less debts",
    ),
    ("periods", "UTC days, each ending at midnight; the first and the last may be partial and count as days"),
    ("year", "365 days"),
    ("risk_free", "0"),
    ("sharpe", "mean of the daily returns over their sample deviation (n - 1), times the root of 365"),
    (
        "sortino",
        "mean of the daily returns over the root of the mean of their squared falls (all n), times the root of 365",
    ),
    ("cagr", "(worth at the end / worth at the beginning) ^ (365 days / time between) - 1"),
    ("drawdown", "fall of the worth from its highest point so far, at every bar; the deepest one, with its dates"),
    ("calmar", "cagr over the deepest drawdown"),
    ("closed", "acts that realise something: average cost, gas in the cost; won when above 0"),
    ("profit_factor", "sum of all gains over sum of all losses of closed acts"),
    (
        "lvr",
        "loss versus rebalancing: what holding the position's ETH from bar to bar would have brought beyond the position \
         itself without its fees, at the pool's price",
    ),
];
