//! What remedies are worth: each of the six stressors is provoked by its own counting rule in a real life, and the same path
//! is lived with the same dice with remedies and without. How long a stressor stays open, and what ending it sooner costs.
//!
//! The owner of these lives answers when asked, and does not look in otherwise. Where a remedy is a message to the owner, an
//! owner who never answers is an arm of its own: there the remedy has nothing to work with.

mod life;
mod provoke;
mod report;

pub use life::{RemedyArm, RemedyLife};
pub use report::{RemedyLine, RemedyReport};

use crate::compare::{CompareError, on_threads};
use golem_daimon::suffering::Canonical;

/// What is to be lived.
#[derive(Debug, Clone)]
pub struct RemedyPlan {
    /// Which stressors are provoked.
    pub stressors: Vec<Canonical>,
    /// Paths of each.
    pub seeds: u64,
    /// The seed of the first.
    pub first_seed: u64,
    /// Virtual days of each life.
    pub days: u64,
    /// Threads; 0 for all cores.
    pub threads: usize,
}

impl Default for RemedyPlan {
    fn default() -> Self {
        Self { stressors: Canonical::ALL.to_vec(), seeds: 20, first_seed: 1, days: 30, threads: 0 }
    }
}

/// Live all of it. `told` hears of each life.
///
/// # Errors
/// When a market cannot begin.
pub fn measure(plan: &RemedyPlan, told: &(dyn Fn(&RemedyLife) + Sync)) -> Result<RemedyReport, CompareError> {
    let mut all: Vec<(Canonical, RemedyArm, u64)> = Vec::new();
    for stressor in &plan.stressors {
        for seed in plan.first_seed..plan.first_seed + plan.seeds {
            all.extend(RemedyArm::of(*stressor).iter().map(|arm| (*stressor, *arm, seed)));
        }
    }
    let lives = on_threads(plan.threads, &all, |(stressor, arm, seed)| {
        let life = life::live(*stressor, *arm, *seed, plan.days)?;
        told(&life);
        Ok(life)
    })?;
    RemedyReport::of(plan, lives)
}
