//! Keystores and permits from outside.

mod abi;
mod files;
mod keystores;
mod permits;
