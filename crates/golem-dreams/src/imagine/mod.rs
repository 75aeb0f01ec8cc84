//! Imagination: what else could have been done, which other parameters would have served, what might work, what could
//! go wrong. Whatever can be tried is tried on a copy of the chain, and only what a run showed has a number.
//!
//! Nothing here asks or takes: a plan says which runs it needs, and reads their results when they are there.

pub mod activation;
pub mod alternative;
pub mod catalogue;
pub mod counterfactual;
pub mod creative;
pub mod hypothesis;
pub mod params;
pub mod regret;
#[cfg(test)]
pub(crate) mod samples;
pub mod score;
pub mod threats;
pub mod tuning;

pub use alternative::Alternative;
pub use counterfactual::CounterfactualPlan;
pub use creative::{CreativeElement, CreativeMode};
pub use hypothesis::ImaginedHypothesis;
pub use params::ImaginationParams;
pub use regret::{RegretBook, RegretFinding};
pub use threats::{ThreatBook, ThreatRecord, ThreatSimulation};
pub use tuning::TuningState;
