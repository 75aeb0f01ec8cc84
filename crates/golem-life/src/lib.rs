//! The turn: calls the rooms in order, and nothing else.

pub mod door;
