//! How long dying may take.

use golem_core::problem::{Problem, ranges};
use serde::{Deserialize, Serialize};

/// `[mortality.dying]`: turns between the record of a death and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DyingConfig {
    /// Turns in which what is open is closed, tried again where it could not be.
    pub settlement_turns: u32,
    /// The same after a death by chance, which comes without warning.
    pub sudden_settlement_turns: u32,
    /// Turns in which what it has is sent home, tried again where it could not be.
    pub home_turns: u32,
    /// No dying takes more turns than this.
    pub max_turns: u32,
}

impl Default for DyingConfig {
    fn default() -> Self {
        Self { settlement_turns: 30, sudden_settlement_turns: 12, home_turns: 6, max_turns: 45 }
    }
}

impl DyingConfig {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut all = ranges(&[
            ("settlement_turns", f64::from(self.settlement_turns), 2.0, 1_000.0),
            ("sudden_settlement_turns", f64::from(self.sudden_settlement_turns), 2.0, 1_000.0),
            ("home_turns", f64::from(self.home_turns), 1.0, 100.0),
            ("max_turns", f64::from(self.max_turns), 6.0, 1_000.0),
        ]);
        if self.max_turns < self.settlement_turns.max(self.sudden_settlement_turns).saturating_add(5) {
            all.push(Problem::new("max_turns", "must leave five turns beside those of the settlement"));
        }
        all
    }
}
