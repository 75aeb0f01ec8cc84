//! What a golem took in from siblings, and who of them has seen what come true: one word of each golem, the last one.

use crate::provenance::{TravelledValidation, ValidationWord, distinct_validators};
use golem_core::{GolemId, Hash};
use golem_grimoire::EntryId;
use golem_grimoire::shelf::Shelf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Things of which words are kept.
const MOST_ROOTS: usize = 4_096;
/// Golems whose word on one thing is kept.
const MOST_VALIDATORS: usize = 64;

/// What came from siblings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KinHearsay {
    taken: BTreeMap<EntryId, Hash>,
    words: BTreeMap<Hash, BTreeMap<GolemId, ValidationWord>>,
}

impl KinHearsay {
    /// An entry was taken in, with this root.
    pub fn took(&mut self, entry: EntryId, root: Hash) {
        self.taken.insert(entry, root);
    }
    /// What was taken in, with its root.
    pub fn taken(&self) -> impl Iterator<Item = (EntryId, Hash)> + '_ {
        self.taken.iter().map(|(id, root)| (*id, *root))
    }
    /// A sibling says how something went there. Says whether that was news.
    pub fn validated(&mut self, root: Hash, by: GolemId, word: ValidationWord) -> bool {
        if !self.words.contains_key(&root) && self.words.len() >= MOST_ROOTS {
            return false;
        }
        let words = self.words.entry(root).or_default();
        if !words.contains_key(&by) && words.len() >= MOST_VALIDATORS {
            return false;
        }
        words.insert(by, word) != Some(word)
    }
    /// Everything that siblings said of one thing.
    #[must_use]
    pub fn said_of(&self, root: Hash) -> Vec<TravelledValidation> {
        let of =
            |(by, word): (&GolemId, &ValidationWord)| TravelledValidation { entry: root, validator: *by, word: *word };
        self.words.get(&root).map(|words| words.iter().map(of).collect()).unwrap_or_default()
    }
    /// How many siblings have seen it come true.
    #[must_use]
    pub fn confirmed(&self, root: Hash) -> u32 {
        distinct_validators(&self.said_of(root), root, ValidationWord::Confirmed)
    }
    /// The entry here that has this root: its own, or one that was taken in.
    #[must_use]
    pub fn entry_of(&self, root: Hash, shelf: &Shelf) -> Option<EntryId> {
        let taken = self.taken.iter().find(|(_, of)| **of == root).map(|(id, _)| *id);
        taken.or_else(|| shelf.entries().find(|e| e.hash == root).map(|e| e.id))
    }
    /// Keep what is still on the shelf.
    pub fn retain(&mut self, shelf: &Shelf) {
        self.taken.retain(|id, _| shelf.entry(*id).is_some());
    }
}
