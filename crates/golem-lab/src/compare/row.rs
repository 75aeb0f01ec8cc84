//! A life as one wide row: who lived where, and every outcome by name in one fixed order.

use std::fmt;
use std::sync::Arc;

/// The name of an outcome, such as `worth_vs_nothing` or `skill.gas_condition`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutcomeName(Arc<str>);

impl OutcomeName {
    /// As it stands in files.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for OutcomeName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for OutcomeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What came of one life.
#[derive(Debug, Clone, PartialEq)]
pub struct LifeRow {
    /// The world as it was asked for.
    pub world: String,
    pub template: String,
    /// What was set, such as `grimoire.enabled=true`. The first arm of a plan is the one that others are held against.
    pub arm: String,
    /// Number of the path: lives of the same world, template and path saw the same market with the same dice.
    pub path: u64,
    /// Every outcome, in the order of [`super::ComparePlan::outcomes`]; `None` where there was nothing to measure.
    pub values: Vec<(OutcomeName, Option<f64>)>,
    /// What it died of, or would have died of where deaths are only recorded.
    pub cause: Option<String>,
}

impl LifeRow {
    /// One outcome.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(n, _)| n.as_str() == name).and_then(|(_, value)| *value)
    }
}
