//! The binary from outside: what a person types, what comes back, and what must hold when things break.

mod backtest;
mod bad_input;
mod chain;
mod chain_faults;
mod cli;
mod crash;
mod death;
mod demo;
mod export;
mod faults;
mod first_hour;
mod golden;
mod kit;
mod knowledge;
mod layers;
mod living;
mod models;
mod power;
mod pushed;
mod replay;
mod rot;
mod rpc;
mod serve;
mod suffering;
mod trades;
mod wallet;
