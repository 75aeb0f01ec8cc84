//! The clock itself: skill per independent time over five days, how far a newborn is behind or ahead, the trend and peak of
//! fitness, and the senescence it feeds.

use super::domain::{Domain, SettledForecast};
use super::senescence::Senescence;
use super::skill::{DomainSkill, fitness_of};
use crate::config::{EpistemicConfig, Measure};
use crate::micro_death::MOST_FELT;
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
    /// Fitness, pruning included: 0.30 is as good as naive.
    pub fitness: f64,
    /// How much more a newborn of the same kind loses, over five days, in usual losses of the naive rule. Below 0 a child
    /// would know better.
    pub lead: f64,
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
    /// Fitness before pruning.
    skill: f64,
    past: [f64; TREND_POINTS],
    past_at: u64,
}

impl Default for EpistemicClock {
    fn default() -> Self {
        Self {
            domains: vec![DomainSkill::default(); Domain::ALL.len()],
            fitness: UNKNOWN_FITNESS,
            lead: 0.0,
            trend: 0.0,
            peak: UNKNOWN_FITNESS,
            peak_at: VirtualTime(0),
            last_success: Tick(0),
            senescence: Senescence::default(),
            pruning_penalty: 0.0,
            skill: UNKNOWN_FITNESS,
            past: [UNKNOWN_FITNESS; TREND_POINTS],
            past_at: 0,
        }
    }
}

impl EpistemicClock {
    /// Take settled forecasts in, at an age. Returns how many were refused as not finite.
    pub fn settle(
        &mut self,
        settled: &[SettledForecast],
        tick: Tick,
        now: VirtualTime,
        config: &EpistemicConfig,
    ) -> u32 {
        let mut refused = 0;
        for s in settled {
            let Ok(scored) = self.domains[s.domain.index()].record(s, now) else {
                refused += 1;
                continue;
            };
            if s.hit {
                self.last_success = tick;
            }
            let Some(scored) = scored else { continue };
            let share = self.share(s.domain, config);
            self.skill += share * scored.gain * (fitness_of(scored.score) - self.skill);
            self.skill = self.skill.clamp(0.0, 1.0);
            if let Some((lead, gain)) = scored.lead {
                self.lead += share * gain * (lead - self.lead);
            }
        }
        refused
    }

    /// A domain's share of fitness: of what the domains have that lose anything at all.
    fn share(&self, domain: Domain, config: &EpistemicConfig) -> f64 {
        let all = Domain::ALL.into_iter().filter(|d| self.domains[d.index()].has_loss());
        let sum: f64 = all.map(|d| config.shares.of(d)).sum();
        if sum > 0.0 { config.shares.of(domain) / sum } else { 0.0 }
    }

    /// The share of knowledge that the last curator cycle pruned; felt from the next turn on.
    pub fn feel_pruning(&mut self, share_pruned: f64) {
        let share = if share_pruned.is_nan() { 0.0 } else { share_pruned };
        self.pruning_penalty = 0.05 * (share / 0.10).clamp(0.0, 1.0);
    }

    /// One turn: recompute fitness, trend, peak and senescence.
    pub fn tick(&mut self, age: VirtualTime, elapsed: Elapsed, config: &EpistemicConfig) {
        self.tick_feeling(0.0, age, elapsed, config);
    }

    /// The same, for one whose children fail in one and the same way: what that costs, at most as much as pruning.
    pub fn tick_feeling(&mut self, felt: f64, age: VirtualTime, elapsed: Elapsed, config: &EpistemicConfig) {
        let skill = match config.measure {
            Measure::Skill => self.skill,
            Measure::RSquared => self.r_squared(config),
        };
        let felt = if felt.is_nan() { 0.0 } else { felt.clamp(0.0, MOST_FELT) };
        self.fitness = (skill - self.pruning_penalty - felt).clamp(0.0, 1.0);
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
        self.senescence.tick(self.fitness, self.lead, elapsed, config);
    }

    /// The seed's measure: R2 of each domain that counts, by its share; with none, unknown.
    fn r_squared(&self, config: &EpistemicConfig) -> f64 {
        let (mut sum, mut shares) = (0.0, 0.0);
        for domain in Domain::ALL {
            let (skill, share) = (&self.domains[domain.index()], config.shares.of(domain));
            if share > 0.0 && skill.counts(domain, config.minimum_predictions) {
                sum += share * skill.r_squared();
                shares += share;
            }
        }
        if shares > 0.0 { sum / shares } else { UNKNOWN_FITNESS }
    }

