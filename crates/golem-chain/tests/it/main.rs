//! Chains from outside: embedded, served, and real nodes.

mod conformance;
mod embedded;
mod kit;
mod rpc;
mod serve;
