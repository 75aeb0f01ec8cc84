//! Composite vitality: two sigmoids and an age drag, multiplied, so that no axis can make up for another.

use crate::config::VitalityConfig;
use crate::phase::BehavioralPhase;
use golem_core::Timestamp;
use serde::{Deserialize, Serialize};

/// Composite mortality state, computed every turn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VitalityState {
    /// Net asset value above the reserve relative to the funding at birth; 1 when self-hosted.
    pub economic: f64,
    /// Fitness: 0.5 is as good as a naive forecast.
    pub epistemic: f64,
    /// Nominal age over the reference lifespan; grows beyond 1.
    pub age_factor: f64,
    /// What drives the phases.
    pub composite: f64,
    /// The phase it lives in; pinned to Thriving for an immortal.
    pub phase: BehavioralPhase,
    /// Turns in that phase.
    pub ticks_in_phase: u64,
    /// The phase before.
    pub previous_phase: Option<BehavioralPhase>,
    /// When it was computed (Unix seconds), for people.
    pub last_computed: Timestamp,
}

/// The three factors of composite vitality.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VitalityFactors {
    /// Sigmoid of economic health.
    pub economic: f64,
    /// Sigmoid of fitness.
    pub epistemic: f64,
    /// One minus the drag of age, at least 0.
    pub age: f64,
}

/// Maps any real number to (0, 1) with a sharp transition around the centre; NaN to 0.
#[must_use]
pub fn sigmoid(x: f64, center: f64, steepness: f64) -> f64 {
    let y = 1.0 / (1.0 + libm::exp(-steepness * (x - center)));
    if y.is_nan() { 0.0 } else { y }
}

/// Nominal age over the reference lifespan.
#[doc(alias = "hayflick_ratio")]
#[must_use]
pub fn compute_age_factor(nominal_ticks: f64, reference_lifespan: u64) -> f64 {
    if nominal_ticks > 0.0 { nominal_ticks.min(1e15) / reference_lifespan.max(1) as f64 } else { 0.0 }
}

impl VitalityFactors {
    /// From the three clocks.
    #[must_use]
    pub fn of(economic: f64, epistemic: f64, nominal_ticks: f64, config: &VitalityConfig) -> Self {
        let drag = compute_age_factor(nominal_ticks, config.reference_lifespan) * config.age_drag;
        Self {
            economic: sigmoid(economic, config.economic_center, config.economic_steepness),
            epistemic: sigmoid(epistemic, config.epistemic_center, config.epistemic_steepness),
            age: (1.0 - drag).clamp(0.0, 1.0),
        }
    }
    /// The same for the channel report, with the entropy rate of the actions where it is known.
    #[must_use]
    pub fn channels(&self, entropy_rate: Option<f64>) -> crate::info::VitalityComponents {
        let Self { economic, epistemic, age } = *self;
        crate::info::VitalityComponents { composite: self.product(), economic, epistemic, age, entropy_rate }
    }
    /// Their product, in [0, 1].
    #[must_use]
    pub fn product(&self) -> f64 {
        let c = self.economic * self.epistemic * self.age;
        if c.is_nan() { 0.0 } else { c.clamp(0.0, 1.0) }
    }
}

/// Composite vitality from the three clocks.
#[must_use]
pub fn compute_vitality(economic: f64, epistemic: f64, nominal_ticks: f64, config: &VitalityConfig) -> f64 {
    VitalityFactors::of(economic, epistemic, nominal_ticks, config).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        let c = VitalityConfig::default();
        for (economic, epistemic, tick, want) in [
            (0.9, 0.2, 0.0, 0.16757),
            (1.0, 0.5, 0.0, 0.68935),
            (1.0, 1.0, 0.0, 0.99093),
            (0.3, 1.0, 0.0, 0.49592),
            (1.0, 0.5, 200_000.0, 0.48254),
            (1.0, 0.5, 400_000.0, 0.27574),
            (1.0, 0.5, 1e6, 0.0),
        ] {
            let got = compute_vitality(economic, epistemic, tick, &c);
            assert!((got - want).abs() < 2e-5, "{economic} {epistemic} {tick}: {got} instead of {want}");
        }
    }
}
