//! The stochastic clock: hazard over nominal time, the survival curve it makes, and the sealed roll against it.
//!
//! h(t) = min((lambda + alpha e^(beta t)) (1 + (m - 1)(1 - fitness)), h_max) per nominal tick (Gompertz 1825,
//! Makeham 1860, with an epistemic frailty). A turn over e nominal ticks kills with q = 1 - e^(-h e).

use crate::config::StochasticConfig;
use golem_core::time::NOMINAL_TICKS_PER_DAY;
use serde::{Deserialize, Serialize};

/// Frailty: how much more often a golem of this fitness dies than a perfect one. The epistemic-to-stochastic coupling.
#[must_use]
pub fn frailty(fitness: f64, config: &StochasticConfig) -> f64 {
    let f = if fitness.is_nan() { 0.0 } else { fitness.clamp(0.0, 1.0) };
    1.0 + (config.epistemic_hazard_multiplier - 1.0) * (1.0 - f)
}

/// Gompertz's term at a nominal age: the part of the hazard that grows with age, before frailty.
#[must_use]
pub fn gompertz(nominal_age: f64, config: &StochasticConfig) -> f64 {
    let age = if nominal_age > 0.0 { nominal_age } else { 0.0 };
    config.age_hazard_coefficient * libm::exp((config.aging_rate * age).min(700.0))
}

/// Hazard per nominal tick at a nominal age.
#[must_use]
pub fn hazard(nominal_age: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    let free = (config.base_hazard_rate + gompertz(nominal_age, config)) * frailty(fitness, config);
    free.min(config.max_hazard_rate)
}

/// The probability of dying within `elapsed` nominal ticks at a constant hazard.
#[must_use]
pub fn death_probability(hazard: f64, elapsed_nominal: f64) -> f64 {
    let x = hazard * elapsed_nominal;
    match x {
        // The series is exact to the last bit here, and most turns of most lives are here.
        _ if x > 0.0 && x < 1e-5 => x * (1.0 - x * (0.5 - x / 6.0)),
        _ if x > 0.0 => -libm::expm1(-x),
        _ => 0.0,
    }
}

/// Cumulative hazard from one nominal age to a later one at constant fitness, in closed form, cap included.
#[must_use]
pub fn cumulative_hazard(from: f64, to: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    let from = if from > 0.0 { from } else { 0.0 };
    between((from, gompertz(from, config)), to, fitness, config)
}

/// The same from an age whose Gompertz term is known already.
fn between((from, at_from): (f64, f64), to: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    if to.is_nan() || to <= from {
        return 0.0;
    }
    let (lambda, beta, k) = (config.base_hazard_rate, config.aging_rate, frailty(fitness, config));
    let free = |span: f64, at_end: f64| {
        let grown = if beta > 0.0 { (at_end - at_from) / beta } else { at_from * span };
        k * (lambda * span + grown)
    };
    let at_to = gompertz(to, config);
    // The cap is only looked for where it is reached: most turns of most lives never need the logarithm.
    if k * (lambda + at_to) <= config.max_hazard_rate {
        return free(to - from, at_to);
    }
    let end = to.min(cap_age(k, config)).max(from);
    free(end - from, gompertz(end, config)) + config.max_hazard_rate * (to - end)
}

/// The nominal age at which the hazard reaches its cap.
fn cap_age(k: f64, config: &StochasticConfig) -> f64 {
    let room = config.max_hazard_rate / k - config.base_hazard_rate;
    if room <= config.age_hazard_coefficient {
        return 0.0;
    }
    if config.age_hazard_coefficient <= 0.0 || config.aging_rate <= 0.0 {
        return f64::INFINITY;
    }
    libm::log(room / config.age_hazard_coefficient) / config.aging_rate
}

/// The probability of living from one nominal age to a later one.
#[must_use]
pub fn survival(from: f64, to: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    libm::exp(-cumulative_hazard(from, to, fitness, config))
}

/// The probability of surviving the next virtual day: the field `stochastic` of `mortality.vitality_update`.
#[must_use]
pub fn survival_24h(nominal_age: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    survival(nominal_age, nominal_age + NOMINAL_TICKS_PER_DAY as f64, fitness, config)
}

/// The same from the Gompertz term that the clock has just computed.
#[must_use]
pub fn survival_24h_from(nominal_age: f64, gompertz: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    let age = if nominal_age > 0.0 { nominal_age } else { 0.0 };
    libm::exp(-between((age, gompertz), age + NOMINAL_TICKS_PER_DAY as f64, fitness, config))
}

/// Nominal ticks until the survival probability has fallen to `p`, by bisection; the hazard is above zero, so it does.
#[must_use]
pub fn remaining_until(p: f64, nominal_age: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    let target = -libm::log(if p > 0.0 { p.min(1.0) } else { f64::MIN_POSITIVE });
    let (mut low, mut high) = (0.0, 1.0e3);
    while cumulative_hazard(nominal_age, nominal_age + high, fitness, config) < target && high < 1e18 {
        high *= 2.0;
    }
    for _ in 0..80 {
        let mid = 0.5 * (low + high);
        if cumulative_hazard(nominal_age, nominal_age + mid, fitness, config) < target { low = mid } else { high = mid }
    }
    high
}

/// Median remaining life in nominal ticks.
#[must_use]
pub fn median_remaining(nominal_age: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    remaining_until(0.5, nominal_age, fitness, config)
}

