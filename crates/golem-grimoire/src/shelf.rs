//! What is kept in memory: entries by id, what is left of the burnt ones, and the latest episodes.
//!
//! Every addition and every change of a standing is remembered until [`Shelf::take_changes`], at most one row for each
//! thing and turn. A shelf rebuilt from those rows is the same shelf.

mod pending;

use crate::change::{Change, NamedTable, Remembered};
use crate::decay::{MAX_CONFIDENCE_BP, bounded_strength, ceiling, effective};
use crate::entry::{Entry, EntryBody, EntryId, EntryKind};
use crate::episode::{Episode, EpisodeId, Marks};
use crate::standing::{EntryStatus, Standing};
use crate::subject::{FOUND_TAG, Statement, Topic, contradict, statement, topic};
use golem_core::VirtualTime;
use pending::PendingShelf;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Episodes whose bodies are kept in memory.
pub const RECENT_EPISODES: usize = 2_000;
/// Characters kept of a burnt entry.
const ASH_CHARS: usize = 96;

/// What is left of a burnt entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ash {
    /// Its kind.
    pub kind: EntryKind,
    /// Its first words.
    pub line: String,
    /// When it burnt.
    pub since: VirtualTime,
}

/// Entries and episodes in memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shelf {
    entries: BTreeMap<EntryId, Entry>,
    said: BTreeMap<Statement, BTreeSet<EntryId>>,
    about: BTreeMap<Topic, BTreeSet<EntryId>>,
    ashes: BTreeMap<EntryId, Ash>,
    recent: VecDeque<Episode>,
    /// Beside the latest episodes. Those of older ones are in the golem's file: nobody in memory reads them.
    marks: VecDeque<Marks>,
    /// How many episodes there have been, and the number of the last.
    lived: (usize, EpisodeId),
    pending: PendingShelf,
}

