//! Senescence: a newborn would know better. For the grace period, confirmed; back in the lead and skilled, over.

use crate::config::EpistemicConfig;
use golem_core::Elapsed;
use serde::{Deserialize, Serialize};

/// How far a golem has fallen behind the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SenescenceStage {
    /// Keeping up.
    #[default]
    None,
    /// A newborn would know better, within the grace period.
    Warning,
    /// Senescent.
    Confirmed,
    /// Senescent beyond recovery.
    Fatal,
}

/// The state of the cascade, counted in nominal time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Senescence {
    /// How long a newborn would have known better without a break.
    pub below_for: Elapsed,
    /// How long the golem has been senescent.
    pub senescent_for: Elapsed,
    /// Where it stands.
    pub stage: SenescenceStage,
}

impl Senescence {
    /// One turn.
    pub fn tick(&mut self, fitness: f64, lead: f64, elapsed: Elapsed, config: &EpistemicConfig) {
        if self.is_senescent() {
            if config.is_recovered(fitness, lead) {
                *self = Self::default();
                return;
            }
            self.senescent_for = self.senescent_for.plus(elapsed);
            self.stage =
                if self.senescent_for >= config.limit() { SenescenceStage::Fatal } else { SenescenceStage::Confirmed };
            return;
        }
        if !config.is_stale(fitness, lead) {
            *self = Self::default();
            return;
        }
        self.below_for = self.below_for.plus(elapsed);
        self.stage =
            if self.below_for >= config.grace() { SenescenceStage::Confirmed } else { SenescenceStage::Warning };
    }

    /// Confirmed or fatal.
    #[must_use]
    pub fn is_senescent(&self) -> bool {
        self.stage >= SenescenceStage::Confirmed
    }
    /// Death by senescence: senescent with hardly any vitality left, or for too long.
    #[must_use]
    pub fn is_fatal(&self, composite: f64) -> bool {
        self.stage == SenescenceStage::Fatal || (self.is_senescent() && composite < 0.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Measure;

    fn after_by(config: &EpistemicConfig, life: &[(f64, f64, u64)]) -> Senescence {
        let mut s = Senescence::default();
        for &(fitness, lead, ticks) in life {
            for _ in 0..ticks {
                s.tick(fitness, lead, Elapsed::nominal(1), config);
            }
        }
        s
    }
    fn after(life: &[(f64, f64, u64)]) -> Senescence {
        after_by(&EpistemicConfig::default(), life)
    }

    #[test]
    fn the_cascade() {
        use SenescenceStage::*;
        for (life, stage) in [
            (vec![(0.35, -0.01, 20_000)], None),
            (vec![(0.30, 0.0, 20_000)], None),
            (vec![(0.0, 0.01, 20_000)], None),
            (vec![(0.34, -0.001, 499)], Warning),
            (vec![(0.34, -0.001, 500)], Confirmed),
            (vec![(0.90, -0.02, 20_000)], None),
            (vec![(0.90, -0.021, 500)], Confirmed),
            (vec![(0.34, -0.001, 499), (0.35, -0.001, 1), (0.34, -0.001, 499)], Warning),
            (vec![(0.34, -0.001, 500), (0.45, 0.1, 100)], Confirmed),
            (vec![(0.34, -0.001, 500), (0.90, 0.0, 100)], Confirmed),
            (vec![(0.34, -0.001, 500), (0.46, 0.001, 1)], None),
            (vec![(0.34, -0.001, 500 + 10_799)], Confirmed),
            (vec![(0.34, -0.001, 500 + 10_800)], Fatal),
            (vec![(f64::NAN, -0.001, 500)], Confirmed),
        ] {
            assert_eq!(after(&life).stage, stage, "{life:?}");
        }
        let stale = after(&[(0.2, -0.1, 500)]);
        assert!(stale.is_fatal(0.09) && !stale.is_fatal(0.1));
        assert!(!after(&[(0.2, -0.1, 499)]).is_fatal(0.01));
    }

    /// Where nothing can be known nobody is stale: fitness is that of the naive rule, and so is a newborn's.
    #[test]
    fn the_seeds_measure_asks_nobody_else() {
        let config = EpistemicConfig { measure: Measure::RSquared, ..Default::default() };
        assert_eq!(after_by(&config, &[(0.34, 1.0, 500)]).stage, SenescenceStage::Confirmed);
        assert_eq!(after_by(&config, &[(0.34, 1.0, 500), (0.46, -1.0, 1)]).stage, SenescenceStage::None);
        assert_eq!(after_by(&config, &[(0.36, -1.0, 5_000)]).stage, SenescenceStage::None);
    }

    #[test]
    fn poverty_does_not_slow_it() {
        let (mut s, config) = (Senescence::default(), EpistemicConfig::default());
        for _ in 0..250 {
            s.tick(0.1, -0.1, Elapsed::nominal(2), &config);
        }
        assert!(s.is_senescent());
    }
}
