//! The knobs of the synthetic market, their defaults, and the ranges within which the process stays sound.

use super::law::Law;
use golem_core::Timestamp;
use serde::{Deserialize, Serialize};

/// What kind of market it is. Two worlds with the same configuration and seed are the same world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyntheticConfig {
    /// Calendar time of the world's first tick, in unix seconds. Sets the hour and the weekday that seasons follow.
    pub epoch: Timestamp,
    /// Scale of all price movement; 1 is about 70 % a year.
    pub volatility: f64,
    /// How fast the rules themselves move: 0 is a stationary world, 2 moves twice as often as the default.
    pub drift: f64,
    /// How much of the next returns follows from the last ones; 0 makes them unforecastable.
    pub predictability: f64,
    /// How much the series follow each other: volume the volatility, gas the crowd, both the hour and the protocol's
    /// troubles; 0 lets each go its own way.
    pub coupling: f64,
    /// Price at the first tick, in USDC.
    pub price: f64,
    /// Mean length of a calm spell, in hours.
    pub calm_hours: f64,
    /// Mean length of a trend in either direction, in hours.
    pub trend_hours: f64,
    /// Mean length of a volatile spell, in hours.
    pub storm_hours: f64,
    /// Share of a surprise that enters the variance of the next tick (the alpha of a GARCH(1,1)).
    pub garch_shock: f64,
    /// Share of excess variance that is left after one tick (alpha + beta of a GARCH(1,1)).
    pub garch_memory: f64,
    /// Spread of the log volatility's slow level, which is remembered for ten days.
    pub slow_volatility: f64,
    /// Spread of the log volume's slow level, which is remembered for three days.
    pub slow_volume: f64,
    /// Mean number of price jumps a day.
    pub jumps_per_day: f64,
    /// Smallest jump, as a log return.
    pub jump_size: f64,
    /// Tail exponent of the jump sizes; lower is wilder.
    pub jump_tail: f64,
    /// Usual gas price, in gwei.
    pub gas_gwei: f64,
    /// Half the daily swing of the log gas price.
    pub gas_season: f64,
    /// Mean number of gas spikes a day.
    pub gas_spikes_per_day: f64,
    /// Usual fee yield per unit of liquidity, as a fraction per day.
    pub fee_yield_per_day: f64,
    /// Usual traded volume, in USDC per day.
    pub volume_per_day: f64,
    /// Mean number of times a month that the protocol becomes degraded.
    pub incidents_per_month: f64,
    /// Mean length of such an incident, in hours.
    pub incident_hours: f64,
    /// Mean number of protocol upgrades a month.
    pub upgrades_per_month: f64,
    /// Mean time for which the protocol counts as upgraded, in hours.
    pub upgrade_hours: f64,
    /// Mean number of days between two moves of the rules, at drift 1.
    pub drift_days: f64,
    /// A law that this world has and others have not: for experiments, see [`crate::world::place`].
    #[serde(skip)]
    pub law: Option<Law>,
    /// Laws that follow it, each from a nominal tick on, in the order of time: a world whose rules turn.
    #[serde(skip)]
    pub later_laws: Vec<(u64, Law)>,
}

impl Default for SyntheticConfig {
    fn default() -> Self {
        Self {
            epoch: Timestamp(1_767_225_600), // 2026-01-01, a Thursday
            volatility: 1.0,
            drift: 1.0,
            predictability: 1.0,
            coupling: 1.0,
            price: 3_000.0,
            calm_hours: 18.0,
            trend_hours: 20.0,
            storm_hours: 8.0,
            garch_shock: 0.06,
            garch_memory: 0.99,
            slow_volatility: 0.4,
            slow_volume: 0.6,
            jumps_per_day: 1.5,
            jump_size: 0.004,
            jump_tail: 3.5,
            gas_gwei: 0.05,
            gas_season: 0.35,
            gas_spikes_per_day: 0.6,
            fee_yield_per_day: 0.0005,
            volume_per_day: 50_000_000.0,
            incidents_per_month: 3.0,
            incident_hours: 5.0,
            upgrades_per_month: 0.75,
            upgrade_hours: 36.0,
            drift_days: 21.0,
            law: None,
            later_laws: Vec::new(),
        }
    }
}

impl SyntheticConfig {
    /// The default market without lead and lag: every series keeps its own memory, and none tells of another.
    #[must_use]
    pub fn flat() -> Self {
        Self { predictability: 0.0, coupling: 0.0, gas_season: 0.0, ..Self::default() }
    }

