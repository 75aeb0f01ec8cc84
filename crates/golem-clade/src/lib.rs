//! What crosses from one golem to another, and what is left of it on the other side.
//!
//! A golem dies and its successor begins: [`bottleneck`] says what is passed on, [`heirloom`] is the one object that crosses,
//! [`inheritance`] is what one heir is given of it, [`barrier`] says how little of its confidence is left, [`ingest`] examines
//! it before anything may inform, [`novelty`] says what to validate first,
//! [`as_of`] keeps the future out. [`survived`] finds what a line of golems has proven, and [`divergence`] whether a life was more
//! than a repetition. [`library`] is what an owner keeps of all of them, [`succession`] what happens by itself after a death. Everything is a function of its
//! arguments: no clock, no dice, no IO, no network, no panic on any input.

pub mod as_of;
pub mod barrier;
pub mod bottleneck;
pub mod divergence;
mod first_line;
pub mod heirloom;
pub mod ingest;
pub mod inheritance;
pub mod kin;
pub mod knowledge_domain;
pub mod library;
pub mod life_left;
pub mod novelty;
pub mod provenance;
pub mod replicant;
pub mod succession;
pub mod survived;
pub mod world_time;
