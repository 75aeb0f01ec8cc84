//! Events: the closed list of what can happen to a market, when, and for how long.

use crate::problem::{Problem, ranges};
use crate::time::NOMINAL_TICKS_PER_DAY;
use crate::{ProtocolState, Usdc};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Something that happens from a tick on, for a while.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScenarioEvent {
    /// The nominal tick at which it begins. In a scenario it counts from the tick at which the scenario is injected.
    pub at_tick: u64,
    /// For how many ticks, at least one.
    pub for_ticks: u64,
    pub what: Happening,
}

/// What can happen. Prices are those of the world outside; the pool follows by real trades.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// The outside price moves by so much, on top of what it does anyway.
    Shock {
        /// How far, in basis points of the price.
        bps: i32,
        /// Within how many ticks, evenly in the logarithm.
        over_ticks: u64,
        /// When the event ends it moves back just as fast; otherwise it stays for good.
        reverts: bool,
    },
    /// The outside price drifts; where it has got to, it stays.
    Drift {
        /// How fast, in basis points a day, compounding.
        bps_per_day: i32,
    },
    /// The outside price swings around what it would have been.
    Chop {
        /// How far to either side, in basis points.
        amplitude_bps: u32,
        /// Length of a whole swing.
        period_ticks: u64,
    },
    /// The outside price's own returns are scaled; where it has got to, it stays.
    Volatility {
        /// 1 is as it was, 0 stands still.
        factor: f64,
    },
    /// USDC is worth less, so that every price in USDC rises.
    Depeg {
        /// What one USDC is worth at the worst, in dollars.
        worth: f64,
        /// Within how many ticks it gets there.
        over_ticks: u64,
        /// When the event ends it comes back just as fast.
        recovers: bool,
    },
    /// Gas costs more, or less.
    Gas {
        /// 1 is as it was.
        factor: f64,
    },
    /// A share of the market's liquidity is withdrawn, and comes back when the event ends.
    LiquidityDrain {
        /// The share, in basis points.
        share_bps: u32,
    },
    /// Somebody pushes the pool away from the outside price in a block, and back in the next one.
    OracleDistortion {
        /// How far, in basis points of the price.
        push_bps: i32,
        /// How often: the first block of every so many.
        every_ticks: u64,
    },
    /// A golem's swap is front-run in its own direction, and the front-runner sells right behind it.
    Sandwich {
        /// Size of the front-run as a multiple of the golem's own.
        times: f64,
        /// Every so many executions.
        every: u32,
    },
    /// Others trade between a golem's preview and its execution.
    Rivals {
        /// How many trades.
        trades: u32,
        /// Their median size.
        size_usdc: Usdc,
    },
    /// The protocol is in this state.
    Protocol { state: ProtocolState },
}

/// No event begins later, or lasts longer: about 125 years.
pub const LAST_TICK: u64 = 100_000_000;

impl Happening {
    /// The words for them, as written in files.
    pub const NAMES: [&'static str; 11] = [
        "shock",
        "drift",
        "chop",
        "volatility",
        "depeg",
        "gas",
        "liquidity_drain",
        "oracle_distortion",
        "sandwich",
        "rivals",
        "protocol",
    ];

    /// The word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        Self::NAMES[match self {
            Self::Shock { .. } => 0,
            Self::Drift { .. } => 1,
            Self::Chop { .. } => 2,
            Self::Volatility { .. } => 3,
            Self::Depeg { .. } => 4,
            Self::Gas { .. } => 5,
            Self::LiquidityDrain { .. } => 6,
            Self::OracleDistortion { .. } => 7,
            Self::Sandwich { .. } => 8,
            Self::Rivals { .. } => 9,
            Self::Protocol { .. } => 10,
        }]
    }
}

