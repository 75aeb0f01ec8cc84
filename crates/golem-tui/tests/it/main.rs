//! A life on a terminal that is none: every screen, every key, and what goes out by the door.

mod any_key;
mod death;
mod fleet;
mod kit;
mod pictures;
mod replay;
mod succession;
mod views;
