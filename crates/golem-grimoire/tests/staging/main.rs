//! Staging: what it takes to be believed, and what it costs to ask.

#[path = "../kit/mod.rs"]
mod kit;
mod odds;
mod places;
mod trial;
mod world;