impl ScenarioEvent {
    /// The first tick at which it is over (what it has left behind may stay).
    #[must_use]
    pub fn end(&self) -> u64 {
        self.at_tick.saturating_add(self.for_ticks)
    }
    /// True while it lasts.
    #[must_use]
    pub fn is_on(&self, tick: u64) -> bool {
        (self.at_tick..self.end()).contains(&tick)
    }
    /// The same event, that much later.
    #[must_use]
    pub fn later(mut self, ticks: u64) -> Self {
        self.at_tick = self.at_tick.saturating_add(ticks);
        self
    }
    /// Every problem with it, by key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let last = LAST_TICK as f64;
        let mut all =
            ranges(&[("at_tick", self.at_tick as f64, 0.0, last), ("for_ticks", self.for_ticks as f64, 1.0, last)]);
        let within = |over_ticks: u64| ("over_ticks", over_ticks as f64, 1.0, self.for_ticks.max(1) as f64);
        all.extend(match self.what {
            Happening::Shock { bps, over_ticks, .. } => {
                ranges(&[("bps", f64::from(bps), -9_900.0, 100_000.0), within(over_ticks)])
            }
            Happening::Drift { bps_per_day } => ranges(&[("bps_per_day", f64::from(bps_per_day), -9_000.0, 100_000.0)]),
            Happening::Chop { amplitude_bps, period_ticks } => ranges(&[
                ("amplitude_bps", f64::from(amplitude_bps), 0.0, 5_000.0),
                ("period_ticks", period_ticks as f64, 2.0, last),
            ]),
            Happening::Volatility { factor } => ranges(&[("factor", factor, 0.0, 20.0)]),
            Happening::Depeg { worth, over_ticks, .. } => ranges(&[("worth", worth, 0.01, 1.0), within(over_ticks)]),
            Happening::Gas { factor } => ranges(&[("factor", factor, 0.01, 10_000.0)]),
            Happening::LiquidityDrain { share_bps } => ranges(&[("share_bps", f64::from(share_bps), 0.0, 9_900.0)]),
            Happening::OracleDistortion { push_bps, every_ticks } => ranges(&[
                ("push_bps", f64::from(push_bps), -9_000.0, 50_000.0),
                // A block must lie between two pushes, or there would be none to push back in.
                ("every_ticks", every_ticks as f64, 2.0, last),
            ]),
            Happening::Sandwich { times, every } => {
                ranges(&[("times", times, 0.01, 1e6), ("every", f64::from(every), 1.0, 1e6)])
            }
            Happening::Rivals { trades, size_usdc } => {
                ranges(&[("trades", f64::from(trades), 1.0, 16.0), ("size_usdc", size_usdc.as_f64(), 0.01, 1e8)])
            }
            Happening::Protocol { .. } => Vec::new(),
        });
        all
    }
}

impl ScenarioEvent {
    /// What it adds to the logarithm of the outside price at a tick, also after it is over.
    #[must_use]
    pub fn log_price(&self, tick: u64) -> f64 {
        if tick < self.at_tick {
            return 0.0;
        }
        // The tick of the beginning is already the first step of the way.
        let run = (tick - self.at_tick).saturating_add(1);
        let ramp = |whole: f64, over_ticks: u64, returns: bool| {
            let share = |ticks: u64| ticks.min(over_ticks) as f64 / over_ticks.max(1) as f64;
            let back = if returns && tick >= self.end() { share((tick - self.end()).saturating_add(1)) } else { 0.0 };
            whole * (share(run) - back)
        };
        match self.what {
            Happening::Shock { bps, over_ticks, reverts } => ramp(log_of_bps(bps), over_ticks, reverts),
            Happening::Depeg { worth, over_ticks, recovers } => ramp(-libm::log(worth), over_ticks, recovers),
            Happening::Drift { bps_per_day } => {
                log_of_bps(bps_per_day) / NOMINAL_TICKS_PER_DAY as f64 * run.min(self.for_ticks) as f64
            }
            Happening::Chop { amplitude_bps, period_ticks } if self.is_on(tick) => {
                let period = period_ticks.max(1);
                let turn = (run % period) as f64 / period as f64;
                f64::from(amplitude_bps) / 10_000.0 * libm::sin(TAU * turn)
            }
            _ => 0.0,
        }
    }

    /// The first tick from which nothing about it changes any more.
    #[must_use]
    pub fn settled(&self) -> u64 {
        match self.what {
            Happening::Shock { over_ticks, reverts: true, .. }
            | Happening::Depeg { over_ticks, recovers: true, .. } => self.end().saturating_add(over_ticks),
            _ => self.end(),
        }
    }
}

/// The logarithm of a price that moved by so many basis points.
fn log_of_bps(bps: i32) -> f64 {
    libm::log1p(f64::from(bps.max(-9_999)) / 10_000.0)
}
