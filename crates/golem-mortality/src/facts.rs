//! What the mortality rules report, under the seed's names.

use crate::death::{Death, DeathCause};
use crate::dying::DyingStage;
use crate::economic::rebalance::Rebalanced;
use crate::epistemic::SenescenceStage;
use crate::info::{AlertChange, ChannelReport, InfoAlert};
use crate::phase::BehavioralPhase;
use crate::regime_eval::RegimeComparison;
use crate::vitality::VitalityState;
use golem_core::fact::FactBody;
use golem_core::{Tick, Usdc};
use serde::{Deserialize, Serialize};

/// A clock, as named in `trigger_clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerClock {
    /// Money.
    Economic,
    /// Knowledge.
    Epistemic,
    /// Age.
    Stochastic,
}

golem_core::facts! {
/// A past-tense fact of the mortality rules. Rare and large bodies are boxed: two small ones are told every turn.
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
        /// Turn; on the wire it is the envelope's.
        #[serde(skip)]
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
        /// The component that fell most since the last transition; on a climb the one that recovered most.
        trigger_clock: TriggerClock,
    },
    /// Vitality fell by a phase: which information channel closes. It explains; it decides nothing.
    #[serde(rename = "mortality.channel_report")]
    Channel(Box<ChannelReport>),
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
        /// Nominal ticks since fitness was at its best.
        ticks_in_decline: u64,
    },
    /// The stage of senescence changed.
    #[serde(rename = "mortality.senescence")]
    Senescence {
        /// The new stage.
        stage: SenescenceStage,
        /// Fitness.
        fitness: f64,
        /// How much more a newborn loses, in usual losses of the naive rule.
        #[serde(default)]
        lead: f64,
        /// Domains in which a newborn would know better.
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
    /// Healthy by its clocks, yet independent of its market: raised or cleared. Information advises; it never kills.
    #[serde(rename = "mortality.decoupling_alert")]
    DecouplingAlert {
        /// Raised or cleared.
        change: AlertChange,
        /// Information in bits, less the false part.
        mi_bits: f64,
        /// The overlay V.
        vitality: f64,
    },
    /// Knew the past, does not know the present: raised or cleared.
    #[serde(rename = "mortality.overfitting_alert")]
    OverfittingAlert {
        /// Raised or cleared.
        change: AlertChange,
        /// Information about the older half of the buffer, where it could be measured.
        past_bits: Option<f64>,
        /// Information about the newer half.
        recent_bits: f64,
    },
    /// Knows nothing that its siblings do not: raised or cleared.
    #[serde(rename = "mortality.redundancy_alert")]
    RedundancyAlert {
        /// Raised or cleared.
        change: AlertChange,
        /// 1 is fully unique.
        index: Option<f64>,
    },
    /// Skill changed within the same regime. Advice, like the alerts above.
    #[serde(rename = "mortality.regime_evaluation")]
    RegimeEvaluation(Box<RegimeComparison>),
    /// A golem that its clocks cannot end passed a point at which another would have died.
    #[serde(rename = "mortality.would_have_died")]
    WouldHaveDied {
        /// Of what.
        cause: Box<DeathCause>,
    },
    /// Death was recorded: nothing can be undone from here, and the last turns begin.
    #[serde(rename = "mortality.dying")]
    Dying {
        /// Of what.
        cause: Box<DeathCause>,
        /// The sealed roll of that turn, whatever killed.
        roll: f64,
        /// Vitality at that moment.
        final_vitality: Box<VitalityState>,
        /// Nominal ticks lived.
        ticks_alive: u64,
    },
    /// A stage of dying has passed.
    #[serde(rename = "mortality.dying_stage")]
    DyingStage {
        /// Which.
        stage: DyingStage,
        /// What came of it.
        outcome: String,
    },
    /// The golem is dead: the last fact but its mode's.
    #[serde(rename = "mortality.dead")]
    Dead {
        /// Of what.
        cause: Box<DeathCause>,
        /// Vitality at that moment.
        final_vitality: Box<VitalityState>,
        /// Nominal ticks lived.
        ticks_alive: u64,
    },
}
}

impl TriggerClock {
    /// In a word that people use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Economic => "money",
            Self::Epistemic => "knowledge",
            Self::Stochastic => "age",
        }
    }
}

impl MortalityFact {
    pub(crate) fn dying(death: &Death) -> Self {
        Self::Dying {
            cause: Box::new(death.cause.clone()),
            roll: death.roll,
            final_vitality: Box::new(death.final_vitality),
            ticks_alive: death.age.age().nominal_floor(),
        }
    }
    pub(crate) fn dead(death: &Death) -> Self {
        Self::Dead {
            cause: Box::new(death.cause.clone()),
            final_vitality: Box::new(death.final_vitality),
            ticks_alive: death.age.age().nominal_floor(),
        }
    }
}

impl From<InfoAlert> for MortalityFact {
    fn from(alert: InfoAlert) -> Self {
        match alert {
            InfoAlert::Decoupling { change, mi_bits, vitality } => Self::DecouplingAlert { change, mi_bits, vitality },
            InfoAlert::Overfitting { change, past_bits, recent_bits } => {
                Self::OverfittingAlert { change, past_bits, recent_bits }
            }
            InfoAlert::Redundancy { change, index } => Self::RedundancyAlert { change, index },
        }
    }
}

impl FactBody for MortalityFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
    fn is_series(&self) -> bool {
        matches!(self, Self::VitalityUpdate { .. } | Self::StochasticRoll { .. })
    }
}
