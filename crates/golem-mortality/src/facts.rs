//! What the mortality rules report, under the seed's names.

use crate::death::{Death, DeathCause};
use crate::economic::rebalance::Rebalanced;
use crate::epistemic::Stage;
use crate::info::{ChannelReport, InfoAlert};
use crate::phase::BehavioralPhase;
use crate::vitality::VitalityState;
use golem_core::fact::FactBody;
use golem_core::{Tick, Usdc};
use serde::{Deserialize, Serialize};

/// A clock, as named in `trigger_clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Money.
    Economic,
    /// Knowledge.
    Epistemic,
    /// Age.
    Stochastic,
}

/// A past-tense fact of the mortality rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum MortalityFact {
    /// Vitality was computed (every turn).
    #[serde(rename = "mortality.vitality_update")]
    VitalityUpdate {
        /// Economic health.
        economic: f64,
        /// Fitness.
        epistemic: f64,
        /// Probability of surviving the next 24 h.
        stochastic: f64,
        /// Composite vitality.
        composite: f64,
        /// Phase.
        phase: BehavioralPhase,
        /// Turn.
        tick: Tick,
    },
    /// The phase changed.
    #[serde(rename = "mortality.phase_transition")]
    PhaseTransition {
        /// Before.
        from_phase: BehavioralPhase,
        /// After.
        to_phase: BehavioralPhase,
        /// Composite vitality.
        composite: f64,
        /// The component that fell most since the last transition.
        trigger_clock: Clock,
    },
    /// Vitality fell by a phase: which information channel closes. It explains; it decides nothing.
    #[serde(rename = "mortality.channel_report")]
    Channel(ChannelReport),
    /// Credits fell below the conservation threshold.
    #[serde(rename = "mortality.economic_critical")]
    EconomicCritical {
        /// Net asset value above the reserve.
        #[serde(rename = "remaining_micro_usdc")]
        remaining: Usdc,
        /// Smoothed burn.
        #[serde(rename = "burn_rate_micro_usdc_per_tick")]
        burn_rate: f64,
        /// Nominal ticks left at that rate.
        projected_ticks: Option<u64>,
    },
    /// Fitness fell below 0.50.
    #[serde(rename = "mortality.epistemic_warning")]
    EpistemicWarning {
        /// Fitness.
        fitness: f64,
        /// Where senescence begins.
        senescence_threshold: f64,
        /// Nominal ticks below 0.50.
        ticks_in_decline: u64,
    },
    /// The stage of senescence changed.
    #[serde(rename = "mortality.senescence")]
    Senescence {
        /// The new stage.
        stage: Stage,
        /// Fitness.
        fitness: f64,
        /// Domains below the threshold.
        failing_domains: Vec<String>,
    },
    /// The stochastic death check was made (every turn).
    #[serde(rename = "mortality.stochastic_roll")]
    StochasticRoll {
        /// Hazard per nominal tick.
        hazard_rate: f64,
        /// The roll.
        roll: f64,
        /// How it ended.
        survived: bool,
    },
    /// The vigil began or ended in rescue.
    #[serde(rename = "mortality.vigil")]
    Vigil {
        /// True at its beginning, false at a rescue.
        open: bool,
        /// Turns that are left, or that it took.
        turns: u64,
    },
    /// Operating credit moved between purses.
    #[serde(rename = "mortality.rebalance")]
    Rebalance(Rebalanced),
    /// An information diagnostic was raised or cleared. It advises; it never kills.
    #[serde(rename = "mortality.information_alert")]
    Information(InfoAlert),
    /// An immortal passed a point at which a mortal would have died.
    #[serde(rename = "mortality.would_have_died")]
    WouldHaveDied {
        /// Of what.
        cause: DeathCause,
    },
    /// The golem died.
    #[serde(rename = "mortality.dead")]
    Dead {
        /// Of what.
        cause: DeathCause,
        /// Vitality at that moment.
        final_vitality: VitalityState,
        /// Nominal ticks lived.
        ticks_alive: u64,
    },
}

impl MortalityFact {
    pub(crate) fn dead(death: &Death) -> Self {
        Self::Dead {
            cause: death.cause.clone(),
            final_vitality: death.final_vitality,
            ticks_alive: death.age.age().nominal_floor(),
        }
    }
}

impl FactBody for MortalityFact {
    fn name(&self) -> &'static str {
        match self {
            Self::VitalityUpdate { .. } => "mortality.vitality_update",
            Self::PhaseTransition { .. } => "mortality.phase_transition",
            Self::Channel(_) => "mortality.channel_report",
            Self::EconomicCritical { .. } => "mortality.economic_critical",
            Self::EpistemicWarning { .. } => "mortality.epistemic_warning",
            Self::Senescence { .. } => "mortality.senescence",
            Self::StochasticRoll { .. } => "mortality.stochastic_roll",
            Self::Vigil { .. } => "mortality.vigil",
            Self::Rebalance(_) => "mortality.rebalance",
            Self::Information(alert) => alert.name(),
            Self::WouldHaveDied { .. } => "mortality.would_have_died",
            Self::Dead { .. } => "mortality.dead",
        }
    }
    fn is_series(&self) -> bool {
        matches!(self, Self::VitalityUpdate { .. } | Self::StochasticRoll { .. })
    }
}
