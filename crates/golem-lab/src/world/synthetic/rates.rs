//! The configuration turned into chances and coefficients per nominal tick, computed once per world.

use super::config::SyntheticConfig;
use super::weather::TrueWeather;
use golem_core::ProtocolState;
use golem_core::time::NOMINAL_TICKS_PER_DAY;

/// Nominal ticks in a day, an hour, a month and a year.
pub(super) const DAY: f64 = NOMINAL_TICKS_PER_DAY as f64;
const HOUR: f64 = DAY / 24.0;
const MONTH: f64 = DAY * 30.0;
const YEAR: f64 = DAY * 365.0;
/// Base volatility a year at scale 1; with weather, clustering and jumps the whole comes to about 0.7.
const BASE_VOLATILITY: f64 = 0.66;

/// Something that happens in few ticks. At most one of them happens in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rare {
    /// The weather changes.
    Weather,
    /// The price jumps.
    Jump,
    /// Gas spikes.
    Spike,
    /// The protocol changes its state.
    Protocol,
    /// The rules get new goals.
    Shift,
}

/// A discretised Ornstein-Uhlenbeck process: what stays after a tick, and the size of the noise that comes in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ou {
    keep: f64,
    noise: f64,
}

impl Ou {
    /// With this relaxation time in ticks and this stationary deviation (exact discretisation, Gillespie 1996).
    fn new(ticks: f64, deviation: f64) -> Self {
        let keep = libm::exp(-1.0 / ticks);
        Self { keep, noise: deviation * (1.0 - keep * keep).sqrt() }
    }
    /// One tick on, towards `goal`.
    pub fn step(self, x: f64, goal: f64, normal: f64) -> f64 {
        goal + (x - goal) * self.keep + self.noise * normal
    }
}

/// A slow level: how far it strays, and how it moves in an hour.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlowRate {
    pub deviation: f64,
    pub ou: Ou,
}

impl SlowRate {
    fn new(days: f64, deviation: f64) -> Self {
        Self { deviation, ou: Ou::new(days * 24.0, deviation) }
    }
}

/// Everything that one step needs and that no step changes.
#[derive(Debug, Clone)]
pub(super) struct Rates {
    /// Standard deviation of a return, by weather.
    pub sigma: [f64; 4],
    /// Drift of the log price, by weather.
    pub tilt: [f64; 4],
    /// Scale of the feedback of returns.
    pub predictability: f64,
    /// Half the daily swing of the log gas price.
    pub gas_season: f64,
    /// Scale of what the series have from each other.
    pub coupling: f64,
    /// GARCH: the share of a surprise, and of the old excess.
    pub heat: (f64, f64),
    /// Smallest and largest jump, and minus one over the tail exponent.
    pub jump: (f64, f64, f64),
    /// The slow levels of volatility and of volume.
    pub slow: (SlowRate, SlowRate),
    /// Noise of gas, fast and slow.
    pub gas: (Ou, Ou),
    /// Noise of volume.
    pub volume: Ou,
    /// Noise of the fee yield, fast and slow.
    pub fee_yield: (Ou, Ou),
    /// Share of protocol changes out of normal that are upgrades.
    pub upgrade_share: f64,
    leave: [f64; 4],
    jumps: [f64; 4],
    spike: f64,
    protocol: [f64; 3],
    shift: f64,
}

impl Rates {
    pub fn new(config: &SyntheticConfig) -> Self {
        let base = BASE_VOLATILITY * config.volatility / YEAR.sqrt();
        let by = |f: &dyn Fn(TrueWeather) -> f64| TrueWeather::ALL.map(f);
        let (incident, upgrade) = (config.incidents_per_month / MONTH, config.upgrades_per_month / MONTH);
        let leaving = |hours: f64| 1.0 / (hours * HOUR);
        let trend = leaving(config.trend_hours);
        Self {
            sigma: by(&|w| base * w.traits().volatility),
            tilt: by(&|w| config.predictability * w.traits().tilt * base * HOUR.sqrt() / HOUR),
            predictability: config.predictability,
            gas_season: config.gas_season,
            coupling: config.coupling,
            heat: (config.garch_shock, config.garch_memory),
            jump: (config.jump_size * config.volatility, 0.25, -1.0 / config.jump_tail),
            slow: (SlowRate::new(10.0, config.slow_volatility), SlowRate::new(3.0, config.slow_volume)),
            gas: (Ou::new(27.0, 0.36), Ou::new(DAY, 0.3)),
            volume: Ou::new(20.0, 0.5),
            fee_yield: (Ou::new(60.0, 0.08), Ou::new(1.5 * DAY, 0.3)),
            upgrade_share: if upgrade > 0.0 { upgrade / (incident + upgrade) } else { 0.0 },
            leave: [leaving(config.calm_hours), trend, trend, leaving(config.storm_hours)],
            jumps: by(&|w| w.traits().jumps * config.jumps_per_day / DAY),
            spike: config.gas_spikes_per_day / DAY,
            protocol: [incident + upgrade, leaving(config.incident_hours), leaving(config.upgrade_hours)],
            shift: config.drift / (config.drift_days * DAY),
        }
    }

    /// Which rare thing happens, if any: one number in [0, 1) is held against the chances laid end to end.
    pub fn rare(&self, u: f64, weather: TrueWeather, protocol: ProtocolState) -> Option<Rare> {
        let mut left = u;
        let mut falls = |chance: f64| {
            left -= chance;
            left < 0.0
        };
        if falls(self.leave[weather.index()]) {
            Some(Rare::Weather)
        } else if falls(self.jumps[weather.index()]) {
            Some(Rare::Jump)
        } else if falls(self.spike) {
            Some(Rare::Spike)
        } else if falls(self.protocol[protocol.index()]) {
            Some(Rare::Protocol)
        } else if falls(self.shift) {
            Some(Rare::Shift)
        } else {
            None
        }
    }

    /// Chances of finding each weather at a random moment, near enough for a beginning.
    pub fn first_weather(&self) -> [f64; 4] {
        self.leave.map(|leave| 1.0 / leave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wildest_configuration_leaves_room_for_nothing_to_happen() {
        let wild = SyntheticConfig {
            drift: 50.0,
            drift_days: 0.5,
            calm_hours: 0.5,
            trend_hours: 0.5,
            storm_hours: 0.5,
            jumps_per_day: 50.0,
            gas_spikes_per_day: 50.0,
            incidents_per_month: 100.0,
            incident_hours: 0.2,
            upgrades_per_month: 100.0,
            upgrade_hours: 0.2,
            ..SyntheticConfig::default()
        };
        assert_eq!(wild.problems(), []);
        let rates = Rates::new(&wild);
        for weather in TrueWeather::ALL {
            for protocol in ProtocolState::ALL {
                assert_eq!(rates.rare(0.5, weather, protocol), None);
            }
        }
    }
}
