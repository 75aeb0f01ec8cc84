//! The words of the relay, held against tables and properties.

mod archives;
mod coding;
mod deltas;
mod kit;
mod reading;
mod rules;
mod sealing;
mod vectors;
