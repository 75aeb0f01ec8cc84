//! What can be odd about an imported file, each oddity with its place.

use super::canonical::Canonical;
use super::name::Folded;
use serde::Serialize;
use std::fmt;

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LintKind {
    /// A condition that nothing can check.
    Unverifiable,
    /// The same name again, once it is folded.
    Duplicate,
    /// A number that cannot be: negative, above one, not a number.
    Impossible,
    /// Something ended before it began.
    Backwards,
    /// More than may be active.
    OverCap,
    /// A canonical name: a request to its rule.
    Reserved,
    /// Missing, or of another kind than it should be.
    Malformed,
    /// The list goes on; no more is said of it.
    More,
}

/// One oddity and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// Where: `active_stressors[2].severity`.
    pub path: String,
    /// What.
    pub kind: LintKind,
    /// In words.
    pub says: String,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.says)
    }
}

/// The most that is said of one file.
const MOST: usize = 500;

/// The oddities of a file.
pub(super) struct Oddities(pub(super) Vec<Lint>);

impl Oddities {
    /// The lint's own path, if it has one, is below `path`.
    pub(super) fn add(&mut self, path: String, lint: Lint) {
        if self.0.len() > MOST {
            return;
        }
        let lint =
            if self.0.len() == MOST { Lint::of(LintKind::More, "", "and more that is not listed") } else { lint };
        let path = match (path.is_empty(), lint.path.is_empty()) {
            (true, _) => lint.path,
            (_, true) => path,
            _ => format!("{path}.{}", lint.path),
        };
        self.0.push(Lint { path, ..lint });
    }
}

impl Lint {
    fn of(kind: LintKind, field: &str, says: impl Into<String>) -> Self {
        Self { path: field.to_owned(), kind, says: says.into() }
    }
    pub(super) fn unverifiable(condition: &str) -> Self {
        let says = if condition.is_empty() {
            String::from("no condition; it ends on the agent's word")
        } else {
            format!("\"{condition}\" cannot be checked; it ends on the agent's word")
        };
        Self::of(LintKind::Unverifiable, "observable_condition", says)
    }
    pub(super) fn duplicate(name: &Folded) -> Self {
        Self::of(LintKind::Duplicate, "type", format!("another spelling of {name}, left out"))
    }
    pub(super) fn impossible(field: &str, found: &str) -> Self {
        Self::of(LintKind::Impossible, field, format!("{found} cannot be; the nearest that can is taken"))
    }
    pub(super) fn backwards(field: &str, than: &str) -> Self {
        Self::of(LintKind::Backwards, field, format!("lies on the wrong side of {than}"))
    }
    pub(super) fn over_cap(name: &str) -> Self {
        Self::of(LintKind::OverCap, "", format!("{name} is beyond what may be active at a time"))
    }
    pub(super) fn reserved(which: Canonical) -> Self {
        Self::of(LintKind::Reserved, "type", format!("{which} is measured here; its rule will be asked"))
    }
    pub(super) fn malformed(field: &str, wanted: &str) -> Self {
        Self::of(LintKind::Malformed, field, format!("should be {wanted}"))
    }
}
