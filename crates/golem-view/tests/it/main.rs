//! The tests of this room, in one binary.

mod facts;
mod flaps;
mod kit;
mod money;
mod page;
mod samples;
mod trades;
mod words;
