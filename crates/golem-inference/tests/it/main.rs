//! The door from outside: against small servers that misbehave in every way, and against a real model where there is one.

mod adapters;
mod cassettes;
mod dreams;
mod embedders;
mod faults;
mod keys;
mod kit;
mod money;
mod real;
mod reasoning;
mod reports;
mod rules;
mod schemas;
mod settings;
