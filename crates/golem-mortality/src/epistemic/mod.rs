//! The epistemic clock: skill against a declared naive forecast, and what happens when it is lost.

pub mod domain;

pub use domain::{Domain, Settled};
