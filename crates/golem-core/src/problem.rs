//! A problem with a setting: which key, and what is wrong with it. All of them are reported at once.

use std::fmt;

/// One thing wrong with a file of settings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Dotted path of the key.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Problem {
    /// A problem at a key.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
    /// The same problem, seen from one table further out.
    #[must_use]
    pub fn under(mut self, table: &str) -> Self {
        self.key = format!("{table}.{}", self.key);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

/// Check that numbers lie in their ranges (NaN lies in none); returns every problem.
#[must_use]
pub fn ranges(checks: &[(&str, f64, f64, f64)]) -> Vec<Problem> {
    checks
        .iter()
        .filter(|(_, x, low, high)| !(low..=high).contains(&x))
        .map(|(key, x, low, high)| {
            Problem::new(*key, format!("{x} is out of range; it must lie between {low} and {high}"))
        })
        .collect()
}
