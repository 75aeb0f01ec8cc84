//! Why a golem died, with what there is to know about it. A life ends once.

use crate::vitality::VitalityState;
use golem_core::{Tick, Usdc, VirtualTime};
use serde::{Deserialize, Serialize};

/// The seed's five causes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeathCause {
    /// The money ran out.
    Economic {
        /// Net asset value at death.
        #[serde(rename = "balance_micro_usdc")]
        balance: Usdc,
        /// Smoothed burn per nominal tick.
        #[serde(rename = "burn_rate_micro_usdc_per_tick")]
        burn_rate: f64,
        /// Nominal ticks lived.
        ticks_alive: u64,
    },
    /// The world moved on.
    EpistemicSenescence {
        /// Fitness at death.
        final_fitness: f64,
        /// The best there was.
        fitness_at_peak: f64,
        /// Nominal ticks of senescence.
        ticks_in_senescence: u64,
        /// Domains below the threshold.
        failing_domains: Vec<String>,
        /// The last turn with a right forecast.
        last_successful_prediction: u64,
    },
    /// Chance.
    Stochastic {
        /// Hazard per nominal tick.
        hazard_rate: f64,
        /// The roll that fell below the probability.
        death_roll: f64,
        /// The turn.
        tick_at_death: u64,
        /// Fitness at death.
        epistemic_fitness: f64,
        /// Operating credit left.
        #[serde(rename = "credit_balance_micro_usdc")]
        credit_balance: Usdc,
        /// Whether it was failing anyway.
        was_in_senescence: bool,
        /// The probability of dying in that turn, which the roll was compared with.
        #[serde(default)]
        death_probability: f64,
    },
    /// The owner ended it.
    OwnerKill {
        /// The owner's words.
        reason: String,
    },
    /// The kill switch ended it.
    KillSwitch {
        /// What threw it.
        trigger: String,
    },
}

impl DeathCause {
    /// The cause in a word, as in the seed's steps.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Economic { .. } => "economic",
            Self::EpistemicSenescence { .. } => "epistemic_senescence",
            Self::Stochastic { .. } => "stochastic",
            Self::OwnerKill { .. } => "owner_kill",
            Self::KillSwitch { .. } => "kill_switch",
        }
    }
}

/// A death, or what would have been one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Death {
    /// Why.
    pub cause: DeathCause,
    /// In which turn.
    pub tick: Tick,
    /// At which age.
    pub age: VirtualTime,
    /// The sealed roll of that turn, whatever killed.
    pub roll: f64,
    /// Vitality at that moment.
    pub final_vitality: VitalityState,
}