    /// The law that is in force at a tick.
    #[must_use]
    pub fn law_at(&self, tick: u64) -> Option<Law> {
        let begun = self.later_laws.partition_point(|(from, _)| *from <= tick);
        begun.checked_sub(1).and_then(|n| self.later_laws.get(n)).map_or(self.law, |(_, law)| Some(*law))
    }

    /// Everything that is wrong with it, as (key, what is wrong and what would be right). Empty means sound.
    #[must_use]
    pub fn problems(&self) -> Vec<(&'static str, String)> {
        let ranges = [
            ("volatility", self.volatility, 0.05, 5.0),
            ("drift", self.drift, 0.0, 50.0),
            ("predictability", self.predictability, 0.0, 1.5),
            ("coupling", self.coupling, 0.0, 1.5),
            ("price", self.price, 1e-6, 1e9),
            ("calm_hours", self.calm_hours, 0.5, 2_000.0),
            ("trend_hours", self.trend_hours, 0.5, 2_000.0),
            ("storm_hours", self.storm_hours, 0.5, 2_000.0),
            ("garch_shock", self.garch_shock, 0.0, 0.1),
            ("garch_memory", self.garch_memory, 0.9, 0.9999),
            ("slow_volatility", self.slow_volatility, 0.0, 1.0),
            ("slow_volume", self.slow_volume, 0.0, 1.5),
            ("jumps_per_day", self.jumps_per_day, 0.0, 50.0),
            ("jump_size", self.jump_size, 0.0, 0.05),
            ("jump_tail", self.jump_tail, 2.1, 10.0),
            ("gas_gwei", self.gas_gwei, 1e-6, 1e4),
            ("gas_season", self.gas_season, 0.0, 1.5),
            ("gas_spikes_per_day", self.gas_spikes_per_day, 0.0, 50.0),
            ("fee_yield_per_day", self.fee_yield_per_day, 1e-8, 0.05),
            ("volume_per_day", self.volume_per_day, 1.0, 1e13),
            ("incidents_per_month", self.incidents_per_month, 0.0, 100.0),
            ("incident_hours", self.incident_hours, 0.2, 500.0),
            ("upgrades_per_month", self.upgrades_per_month, 0.0, 100.0),
            ("upgrade_hours", self.upgrade_hours, 0.2, 500.0),
            ("drift_days", self.drift_days, 0.5, 1_000.0),
        ];
        // NaN lies in no range, so it is reported like any other stranger.
        let outside = ranges.into_iter().filter(|(_, value, low, high)| !(low..=high).contains(&value));
        let mut found: Vec<_> =
            outside.map(|(key, value, low, high)| (key, format!("{value} is not from {low} to {high}"))).collect();
        found.extend(self.law.iter().chain(self.later_laws.iter().map(|(_, law)| law)).flat_map(Law::problems));
        if !(0..=LAST_EPOCH).contains(&self.epoch.0) {
            found.push(("epoch", format!("{} is not unix seconds from 0 to {LAST_EPOCH}", self.epoch.0)));
        }
        found
    }
}

/// The end of the year 9999: later dates have no agreed spelling.
const LAST_EPOCH: i64 = 253_402_300_799;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_follow_each_other_in_time() {
        let law = |lag| Law::VolFees { lag, gain: 1.0 };
        let config = SyntheticConfig {
            law: Some(law(1)),
            later_laws: vec![(100, law(2)), (300, law(3))],
            ..SyntheticConfig::default()
        };
        for (tick, lag) in [(0, 1), (99, 1), (100, 2), (299, 2), (300, 3), (9_999, 3)] {
            assert_eq!(config.law_at(tick), Some(law(lag)), "{tick}");
        }
        assert_eq!(SyntheticConfig::default().law_at(7), None);
        let wrong = SyntheticConfig { later_laws: vec![(5, law(0))], ..SyntheticConfig::default() };
        assert_eq!(wrong.problems().len(), 1);
    }

    #[test]
    fn the_default_is_sound_and_every_problem_is_told() {
        assert_eq!(SyntheticConfig::default().problems(), []);
        let bad = SyntheticConfig {
            volatility: f64::NAN,
            drift: -1.0,
            jump_tail: 1.0,
            epoch: Timestamp(-1),
            ..SyntheticConfig::default()
        };
        let keys: Vec<_> = bad.problems().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["volatility", "drift", "jump_tail", "epoch"]);
    }
}
