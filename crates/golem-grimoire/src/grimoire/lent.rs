//! Vectors that an embedder elsewhere has made of what is known. They come one answer at a time, are rows of their own in
//! the file, and serve retrieval only: what is admitted is judged by the bundled embedder, which is always there.

use super::Grimoire;
use crate::change::{Change, TextSubject};
use crate::embed::Embedder as _;
use crate::entry::EntryId;
use crate::episode::EpisodeId;
use golem_core::Tick;
use golem_core::door::Embedding;
use std::collections::{BTreeMap, BTreeSet};

/// The vectors of one embedder: whoever answered last.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct LentVectors {
    model: Option<String>,
    entries: BTreeMap<EntryId, Embedding>,
    episodes: BTreeSet<EpisodeId>,
    changes: Vec<Change>,
}

impl LentVectors {
    pub(super) fn entry(&self, id: EntryId) -> Option<&Embedding> {
        self.entries.get(&id)
    }
    /// Let go of entries that are burnt, and of episodes before the latest: nobody asks for their vectors again.
    pub(super) fn keep(&mut self, is_known: impl Fn(EntryId) -> bool, latest_from: EpisodeId) {
        self.entries.retain(|id, _| is_known(*id));
        if self.episodes.first().is_some_and(|first| *first < latest_from) {
            self.episodes = self.episodes.split_off(&latest_from);
        }
    }
    pub(super) fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }
}

impl Grimoire {
    /// What has no vector yet by the embedder that answered last: entries in use, then the latest episodes, at most so
    /// many. Every turn begins elsewhere, so that a text that nobody can embed keeps none back.
    #[must_use]
    pub fn without_vector(&self, tick: Tick, at_most: usize) -> Vec<(TextSubject, &str)> {
        let entries = self.shelf.in_use().filter(|e| !self.lent.entries.contains_key(&e.id));
        let entries = entries.map(|e| (TextSubject::Entry(e.id), e.body.text.as_str()));
        let episodes = self.shelf.episodes().map(|(e, _)| e).filter(|e| !self.lent.episodes.contains(&e.id));
        let episodes = episodes.rev().map(|e| (TextSubject::Episode(e.id), e.text.as_str()));
        let mut all: Vec<_> = entries.chain(episodes).filter(|(_, text)| !text.is_empty()).collect();
        if !all.is_empty() {
            let from = tick.0 as usize % all.len();
            all.rotate_left(from);
            all.truncate(at_most);
        }
        all
    }

    /// A vector came. Kept for the file, and found by from now on.
    pub fn take_vector(&mut self, of: TextSubject, embedding: Embedding) {
        if self.hold(of, &embedding) {
            self.lent.changes.push(Change::Vector { of, embedding });
        }
    }

    /// The embedder whose vectors are held, beside the bundled one.
    #[must_use]
    pub fn lender(&self) -> Option<&str> {
        self.lent.model.as_deref()
    }

    /// False when there is one already. A new embedder begins anew: what another made is of no use to it.
    pub(super) fn hold(&mut self, of: TextSubject, embedding: &Embedding) -> bool {
        if embedding.model == self.embedder.id() {
            return false;
        }
        if self.lent.model.as_ref() != Some(&embedding.model) {
            if let Some(before) = self.lent.model.replace(embedding.model.clone()) {
                self.finder.forget(&before);
                self.episodes.forget(&before);
            }
            self.lent.entries.clear();
            self.lent.episodes.clear();
        }
        match of {
            TextSubject::Entry(id) if !self.lent.entries.contains_key(&id) => {
                self.lent.entries.insert(id, embedding.clone());
                self.finder.lend(id, embedding);
                true
            }
            TextSubject::Episode(id) if self.lent.episodes.insert(id) => {
                self.episodes.lend(id, embedding);
                true
            }
            _ => false,
        }
    }
}
