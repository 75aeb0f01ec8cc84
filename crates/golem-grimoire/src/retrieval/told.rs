//! What is told beside an entry from elsewhere: from when to when it could be known in the world that is lived in, and what the
//! testament of whoever left it says of it. Retrieval gives nothing before its time, whenever the golem was told.

use super::query::{KnownEntry, Library};
use crate::entry::EntryId;
use golem_core::VirtualTime;
use std::collections::BTreeMap;

/// What is told beside an entry, in the ages of whoever was told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToldBeside {
    /// The age from which on somebody had learnt it.
    pub known_from: VirtualTime,
    /// The age at which it stopped holding.
    pub known_until: Option<VirtualTime>,
    /// What the testament says of it.
    pub passage: Option<String>,
}

impl ToldBeside {
    /// True when somebody could have known it at that age, and it still held.
    #[must_use]
    pub fn known_at(&self, age: VirtualTime) -> bool {
        self.known_from <= age && self.known_until.is_none_or(|until| until > age)
    }
}

/// The same by entries.
pub type ToldEntries = BTreeMap<EntryId, ToldBeside>;

/// A library that gives nothing from the future.
#[derive(Debug, Clone, Copy)]
pub struct DatedLibrary<'a, L> {
    /// What is known.
    pub library: &'a L,
    /// What is told beside it.
    pub told: &'a ToldEntries,
}

impl<L: Library> Library for DatedLibrary<'_, L> {
    fn as_of<'b>(&'b self, t: VirtualTime, give: &mut dyn FnMut(KnownEntry<'b>)) {
        self.library.as_of(t, &mut |known| {
            if self.told.get(&known.id).is_none_or(|told| told.known_at(t)) {
                give(known);
            }
        });
    }
}
