//! How much to think in a turn: the prediction error against a threshold that adapts, under what phase and purse allow.
//!
//! It says how much thinking is worth buying. It never asks a model itself, and nothing that is thought here loosens what
//! the golem may do with money.

mod config;
mod gate;
mod threshold;

pub use config::GateConfig;
pub use gate::{Bias, Ceiling, Forced, Gating, Tier, TierMoment, TierReason, gate};
pub use threshold::{ThresholdMood, threshold};