impl Shelf {
    /// What the file remembers, as it was.
    #[must_use]
    pub fn rebuild(remembered: &Remembered) -> Self {
        let mut shelf = Self::default();
        let old = remembered.episodes.len().saturating_sub(RECENT_EPISODES);
        for (i, (episode, marks, _)) in remembered.episodes.iter().enumerate() {
            shelf.lived = (i + 1, episode.id);
            if i >= old {
                shelf.recent.push_back(episode.clone());
                shelf.marks.push_back(*marks);
            }
        }
        for (entry, _) in &remembered.entries {
            match entry.standing.status {
                EntryStatus::Burnt(since) => {
                    shelf.ashes.insert(entry.id, Ash::of(&entry.body, since));
                }
                _ => shelf.place(entry.clone()),
            }
        }
        shelf
    }
    /// Everything that changed since the last time, in a fixed order. Vectors are left out: whoever has the embedder
    /// puts them in before the turn is written.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.pending.take()
    }
    /// Add or replace a named row.
    pub fn put_row(&mut self, table: NamedTable, key: String, text: String, body: String) {
        self.pending.row(table, key, text, body);
    }

    // --- episodes ---

    /// The number that the next episode must have.
    #[must_use]
    pub fn next_episode(&self) -> EpisodeId {
        EpisodeId(self.lived.1.0.saturating_add(1))
    }
    /// Something happened. Refused (false) unless its number is higher than every earlier one.
    pub fn record(&mut self, episode: Episode) -> bool {
        if episode.id < self.next_episode() {
            return false;
        }
        self.lived = (self.lived.0 + 1, episode.id);
        self.pending.episode(episode.clone());
        self.recent.push_back(episode);
        self.marks.push_back(Marks::default());
        if self.recent.len() > RECENT_EPISODES {
            self.recent.pop_front();
            self.marks.pop_front();
        }
        true
    }
    /// Change what is known about one of the latest episodes. False when none of them has that number.
    pub fn mark(&mut self, id: EpisodeId, change: impl FnOnce(&mut Marks)) -> bool {
        let Some(marks) = self.place_of(id).and_then(|at| self.marks.get_mut(at)) else { return false };
        let before = *marks;
        change(marks);
        marks.strength = bounded_strength(marks.strength);
        if *marks != before {
            self.pending.marked(id, *marks);
        }
        true
    }
    /// What is known about one of the latest episodes.
    #[must_use]
    pub fn marks(&self, id: EpisodeId) -> Option<&Marks> {
        self.place_of(id).and_then(|at| self.marks.get(at))
    }
    fn place_of(&self, id: EpisodeId) -> Option<usize> {
        self.recent.binary_search_by_key(&id, |e| e.id).ok()
    }
    /// The latest episodes with their marks, oldest first.
    pub fn episodes(&self) -> impl DoubleEndedIterator<Item = (&Episode, &Marks)> + ExactSizeIterator {
        self.recent.iter().zip(&self.marks)
    }
    /// The first of the latest: from here on bodies are in memory.
    #[must_use]
    pub fn latest_from(&self) -> EpisodeId {
        self.recent.front().map_or(EpisodeId(0), |e| e.id)
    }
    /// One of the latest episodes.
    #[must_use]
    pub fn episode(&self, id: EpisodeId) -> Option<&Episode> {
        self.place_of(id).and_then(|at| self.recent.get(at))
    }
    /// How many episodes there have been.
    #[must_use]
    pub fn episode_count(&self) -> usize {
        self.lived.0
    }

    // --- entries ---

    /// Keep a new entry. False when it is known already, or was burnt: burning is for ever.
    pub fn add(&mut self, mut entry: Entry) -> bool {
        if self.entries.contains_key(&entry.id) || self.ashes.contains_key(&entry.id) {
            return false;
        }
        keep_within_bounds(&mut entry.standing);
        self.pending.entry(entry.clone());
        self.place(entry);
        true
    }
    /// Change how an entry stands. False when there is none, or it is burnt.
    pub fn stand(&mut self, id: EntryId, change: impl FnOnce(&mut Standing)) -> bool {
        let Some(entry) = self.entries.get_mut(&id) else { return false };
        let mut after = entry.standing.clone();
        change(&mut after);
        keep_within_bounds(&mut after);
        if after != entry.standing {
            entry.standing = after.clone();
            self.pending.stands(id, after);
        }
        if let EntryStatus::Burnt(since) = entry.standing.status {
            self.reduce(id, since);
        }
        true
    }
    /// One entry that is not burnt.
    #[must_use]
    pub fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(&id)
    }
    /// All entries that are not burnt, by id.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }
    /// Entries in use.
    pub fn active(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|e| e.standing.status == EntryStatus::Active)
    }
    /// Entries in use or on trial.
    pub fn in_use(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|e| e.is_in_use())
    }
    /// What is left of the burnt ones.
    #[must_use]
    pub fn ashes(&self) -> &BTreeMap<EntryId, Ash> {
        &self.ashes
    }
    /// Entries that say the same as this body, by id.
    pub fn saying(&self, body: &EntryBody) -> impl Iterator<Item = &Entry> {
        let ids = self.said.get(&statement(body));
        ids.into_iter().flatten().filter_map(|id| self.entries.get(id))
    }
    /// Entries on the same topic as this body, by id.
    pub fn on_topic(&self, body: &EntryBody) -> impl Iterator<Item = &Entry> {
        let ids = topic(body).and_then(|t| self.about.get(&t));
        ids.into_iter().flatten().filter_map(|id| self.entries.get(id))
    }
    /// The best established entry in use that contradicts this body, with its effective confidence.
    #[must_use]
    pub fn contradicting(&self, body: &EntryBody, now: VirtualTime) -> Option<(&Entry, f64)> {
        self.on_topic(body)
            .filter(|e| e.is_in_use() && !e.is_hearsay() && contradict(&e.body, body))
            .map(|e| (e, effective(&e.body, &e.standing, now)))
            .reduce(|a, b| if b.1 > a.1 { b } else { a })
    }
    /// Entries in use that say what an older one in use says.
    #[must_use]
    pub fn duplicates(&self) -> BTreeSet<EntryId> {
        let mut out = BTreeSet::new();
        for group in self.said.values().filter(|g| g.len() > 1) {
            let entries = group.iter().filter_map(|id| self.entries.get(id));
            let mut same: Vec<&Entry> = entries.filter(|e| e.standing.status == EntryStatus::Active).collect();
            same.sort_by_key(|e| (e.body.learnt_at, e.id));
            out.extend(same.iter().skip(1).map(|e| e.id));
        }
        out
    }
    /// Groups of entries that say the same, and groups on the same topic, for deep validation.
    pub(crate) fn groups(
        &self,
    ) -> (impl Iterator<Item = &BTreeSet<EntryId>>, impl Iterator<Item = &BTreeSet<EntryId>>) {
        (self.said.values(), self.about.values())
    }

    fn place(&mut self, entry: Entry) {
        self.said.entry(statement(&entry.body)).or_default().insert(entry.id);
        if let Some(topic) = topic(&entry.body) {
            self.about.entry(topic).or_default().insert(entry.id);
        }
        self.entries.insert(entry.id, entry);
    }
    fn reduce(&mut self, id: EntryId, since: VirtualTime) {
        let Some(entry) = self.entries.remove(&id) else { return };
        let said = statement(&entry.body);
        if self.said.get_mut(&said).is_some_and(|ids| ids.remove(&id) && ids.is_empty()) {
            self.said.remove(&said);
        }
        let about = topic(&entry.body);
        if let Some(about) = about.filter(|t| self.about.get_mut(t).is_some_and(|i| i.remove(&id) && i.is_empty())) {
            self.about.remove(&about);
        }
        self.ashes.insert(id, Ash::of(&entry.body, since));
    }
}

impl Ash {
    fn of(body: &EntryBody, since: VirtualTime) -> Self {
        let line = body.text.lines().next().unwrap_or_default().chars().take(ASH_CHARS).collect();
        Self { kind: body.kind, line, since }
    }
}

impl Entry {
    /// True while it is in use or on trial.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        matches!(self.standing.status, EntryStatus::Active | EntryStatus::Candidate)
    }
    /// True when it came from elsewhere and this golem's own outcomes have not validated it: it may inform, and argue
    /// against nothing that is known here.
    #[must_use]
    pub fn is_hearsay(&self) -> bool {
        ceiling(self.body.provenance) < 1.0 && !self.standing.own_validation
    }
    /// True when it was found in the residuals of a panel and nothing has proven it: it is heard by its record, and no more
    /// than on trial.
    #[must_use]
    pub fn is_hunch(&self) -> bool {
        !self.standing.own_validation && self.body.tags.iter().any(|tag| tag == FOUND_TAG)
    }
    /// How much it may be trusted at a moment.
    #[must_use]
    pub fn effective(&self, now: VirtualTime) -> f64 {
        effective(&self.body, &self.standing, now)
    }
}

/// Standings come from rules and from strangers; whoever wrote them, they stay within their bounds.
fn keep_within_bounds(standing: &mut Standing) {
    standing.confidence_bp = standing.confidence_bp.min(MAX_CONFIDENCE_BP);
    standing.strength = bounded_strength(standing.strength);
    standing.quality = if standing.quality.is_nan() { 0.0 } else { standing.quality.clamp(0.0, 1.0) };
}
