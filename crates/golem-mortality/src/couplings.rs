//! The four couplings between the clocks as explicit terms, so that each can be tested and switched off alone.
//!
//! 1. Epistemic to economic: bad forecasts make bad trades. The term is the forecast itself: policies use its numbers.
//! 2. Economic to epistemic: poverty slows learning: [`plasticity`] and the doubled interval.
//! 3. Both to stochastic: [`crate::stochastic::frailty`] raises the hazard.
//! 4. Stochastic to behavioural: [`Awareness`] is part of every context, and hazard lowers the [`sharing_threshold`].

use crate::phase::{BehavioralPhase, PhaseLearning};
use crate::stochastic::HazardBand;
use serde::{Deserialize, Serialize};

/// How fast a mind may learn in this phase: 1 is full speed, 0 is nothing new.
#[must_use]
pub fn plasticity(phase: BehavioralPhase) -> f64 {
    match phase.behaviour().learning {
        PhaseLearning::Free | PhaseLearning::Balanced => 1.0,
        // Turns are twice as long already; within them updates count half.
        PhaseLearning::Slowed => 0.5,
        PhaseLearning::None => 0.0,
    }
}

/// What a golem knows of its own mortality, for the mind, for contexts and for people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Awareness {
    /// Composite vitality.
    pub vitality: f64,
    /// Phase.
    pub phase: BehavioralPhase,
    /// Hours of life that the economic clock projects; none when nothing burns.
    pub projected_life_h: Option<f64>,
    /// How dangerous the next turns are.
    pub hazard_band: HazardBand,
}

/// Confidence from which knowledge is shared: the phase's, lowered as hazard rises, never below the Terminal one.
#[must_use]
pub fn sharing_threshold(phase: BehavioralPhase, hazard: f64) -> f64 {
    let base = phase.behaviour().sharing_threshold;
    let least = BehavioralPhase::Terminal.behaviour().sharing_threshold;
    let pressure = if hazard > 0.0 { (hazard / 5e-4).min(1.0) } else { 0.0 };
    (base - 0.15 * pressure).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::StochasticConfig;
    use crate::stochastic::{frailty, hazard};

    #[test]
    fn poverty_slows_learning() {
        let speeds: Vec<f64> = BehavioralPhase::ALL.into_iter().map(plasticity).collect();
        assert_eq!(speeds, [0.0, 0.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn ignorance_raises_hazard() {
        let c = StochasticConfig::default();
        for (fitness, want) in [(1.0, 1.0), (0.5, 2.0), (0.0, 3.0), (f64::NAN, 3.0)] {
            assert!((frailty(fitness, &c) - want).abs() < 1e-12);
        }
        assert!(hazard(1e5, 0.0, &c) > 2.9 * hazard(1e5, 1.0, &c));
    }

    #[test]
    fn danger_makes_generous() {
        let thriving = |h| sharing_threshold(BehavioralPhase::Thriving, h);
        assert!((thriving(1e-9) - 0.6).abs() < 1e-5 && (thriving(1e-3) - 0.45).abs() < 1e-12);
        assert!((sharing_threshold(BehavioralPhase::Terminal, 1e-3) - 0.1).abs() < 1e-12);
    }
}
