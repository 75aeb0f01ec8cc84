//! placeholder

pub mod world;
