//! What the rows say, in letters: every question in every cell and in all cells of a kind together, by every outcome, with
//! intervals that hold at once for the whole page. Nothing here knows whose a letter is.

use super::cell::CellFamily;
use super::error::TrialError;
use super::path::{TrialRow, rows_hash};
use super::plan::{TRIAL_OUTCOMES, TrialPlan};
use crate::compare::{LifeRow, Preferred};
use crate::stats::{ComparisonLine, JudgedOutcome, Judging, LineVerdict, PathCluster, judge};
use golem_core::Hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All generated cells together: what the verdict goes by.
pub const POOLED: &str = "all-generated";
/// The line that is held against the other.
const ARM: &str = "arm";
const AGAINST: &str = "against";

/// What a trial's rows say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialStatistics {
    pub plan: Hash,
    /// Of the rows that were judged.
    pub rows: Hash,
    pub paths: u64,
    /// The mean of each outcome, by cell and letter.
    pub means: Vec<LetterMeans>,
    pub lines: Vec<TrialLine>,
}

/// The means of one letter in one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LetterMeans {
    pub cell: String,
    pub letter: String,
    pub means: Vec<Option<f64>>,
}

/// One letter against another, in one cell or kind of cells, by one outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialLine {
    pub cell: String,
    /// The letter, and the one that it is held against.
    pub letters: [String; 2],
    pub outcome: String,
    pub mean: f64,
    /// Nothing where there is no telling.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub margin: f64,
    pub pairs: u64,
    pub units: u64,
    pub finding: Finding,
    /// Whether all there can be lies within the margin.
    pub within_margin: bool,
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    Better,
    Worse,
    NoDifference,
    CannotTell,
}

impl Finding {
    /// The words of tables.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoDifference => "no difference",
            Self::CannotTell => "cannot tell",
        }
    }
}

impl From<LineVerdict> for Finding {
    fn from(verdict: LineVerdict) -> Self {
        match verdict {
            LineVerdict::Better | LineVerdict::Higher => Self::Better,
            LineVerdict::Worse | LineVerdict::Lower => Self::Worse,
            LineVerdict::NoDifference => Self::NoDifference,
            LineVerdict::CannotTell { .. } => Self::CannotTell,
        }
    }
}

/// Judge all rows. `questions` are pairs of letters.
///
/// # Errors
/// When the rows or the plan cannot be judged.
pub fn statistics(
    plan: &TrialPlan,
    rows: &[TrialRow],
    questions: &[[String; 2]],
) -> Result<TrialStatistics, TrialError> {
    let mut all: Vec<TrialRow> = rows.to_vec();
    all.extend(pooled(plan, rows));
    let outcome = |(name, preferred, ..): &(&str, Preferred, f64, &str)| JudgedOutcome {
        name: (*name).into(),
        preferred: *preferred,
        margin: plan.margin(name),
    };
    let outcomes = TRIAL_OUTCOMES.iter().map(outcome).collect();
    let judging = Judging {
        level: plan.level,
        resamples: plan.resamples,
        clusters: clusters(&all),
        ..Judging::new(AGAINST, outcomes)
    };
    let lines = judge(&asked(&all, questions), &judging)?;
    Ok(TrialStatistics {
        plan: plan.hash(),
        rows: rows_hash(rows),
        paths: plan.paths,
        means: means(&all),
        lines: lines.iter().map(told).collect(),
    })
}

/// For each path the mean over the cells of a kind, and over all that are generated. Recorded windows overlap, so that they
/// stay by themselves; controls are no evidence.
fn pooled(plan: &TrialPlan, rows: &[TrialRow]) -> Vec<TrialRow> {
    let kinds = [CellFamily::Resampled, CellFamily::Turning, CellFamily::Crossed];
    let family: BTreeMap<String, CellFamily> = plan.cells.iter().map(|c| (c.to_string(), c.family())).collect();
    let mut sums: BTreeMap<(String, u64, String), Vec<&TrialRow>> = BTreeMap::new();
    for row in rows {
        let Some(kind) = family.get(&row.cell).filter(|kind| kinds.contains(kind)) else { continue };
        for name in [format!("all-{}", kind.name()), POOLED.to_owned()] {
            sums.entry((name, row.path, row.letter.clone())).or_default().push(row);
        }
    }
    let mean = |rows: &[&TrialRow], n: usize| {
        let some: Vec<f64> = rows.iter().filter_map(|row| row.values[n]).collect();
        (!some.is_empty()).then(|| some.iter().sum::<f64>() / some.len() as f64)
    };
    let one = |((cell, path, letter), rows): ((String, u64, String), Vec<&TrialRow>)| TrialRow {
        values: std::array::from_fn(|n| mean(&rows, n)),
        cell,
        path,
        letter,
        ground: None,
        digest: String::new(),
    };
    sums.into_iter().map(one).collect()
}

/// Each question as two arms of its own, so that one page can hold different ones against each other.
fn asked(rows: &[TrialRow], questions: &[[String; 2]]) -> Vec<LifeRow> {
    let mut all = Vec::new();
    for question in questions {
        for row in rows {
            for (letter, arm) in question.iter().zip([ARM, AGAINST]) {
                if *letter == row.letter {
                    let values = TRIAL_OUTCOMES.iter().zip(row.values).map(|((name, ..), v)| ((*name).into(), v));
                    all.push(LifeRow {
                        world: row.cell.clone(),
                        template: question.join(" "),
                        arm: arm.to_owned(),
                        path: row.path,
                        values: values.collect(),
                        cause: None,
                    });
                }
            }
        }
    }
    all
}

fn clusters(rows: &[TrialRow]) -> Vec<PathCluster> {
    let mut grounds: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for row in rows {
        if let Some(ground) = row.ground {
            grounds.entry(&row.cell).or_default().insert(row.path, ground);
        }
    }
    grounds.into_iter().map(|(world, ground)| PathCluster { world: world.to_owned(), ground }).collect()
}

fn means(rows: &[TrialRow]) -> Vec<LetterMeans> {
    let mut by: BTreeMap<(String, String), Vec<&TrialRow>> = BTreeMap::new();
    for row in rows {
        by.entry((row.cell.clone(), row.letter.clone())).or_default().push(row);
    }
    let mean = |rows: &[&TrialRow], n: usize| {
        let some: Vec<f64> = rows.iter().filter_map(|row| row.values[n]).collect();
        (!some.is_empty()).then(|| some.iter().sum::<f64>() / some.len() as f64)
    };
    let one = |((cell, letter), rows): ((String, String), Vec<&TrialRow>)| LetterMeans {
        means: (0..TRIAL_OUTCOMES.len()).map(|n| mean(&rows, n)).collect(),
        cell,
        letter,
    };
    by.into_iter().map(one).collect()
}

fn told(line: &ComparisonLine) -> TrialLine {
    let letters: Vec<String> = line.template.split(' ').map(str::to_owned).collect();
    let finite = |x: f64| Some(x).filter(|x| x.is_finite());
    TrialLine {
        cell: line.world.clone(),
        letters: letters.try_into().unwrap_or_default(),
        outcome: line.outcome.to_string(),
        mean: line.mean,
        low: finite(line.low),
        high: finite(line.high),
        margin: line.margin,
        pairs: line.pairs,
        units: line.units,
        finding: line.verdict.into(),
        within_margin: line.is_within_margin(),
    }
}
