//! Paired lives: the same path with the same dice, lived once for each arm. One life is one row; nothing else is kept.

pub mod outcome;
mod row;

pub use outcome::{OutcomeKind, Preferred};
pub use row::{LifeRow, OutcomeName};
