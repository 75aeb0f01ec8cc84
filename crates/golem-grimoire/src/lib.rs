//! What a golem knows: episodes that happened, entries it believes, proposals it tests, causes it has found, and the
//! playbook it lives by.
//!
//! Everything is a function of state and arguments: no clock, no IO, no dice, no network, no panic on any input. What
//! changes comes out as [`Change`]s, which the loop writes into the golem's file in the turn's transaction; what is in
//! the file comes back as a [`Remembered`]. Bodies never change after they are written; what changes is their standing,
//! and every standing is kept with its turn, so that any earlier moment can be asked.

pub mod admission;
pub mod causal;
pub mod change;
pub mod choices;
pub mod claim;
pub mod credit;
pub mod curator;
pub mod decay;
pub mod embed;
pub mod entry;
pub mod episode;
pub mod experts;
pub mod family;
pub mod grimoire;
pub mod junk;
mod lean;
pub mod micro;
pub mod playbook;
pub mod quality;
pub mod relevance;
pub mod retrieval;
pub mod series;
pub mod shelf;
pub mod situation;
pub mod staging;
pub mod standing;
pub mod subject;
pub mod testament;

pub use change::{Change, Remembered};
pub use claim::Claim;
pub use entry::{
    DecayClass, Entry, EntryBody, EntryId, EntryKind, EntryOrigin, Provenance, RuleAction, WarningSeverity,
};
pub use episode::{Episode, EpisodeId, EpisodeKind, Importance, Marks, Went};
pub use grimoire::{Grimoire, GrimoireState};
pub use situation::Situation;
pub use standing::{EntryStatus, Standing};
