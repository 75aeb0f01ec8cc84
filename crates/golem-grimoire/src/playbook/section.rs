//! A heading of the file and what is under it: a rule, or something that is kept as it was written.

use super::Rule;
use serde::{Deserialize, Serialize};

/// One `##` heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaybookSection {
    /// A rule in force.
    Rule(Box<Rule>),
    /// Anything else that somebody wrote.
    Kept(KeptSection),
}

/// A section that is no rule in force: notes, or a rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSection {
    /// As it was written, from its heading on.
    pub text: String,
    /// Why it is out of force, when it looks like a rule.
    pub problem: Option<String>,
}

impl PlaybookSection {
    /// The rule, if it is one.
    #[must_use]
    pub fn rule(&self) -> Option<&Rule> {
        match self {
            Self::Rule(rule) => Some(rule),
            Self::Kept(_) => None,
        }
    }
}
