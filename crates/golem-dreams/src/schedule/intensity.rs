//! How much a cycle does: the seed's table by uncertainty, under the owner's ceilings, within the bounds of its tier.

use crate::config::DreamConfig;
use crate::schedule::clocks::{DreamContent, DreamModulation};
use crate::state::DreamTier;
use serde::{Deserialize, Serialize};

/// Who thinks along: nobody, a small model, a large one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InferenceGrade {
    T0,
    T1,
    T2,
}

/// How little it understands of what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uncertainty {
    Low,
    Medium,
    High,
}

impl Uncertainty {
    /// High below 0.5, medium below 0.7. A fitness that is not a number is not understanding.
    #[must_use]
    pub fn of(fitness: f64) -> Self {
        if fitness >= 0.7 {
            Self::Low
        } else if fitness >= 0.5 {
            Self::Medium
        } else {
            Self::High
        }
    }
}

/// A row of the seed's table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DreamIntensityConfig {
    pub replay_batch_size: u32,
    pub counterfactual_depth: u32,
    pub creative_sessions: u32,
    pub threat_scenarios: u32,
    pub inference_grade: InferenceGrade,
    pub exploration_temperature: f64,
}

/// The seed's `dream_intensity`: dream more where less is understood.
#[must_use]
pub fn dream_intensity(fitness: f64) -> DreamIntensityConfig {
    match Uncertainty::of(fitness) {
        Uncertainty::High => DreamIntensityConfig {
            replay_batch_size: 15,
            counterfactual_depth: 3,
            creative_sessions: 3,
            threat_scenarios: 5,
            inference_grade: InferenceGrade::T2,
            exploration_temperature: 0.9,
        },
        Uncertainty::Medium => DreamIntensityConfig {
            replay_batch_size: 10,
            counterfactual_depth: 2,
            creative_sessions: 2,
            threat_scenarios: 3,
            inference_grade: InferenceGrade::T1,
            exploration_temperature: 0.7,
        },
        Uncertainty::Low => DreamIntensityConfig {
            replay_batch_size: 5,
            counterfactual_depth: 1,
            creative_sessions: 1,
            threat_scenarios: 1,
            inference_grade: InferenceGrade::T1,
            exploration_temperature: 0.5,
        },
    }
}

/// Fewer episodes make no pattern, and more do not fit between two turns.
const EPISODES: (u32, u32) = (5, 20);
/// Decisions of a cycle that are asked "what if", each with as many alternatives as the depth says.
const DECISIONS: u32 = 4;

/// What one cycle does at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DreamBounds {
    /// Episodes of one batch.
    pub batch: u32,
    /// Episodes of the cycle: batches, as many as the composite intensity says.
    pub episodes: u32,
    /// Share of replays with something changed.
    pub perturbation_rate: f64,
    /// Alternatives to one decision, and all together.
    pub counterfactual_depth: u32,
    pub counterfactuals: u32,
    pub creative_sessions: u32,
    pub threats: u32,
    /// Whether anything is imagined, calming old fears included.
    pub imagines: bool,
    pub grade: InferenceGrade,
    pub temperature: f64,
}

/// How far up a mood, or what is rehearsed more often after a loss, may take what one cycle does: what the owner allows, and the
/// bounds of its tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DreamCeilings {
    pub episodes: u32,
    pub counterfactuals: u32,
    pub creative_sessions: u32,
    pub threats: u32,
}

impl DreamCeilings {
    /// By an owner's settings.
    #[must_use]
    pub fn of(tier: DreamTier, config: &DreamConfig) -> Self {
        let imagination = &config.imagination;
        let bounded = |n: u32, bound: u32| if tier == DreamTier::Core { n.min(bound) } else { n };
        let decisions = imagination.counterfactual_depth.saturating_mul(DECISIONS);
        Self {
            episodes: EPISODES.1,
            counterfactuals: bounded(decisions, imagination.core_counterfactuals),
            creative_sessions: imagination.creative_sessions,
            threats: bounded(imagination.threat_scenarios, imagination.core_threats),
        }
    }
}

