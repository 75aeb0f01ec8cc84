//! The T0 mind: senses that keep what a forecast needs, forecasters that learn online, and a policy that trades on what
//! they say. It works without any language model.
//!
//! Everything is a function of state and arguments: no clock, no IO, no dice, no panic on any input. It never touches a
//! wallet; it only says what it wants.

pub mod forecast;
mod math;
pub mod mind;
pub mod outlook;
pub mod policy;
mod pool;
pub mod senses;

pub use forecast::{Forecasters, Learning, Tally};
pub use mind::{Mind, Summary};
pub use outlook::Outlook;
pub use policy::{Permissions, Policy, PolicyConfig, Template, Valuation};
pub use pool::Span;
pub use senses::{Probes, Senses, Severity, Trend, Weather};
