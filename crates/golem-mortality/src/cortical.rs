//! CorticalState: the golem's self-model as a plain struct of signals, made once per turn, read by surfaces.
//!
//! Safety never depends on it: it shows, it does not decide.

use crate::epistemic::Domain;
use crate::info::CorticalSignals;
use crate::lifespan::Mortality;
use crate::phase::BehavioralPhase;
use golem_core::Regime;
use serde::{Deserialize, Serialize};

/// The signals of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CorticalState {
    /// Economic health.
    pub economic: f32,
    /// Fitness.
    pub epistemic: f32,
    /// Probability of surviving the next 24 h.
    pub stochastic: f32,
    /// Composite vitality.
    pub composite: f32,
    /// Phase.
    pub phase: BehavioralPhase,
    /// Fitness over all domains.
    pub aggregate_accuracy: f32,
    /// -1 falling, 0 level, 1 rising.
    pub accuracy_trend: i8,
    /// Fitness by domain; NaN never, absent when the domain does not count yet.
    pub category_accuracy: [Option<f32>; 6],
    /// Market regime.
    pub regime: Regime,
    /// Gas price in gwei, where this world has one.
    pub gas_gwei: Option<f32>,
    /// The three information signals; absent while too little is known.
    pub information: Option<CorticalSignals>,
}

impl CorticalState {
    /// From the rooms' states.
    #[must_use]
    pub fn of(
        mortality: &Mortality,
        config: &crate::config::MortalityConfig,
        survival_24h: f64,
        information: Option<CorticalSignals>,
        regime: Regime,
        gas_gwei: Option<f64>,
    ) -> Self {
        let v = &mortality.vitality;
        let trend = mortality.epistemic.trend;
        let category = |d: Domain| mortality.epistemic.domain_fitness(d, &config.epistemic).map(|f| f as f32);
        Self {
            economic: v.economic as f32,
            epistemic: v.epistemic as f32,
            stochastic: survival_24h as f32,
            composite: v.composite as f32,
            phase: v.phase,
            aggregate_accuracy: v.epistemic as f32,
            accuracy_trend: i8::from(trend > 0.01) - i8::from(trend < -0.01),
            category_accuracy: Domain::ALL.map(category),
            regime,
            gas_gwei: gas_gwei.map(|g| g as f32),
            information,
        }
    }
}
