//! Replay: what was lived is lived through again. Each step is a rule over episodes; what must be tried on a copy of
//! the chain is asked for in one function and read in another, so that whoever drives a cycle can carry it through a
//! door in between.
//!
//! In the order of a cycle: [`utility`] and [`select`] choose; [`credit`] walks closed trades backward; [`forward`]
//! asks what to do with what is held; [`perturb`] runs acts again with something changed; [`patterns`] compares;
//! [`triage`] sorts.

pub mod credit;
pub mod forward;
pub mod known;
pub mod patterns;
pub mod perturb;
pub mod rules;
pub mod select;
pub mod triage;
pub mod utility;

#[cfg(test)]
pub(crate) mod kit;
#[cfg(test)]
mod tests;

pub use known::ReplayKnown;
pub use rules::ReplayRules;
pub use select::{ChosenEpisode, ChosenFor, batches, select};
pub use utility::{LivedEpisode, ReplayScene, WeighedEpisode, weigh};