/// Expected remaining life in nominal ticks: the integral of the survival curve (Simpson over its support).
#[must_use]
pub fn expected_remaining(nominal_age: f64, fitness: f64, config: &StochasticConfig) -> f64 {
    let end = remaining_until(1e-9, nominal_age, fitness, config);
    let n = 2_000;
    let step = end / f64::from(n);
    let s = |i: i32| survival(nominal_age, nominal_age + f64::from(i) * step, fitness, config);
    let inner: f64 = (1..n).map(|i| s(i) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    step / 3.0 * (s(0) + inner + s(n))
}

/// How worried an owner should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HazardBand {
    /// Below 1e-5 per nominal tick.
    Nominal,
    /// Below 1e-4.
    Increasing,
    /// Below 5e-4.
    Elevated,
    /// Above.
    High,
}

impl HazardBand {
    /// The word used in contexts and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["nominal", "increasing", "elevated", "high"][self as usize]
    }
    /// The band of a hazard.
    #[must_use]
    pub fn of(hazard: f64) -> Self {
        match hazard {
            h if h < 1e-5 => Self::Nominal,
            h if h < 1e-4 => Self::Increasing,
            h if h < 5e-4 => Self::Elevated,
            _ => Self::High,
        }
    }
}

/// What the clock remembers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StochasticClock {
    /// Hazard per nominal tick, as of the last turn.
    pub current_hazard: f64,
    /// The probability with which a golem would have come this far.
    pub survival_probability: f64,
    /// Gompertz's term, as of the last turn.
    pub gompertz: f64,
    /// The last roll.
    pub last_roll: f64,
}

impl Default for StochasticClock {
    fn default() -> Self {
        Self { current_hazard: 0.0, survival_probability: 1.0, gompertz: 0.0, last_roll: 1.0 }
    }
}

impl StochasticClock {
    /// One turn. True when the roll lies below the probability of dying.
    pub fn tick(&mut self, nominal_age: f64, elapsed: f64, fitness: f64, roll: f64, config: &StochasticConfig) -> bool {
        self.gompertz = gompertz(nominal_age, config);
        let free = (config.base_hazard_rate + self.gompertz) * frailty(fitness, config);
        self.current_hazard = free.min(config.max_hazard_rate);
        let q = death_probability(self.current_hazard, elapsed);
        self.survival_probability = (self.survival_probability * (1.0 - q)).clamp(0.0, 1.0);
        self.last_roll = roll;
        roll < q
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_that_the_formula_gives() {
        let c = StochasticConfig::default();
        let day = NOMINAL_TICKS_PER_DAY as f64;
        for (d, f, want) in [
            (7.0, 1.0, 0.985),
            (7.0, 0.5, 0.970),
            (30.0, 1.0, 0.933),
            (30.0, 0.5, 0.870),
            (30.0, 0.0, 0.811),
            (60.0, 0.5, 0.595),
            (60.0, 0.0, 0.459),
            (90.0, 1.0, 0.029),
            (90.0, 0.5, 0.0009),
        ] {
            let got = survival(0.0, d * day, f, &c);
            assert!((got - want).abs() < 6e-4, "day {d}, fitness {f}: {got} instead of {want}");
        }
        for (f, want) in [(1.0, 230_238.0), (0.5, 216_356.0), (0.0, 208_226.0)] {
            assert!((cap_age(frailty(f, &c), &c) - want).abs() < 1.5);
        }
        // Across the cap, the closed form equals the sum of its steps, and the clock's shortcut equals the plain curve.
        let steps: f64 = (200_000..260_000).map(|t| hazard(f64::from(t) + 0.5, 0.5, &c)).sum();
        assert!((cumulative_hazard(200_000.0, 260_000.0, 0.5, &c) / steps - 1.0).abs() < 1e-6);
        for age in [0.0, 1e4, 1e5, 2.15e5, 3e5] {
            let (plain, short) = (survival_24h(age, 0.4, &c), survival_24h_from(age, gompertz(age, &c), 0.4, &c));
            assert_eq!(plain.to_bits(), short.to_bits(), "age {age}");
        }
    }

    #[test]
    fn closed_form_equals_the_sum_of_turns() {
        let c = StochasticConfig::default();
        let (mut clock, mut age) = (StochasticClock::default(), 0.0);
        for _ in 0..150_000 {
            age += 1.0;
            assert!(!clock.tick(age, 1.0, 0.4, 1.0, &c));
        }
        assert!((clock.survival_probability / survival(0.0, age, 0.4, &c) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn small_probabilities_by_the_series_are_exact() {
        for x in [1e-12, 1e-9, 3.3e-7, 1e-6, 9.999e-6] {
            let (series, exact) = (death_probability(x, 1.0), -libm::expm1(-x));
            assert!((series / exact - 1.0).abs() <= 2.3e-16, "{x}: {series:e} {exact:e}");
        }
    }

    #[test]
    fn mean_and_median_life() {
        let c = StochasticConfig::default();
        let day = NOMINAL_TICKS_PER_DAY as f64;
        let mean = expected_remaining(0.0, 0.5, &c) / day;
        assert!((mean - 58.0).abs() < 1.0, "mean life at fitness 0.5 is {mean} days");
        let median = median_remaining(0.0, 0.5, &c);
        assert!((survival(0.0, median, 0.5, &c) - 0.5).abs() < 1e-9);
        assert!((survival(0.0, remaining_until(0.01, 0.0, 1.0, &c), 1.0, &c) - 0.01).abs() < 1e-9);
    }
}
