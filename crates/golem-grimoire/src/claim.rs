//! A claim that reality can check: when this holds, that will hold some ticks later.

use serde::{Deserialize, Serialize};

/// What a proposal, an insight or a rule says about the world, in expressions over observed fields
/// (`golem_core::observed`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Claim {
    /// The condition, e.g. `market.gas_ratio > 2.0`.
    pub when: String,
    /// What is claimed to hold afterwards (the validation criterion).
    pub then: String,
    /// What would refute it, where that is not simply the opposite of `then` (the falsification criterion).
    pub unless: Option<String>,
    /// Nominal ticks between the two.
    pub after_ticks: u32,
}
