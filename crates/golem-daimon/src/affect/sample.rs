//! What affect looks at in every turn besides events: the golem's condition, as it was recorded.

use golem_core::Unit;
use golem_mortality::BehavioralPhase;

/// The condition of a turn. Any float may be passed; what is not a number is read as the doc of its reader says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AffectSample {
    /// Composite vitality.
    pub vitality: f64,
    /// The phase of life.
    pub phase: BehavioralPhase,
    /// Balance over initial funding, above the reserve: the economic clock.
    pub balance_ratio: f64,
    /// Days that the money lasts; none when nothing burns.
    pub runway_days: Option<f64>,
    /// Epistemic fitness: .5 is as good as naive.
    pub fitness: f64,
    /// Its change over the last 100 nominal ticks.
    pub fitness_trend: f64,
    /// The chance of a sudden death per nominal tick.
    pub hazard: f64,
    /// The prediction error of the turn.
    pub prediction_error: f64,
    /// How many probes were not quiet.
    pub anomalies: u32,
}

impl Default for AffectSample {
    /// A golem in good health about which nothing is known.
    fn default() -> Self {
        Self {
            vitality: 1.0,
            phase: BehavioralPhase::Thriving,
            balance_ratio: 1.0,
            runway_days: None,
            fitness: 0.5,
            fitness_trend: 0.0,
            hazard: 0.0,
            prediction_error: 0.0,
            anomalies: 0,
        }
    }
}

impl AffectSample {
    /// Vitality in [0, 1]; what is not a number is none.
    pub(super) fn vitality(&self) -> f64 {
        Unit::clamped(self.vitality).get()
    }
    /// Balance ratio in [0, 1]; what is not a number is nothing left.
    pub(super) fn balance(&self) -> f64 {
        Unit::clamped(self.balance_ratio).get()
    }
    /// Days of money, at least a tenth; unreadable ones are unknown.
    pub(super) fn runway(&self) -> Option<f64> {
        self.runway_days.filter(|d| !d.is_nan()).map(|d| d.max(0.1))
    }
    /// Fitness in [0, 1]; what is not a number is as good as naive.
    pub(super) fn fitness(&self) -> f64 {
        if self.fitness.is_nan() { 0.5 } else { self.fitness.clamp(0.0, 1.0) }
    }
    /// Trend of fitness in [-1, 1]; what is not a number is level.
    pub(super) fn trend(&self) -> f64 {
        if self.fitness_trend.is_nan() { 0.0 } else { self.fitness_trend.clamp(-1.0, 1.0) }
    }
    /// Prediction error in [0, 1].
    pub(super) fn prediction_error(&self) -> f64 {
        Unit::clamped(self.prediction_error).get()
    }
    /// Hazard in [0, 1].
    pub(super) fn hazard(&self) -> f64 {
        Unit::clamped(self.hazard).get()
    }
}
