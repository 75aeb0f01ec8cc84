//! Staging: what it takes to be believed, and what it costs to ask.

mod dreamt;
mod odds;
mod places;
mod trial;
pub mod world;
