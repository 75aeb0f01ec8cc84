//! `[phages]`: whether a golem has short-lived children, how many, and how long they live.

use golem_core::Problem;
use golem_core::problem::ranges;
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// `[phages]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhageConfig {
    pub enabled: bool,
    /// Children a day, by phase.
    pub per_day: PhagesPerDay,
    /// Turns that a child lives.
    pub lifetime_turns: u32,
    /// A difference to the parent smaller than this, in basis points of wealth, is none.
    pub clear_bps: f64,
    /// Whether one that thrives sends replicants.
    pub replicants: bool,
    /// Turns that a replicant lives.
    pub replicant_turns: u32,
}

/// `[phages.per_day]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhagesPerDay {
    pub thriving: u32,
    pub stable: u32,
    pub conservation: u32,
    pub declining: u32,
    pub terminal: u32,
}

impl Default for PhagesPerDay {
    fn default() -> Self {
        let of = |phase: BehavioralPhase| phase.behaviour().phages_per_day;
        Self {
            thriving: of(BehavioralPhase::Thriving),
            stable: of(BehavioralPhase::Stable),
            conservation: of(BehavioralPhase::Conservation),
            declining: of(BehavioralPhase::Declining),
            terminal: of(BehavioralPhase::Terminal),
        }
    }
}

impl PhagesPerDay {
    /// From the worst phase to the best.
    #[must_use]
    pub fn table(&self) -> [u32; 5] {
        [self.terminal, self.declining, self.conservation, self.stable, self.thriving]
    }
}

impl Default for PhageConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            per_day: PhagesPerDay::default(),
            lifetime_turns: 50,
            clear_bps: 0.05,
            replicants: true,
            replicant_turns: 540,
        }
    }
}

impl PhageConfig {
    /// Every problem, with its key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let day = |n: u32| f64::from(n);
        let per = &self.per_day;
        ranges(&[
            ("per_day.thriving", day(per.thriving), 0.0, 10.0),
            ("per_day.stable", day(per.stable), 0.0, 10.0),
            ("per_day.conservation", day(per.conservation), 0.0, 10.0),
            ("per_day.declining", day(per.declining), 0.0, 10.0),
            ("per_day.terminal", day(per.terminal), 0.0, 10.0),
            ("lifetime_turns", f64::from(self.lifetime_turns), 10.0, 200.0),
            ("clear_bps", self.clear_bps, 0.0, 100.0),
            ("replicant_turns", f64::from(self.replicant_turns), 10.0, 2_160.0),
        ])
    }
}
