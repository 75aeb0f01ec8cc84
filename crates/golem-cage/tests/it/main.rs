//! The cage from outside: every limit at its edge, every rule, properties, and a thief.

mod audit;
mod breakers;
mod config;
mod contradictions;
mod kit;
mod leave;
mod limits;
mod permits;
mod properties;
mod puppet;
mod reference;
mod rules;
mod trust;
