//! What is wrong in a playbook: where, what, and what to write instead.

use std::fmt;

/// One thing wrong in the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaybookProblem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it; empty when `what` says so.
    pub hint: String,
}

impl PlaybookProblem {
    pub(super) fn new(line: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line, what: what.into(), hint: hint.into() }
    }
    /// Without the line: what stands in the file beside a section that is out of force.
    pub(super) fn say(&self) -> String {
        if self.hint.is_empty() { self.what.clone() } else { format!("{}; {}", self.what, self.hint) }
    }
}

impl fmt::Display for PlaybookProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.say())
    }
}
