//! The curator: what it makes of a life, what it lets go, and what it never does.

mod deep;
mod distil;
mod promote;
mod prune;
pub mod study;
mod whole;
