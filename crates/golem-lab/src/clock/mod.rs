//! Whether the epistemic clock tells the truth: minds that learn, that stopped learning and that have everything the wrong
//! way round, lived in the lab's mode (phases act, deaths are recorded), and what the clock said of each.

mod causes;
mod couplings;
mod life;
mod report;

pub use causes::{CauseLine, causes};
pub use couplings::{CouplingLine, couplings};
pub use life::{ClockLife, ClockMind};
pub use report::{ClockReport, MindLine, minds};

use crate::compare::{CompareError, WorldSource, on_threads};
use crate::world::CsvOptions;
use golem_core::Usdc;
use golem_life::Settings;

/// The day on which a mind stops learning, or turns round.
pub const DAY_OF_CHANGE: u64 = 20;

/// What is to be lived.
#[derive(Debug, Clone)]
pub struct ClockPlan {
    /// Worlds by name, or csv:PATH.
    pub worlds: Vec<String>,
    /// Lives that learn, in each world; a third as many of each other mind.
    pub lives: u64,
    /// Virtual days of each.
    pub days: u64,
    /// Seconds between turns; none for what suits the world.
    pub pace_s: Option<u64>,
    /// The seed of the first.
    pub seed: u64,
    /// What each is given.
    pub budget: Usdc,
    /// Threads; 0 for all cores.
    pub threads: usize,
    /// True for whole golems; without memory and diagnostics lives pass several times as fast.
    pub whole: bool,
}

impl Default for ClockPlan {
    fn default() -> Self {
        Self {
            worlds: vec!["default".into()],
            lives: 180,
            days: 60,
            pace_s: Some(3_600),
            seed: 1,
            budget: Usdc::whole(1_000),
            threads: 0,
            whole: false,
        }
    }
}

impl ClockPlan {
    /// Everybody's settings.
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.heartbeat.tick_interval_s = self.pace_s.unwrap_or(0);
        settings.diagnostics.enabled = self.whole;
        settings.grimoire.enabled = self.whole;
        settings
    }
    /// A world of the plan.
    fn source(&self, word: &str, days: u64) -> Result<WorldSource, CompareError> {
        WorldSource::open(word, days, &CsvOptions::default())
    }

    /// Do all of it on all threads; answers come in the order of the questions.
    fn each<Q: Sync, A: Send>(
        &self,
        all: &[Q],
        each: impl Fn(&Q) -> Result<A, CompareError> + Sync,
    ) -> Result<Vec<A>, CompareError> {
        on_threads(self.threads, all, each)
    }
}
