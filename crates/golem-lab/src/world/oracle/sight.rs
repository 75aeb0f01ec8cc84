//! What the oracle keeps of what it sees: the same fields that a golem has.

use golem_core::RawObservation;
use std::collections::VecDeque;

/// Ticks that are kept.
const KEPT: usize = 600;

/// The last ticks, oldest first, and a few running means.
#[derive(Debug, Default)]
pub(super) struct OracleSight {
    pub tick: u64,
    pub time_s: u64,
    pub price: f64,
    /// Log returns of the pool's price.
    pub returns: VecDeque<f64>,
    /// Log returns of the other pair.
    pub others: VecDeque<f64>,
    /// Log of the volatility of an hour, tick by tick.
    pub vols: VecDeque<f64>,
    pub log_gas: f64,
    /// How much the log gas price rose in this tick.
    pub gas_rise: f64,
    /// Fee yield of a full range per day, as the pool shows it.
    pub fee_yield: f64,
    /// Variance of a tick, over an hour.
    pub variance: f64,
    /// Running means: the return over 60 ticks, log yield over a day, log volatility over five days.
    pub lean: f64,
    pub usual_yield: f64,
    pub usual_vol: f64,
    /// Gas and volume over an hour, and over three days.
    pub gas: (f64, f64),
    pub volume: (f64, f64),
    other: f64,
}

fn learn(mean: &mut f64, x: f64, tick: u64, memory: f64) {
    *mean += (x - *mean) / memory.min(tick as f64 + 1.0);
}

fn keep(row: &mut VecDeque<f64>, x: f64) {
    row.push_back(x);
    if row.len() > KEPT {
        row.pop_front();
    }
}

impl OracleSight {
    pub fn see(&mut self, seen: &RawObservation, time_s: u64) {
        let t = self.tick;
        let price = seen.price.unwrap_or(self.price);
        let moved = if t == 0 { 0.0 } else { libm::log(price / self.price) };
        keep(&mut self.returns, moved);
        if let Some(other) = seen.lead_price {
            keep(&mut self.others, if t == 0 { 0.0 } else { libm::log(other / self.other) });
            self.other = other;
        }
        learn(&mut self.variance, moved * moved, t, 90.0);
        let log_vol = 0.5 * libm::log(self.variance.max(1e-10));
        keep(&mut self.vols, log_vol);
        learn(&mut self.usual_vol, log_vol, t, 5.0 * 2_160.0);
        let deviation = libm::sqrt(self.variance);
        learn(&mut self.lean, moved.clamp(-6.0 * deviation, 6.0 * deviation), t, 60.0);
        let log_gas = seen.gas_gwei.map_or(self.log_gas, libm::log);
        self.gas_rise = if t == 0 { 0.0 } else { log_gas - self.log_gas };
        self.log_gas = log_gas;
        learn(&mut self.gas.0, log_gas, t, 45.0);
        learn(&mut self.gas.1, log_gas, t, 3.0 * 2_160.0);
        let volume = seen.volume.unwrap_or(0.0);
        learn(&mut self.volume.0, volume, t, 120.0);
        learn(&mut self.volume.1, volume, t, 3.0 * 2_160.0);
        if let Some(fee_yield) = seen.fee_yield {
            self.fee_yield = fee_yield;
            learn(&mut self.usual_yield, libm::log(fee_yield), t, 2_160.0);
        }
        (self.price, self.time_s, self.tick) = (price, time_s, t + 1);
    }
}
