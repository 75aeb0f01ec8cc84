//! The verdict, by a table and nothing else.

use super::arm::{Contrast, TrialArm};
use super::cell::CellFamily;
use super::plan::TRIAL_OUTCOMES;
use super::statistics::{Finding, POOLED, TrialLine, TrialStatistics};
use golem_core::Hash;
use serde::{Deserialize, Serialize};

/// What a trial comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialVerdict {
    /// The line does better than an immortal that keeps all, and better than one that forgets as much.
    Supported,
    /// It does better than the one that keeps all, but not than the one that forgets as much.
    ExplainedByForgetting,
    /// It does no better than an immortal that keeps all, or worse.
    Falsified,
    /// There is no telling.
    Inconclusive,
    /// A control failed: nothing that was found means anything.
    Void,
}

impl TrialVerdict {
    /// The words of pages.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::ExplainedByForgetting => "explained by forgetting",
            Self::Falsified => "falsified",
            Self::Inconclusive => "inconclusive",
            Self::Void => "void: a control failed",
        }
    }

    /// By what was found of the line against the one that keeps all, and against the one that forgets as much.
    #[must_use]
    pub fn by(benefit: Matters, beyond_forgetting: Matters) -> Self {
        use Matters::{Better, Nothing, Unknown, Worse};
        match (benefit, beyond_forgetting) {
            (Better, Better) => Self::Supported,
            (Better, Nothing | Worse) => Self::ExplainedByForgetting,
            (Nothing | Worse, _) => Self::Falsified,
            (Unknown, _) | (Better, Unknown) => Self::Inconclusive,
        }
    }
}

/// What a line says about what matters: a gain that lies within the margin is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matters {
    Better,
    Worse,
    Nothing,
    Unknown,
}

impl From<&TrialLine> for Matters {
    fn from(line: &TrialLine) -> Self {
        match line.finding {
            _ if line.within_margin => Self::Nothing,
            Finding::Better => Self::Better,
            Finding::Worse => Self::Worse,
            Finding::NoDifference => Self::Nothing,
            Finding::CannotTell => Self::Unknown,
        }
    }
}

/// A control, and whether it held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlTold {
    pub name: String,
    pub about: String,
    pub finding: Option<Finding>,
    pub held: bool,
}

/// The verdict with what it follows from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictTold {
    pub plan: Hash,
    /// Of the statistics that lay on disk before the key was opened.
    pub statistics: Hash,
    pub primary: String,
    pub verdict: TrialVerdict,
    /// The same table by every outcome; only the primary one is the verdict.
    pub by_outcome: Vec<(String, TrialVerdict)>,
    pub controls: Vec<ControlTold>,
    /// Whose each letter is.
    pub key: Vec<(String, TrialArm)>,
    /// Whether it was lived by another program than the plan names.
    pub other_program: bool,
}

/// The verdict of statistics whose key is open.
#[must_use]
pub fn verdict_of(
    said: &TrialStatistics,
    statistics: Hash,
    primary: &str,
    key: Vec<(String, TrialArm)>,
    other_program: bool,
) -> VerdictTold {
    let controls = controls(said, &key);
    let void = controls.iter().any(|control| !control.held);
    let by = |outcome: &str| {
        let matters = |contrast| line(said, &key, POOLED, contrast, outcome).map_or(Matters::Unknown, Matters::from);
        match void {
            true => TrialVerdict::Void,
            false => TrialVerdict::by(matters(Contrast::BENEFIT), matters(Contrast::BEYOND_FORGETTING)),
        }
    };
    VerdictTold {
        plan: said.plan,
        statistics,
        primary: primary.to_owned(),
        verdict: by(primary),
        by_outcome: TRIAL_OUTCOMES.iter().map(|(name, ..)| ((*name).to_owned(), by(name))).collect(),
        controls,
        key,
        other_program,
    }
}

/// The line of a question, once it is known whose the letters are.
#[must_use]
pub fn line<'a>(
    said: &'a TrialStatistics,
    key: &[(String, TrialArm)],
    cell: &str,
    contrast: Contrast,
    outcome: &str,
) -> Option<&'a TrialLine> {
    let letter = |arm| key.iter().find(|(_, other)| *other == arm).map(|(letter, _)| letter);
    let letters = [letter(contrast.arm)?, letter(contrast.against)?];
    let is = |l: &&TrialLine| l.cell == cell && l.outcome == outcome && letters == [&l.letters[0], &l.letters[1]];
    said.lines.iter().find(is)
}

/// The two controls look at forecasts, which is where a world without anything to know can show no gain, and where one with a
/// rule that turns must show a loss.
fn controls(said: &TrialStatistics, key: &[(String, TrialArm)]) -> Vec<ControlTold> {
    let found = |family: CellFamily, contrast| {
        line(said, key, family.name(), contrast, "forecast_loss").map(|line| (line.finding, Matters::from(line)))
    };
    let (nothing, learning) = (CellFamily::NegativeControl, CellFamily::PositiveControl);
    let gain = found(nothing, Contrast::BENEFIT);
    let loss = found(learning, Contrast::LEARNING);
    vec![
        ControlTold {
            name: nothing.name().to_owned(),
            about: "Where nothing is to be known and nothing changes, the line must not forecast better than an immortal that \
                    keeps all."
                .to_owned(),
            finding: gain.map(|(finding, _)| finding),
            held: gain.is_some_and(|(_, matters)| matters != Matters::Better),
        },
        ControlTold {
            name: learning.name().to_owned(),
            about: "Where a strong rule turns, who stopped learning must forecast worse than who goes on.".to_owned(),
            finding: loss.map(|(finding, _)| finding),
            held: loss.is_some_and(|(_, matters)| matters == Matters::Worse),
        },
    ]
}
