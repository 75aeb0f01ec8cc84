//! What of a mind is kept while it lives through a history, for the page at its end: its latest forecasts with their intervals,
//! and its latest dreams.

use golem_dreams::journal::{DreamJournalEntry, DreamLater};
use golem_grimoire::change::NamedTable;
use golem_mind::Prediction;
use golem_mortality::Domain;
use std::collections::{BTreeMap, VecDeque};

/// Forecasts of each domain, and dreams.
const FORECASTS: usize = 60;
const DREAMS: usize = 30;

/// The latest of each.
#[derive(Debug, Default)]
pub struct KeptMind {
    forecasts: BTreeMap<Domain, VecDeque<Prediction>>,
    dreams: BTreeMap<u32, DreamJournalEntry>,
}

impl KeptMind {
    /// The rows that it reads.
    pub const TABLES: [NamedTable; 2] = [NamedTable::Prediction, NamedTable::Dream];

    /// Take in what a turn wrote. A row of another form is left out: a page is no record.
    pub fn take(&mut self, rows: BTreeMap<(NamedTable, String), String>) {
        for ((table, key), body) in rows {
            match (table, key.split_once('/')) {
                (NamedTable::Prediction, _) => {
                    let Ok(settled) = serde_json::from_str::<Prediction>(&body) else { continue };
                    let of = self.forecasts.entry(settled.domain).or_default();
                    of.push_back(settled);
                    of.drain(..of.len().saturating_sub(FORECASTS));
                }
                (NamedTable::Dream, Some((number, _))) => {
                    let dream = number.parse().ok().and_then(|number| self.dreams.get_mut(&number));
                    if let (Some(dream), Ok(later)) = (dream, DreamLater::read(&body)) {
                        dream.later = later;
                    }
                }
                (NamedTable::Dream, None) => {
                    if let (Ok(number), Ok(dream)) = (key.parse(), DreamJournalEntry::read(&body)) {
                        self.dreams.insert(number, dream);
                    }
                    while self.dreams.len() > DREAMS {
                        self.dreams.pop_first();
                    }
                }
                _ => {}
            }
        }
    }

    /// Forecasts of all domains, the newest first.
    pub fn forecasts(&self) -> Vec<Prediction> {
        self.forecasts.values().flat_map(|of| of.iter().rev().copied()).collect()
    }

    /// Dreams, the newest first.
    pub fn dreams(&self) -> Vec<DreamJournalEntry> {
        self.dreams.values().rev().cloned().collect()
    }
}
