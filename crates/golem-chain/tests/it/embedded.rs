//! The embedded chain, with the real contracts: fetched once, then cached under the build folder.

mod against_paper;
pub(crate) mod common;
mod contracts;
mod crash;
mod damage;
mod deployment;
mod history;
mod identity;
mod layout;
pub(crate) mod lending;
pub(crate) mod script;
mod tokens;
