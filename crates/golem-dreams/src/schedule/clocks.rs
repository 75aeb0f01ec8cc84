//! How the three clocks bend dreams: how often, what about, and how much work a cycle is.
//!
//! `clock_urgency` of each clock is 0 far away, one half at the threshold where the clock first bends dreams, and 1
//! where it bends them most, straight in between:
//!
//! | clock | 0 | 1/2 | 1 |
//! |---|---|---|---|
//! | economic: hours of money left | 138 | 72 | 6 |
//! | epistemic: fitness | 0.70 | 0.50 | 0.30, which is as good as a naive forecast |
//! | stochastic: age | 0.55 | 0.70 | 0.85 |
//!
//! The composite intensity is `base_rate * (1 + 0.5 economic + 0.3 epistemic + 0.2 stochastic)`, from 1 to 2. The base
//! rate is one cycle's usual work, so intensity multiplies the episodes that a cycle replays, and says how far up the
//! ranges of length, cycles and money per phase of life a rich dream may go. How often it dreams is bent by the first
//! clock alone.

use crate::config::DreamClocksConfig;
use crate::seen::DreamSeen;
use golem_core::Unit;
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// What a cycle may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DreamContent {
    /// All of it.
    Full,
    /// What it has is put in order for others: legacy replay and integration; no imagination, nothing perturbed.
    ConsolidationOnly,
}

/// How much a cycle is for those who come after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DreamLegacy {
    None,
    /// Transferable patterns are preferred to tactical ones.
    Biased,
    /// Distilling for the testament; proven patterns are combined and nothing new is tried.
    Full,
}

/// The three clocks' urgencies, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockUrgency {
    pub economic: f64,
    pub epistemic: f64,
    pub stochastic: f64,
}

/// What the clocks make of dreams at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DreamModulation {
    /// Dreams end before life does: below this there are none.
    pub ceased: bool,
    /// Turns between cycles are divided by this.
    pub frequency: u64,
    pub content: DreamContent,
    /// Episodes whose outcome was furthest from what was expected come first.
    pub what_confused_me: bool,
    pub legacy: DreamLegacy,
    pub clocks: ClockUrgency,
    /// The composite intensity.
    pub intensity: f64,
}

/// The seed's `clockUrgency`, for all three.
#[must_use]
pub fn clock_urgency(seen: &DreamSeen, config: &DreamClocksConfig) -> ClockUrgency {
    const NAIVE: f64 = 0.30;
    ClockUrgency {
        economic: seen.projected_life_h.map_or(0.0, |h| nearness(h, config.hurry_below_h, config.cease_below_h)),
        epistemic: nearness(seen.fitness, config.confused_below, NAIVE),
        stochastic: nearness(seen.age_ratio, config.legacy_above, config.full_legacy_above),
    }
}

/// One half at `first`, 1 at `last`, straight and within [0, 1]. What is not a number is far away.
fn nearness(x: f64, first: f64, last: f64) -> f64 {
    Unit::clamped(0.5 + 0.5 * (x - first) / (last - first)).get()
}

/// How the clocks bend dreams now.
#[must_use]
pub fn modulation(seen: &DreamSeen, config: &DreamClocksConfig) -> DreamModulation {
    let below = |hours: f64| seen.projected_life_h.is_some_and(|left| left < hours);
    let clocks = clock_urgency(seen, config);
    let last_day = below(config.consolidate_below_h) || seen.phase == BehavioralPhase::Terminal;
    let legacy = if seen.age_ratio > config.full_legacy_above || last_day {
        DreamLegacy::Full
    } else if seen.age_ratio > config.legacy_above || seen.phase == BehavioralPhase::Declining {
        DreamLegacy::Biased
    } else {
        DreamLegacy::None
    };
    DreamModulation {
        ceased: below(config.cease_below_h) || seen.phase == BehavioralPhase::Terminal,
        frequency: if below(config.hurry_below_h) { 2 } else { 1 },
        content: if last_day { DreamContent::ConsolidationOnly } else { DreamContent::Full },
        what_confused_me: seen.fitness < config.confused_below,
        legacy,
        clocks,
        intensity: composite_intensity(config.base_rate, clocks),
    }
}

