//! How loud something is that the golem senses.

use serde::{Deserialize, Serialize};

/// How loud a probe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Quiet.
    #[default]
    None,
    /// Worth noting.
    Low,
    /// Worth acting on.
    High,
}

impl Severity {
    pub(super) fn above(x: f64, low: f64, high: f64) -> Self {
        if x > high {
            Self::High
        } else if x > low {
            Self::Low
        } else {
            Self::None
        }
    }
    pub(super) fn below(x: f64, low: f64, high: f64) -> Self {
        Self::above(-x, -low, -high)
    }
}
