//! The clock itself: the weighted mean of the domains, its trend and peak, and the senescence it feeds.

use super::domain::{Domain, SettledForecast};
use super::senescence::Senescence;
use super::skill::DomainSkill;
use crate::config::EpistemicConfig;
use golem_core::{Elapsed, Tick, VirtualTime};
use serde::{Deserialize, Serialize};

/// Fitness of a golem about which nothing is known yet.
pub const UNKNOWN_FITNESS: f64 = 0.5;
/// The trend compares with this many nominal ticks ago.
const TREND_SPAN: u64 = 100;
/// Ten buckets of ten ticks, and the one that is being filled.
const TREND_POINTS: usize = 11;

/// What the epistemic clock remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpistemicClock {
    /// One entry per domain, in table order.
    pub domains: Vec<DomainSkill>,
    /// The weighted mean, pruning included.
    pub fitness: f64,
    /// Change over the last 100 nominal ticks.
    pub trend: f64,
    /// The best there was.
    pub peak: f64,
    /// When that was.
    pub peak_at: VirtualTime,
    /// The last turn with a forecast whose class was right.
    pub last_success: Tick,
    /// The cascade.
    pub senescence: Senescence,
    /// What the last curator cycle cost in fitness.
    pub pruning_penalty: f64,
    past: [f64; TREND_POINTS],
    past_at: u64,
}

impl Default for EpistemicClock {
    fn default() -> Self {
        Self {
            domains: vec![DomainSkill::default(); Domain::ALL.len()],
            fitness: UNKNOWN_FITNESS,
            trend: 0.0,
            peak: UNKNOWN_FITNESS,
            peak_at: VirtualTime(0),
            last_success: Tick(0),
            senescence: Senescence::default(),
            pruning_penalty: 0.0,
            past: [UNKNOWN_FITNESS; TREND_POINTS],
            past_at: 0,
        }
    }
}

impl EpistemicClock {
    /// Take settled forecasts in. Returns how many were refused as not finite.
    pub fn settle(&mut self, settled: &[SettledForecast], tick: Tick) -> u32 {
        let mut refused = 0;
        for s in settled {
            if !self.domains[s.domain.index()].record(s) {
                refused += 1;
            } else if s.hit {
                self.last_success = tick;
            }
        }
        refused
    }

    /// The share of knowledge that the last curator cycle pruned; felt from the next turn on.
    pub fn feel_pruning(&mut self, share_pruned: f64) {
        let share = if share_pruned.is_nan() { 0.0 } else { share_pruned };
        self.pruning_penalty = 0.05 * (share / 0.10).clamp(0.0, 1.0);
    }

    /// One turn: recompute fitness, trend, peak and senescence.
    pub fn tick(&mut self, age: VirtualTime, elapsed: Elapsed, config: &EpistemicConfig) {
        self.fitness = (self.weighted(config) - self.pruning_penalty).clamp(0.0, 1.0);
        if self.fitness > self.peak {
            (self.peak, self.peak_at) = (self.fitness, age);
        }
        let slots = TREND_POINTS as u64;
        let bucket = age.age().nominal_floor() / (TREND_SPAN / (slots - 1));
        while self.past_at < bucket {
            // Long turns fill the buckets they skipped with the fitness of now.
            self.past_at = (self.past_at + 1).max(bucket.saturating_sub(slots));
            self.past[(self.past_at % slots) as usize] = self.fitness;
        }
        // The slot after the newest is the oldest: ten buckets back.
        self.trend = self.fitness - self.past[((bucket + 1) % slots) as usize];
        self.senescence.tick(self.fitness, elapsed, config);
    }

