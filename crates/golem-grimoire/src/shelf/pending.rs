//! What changed in this turn and has not been written yet.

use crate::change::{Change, NamedTable};
use crate::entry::{Entry, EntryId};
use crate::episode::{Episode, EpisodeId, Marks};
use crate::standing::Standing;
use std::collections::BTreeMap;

/// At most one body and one standing for each thing.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PendingShelf {
    episodes: Vec<Episode>,
    marks: BTreeMap<EpisodeId, Marks>,
    entries: Vec<Entry>,
    standings: BTreeMap<EntryId, Standing>,
    rows: BTreeMap<(NamedTable, String), (String, String)>,
}

impl PendingShelf {
    pub(super) fn episode(&mut self, episode: Episode) {
        self.episodes.push(episode);
    }
    pub(super) fn marked(&mut self, id: EpisodeId, marks: Marks) {
        self.marks.insert(id, marks);
    }
    pub(super) fn entry(&mut self, entry: Entry) {
        self.entries.push(entry);
    }
    pub(super) fn stands(&mut self, id: EntryId, standing: Standing) {
        // One that began in this turn begins with its latest standing.
        match self.entries.iter_mut().find(|e| e.id == id) {
            Some(new) => new.standing = standing,
            None => {
                self.standings.insert(id, standing);
            }
        }
    }
    pub(super) fn row(&mut self, table: NamedTable, key: String, text: String, body: String) {
        self.rows.insert((table, key), (text, body));
    }
    pub(super) fn take(&mut self) -> Vec<Change> {
        let Self { episodes, marks, entries, standings, rows } = std::mem::take(self);
        let mut out = Vec::with_capacity(episodes.len() + marks.len() + entries.len() + standings.len() + rows.len());
        out.extend(episodes.into_iter().map(|e| Change::Episode { episode: Box::new(e), embedding: None }));
        out.extend(marks.into_iter().map(|(id, marks)| Change::Marked { id, marks }));
        out.extend(entries.into_iter().map(|e| Change::Entry { entry: Box::new(e), embedding: None }));
        out.extend(standings.into_iter().map(|(id, standing)| Change::Stands { id, standing }));
        out.extend(rows.into_iter().map(|((table, key), (text, body))| Change::Row { table, key, text, body }));
        out
    }
}
