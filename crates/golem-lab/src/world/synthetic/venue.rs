//! Everything around the price: volume, gas, fee yield and the state of the protocol.

use super::config::SyntheticConfig;
use super::era::Era;
use super::law::Push;
use super::rates::{DAY, Rates};
use golem_core::{NOMINAL_TICK_S, ProtocolState};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Logs of gas, yield and volume stay within this of their usual level: no path leads to infinity.
const LIMIT: f64 = 7.0;
/// Log of the highest a gas spike can stand above the usual.
const LARGEST_SPIKE: f64 = 3.4;
/// Share of a gas spike that is left after a tick: about half an hour.
const SPIKE_KEEP: f64 = 0.976;
/// Share of the newest volume in the activity that fees follow: about two hours.
const ACTIVITY: f64 = 1.0 / 180.0;
/// How fast the strain of an incident is felt and forgotten.
const STRAIN: f64 = 0.1;
/// Brings the mean volume, season and noise included, to its usual level.
const VOLUME_BIAS: f64 = 0.15;

/// The hour and the weekday, each as a number in [-1, 1]: busy is above zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Season {
    day: f64,
    week: f64,
}

impl Season {
    pub fn at(epoch_s: i64, tick: u64, phase: f64) -> Self {
        let week_s = 604_800;
        let into_week = (epoch_s.rem_euclid(week_s) as u64 + tick % 15_120 * NOMINAL_TICK_S) % week_s as u64;
        let days = into_week as f64 / 86_400.0;
        // Busiest at 15:00 UTC. Unix weeks begin on Thursday, so the weekend is centred on day 3.
        Self { day: libm::cos(TAU * (days - 0.625 - phase)), week: -libm::cos(TAU * (days - 3.0) / 7.0) }
    }
}

/// The standard normals of one tick that are not the price's.
pub(super) struct Noise {
    pub volume: f64,
    pub gas: (f64, f64),
    pub fee_yield: (f64, f64),
}

/// The venue at one tick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SyntheticVenue {
    /// State of the protocol.
    pub protocol: ProtocolState,
    /// Volume since the world was last observed, in usual ticks.
    pub volume: f64,
    gas_spike: f64,
    volume_noise: f64,
    gas: (f64, f64),
    fee_yield: (f64, f64),
    activity: f64,
    strain: f64,
    log_gas: f64,
}

impl SyntheticVenue {
    /// A quiet beginning: a third of a deviation is as good as any.
    pub fn beginning(noise: &Noise) -> Self {
        Self {
            protocol: ProtocolState::Normal,
            volume: 1.0,
            gas_spike: 0.0,
            volume_noise: 0.15 * noise.volume,
            gas: (0.05 * noise.gas.0, 0.1 * noise.gas.1),
            fee_yield: (0.03 * noise.fee_yield.0, 0.1 * noise.fee_yield.1),
            activity: 0.0,
            strain: 0.0,
            log_gas: 0.0,
        }
    }

    /// One tick on. `log_heat` is the log of the present volatility over the base.
    ///
    /// Volume follows volatility (Clark 1973); fees follow volume, with the yield's own slow noise standing for
    /// liquidity that comes and goes; gas follows the clock, the crowd and its own noise.
    pub fn step(&mut self, rates: &Rates, era: &Era, season: Season, log_heat: f64, noise: &Noise, push: &Push) {
        let troubled = if self.protocol == ProtocolState::Degraded { 1.0 } else { 0.0 };
        self.strain += (troubled - self.strain) * STRAIN;

        self.volume_noise = rates.volume.step(self.volume_noise, 0.0, noise.volume);
        let busy = season.day + 0.5 * season.week;
        let common = rates.coupling * (1.1 * log_heat + 0.3 * era.season * busy - 0.9 * self.strain);
        let log_volume = common + self.volume_noise - VOLUME_BIAS + push.log_volume;
        let log_volume = log_volume.clamp(-LIMIT, LIMIT);
        self.volume += libm::exp(log_volume);
        self.activity += (log_volume - self.activity) * ACTIVITY;

        self.gas.0 = rates.gas.0.step(self.gas.0, 0.0, noise.gas.0);
        self.gas.1 = rates.gas.1.step(self.gas.1, era.gas_level, noise.gas.1);
        self.gas_spike *= SPIKE_KEEP;
        let crowd = rates.gas_season * era.season * busy + rates.coupling * (0.2 * self.activity + 0.4 * self.strain);
        self.log_gas = self.gas.0 + self.gas.1 + self.gas_spike + crowd + push.log_gas;

        self.fee_yield.0 = rates.fee_yield.0.step(self.fee_yield.0, 0.0, noise.fee_yield.0);
        self.fee_yield.1 = rates.fee_yield.1.step(self.fee_yield.1, era.yield_level, noise.fee_yield.1);
    }

    /// Gas price in gwei.
    pub fn gas_gwei(&self, config: &SyntheticConfig) -> f64 {
        config.gas_gwei * libm::exp(self.log_gas.clamp(-LIMIT, LIMIT))
    }

    /// Fee yield as a fraction per day.
    pub fn fee_yield(&self, config: &SyntheticConfig, era: &Era) -> f64 {
        let log = self.fee_yield.0 + self.fee_yield.1 + era.yield_coupling * self.activity;
        config.fee_yield_per_day * libm::exp(log.clamp(-LIMIT, LIMIT))
    }

    /// Volume in USDC since the last observation.
    pub fn volume_usdc(&self, config: &SyntheticConfig) -> f64 {
        config.volume_per_day / DAY * self.volume
    }

    /// A spike of the gas price, exponentially distributed on top of a least one, from a number in [0, 1).
    pub fn spike(&mut self, u: f64) {
        self.gas_spike = (self.gas_spike + 0.5 - 0.9 * libm::log(1.0 - u)).min(LARGEST_SPIKE);
    }

    /// A jump of the price: everybody trades at once, which is felt in volume and in gas.
    pub fn rush(&mut self, coupling: f64) {
        self.volume_noise += 1.5 * coupling;
        self.gas_spike = (self.gas_spike + 0.5 * coupling).min(LARGEST_SPIKE);
    }

    pub fn is_sound(&self) -> bool {
        let (gas, fee, own) =
            (self.gas, self.fee_yield, [self.gas_spike, self.volume_noise, self.activity, self.strain]);
        let logs = [gas.0, gas.1, fee.0, fee.1, self.log_gas];
        logs.iter().chain(&own).all(|x| x.abs() <= 100.0) && self.volume.is_finite() && self.volume > 0.0
    }
}
