//! A dead golem, read from its file: what it was, what it says to its successor, and what it leaves.

use crate::bundle;
use crate::fail::Fail;
use crate::golem_file::GolemFile;
use crate::home::Place;
use crate::origins;
use crate::stored::parse;
use golem_clade::bottleneck::INHERITANCE_BUDGET;
use golem_clade::life_left::LifeLeft;
use golem_clade::world_time::LifeClock;
use golem_core::{Hash, VirtualTime};
use golem_grimoire::causal::Edge;
use golem_grimoire::change::NamedTable;
use golem_grimoire::playbook::PlaybookWriter;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::{RuleFate, Testament};
use golem_grimoire::{EntryId, Remembered};
use golem_life::{Genesis, LifeStanding, Status, WrittenPages};
use golem_runtime::memory::Detail;
use golem_runtime::{Origin, Reader};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

/// A golem that is dead for good.
pub struct Departed {
    /// Where it lies.
    pub place: Place,
    /// What it was born with.
    pub origin: Origin,
    /// Its settings.
    pub file: GolemFile,
    /// How it was in the end.
    pub status: Status,
    /// What it says; none for one that died before testaments were written.
    pub testament: Option<Testament>,
    /// What it lived by.
    pub writer: PlaybookWriter,
    genesis: Genesis,
    shelf: Shelf,
    edges: Vec<Edge>,
    proposals: Vec<Proposal>,
    /// What it wrote down for those after it.
    pages: WrittenPages,
}

impl Departed {
    /// Read one. The living are refused, with a word of what to do.
    pub fn read(place: &Place) -> Result<Self, Fail> {
        let reader = Reader::open(&place.dir)?;
        let origin = reader.origin()?;
        let status = reader.status()?.map(|row| parse(&row.body)).transpose()?;
        let Some(status) = status.filter(|s| s.standing == LifeStanding::Dead) else {
            return Err(is_alive(place, reader.status()?.map(|row| row.standing)));
        };
        let memory = reader.memory().remembered(Some(reader.tip()?.0), Detail::Learnt)?;
        let stored =
            memory.rows.iter().find(|(table, key, _)| *table == NamedTable::Playbook && key == PlaybookWriter::KEY);
        let writer = match stored {
            Some((_, _, body)) => {
                PlaybookWriter::restore(body).map_err(|e| Fail::world(format!("the stored playbook: {e}")))?
            }
            None => PlaybookWriter::new(origin.birth.name.clone(), origin.birth.id),
        };
        let testament = crate::testament::stored(&reader)?;
        let dreams = reader.memory().named(NamedTable::Dream, None, u32::MAX)?;
        // The oldest first, so that the newest row of a key is the one that stays.
        let dreams = dreams.iter().rev().map(|row| (NamedTable::Dream, row.key.as_str(), row.body.as_str()));
        let kept = memory.rows.iter().map(|(table, key, body)| (*table, key.as_str(), body.as_str()));
        let mut pages = WrittenPages::of(origin.birth.id, dreams.chain(kept));
        pages.testament.clone_from(&testament);
        Ok(Self {
            place: place.clone(),
            file: origins::settings_of(&origin)?,
            genesis: origins::genesis(&origin)?,
            status,
            testament,
            writer,
            shelf: Shelf::rebuild(&memory),
            edges: rows(&memory, NamedTable::Edge),
            proposals: rows(&memory, NamedTable::Proposal),
            pages,
            origin,
        })
    }

    /// It, as far as inheritance looks at it.
    pub fn left(&self) -> LifeLeft<'_> {
        LifeLeft {
            birth: &self.origin.birth,
            inheritance: self.genesis.inheritance.as_deref(),
            taken_in: self.genesis.taken_in_at(),
            now: VirtualTime((self.status.age_days * 86_400_000.0).round() as u64),
            shelf: &self.shelf,
            playbook: self.writer.playbook(),
            pages: self.pages.left(),
            asked: &self.genesis.settings.divergence,
        }
    }
    /// What its testament advises against: rules to be retired and what no longer holds, by the roots under which it leaves
    /// them.
    pub fn advised_against(&self) -> Vec<Hash> {
        let advice = self.testament.iter().map(|t| &t.successor_recommendations);
        let against: BTreeSet<EntryId> = advice
            .flat_map(|advice| {
                let retired = advice.playbook.iter().filter(|a| a.change == RuleFate::Retire);
                retired.filter_map(|a| a.rule.entry()).chain(advice.stale_heuristics.iter().map(|a| a.entry))
            })
            .collect();
        let roots: BTreeSet<Hash> = self.roots().filter(|(id, _)| against.contains(id)).map(|(_, root)| root).collect();
        roots.into_iter().collect()
    }
    /// What it knew under these roots.
    pub fn rooted_in<'a>(&'a self, roots: &'a [Hash]) -> impl Iterator<Item = EntryId> + 'a {
        let known: Vec<(EntryId, Hash)> = if roots.is_empty() { Vec::new() } else { self.roots().collect() };
        known.into_iter().filter(|(_, root)| roots.contains(root)).map(|(id, _)| id)
    }
    /// All that it knew, with the root that each has in what it leaves.
    fn roots(&self) -> impl Iterator<Item = (EntryId, Hash)> + '_ {
        let left = self.left();
        let (book, lineage, clock) = (left.passports(), left.lineage(), LifeClock { zero: self.origin.birth.born_at });
        self.shelf.entries().map(move |entry| (entry.id, book.present(entry, &self.shelf, &lineage, clock).root))
    }
    /// What it leaves, signed by it: through the bottleneck, or nothing but its name and what it lived by.
    pub fn bundle(&self, with_knowledge: bool) -> Vec<u8> {
        let budget = if with_knowledge { INHERITANCE_BUDGET } else { 0 };
        let heirloom = self.left().heirloom(self.edges.iter(), self.proposals.iter(), budget);
        bundle::sign(&self.origin, &heirloom)
    }
}

/// The rows of a table that can be read: one that cannot is a lesson less, never a death less.
fn rows<T: DeserializeOwned>(memory: &Remembered, of: NamedTable) -> Vec<T> {
    let bodies = memory.rows.iter().filter(|(table, ..)| *table == of);
    bodies.filter_map(|(_, _, body)| serde_json::from_str(body).ok()).collect()
}

fn is_alive(place: &Place, standing: Option<LifeStanding>) -> Fail {
    let name = &place.name;
    match standing {
        Some(LifeStanding::Dying) => Fail::hint(
            format!("{name} is dying, and not dead yet"),
            format!("let it come to its end: bardo golem run {name}"),
        ),
        _ => Fail::hint(
            format!("{name} is alive, and only the dead have successors"),
            format!("let it live; or end its life first: bardo golem kill {name} --reason WHY"),
        ),
    }
}
