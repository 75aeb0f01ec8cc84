//! The binary from outside: what a person types, what comes back, and what must hold when things break.

mod chain;
mod cli;
mod crash;
mod demo;
mod export;
mod faults;
mod golden;
mod kit;
mod knowledge;
mod layers;
mod models;
mod pushed;
mod replay;
mod rpc;
mod serve;
mod suffering;
mod wallet;
