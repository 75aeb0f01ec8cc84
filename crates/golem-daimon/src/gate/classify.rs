//! From an intent to the class of action that it is.
//!
//! A golem holds only long exposure, so the direction of a swap already says what it does to it. What a preview found
//! can make a class stricter, never milder: a wrong preview must not turn a purchase into a reduction.

use super::ActionClass;
use golem_core::Intent;
use serde::{Deserialize, Serialize};

/// What a preview found that an intent does to exposure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exposure {
    /// There would be more at risk.
    Grows,
    /// As much as before.
    Kept,
    /// Less.
    Shrinks,
}

/// The class of an intent. Without a preview the direction alone decides.
#[must_use]
pub fn classify(intent: &Intent, effect: Option<Exposure>) -> ActionClass {
    match intent {
        Intent::Buy { .. } | Intent::Add { .. } => ActionClass::Open,
        Intent::Rebalance { .. } if effect == Some(Exposure::Grows) => ActionClass::Open,
        Intent::Rebalance { .. } => ActionClass::Manage,
        // Fees that are taken home and a hand that rests take no risk on: they must never be blocked.
        Intent::Sell { .. } | Intent::Remove { .. } | Intent::Collect | Intent::Hold => ActionClass::Reduce,
        Intent::Home { .. } | Intent::Unwrap { .. } => ActionClass::Reduce,
    }
}