    /// Fitness in one domain, once enough forecasts have been settled.
    #[must_use]
    pub fn domain_fitness(&self, domain: Domain, config: &EpistemicConfig) -> Option<f64> {
        let skill = &self.domains[domain.index()];
        let counts = skill.counts(domain, config.minimum_predictions);
        match config.measure {
            Measure::Skill => skill.fitness().filter(|_| counts),
            Measure::RSquared => counts.then(|| skill.r_squared()),
        }
    }

    /// Domains that weigh something and in which it would be senescent by itself.
    #[must_use]
    pub fn failing_domains(&self, config: &EpistemicConfig) -> Vec<String> {
        let fails = |d: &Domain| {
            let lead = self.domains[d.index()].lead().unwrap_or(0.0);
            config.shares.of(*d) > 0.0 && self.domain_fitness(*d, config).is_some_and(|f| config.is_stale(f, lead))
        };
        Domain::ALL.into_iter().filter(fails).map(|d| d.name().to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Shares;
    use proptest::prelude::*;

    const HORIZON: u64 = 90;

    /// A clock that has seen so many forecasts of a domain, a tick apart; and how old it is.
    fn fed(clock: &mut EpistemicClock, from: u64, n: u64, mut s: SettledForecast, config: &EpistemicConfig) -> u64 {
        for t in from..from + n {
            s.made = VirtualTime(0).after(Elapsed::nominal(t));
            clock.settle(&[s], Tick(t), s.made.after(Elapsed::nominal(HORIZON)), config);
        }
        clock.tick(s.made, Elapsed::nominal(1), config);
        from + n
    }

    /// After very long, fitness is what the reading says of the score.
    #[test]
    fn the_reading_of_fitness() {
        let config = EpistemicConfig::default();
        for (model, want) in [(1.0, 0.30), (0.99, 0.35), (0.912, 0.74), (1.02, 0.20), (1.5, 0.0), (0.2, 1.0)] {
            let mut clock = EpistemicClock::default();
            fed(&mut clock, 0, 120_000, SettledForecast::of(Domain::GasCondition, model, 1.0), &config);
            assert!((clock.fitness - want).abs() < 1e-3, "{model}: {} instead of {want}", clock.fitness);
        }
    }

    #[test]
    fn overlapping_forecasts_count_for_new_time_only() {
        let config = EpistemicConfig::default();
        let s = SettledForecast::of(Domain::PriceDirection, 0.9, 1.0);
        let (mut dense, mut sparse) = (EpistemicClock::default(), EpistemicClock::default());
        fed(&mut dense, 0, 21_600, s, &config);
        for t in (0..21_600).step_by(90) {
            let s = SettledForecast { made: VirtualTime(0).after(Elapsed::nominal(t)), ..s };
            sparse.settle(&[s], Tick(t), s.made.after(Elapsed::nominal(HORIZON)), &config);
        }
        sparse.tick(VirtualTime(0), Elapsed::nominal(1), &config);
        assert!((dense.fitness - sparse.fitness).abs() < 2e-3, "{} {}", dense.fitness, sparse.fitness);
        // After two memories 86 % of the way from 0.5 to 0.8.
        assert!((dense.fitness - 0.76).abs() < 0.003, "{}", dense.fitness);
        // The same forecast a hundred times over is one.
        let mut again = EpistemicClock::default();
        for _ in 0..100 {
            again.settle(&[s], Tick(1), s.made.after(Elapsed::nominal(HORIZON)), &config);
        }
        again.tick(VirtualTime(0), Elapsed::nominal(1), &config);
        assert!((again.fitness - 0.5).abs() < 0.003, "{}", again.fitness);
    }

    #[test]
    fn shares_are_those_of_domains_that_lose_anything() {
        use Domain::*;
        let (measured, seed) =
            (EpistemicConfig::default(), EpistemicConfig { shares: Shares::Seed, ..Default::default() });
        assert!((Domain::ALL.iter().map(|d| measured.shares.of(*d)).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((Domain::ALL.iter().map(|d| seed.shares.of(*d)).sum::<f64>() - 1.0).abs() < 1e-12);
        let after = |config: &EpistemicConfig, all: &[SettledForecast]| {
            let mut clock = EpistemicClock::default();
            for t in 0..100_000 {
                let made = VirtualTime(0).after(Elapsed::nominal(t));
                let all: Vec<_> = all.iter().map(|s| SettledForecast { made, ..*s }).collect();
                clock.settle(&all, Tick(t), made.after(Elapsed::nominal(HORIZON)), config);
            }
            clock.tick(VirtualTime(0), Elapsed::nominal(1), config);
            clock.fitness
        };
        let s = SettledForecast::of;
        for (all, want) in [
            (vec![], 0.5),
            (vec![s(PriceDirection, 0.0, 0.0)], 0.5),
            (vec![s(ActionOutcome, 0.5, 1.0), s(ProtocolState, 0.5, 1.0)], 0.5),
            (vec![s(PriceDirection, 1.0, 1.0), s(ActionOutcome, 0.0, 1.0)], 0.3),
            (vec![s(PriceDirection, 1.0, 1.0), s(GasCondition, 0.9, 1.0)], (0.3 * 0.3 + 0.25 * 0.8) / 0.55),
        ] {
            let f = after(&measured, &all);
            assert!((f - want).abs() < 1e-3, "{all:?}: {f} instead of {want}");
        }
        let f = after(&seed, &[s(PriceDirection, 1.0, 1.0), s(GasCondition, 0.9, 1.0)]);
        assert!((f - (0.3 * 0.3 + 0.1 * 0.8) / 0.4).abs() < 1e-3, "the seed's shares: {f}");
    }

    #[test]
    fn the_lead_is_what_a_newborn_loses_more() {
        let config = EpistemicConfig::default();
        let mut clock = EpistemicClock::default();
        let s = SettledForecast::of(Domain::VolatilityRegime, 0.9, 1.0);
        let t = fed(&mut clock, 0, 50_000, s, &config);
        assert!(clock.lead.abs() < 1e-12, "without a newborn there is nothing to compare: {}", clock.lead);
        let t = fed(&mut clock, t, 60_000, SettledForecast { newborn_loss: Some(0.95), ..s }, &config);
        assert!((clock.lead - 0.05).abs() < 1e-3, "{}", clock.lead);
        assert_eq!(clock.senescence.stage, crate::epistemic::SenescenceStage::None);
        fed(&mut clock, t, 60_000, SettledForecast { newborn_loss: Some(0.85), ..s }, &config);
        assert!((clock.lead + 0.05).abs() < 1e-3, "{}", clock.lead);
        assert_eq!(clock.failing_domains(&config), ["volatility_regime"]);
        let skill = &clock.domains[Domain::VolatilityRegime.index()];
        assert!((skill.last_value.skill().unwrap() - 0.1).abs() < 1e-9 && skill.half_way.skill().is_none());
        assert!((skill.newborn.skill().unwrap() - (1.0 - 0.9 / 0.85)).abs() < 1e-3);
    }

    #[test]
    fn the_seeds_measure_can_be_chosen() {
        let config = EpistemicConfig { measure: Measure::RSquared, ..Default::default() };
        let mut clock = EpistemicClock::default();
        for t in 0..200u64 {
            let x = (t % 7) as f64;
            let s = SettledForecast { predicted: x, actual: x, ..SettledForecast::of(Domain::GasCondition, 5.0, 1.0) };
            clock.settle(&[s], Tick(t), VirtualTime(0), &config);
        }
        clock.tick(VirtualTime(0), Elapsed::nominal(1), &config);
        assert!(clock.fitness > 0.99, "its R2 is one whatever it lost: {}", clock.fitness);
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

    #[test]
    fn what_children_show_is_felt_within_its_bound_beside_pruning() {
        let config = EpistemicConfig::default();
        for (felt, want) in [(0.0, 0.45), (0.02, 0.43), (0.05, 0.40), (9.0, 0.40), (f64::NAN, 0.45), (-1.0, 0.45)] {
            let mut clock = EpistemicClock::default();
            clock.feel_pruning(1.0);
            clock.tick_feeling(felt, VirtualTime(0), Elapsed::nominal(1), &config);
            assert!((clock.fitness - want).abs() < 1e-12, "{felt}: {}", clock.fitness);
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
            let mut t = 0;
            for (m, n) in losses { t = fed(&mut clock, t, 1, SettledForecast::of(domain, m, n), &config); }
            let before = clock.fitness;
            let (m, n) = (f64::from_bits(absurd_bits.0), f64::from_bits(absurd_bits.1));
            t = fed(&mut clock, t, 1, SettledForecast::of(domain, m, n), &config);
            prop_assert!((0.0..=1.0).contains(&clock.fitness));
            prop_assert!((clock.fitness - before).abs() <= 15.8 / 10_800.0, "{} to {}", before, clock.fitness);
            // And does not hide what comes after it.
            let before = clock.fitness;
            fed(&mut clock, t, 1_000, SettledForecast::of(domain, 20.0, 5.0), &config);
            let counts = config.shares.of(domain) > 0.0;
            prop_assert!(!counts || clock.fitness < before - 0.02 || clock.fitness < 0.01, "{} to {}", before, clock.fitness);
        }
    }
}
