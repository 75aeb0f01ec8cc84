//! What a life wrote down, read back from the rows of its file for those after it: its dreams, and its testament.

use golem_clade::heirloom::{LeftPages, LineDream};
use golem_clade::provenance::HandedPassport;
use golem_core::GolemId;
use golem_dreams::journal::{DreamJournalEntry, DreamLater};
use golem_grimoire::change::NamedTable;
use golem_grimoire::testament::Testament;
use std::collections::BTreeMap;

/// The rows of a life that its heirs read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WrittenPages {
    /// Its testament, where it came to write one.
    pub testament: Option<Testament>,
    /// What it dreamt, in its order.
    pub dreams: Vec<LineDream>,
    /// Where it had what it was handed.
    pub handed: Vec<HandedPassport>,
}

impl WrittenPages {
    /// As an heirloom is made of them.
    #[must_use]
    pub fn left(&self) -> LeftPages<'_> {
        LeftPages { testament: self.testament.as_ref(), dreams: &self.dreams, handed: &self.handed }
    }
    /// Of these rows: table, key and body, the newest of each key. A row that cannot be read is a page less.
    pub fn of<'a>(dreamer: GolemId, rows: impl IntoIterator<Item = (NamedTable, &'a str, &'a str)>) -> Self {
        let (mut pages, mut dreams) = (Self::default(), BTreeMap::<u32, LineDream>::new());
        let mut later = BTreeMap::<u32, DreamLater>::new();
        for (table, key, body) in rows {
            match (table, key.split_once('/')) {
                (NamedTable::Testament, None) if key == Testament::KEY => {
                    pages.testament = Testament::read(body).ok();
                }
                (NamedTable::Dream, Some((number, _))) => {
                    let judged: Option<(u32, DreamLater)> = number.parse().ok().zip(DreamLater::read(body).ok());
                    later.extend(judged);
                }
                (NamedTable::Dream, None) => {
                    let read: Option<(u32, DreamJournalEntry)> =
                        key.parse().ok().zip(DreamJournalEntry::read(body).ok());
                    dreams.extend(read.map(|(number, entry)| (number, dream_of(dreamer, number, &entry))));
                }
                (NamedTable::Passport, None) => pages.handed.extend(HandedPassport::read(body)),
                _ => {}
            }
        }
        for (number, later) in later {
            if let Some(dream) = dreams.get_mut(&number) {
                put(dream, later);
            }
        }
        pages.dreams = dreams.into_values().collect();
        pages
    }
}

fn put(dream: &mut LineDream, later: DreamLater) {
    let DreamLater { proposed, confirmed, refuted, expired } = later;
    (dream.proposed, dream.confirmed, dream.refuted, dream.expired) = (proposed, confirmed, refuted, expired);
}

/// What crosses of a dream: what it proposed, and then what else it imagined.
fn dream_of(dreamer: GolemId, number: u32, entry: &DreamJournalEntry) -> LineDream {
    let proposed = entry.phase3_summary.grimoire_updates.iter().map(|update| &update.text);
    let imagined = entry.phase2_summary.creative_hypotheses.iter().map(|idea| &idea.text);
    let mut said: Vec<String> = Vec::new();
    for line in proposed.chain(imagined) {
        if !said.contains(line) {
            said.push(line.clone());
        }
    }
    let mut dream = LineDream {
        at: entry.timestamp,
        dreamer,
        number,
        quality_bp: libm::round(entry.dream_quality_score.clamp(0.0, 1.0) * 1e4) as u16,
        proposed: 0,
        confirmed: 0,
        refuted: 0,
        expired: 0,
        said,
    };
    put(&mut dream, entry.later);
    dream.bounded()
}
