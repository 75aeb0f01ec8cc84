//! The T0 mind: senses that keep what a forecast needs, forecasters that learn online, a gate that says how much to think,
//! goals, and a policy that trades on what the forecasts and the playbook say. It works without any language model.
//!
//! Everything is a function of state and arguments: no clock, no IO, no dice, no panic on any input. It never touches a
//! wallet; it only says what it wants.

pub mod cache;
pub mod context;
pub mod deliberate;
pub mod explore;
pub mod forecast;
pub mod goals;
mod math;
pub mod mind;
pub mod outlook;
pub mod paper;
pub mod policy;
mod pool;
pub mod senses;
pub mod tier;
pub mod twin;
pub mod ways;

pub use forecast::{Forecasters, Learning, Prediction, Scores, Tally};
pub use mind::{Decision, Mind, Summary};
pub use outlook::Outlook;
pub use policy::{Guidance, Permissions, Policy, PolicyConfig, Template, Valuation};
pub use pool::Span;
pub use senses::{Body, PriceTrend, Probes, Senses, Severity, Weather};
