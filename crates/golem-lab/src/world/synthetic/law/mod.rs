//! The law of a world: one thing that follows from another there, and from which something can be learnt.
//!
//! A law acts on what the pool really meets: the outside price that arbitrage follows, the base fee, and how much is
//! traded. It never touches what a golem is shown. Its dice have addresses of their own, so that a world with a law has
//! the same shocks as the world without it.

mod draw;
mod state;
mod truth;

pub use draw::LAWS;
pub(in crate::world) use draw::between;
pub(super) use state::{Doings, LawState, Push};

use serde::{Deserialize, Serialize};

/// One law, with its numbers. Lags and lengths are in nominal ticks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "law", deny_unknown_fields)]
pub enum Law {
    /// Gas is dear in some hours of the day.
    GasHours {
        /// The first dear hour, UTC.
        from_hour: u64,
        /// How many.
        hours: u64,
        /// Log of how much dearer.
        log_factor: f64,
    },
    /// After a spike of gas there is more noise trading for a while.
    FeeBursts {
        lag: u64,
        length: u64,
        /// Log of how much more is traded.
        log_factor: f64,
        /// The last tick whose spikes have an effect, for a law that stops being true.
        until: Option<u64>,
    },
    /// What is traded follows the volatility of some time ago.
    VolFees {
        lag: u64,
        /// Log volume per log volatility.
        gain: f64,
    },
    /// After a jump the price comes back.
    Reversal {
        lag: u64,
        length: u64,
        /// The share of the jump that is taken back.
        share: f64,
    },
    /// Whether moves go on or turn back changes every few days, and a series tells it in advance.
    Turning {
        /// Nominal ticks from one turn to the next, in the mean.
        mean_ticks: u64,
        /// How long before a turn its teller turns.
        lead: u64,
        /// How much of the mean recent return comes again, or turns back.
        feedback: f64,
        /// What tells.
        teller: Teller,
        /// Log of how far the teller stands above its usual level while moves will go on; below, while they will not.
        log_factor: f64,
    },
    /// The price follows that of another pair.
    Contagion {
        lag: u64,
        length: u64,
        /// The share of the other's move that is followed.
        share: f64,
        /// Standard deviation of the other's return in a tick.
        sigma: f64,
    },
}

/// The series that tells of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Teller {
    /// The base fee.
    Gas,
    /// What is traded.
    Volume,
}

impl Law {
    /// What is out of range, as (key, what is wrong).
    pub(super) fn problems(&self) -> Vec<(&'static str, String)> {
        let ticks = |key, x: u64, most: u64| (key, x as f64, 1.0, most as f64);
        let ranges = match *self {
            Self::GasHours { from_hour, hours, log_factor } => vec![
                ("law.from_hour", from_hour as f64, 0.0, 23.0),
                ("law.hours", hours as f64, 1.0, 23.0),
                ("law.log_factor", log_factor, 0.0, 3.0),
            ],
            Self::FeeBursts { lag, length, log_factor, .. } => vec![
                ticks("law.lag", lag, 1_000),
                ticks("law.length", length, 1_000),
                ("law.log_factor", log_factor, 0.0, 4.0),
            ],
            Self::VolFees { lag, gain } => vec![ticks("law.lag", lag, 1_000), ("law.gain", gain, 0.0, 5.0)],
            Self::Reversal { lag, length, share } => {
                vec![ticks("law.lag", lag, 1_000), ticks("law.length", length, 1_000), ("law.share", share, 0.0, 1.0)]
            }
            Self::Turning { mean_ticks, lead, feedback, log_factor, .. } => vec![
                ticks("law.mean_ticks", mean_ticks, 100_000),
                ticks("law.lead", lead, 1_000),
                ("law.feedback", feedback, 0.0, 0.8),
                ("law.log_factor", log_factor, 0.0, 2.0),
            ],
            Self::Contagion { lag, length, share, sigma } => vec![
                ticks("law.lag", lag, 1_000),
                ticks("law.length", length, 1_000),
                ("law.share", share, 0.0, 2.0),
                ("law.sigma", sigma, 0.0, 0.01),
            ],
        };
        let outside = ranges.into_iter().filter(|(_, value, low, high)| !(low..=high).contains(&value));
        outside.map(|(key, value, low, high)| (key, format!("{value} is not from {low} to {high}"))).collect()
    }
}
