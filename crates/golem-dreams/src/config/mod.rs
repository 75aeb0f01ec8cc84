//! `[dream]`: everything an owner may choose about dreams, with the range of every number.
//!
//! Keys are the seed's in snake_case; its camelCase spellings are read too. Text that cannot be read (an amount, a
//! span, a time of day, a zone) is kept as it was written, so that all problems are told at once, each with its key.

mod content;
mod daytime;
mod moments;
mod needs;
mod text;
mod work;

pub use content::{GainWeights, ImaginationConfig, NeedWeights, ReplayConfig, ReplayPrioritization};
pub(crate) use daytime::{DayTime, zone};
pub use moments::{DreamSchedule, DreamScheduleMode, MarketThreshold, SleepWindow, SleepWindows, WakeInterruptsConfig};
pub use needs::{DreamClocksConfig, FirstDreamThresholds, UrgencyConfig};
pub use text::{DreamMoney, DreamSpan};
pub use work::{DreamBudgetConfig, DreamConsolidationConfig, DreamPhasesConfig, DreamProviderOptions};

use crate::state::DreamTier;
use golem_core::Problem;
use golem_core::problem::ranges;
use golem_core::words::is_hidden;
use serde::{Deserialize, Serialize};

/// The settings of dreams. Off unless the owner wishes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DreamConfig {
    pub enabled: bool,
    pub tier: DreamTier,
    pub schedule: DreamSchedule,
    pub windows: SleepWindows,
    pub budget: DreamBudgetConfig,
    pub phases: DreamPhasesConfig,
    pub replay: ReplayConfig,
    pub imagination: ImaginationConfig,
    pub consolidation: DreamConsolidationConfig,
    #[serde(alias = "wakeInterrupts")]
    pub wake_interrupts: WakeInterruptsConfig,
    pub urgency: UrgencyConfig,
    pub clocks: DreamClocksConfig,
    /// Episodes before the first dream.
    #[serde(alias = "firstDream")]
    pub first_dream: FirstDreamThresholds,
    /// Turns after which a cycle ends, and questions that it may ask of models.
    #[serde(alias = "maxTurnsPerCycle")]
    pub max_turns_per_cycle: u32,
    /// The longest that one cycle may take, in virtual time.
    #[serde(alias = "maxDuration")]
    pub max_duration: DreamSpan,
    #[serde(alias = "coreMaxCyclesPerDay")]
    pub core_max_cycles_per_day: u32,
    /// Turns between two cycles.
    #[serde(alias = "dreamCycleInterval")]
    pub dream_cycle_interval: u64,
    /// Share of the day's cycles that scheduled ones leave to urgent ones.
    #[serde(alias = "urgentReserve")]
    pub urgent_reserve: f64,
    /// The provider that dreams ask, by the name it has among the providers of models; empty asks as the waking life
    /// does.
    #[serde(alias = "dreamInferenceProvider")]
    pub dream_inference_provider: String,
    pub provider: DreamProviderOptions,
}

impl Default for DreamConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            tier: DreamTier::Core,
            schedule: DreamSchedule::default(),
            windows: SleepWindows::default(),
            budget: DreamBudgetConfig::default(),
            phases: DreamPhasesConfig::default(),
            replay: ReplayConfig::default(),
            imagination: ImaginationConfig::default(),
            consolidation: DreamConsolidationConfig::default(),
            wake_interrupts: WakeInterruptsConfig::default(),
            urgency: UrgencyConfig::default(),
            clocks: DreamClocksConfig::default(),
            first_dream: FirstDreamThresholds::default(),
            max_turns_per_cycle: 60,
            max_duration: DreamSpan::secs(3_600),
            core_max_cycles_per_day: 24,
            dream_cycle_interval: 50,
            urgent_reserve: 0.25,
            dream_inference_provider: String::new(),
            provider: DreamProviderOptions::default(),
        }
    }
}

impl DreamConfig {
    /// Every problem with these settings, with the key it belongs to.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("max_turns_per_cycle", f64::from(self.max_turns_per_cycle), 1.0, 1_000.0),
            ("core_max_cycles_per_day", f64::from(self.core_max_cycles_per_day), 1.0, 1_000.0),
            ("dream_cycle_interval", self.dream_cycle_interval as f64, 1.0, 1_000_000.0),
            ("urgent_reserve", self.urgent_reserve, 0.0, 1.0),
        ]);
        all.extend(self.max_duration.problem("max_duration"));
        for (table, problems) in [
            ("schedule", self.schedule.problems()),
            ("windows", self.windows.problems()),
            ("budget", self.budget.problems()),
            ("phases", self.phases.problems()),
            ("replay", self.replay.problems()),
            ("imagination", self.imagination.problems()),
            ("consolidation", self.consolidation.problems()),
            ("wake_interrupts", self.wake_interrupts.problems()),
            ("urgency", self.urgency.problems()),
            ("clocks", self.clocks.problems()),
            ("first_dream", self.first_dream.problems()),
        ] {
            all.extend(problems.into_iter().map(|p| p.under(table)));
        }
        let name = self.dream_inference_provider.as_str();
        if name.chars().count() > 64 || name.chars().any(|c| is_hidden(c) || c.is_whitespace()) {
            let message = "is not the name of a provider: one word of at most 64 characters, or empty";
            all.push(Problem::new("dream_inference_provider", message));
        }
        all
    }
}

#[cfg(test)]
mod tests;
