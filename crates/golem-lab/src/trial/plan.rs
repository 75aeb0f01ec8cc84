//! The plan of a trial, fixed before anybody lives: what is asked, who lives where, how many paths, what counts as a difference,
//! and by which program and data. Its hash names it.

use super::arm::{Contrast, TrialArm};
use super::cell::{CellFamily, TrialCell};
use super::error::TrialError;
use crate::compare::Preferred;
use golem_core::{Hash, Usdc, plain};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What is judged, in the order of rows: name, which way is better, the usual margin, and what it is.
pub const TRIAL_OUTCOMES: [(&str, Preferred, f64, &str); 3] = [
    (
        "forecast_loss",
        Preferred::Less,
        0.01,
        "summed loss of all forecasts of the line in losses of the naive rule, mean over domains",
    ),
    (
        "recovery_loss",
        Preferred::Less,
        0.02,
        "the same within some days after each turn of the rules, whoever lives then",
    ),
    (
        "worth",
        Preferred::More,
        0.01,
        "what the line has at the end, over what it began with; losses of the dead stay in it",
    ),
];

/// A trial before it begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialPlan {
    pub hypotheses: Vec<String>,
    pub arms: Vec<TrialArm>,
    /// What is held against what; the first two decide.
    pub contrasts: Vec<Contrast>,
    pub cells: Vec<TrialCell>,
    /// Paths in each cell.
    pub paths: u64,
    pub first_seed: u64,
    pub days: u64,
    /// What a line has for the whole path.
    #[serde(rename = "budget_micro_usdc")]
    pub budget: Usdc,
    /// Whether dying costs what it costs: positions are closed, and opened again by the next.
    pub costs: bool,
    pub frozen_after_days: u64,
    /// Days after a turn of the rules that count as recovery.
    pub recovery_days: u64,
    pub tuning: Tuning,
    /// The outcome that decides.
    pub primary: String,
    pub margins: BTreeMap<String, f64>,
    /// The chance that all intervals of the page hold.
    pub level: f64,
    pub resamples: u32,
    /// What was set for everybody.
    pub sets: Vec<String>,
    /// Hash of the settings that all arms begin from.
    pub settings: Hash,
    /// What tells the recorded markets from any other, by file name.
    pub data: BTreeMap<String, Hash>,
    /// Hash of the program.
    pub binary: Hash,
}

/// How the memory of the tuned arm was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// Paths in each generated cell that it was tuned on; none of them is lived in the trial.
    pub paths: u64,
    /// Memories in days, with their mean loss there; none where nothing was tuned.
    pub tried: Vec<(u32, Option<f64>)>,
    /// The one that is used.
    pub memory_days: u32,
}

/// A plan as it stands in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialPlanFile {
    pub hash: Hash,
    pub plan: TrialPlan,
}

impl TrialPlan {
    /// The hypotheses, as the verdict reads them.
    #[must_use]
    pub fn hypotheses() -> Vec<String> {
        [
            "A line whose golems die and inherit at 0.85 does better than an immortal that keeps all.",
            "It does better than an immortal that forgets as much as the line loses: else what it gains is explained by forgetting.",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    /// What names it: everything in it.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of(plain::json(self).as_bytes())
    }

    /// The names of its cells.
    #[must_use]
    pub fn cell_names(&self) -> Vec<String> {
        self.cells.iter().map(ToString::to_string).collect()
    }

    /// Turns that all lines of all paths take, about.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.cells.len() as u64 * self.paths * self.arms.len() as u64 * self.days * 24
    }

    /// The margin of an outcome.
    #[must_use]
    pub fn margin(&self, outcome: &str) -> f64 {
        let usual =
            || TRIAL_OUTCOMES.iter().find(|(name, ..)| *name == outcome).map_or(0.0, |(_, _, margin, _)| *margin);
        self.margins.get(outcome).copied().unwrap_or_else(usual)
    }

    /// Refuse what cannot be tried.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), TrialError> {
        let wrong = |what: &str, hint: &str| Err(TrialError::unsound(what, hint));
        if !(1..=100_000).contains(&self.paths) || self.first_seed.checked_add(10_000_000).is_none() {
            return wrong(
                "there must be from one to 100,000 paths, after a seed that leaves room for them",
                "try --paths 100",
            );
        }
        if !(2..=3_600).contains(&self.days) {
            return wrong("a path takes from 2 to 3,600 days", "try --days 360");
        }
        if self.arms != TrialArm::ALL || self.contrasts != Contrast::ALL {
            return wrong(
                "a trial has all ten arms and all contrasts",
                "make the plan anew: bardo lab plan --out FILE",
            );
        }
        let names: BTreeSet<String> = self.cell_names().into_iter().collect();
        if self.cells.is_empty() || names.len() != self.cells.len() {
            return wrong("every cell must be there once", "make the plan anew: bardo lab plan --out FILE");
        }
        let has = |family| self.cells.iter().any(|cell| cell.family() == family);
        if !has(CellFamily::NegativeControl) || !has(CellFamily::PositiveControl) {
            return wrong("a trial without its two controls shows nothing", "leave the controls in");
        }
        if ![CellFamily::Resampled, CellFamily::Turning, CellFamily::Crossed].into_iter().any(has) {
            return wrong("there is no generated world to decide by", "leave some of them in");
        }
        let known = |name: &str| TRIAL_OUTCOMES.iter().any(|(n, ..)| *n == name);
        if !known(&self.primary) {
            return wrong(&format!("{} is no outcome", self.primary), "forecast_loss, recovery_loss or worth");
        }
        if let Some((name, margin)) = self.margins.iter().find(|(n, m)| !(known(n) && m.is_finite() && **m > 0.0)) {
            return wrong(&format!("{margin} is no margin for {name}"), "give an outcome and a number above 0");
        }
        Ok(())
    }

    /// Write it to a file, as a whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), TrialError> {
        let file = TrialPlanFile { hash: self.hash(), plan: self.clone() };
        super::files::write_whole(path, &super::files::pretty(&file))
    }

    /// Read it from a file.
    ///
    /// # Errors
    /// When it is no plan, or was changed.
    pub fn read(path: &Path) -> Result<Self, TrialError> {
        let text = fs::read_to_string(path).map_err(TrialError::io(path))?;
        let hint = "make one: bardo lab plan --out FILE";
        let other = |what: String| TrialError::Other { path: path.into(), what, hint: hint.to_owned() };
        let file: TrialPlanFile = serde_json::from_str(&text).map_err(|e| other(format!("no plan of a trial: {e}")))?;
        if file.plan.hash() != file.hash {
            return Err(other("a plan that was changed after it was made".to_owned()));
        }
        file.plan.check()?;
        Ok(file.plan)
    }
}
