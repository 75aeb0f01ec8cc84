//! What is told to a golem beside what it takes in from elsewhere: when that could be known, what a testament says of it, and which
//! causes somebody else has found.

use super::Grimoire;
use crate::causal::Edge;
use crate::entry::EntryId;
use crate::retrieval::{DatedLibrary, ToldBeside, ToldEntries};
use crate::shelf::Shelf;

impl Grimoire {
    /// Say what was told beside entries from elsewhere, and which causes: it follows from how the golem was born, so it is said
    /// at every start.
    #[must_use]
    pub fn told(mut self, told: ToldEntries, causes: Vec<Edge>) -> Self {
        self.told.extend(told);
        self.graph.say_told(causes);
        self
    }
    /// Something is told beside one more entry.
    pub fn tell_beside(&mut self, entry: EntryId, told: ToldBeside) {
        self.told.insert(entry, told);
    }
    /// So many others have seen an entry come true. It stays what it is here: only this golem's own reality proves anything to it.
    pub fn validated_elsewhere(&mut self, entry: EntryId, others: u32) {
        self.shelf.stand(entry, |s| s.validators = others.saturating_add(u32::from(s.own_validation)));
    }
    /// What was told beside an entry.
    #[must_use]
    pub fn told_beside(&self, entry: EntryId) -> Option<&ToldBeside> {
        self.told.get(&entry)
    }
    /// The causes that were told wait for what this golem sees from now on. Returns how many.
    pub fn test_told_causes(&mut self) -> u32 {
        self.graph.test_told(self.series.ticks().end)
    }

    /// What it knows, without what nobody could know yet.
    pub(super) fn dated(&self) -> DatedLibrary<'_, Shelf> {
        DatedLibrary { library: &self.shelf, told: &self.told }
    }
}