impl DreamBounds {
    /// The table's row for its fitness, the owner's values as ceilings over it, and the tier's bounds over both.
    #[must_use]
    pub fn of(fitness: f64, tier: DreamTier, modulation: &DreamModulation, config: &DreamConfig) -> Self {
        let (row, imagination) = (dream_intensity(fitness), &config.imagination);
        let (core, ceilings) = (tier == DreamTier::Core, DreamCeilings::of(tier, config));
        let imagines = modulation.content == DreamContent::Full;
        let if_imagining = |n: u32| if imagines { n } else { 0 };
        let batch = row.replay_batch_size.min(config.replay.batch_size).max(1);
        let depth = row.counterfactual_depth.min(imagination.counterfactual_depth);
        let scaled = (f64::from(batch) * modulation.intensity).round();
        Self {
            batch,
            // A float becomes the nearest number that fits; one that is none becomes 0.
            episodes: (scaled as u32).clamp(EPISODES.0, EPISODES.1),
            perturbation_rate: if imagines { config.replay.perturbation_rate } else { 0.0 },
            counterfactual_depth: if_imagining(depth),
            counterfactuals: if_imagining(depth.saturating_mul(DECISIONS).min(ceilings.counterfactuals)),
            creative_sessions: if_imagining(row.creative_sessions.min(ceilings.creative_sessions)),
            threats: if_imagining(row.threat_scenarios.min(ceilings.threats)),
            imagines,
            grade: if core { InferenceGrade::T0 } else { row.inference_grade },
            temperature: row.exploration_temperature.min(imagination.exploration_temperature),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::clocks::{DreamModulation, modulation};
    use crate::schedule::testing::{config, seen};
    use proptest::prelude::*;

    fn bend(fitness: f64, hours: Option<f64>) -> DreamModulation {
        let mut s = seen();
        (s.fitness, s.projected_life_h) = (fitness, hours);
        modulation(&s, &config().clocks)
    }
    fn generous() -> DreamConfig {
        let mut c = config();
        c.replay.batch_size = 20;
        (c.imagination.counterfactual_depth, c.imagination.creative_sessions) = (10, 20);
        (c.imagination.threat_scenarios, c.imagination.exploration_temperature) = (15, 2.0);
        c
    }

    #[test]
    fn the_seeds_table_by_uncertainty() {
        use InferenceGrade::{T1, T2};
        for (fitness, batch, depth, sessions, threats, grade, temperature) in [
            (0.499, 15, 3, 3, 5, T2, 0.9),
            (f64::NAN, 15, 3, 3, 5, T2, 0.9),
            (0.5, 10, 2, 2, 3, T1, 0.7),
            (0.699, 10, 2, 2, 3, T1, 0.7),
            (0.7, 5, 1, 1, 1, T1, 0.5),
        ] {
            let found = dream_intensity(fitness);
            let counts =
                (found.replay_batch_size, found.counterfactual_depth, found.creative_sessions, found.threat_scenarios);
            assert_eq!(counts, (batch, depth, sessions, threats), "{fitness}");
            assert_eq!(found.inference_grade, grade);
            assert!((found.exploration_temperature - temperature).abs() < 1e-12);
            // With ceilings out of the way the table is what a hardened cycle gets.
            let b = DreamBounds::of(fitness, DreamTier::Hardened, &bend(1.0, None), &generous());
            assert_eq!(
                (b.batch, b.counterfactual_depth, b.creative_sessions, b.threats, b.grade),
                (batch, depth, sessions, threats, grade)
            );
            assert!((b.temperature - temperature).abs() < 1e-12);
            assert_eq!((b.counterfactuals, b.episodes), (4 * depth, batch));
        }
    }

    #[test]
    fn the_owners_values_are_ceilings() {
        let b = DreamBounds::of(0.4, DreamTier::Hardened, &bend(1.0, None), &config());
        assert_eq!((b.batch, b.counterfactual_depth, b.creative_sessions, b.threats), (10, 2, 2, 3));
        assert!((b.temperature - 0.7).abs() < 1e-12 && (b.perturbation_rate - 0.3).abs() < 1e-12);
        // And no more than ceilings: a golem that understands does not dream as much.
        let b = DreamBounds::of(0.9, DreamTier::Hardened, &bend(1.0, None), &config());
        assert_eq!((b.batch, b.counterfactual_depth, b.creative_sessions, b.threats), (5, 1, 1, 1));
        assert!((b.temperature - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_core_cycle_fits_between_two_turns() {
        let b = DreamBounds::of(0.0, DreamTier::Core, &bend(0.0, Some(25.0)), &generous());
        assert_eq!((b.counterfactuals, b.threats, b.episodes, b.grade), (8, 2, 20, InferenceGrade::T0));
        let mut one = config();
        one.replay.batch_size = 1;
        assert_eq!(DreamBounds::of(0.9, DreamTier::Core, &bend(0.9, None), &one).episodes, 5);
    }

    #[test]
    fn intensity_multiplies_the_episodes_of_a_cycle() {
        // Half-way to every threshold of the epistemic clock: 1 + 0.3 / 2.
        assert_eq!(DreamBounds::of(0.5, DreamTier::Core, &bend(0.5, None), &config()).episodes, 12);
        assert_eq!(DreamBounds::of(0.5, DreamTier::Core, &bend(0.5, Some(72.0)), &config()).episodes, 14);
        assert_eq!(DreamBounds::of(0.5, DreamTier::Core, &bend(0.5, Some(72.0)), &config()).batch, 10);
    }

    #[test]
    fn nothing_is_imagined_on_the_last_day() {
        for tier in [DreamTier::Core, DreamTier::Hardened] {
            let b = DreamBounds::of(0.4, tier, &bend(0.4, Some(20.0)), &config());
            assert_eq!((b.counterfactual_depth, b.counterfactuals, b.creative_sessions, b.threats), (0, 0, 0, 0));
            assert!(!b.imagines && b.perturbation_rate.abs() < 1e-12 && b.episodes >= 5);
            assert!(DreamBounds::of(0.4, tier, &bend(0.4, Some(24.0)), &config()).imagines);
        }
    }

    proptest! {
        #[test]
        fn no_fitness_breaks_a_bound(fitness: f64, hours: f64, age: f64) {
            let mut s = seen();
            (s.fitness, s.projected_life_h, s.age_ratio) = (fitness, Some(hours), age);
            let b = DreamBounds::of(fitness, DreamTier::Core, &modulation(&s, &config().clocks), &generous());
            prop_assert!(b.counterfactuals <= 8 && b.threats <= 2 && (5..=20).contains(&b.episodes));
        }
    }
}
