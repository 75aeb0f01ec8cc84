//! The inner life: suffering that is measured and cannot be talked away, affect that colours what is done, and the one
//! gate for what a golem may do.
//!
//! Nothing here believes a model: what an agent says of itself is checked, bounded, and never lowers what was measured.
//! Everything is a pure function of its arguments: no clock, no dice, no IO, no panic on any input.

pub mod affect;
mod band;
pub mod gate;
mod line;
pub mod suffering;
