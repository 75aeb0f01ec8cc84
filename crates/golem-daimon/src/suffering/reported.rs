//! What an agent reports of itself: a name, its own words, and a condition that can be checked or cannot.

use super::course::Course;
use super::domain::ActivityDomain;
use super::name::Folded;
use crate::line::Line;
use golem_core::observed::{Expression, Snapshot};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How much a reported stressor grows in a virtual day.
pub const REPORTED_RATE_PER_DAY: f64 = 0.03;
/// The severity a reported stressor begins with.
pub const REPORTED_INITIAL: f64 = 0.20;

/// When a reported stressor eases. Stored as its text and compiled again wherever it is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Line", into = "Line")]
pub struct Condition {
    line: Line,
    compiled: Option<Expression>,
}

impl Condition {
    /// The condition of a text.
    #[must_use]
    pub fn of(line: Line) -> Self {
        // What looks at nothing, or at a field's range only, is always true or never: no record could ever decide it.
        let compiled = Expression::compile(line.as_str()).ok().filter(|e| !e.is_decided());
        Self { line, compiled }
    }
    /// True when it is an expression over observed fields; otherwise it is the agent's word and nothing more.
    #[must_use]
    pub fn is_checkable(&self) -> bool {
        self.compiled.is_some()
    }
    /// True when it can be checked and is true.
    #[must_use]
    pub fn holds(&self, snapshot: &Snapshot) -> bool {
        self.compiled.as_ref().is_some_and(|e| e.evaluate(snapshot).holds())
    }
    /// What was written, one line.
    #[must_use]
    pub fn text(&self) -> &str {
        self.compiled.as_ref().map_or(self.line.as_str(), Expression::source)
    }
    /// How far it is from holding, where that can be said: "goals.failure_rate 0.46, eases below 0.30".
    #[must_use]
    pub fn distance(&self, snapshot: &Snapshot) -> Option<String> {
        Some(self.compiled.as_ref()?.distance(snapshot)?.say("eases"))
    }
    pub(super) fn write(&self, snapshot: &Snapshot, out: &mut String) {
        let _done = match (&self.compiled, self.line.is_empty()) {
            (Some(e), _) => match self.distance(snapshot) {
                Some(distance) => write!(out, "{e} ({distance})"),
                None => write!(out, "{e} (checked every turn)"),
            },
            (None, true) => write!(out, "you say so (no condition was given, nothing to check)"),
            (None, false) => write!(out, "you wrote: \"{}\" (cannot be checked; it ends on your word)", self.line),
        };
    }
}

impl From<Line> for Condition {
    fn from(line: Line) -> Self {
        Self::of(line)
    }
}

impl From<Condition> for Line {
    fn from(condition: Condition) -> Self {
        condition.line
    }
}

/// A reported stressor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Reported {
    pub(super) name: Folded,
    pub(super) description: Line,
    pub(super) condition: Condition,
    pub(super) domain: Option<ActivityDomain>,
    pub(super) course: Course,
}

impl Reported {
    pub(super) fn severity(&self) -> f64 {
        self.course.severity(REPORTED_RATE_PER_DAY)
    }
    pub(super) fn peak(&self) -> f64 {
        self.course.peak(REPORTED_RATE_PER_DAY)
    }
}
