//! Senescence: below the threshold for the grace period, confirmed; above the recovery line, over.

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
    /// Below the threshold, within the grace period.
    Warning,
    /// Senescent.
    Confirmed,
    /// Senescent beyond recovery.
    Fatal,
}

/// The state of the cascade, counted in nominal time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Senescence {
    /// How long fitness has been below the threshold without a break.
    pub below_for: Elapsed,
    /// How long the golem has been senescent.
    pub senescent_for: Elapsed,
    /// Where it stands.
    pub stage: SenescenceStage,
}

impl Senescence {
    /// One turn.
    pub fn tick(&mut self, fitness: f64, elapsed: Elapsed, config: &EpistemicConfig) {
        if self.is_senescent() {
            if fitness > config.recovery_threshold {
                *self = Self::default();
                return;
            }
            self.senescent_for = self.senescent_for.plus(elapsed);
            self.stage =
                if self.senescent_for >= config.limit() { SenescenceStage::Fatal } else { SenescenceStage::Confirmed };
            return;
        }
        if fitness >= config.senescence_threshold {
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

    fn after(fitness: &[(f64, u64)]) -> Senescence {
        let (mut s, config) = (Senescence::default(), EpistemicConfig::default());
        for &(f, ticks) in fitness {
            for _ in 0..ticks {
                s.tick(f, Elapsed::nominal(1), &config);
            }
        }
        s
    }

    #[test]
    fn the_cascade() {
        for (life, stage) in [
            (vec![(0.35, 5_000)], SenescenceStage::None),
            (vec![(0.34, 499)], SenescenceStage::Warning),
            (vec![(0.34, 500)], SenescenceStage::Confirmed),
            (vec![(0.34, 499), (0.35, 1), (0.34, 499)], SenescenceStage::Warning),
            (vec![(0.34, 500), (0.45, 100)], SenescenceStage::Confirmed),
            (vec![(0.34, 500), (0.46, 1)], SenescenceStage::None),
            (vec![(0.34, 2_499)], SenescenceStage::Confirmed),
            (vec![(0.34, 2_500)], SenescenceStage::Fatal),
            (vec![(f64::NAN, 500)], SenescenceStage::Confirmed),
        ] {
            assert_eq!(after(&life).stage, stage, "{life:?}");
        }
        assert!(after(&[(0.2, 500)]).is_fatal(0.09) && !after(&[(0.2, 500)]).is_fatal(0.1));
        assert!(!after(&[(0.2, 499)]).is_fatal(0.01));
    }

    #[test]
    fn poverty_does_not_slow_it() {
        let (mut s, config) = (Senescence::default(), EpistemicConfig::default());
        for _ in 0..250 {
            s.tick(0.1, Elapsed::nominal(2), &config);
        }
        assert!(s.is_senescent());
    }
}
