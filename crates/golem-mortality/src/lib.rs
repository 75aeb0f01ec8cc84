//! Three clocks, vitality, phases, hazard and death rules. Everything here is a pure function of its arguments:
//! no clock, no dice, no IO, no panic on any input.

pub mod epistemic;

pub use epistemic::{Domain, Settled};