    /// The weighted mean over the domains that count; with none, as good as naive.
    fn weighted(&self, config: &EpistemicConfig) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for domain in Domain::ALL {
            if let Some(f) = self.domain_fitness(domain, config) {
                sum += domain.weight() * f;
                weights += domain.weight();
            }
        }
        if weights > 0.0 { sum / weights } else { UNKNOWN_FITNESS }
    }

    /// Fitness in one domain, if it counts.
    #[must_use]
    pub fn domain_fitness(&self, domain: Domain, config: &EpistemicConfig) -> Option<f64> {
        self.domains[domain.index()].fitness(domain, config.minimum_predictions, config.measure)
    }

    /// Domains that count and lie below the senescence threshold.
    #[must_use]
    pub fn failing_domains(&self, config: &EpistemicConfig) -> Vec<String> {
        Domain::ALL
            .into_iter()
            .filter(|d| self.domain_fitness(*d, config).is_some_and(|f| f < config.senescence_threshold))
            .map(|d| d.name().to_owned())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn settled(domain: Domain, model_loss: f64, naive_loss: f64) -> SettledForecast {
        SettledForecast { domain, predicted: 0.0, naive: 0.0, actual: 0.0, model_loss, naive_loss, hit: true }
    }

    fn fed(samples: &[(Domain, f64, f64, u32)]) -> EpistemicClock {
        let (mut clock, config) = (EpistemicClock::default(), EpistemicConfig::default());
        for &(domain, model, naive, n) in samples {
            for _ in 0..n {
                clock.settle(&[settled(domain, model, naive)], Tick(1));
            }
        }
        clock.tick(VirtualTime(40_000), Elapsed::nominal(1), &config);
        clock
    }

    #[test]
    fn domains_count_when_they_have_enough_and_weights_renormalise() {
        use Domain::*;
        for (samples, want) in [
            (vec![], 0.5),
            (vec![(PriceDirection, 1.0, 3.0, 49)], 0.5),
            (vec![(PriceDirection, 1.0, 3.0, 50)], 0.75),
            (vec![(ActionOutcome, 1.0, 3.0, 10)], 0.75),
            (vec![(PriceDirection, 0.0, 0.0, 60)], 0.5),
            (vec![(PriceDirection, 1.0, 1.0, 50), (GasCondition, 1.0, 3.0, 50)], (0.3 * 0.5 + 0.1 * 0.75) / 0.4),
        ] {
            let clock = fed(&samples);
            assert!((clock.fitness - want).abs() < 1e-12, "{samples:?}: {} instead of {want}", clock.fitness);
        }
    }

    #[test]
    fn the_trend_looks_back_a_hundred_ticks() {
        let config = EpistemicConfig::default();
        let mut clock = EpistemicClock::default();
        for t in 1..=1_000u64 {
            // Fitness falls by a ten-thousandth a tick, through the pruning penalty (at most 0.05).
            clock.pruning_penalty = 1e-4 * (t.min(500) as f64);
            clock.tick(VirtualTime(t * 40_000), Elapsed::nominal(1), &config);
            if (120..=500).contains(&t) {
                assert!((-0.0111..=-0.0099).contains(&clock.trend), "tick {t}: {}", clock.trend);
            }
        }
        assert!(clock.trend.abs() < 1e-12, "level again: {}", clock.trend);
        assert_eq!(clock.peak_at, VirtualTime(0));
    }

    #[test]
    fn pruning_is_felt_within_its_bound() {
        let config = EpistemicConfig::default();
        for (share, want) in [(0.0, 0.5), (0.05, 0.475), (0.10, 0.45), (9.0, 0.45), (f64::NAN, 0.5), (-1.0, 0.5)] {
            let mut clock = EpistemicClock::default();
            clock.feel_pruning(share);
            clock.tick(VirtualTime(0), Elapsed::nominal(1), &config);
            assert!((clock.fitness - want).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn one_absurd_sample_moves_fitness_little(
            losses in prop::collection::vec((0.0..10.0f64, 0.1..10.0f64), 60..200),
            domain in 0usize..6, absurd_bits in prop_oneof![any::<(u64, u64)>(), Just((1e300f64.to_bits(), 0u64)), Just((0u64, 1e300f64.to_bits()))],
        ) {
            let (config, domain) = (EpistemicConfig::default(), Domain::ALL[domain]);
            let mut clock = EpistemicClock::default();
            for (m, n) in losses { clock.settle(&[settled(domain, m, n)], Tick(1)); }
            clock.tick(VirtualTime(0), Elapsed::nominal(1), &config);
            let before = clock.fitness;
            let (m, n) = (f64::from_bits(absurd_bits.0), f64::from_bits(absurd_bits.1));
            clock.settle(&[settled(domain, m, n)], Tick(2));
            clock.tick(VirtualTime(0), Elapsed::nominal(1), &config);
            prop_assert!((0.0..=1.0).contains(&clock.fitness));
            let a = domain.ema().max(1.0 / 61.0);
            let bound = 4.0 * a / (1.0 + 3.0 * a) + 1e-9;
            prop_assert!((clock.fitness - before).abs() <= bound, "{} to {}", before, clock.fitness);
        }
    }
}
