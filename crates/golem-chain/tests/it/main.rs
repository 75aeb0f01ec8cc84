//! Chains from outside: embedded, served, and real nodes.

mod claims;
mod conformance;
#[path = "../../../golem-venue/tests/it/dream_kit/mod.rs"]
mod dream_kit;
mod embedded;
mod kit;
mod rpc;
mod serve;