/// The seed's composite formula.
#[must_use]
pub fn composite_intensity(base_rate: f64, clocks: ClockUrgency) -> f64 {
    base_rate * (1.0 + 0.5 * clocks.economic + 0.3 * clocks.epistemic + 0.2 * clocks.stochastic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DreamConfig;
    use crate::schedule::testing::seen;
    use proptest::prelude::*;

    fn at(change: impl FnOnce(&mut DreamSeen)) -> DreamModulation {
        let mut s = seen();
        change(&mut s);
        modulation(&s, &DreamConfig::default().clocks)
    }

    #[test]
    fn money_running_out_makes_dreams_more_frequent_then_narrow_then_none() {
        use DreamContent::{ConsolidationOnly, Full};
        for (hours, frequency, content, ceased) in [
            (None, 1, Full, false),
            (Some(72.0), 1, Full, false),
            (Some(71.9), 2, Full, false),
            (Some(24.0), 2, Full, false),
            (Some(23.9), 2, ConsolidationOnly, false),
            (Some(6.0), 2, ConsolidationOnly, false),
            (Some(5.9), 2, ConsolidationOnly, true),
        ] {
            let m = at(|s| s.projected_life_h = hours);
            assert_eq!((m.frequency, m.content, m.ceased), (frequency, content, ceased), "{hours:?}");
        }
        let terminal = at(|s| s.phase = BehavioralPhase::Terminal);
        assert!(terminal.ceased && terminal.content == ConsolidationOnly);
    }

    #[test]
    fn poor_fitness_looks_at_what_confused_it() {
        assert!(at(|s| s.fitness = 0.499).what_confused_me);
        assert!(!at(|s| s.fitness = 0.50).what_confused_me);
    }

    #[test]
    fn the_old_dream_for_those_who_come_after() {
        use DreamLegacy::{Biased, Full, None as Nothing};
        for (age, legacy) in
            [(0.0, Nothing), (0.70, Nothing), (0.71, Biased), (0.85, Biased), (0.86, Full), (f64::NAN, Nothing)]
        {
            assert_eq!(at(|s| s.age_ratio = age).legacy, legacy, "{age}");
        }
        assert_eq!(at(|s| s.phase = BehavioralPhase::Declining).legacy, Biased);
        assert_eq!(at(|s| s.projected_life_h = Some(20.0)).legacy, Full);
    }

    #[test]
    fn each_clock_is_half_urgent_at_its_threshold() {
        for (hours, fitness, age, e, p, s) in [
            (Some(1_000.0), 1.0, 0.0, 0.0, 0.0, 0.0),
            (Some(138.0), 0.7, 0.55, 0.0, 0.0, 0.0),
            (Some(105.0), 0.6, 0.625, 0.25, 0.25, 0.25),
            (Some(72.0), 0.5, 0.70, 0.5, 0.5, 0.5),
            (Some(6.0), 0.3, 0.85, 1.0, 1.0, 1.0),
            (Some(-1.0), 0.0, 3.0, 1.0, 1.0, 1.0),
            (None, f64::NAN, f64::NAN, 0.0, 0.0, 0.0),
        ] {
            let found = at(|x| (x.projected_life_h, x.fitness, x.age_ratio) = (hours, fitness, age));
            let ClockUrgency { economic, epistemic, stochastic } = found.clocks;
            for (got, wanted) in [(economic, e), (epistemic, p), (stochastic, s)] {
                assert!((got - wanted).abs() < 1e-9, "{hours:?} {fitness} {age}: {found:?}");
            }
            assert!((found.intensity - (1.0 + 0.5 * e + 0.3 * p + 0.2 * s)).abs() < 1e-9);
        }
    }

    /// Each threshold, moved by its owner, bends dreams where it was moved to.
    #[test]
    fn thresholds_are_the_owners_to_move() {
        let mut clocks = DreamConfig::default().clocks;
        (clocks.hurry_below_h, clocks.consolidate_below_h, clocks.cease_below_h) = (60.0, 30.0, 12.0);
        (clocks.confused_below, clocks.legacy_above, clocks.full_legacy_above) = (0.6, 0.5, 0.6);
        let at = |hours: f64, fitness: f64, age: f64| {
            let mut s = seen();
            (s.projected_life_h, s.fitness, s.age_ratio) = (Some(hours), fitness, age);
            modulation(&s, &clocks)
        };
        for (hours, frequency, content, ceased) in [
            (60.0, 1, DreamContent::Full, false),
            (59.9, 2, DreamContent::Full, false),
            (29.9, 2, DreamContent::ConsolidationOnly, false),
            (11.9, 2, DreamContent::ConsolidationOnly, true),
        ] {
            let m = at(hours, 0.9, 0.0);
            assert_eq!((m.frequency, m.content, m.ceased), (frequency, content, ceased), "{hours}");
        }
        assert!(at(900.0, 0.59, 0.0).what_confused_me && !at(900.0, 0.60, 0.0).what_confused_me);
        let legacies = [0.50, 0.51, 0.61].map(|age| at(900.0, 0.9, age).legacy);
        assert_eq!(legacies, [DreamLegacy::None, DreamLegacy::Biased, DreamLegacy::Full]);
    }

    #[test]
    fn the_base_rate_scales_the_composite() {
        let clocks = ClockUrgency { economic: 1.0, epistemic: 0.5, stochastic: 0.0 };
        assert!((composite_intensity(0.5, clocks) - 0.825).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn intensity_stays_between_once_and_twice(h: f64, f: f64, a: f64) {
            let m = at(|x| (x.projected_life_h, x.fitness, x.age_ratio) = (Some(h), f, a));
            prop_assert!((1.0..=2.0).contains(&m.intensity));
        }
    }
}
