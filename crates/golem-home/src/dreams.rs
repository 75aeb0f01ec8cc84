//! What a golem dreams, what it proposed and what is being tested of it.

use crate::cards;
use crate::fail::Fail;
use crate::home::Place;
use crate::origins;
use golem_clade::heirloom::LineDream;
use golem_core::{Name, Tick};
use golem_dreams::cycle::DreamStats;
use golem_dreams::journal::{DreamJournalEntry, DreamLater};
use golem_grimoire::change::NamedTable;
use golem_grimoire::staging::{Proposal, ProposalStatus};
use golem_runtime::Reader;
use golem_runtime::memory::Detail;
use serde::Serialize;
use std::collections::BTreeMap;

/// A dream with its number, and what became of what it proposed.
#[derive(Debug, Clone)]
pub struct Dreamt {
    pub number: u32,
    pub entry: DreamJournalEntry,
}

/// What `dream journal --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct DreamBook {
    /// Its own, the newest first.
    pub dreams: Vec<DreamJournalEntry>,
    /// Those of its line that it was left.
    pub inherited: Vec<LineDream>,
}

/// The latest dreams, the newest first: as of now, or of what was known of them at a turn.
pub fn latest(place: &Place, as_of: Option<Tick>, at_most: u32) -> Result<Vec<Dreamt>, Fail> {
    let reader = Reader::open(&place.dir)?;
    // What became of a dream has rows of its own.
    let rows = reader.memory().named(NamedTable::Dream, as_of, at_most.saturating_mul(8))?;
    let mut later = BTreeMap::<u32, DreamLater>::new();
    let mut found = Vec::new();
    for row in rows {
        let bad = |e| Fail::Bug(format!("dream {}: {e}", row.key));
        match row.key.split_once('/') {
            Some((number, _)) => {
                let number = number.parse().unwrap_or_default();
                later.entry(number).or_insert(DreamLater::read(&row.body).map_err(bad)?);
            }
            None if found.len() < at_most as usize => {
                let number = row.key.parse().unwrap_or_default();
                found.push(Dreamt { number, entry: DreamJournalEntry::read(&row.body).map_err(bad)? });
            }
            None => {}
        }
    }
    for dreamt in &mut found {
        if let Some(later) = later.get(&dreamt.number) {
            dreamt.entry.later = *later;
        }
    }
    Ok(found)
}

/// The latest dreams, and those that it was left.
pub fn journal(place: &Place, as_of: Option<Tick>, last: u32) -> Result<DreamBook, Fail> {
    let dreams = latest(place, as_of, last)?.into_iter().map(|d| d.entry).collect();
    let genesis = origins::genesis(&Reader::open(&place.dir)?.origin()?)?;
    let inherited = genesis.inheritance.as_ref().map(|i| i.heirloom.dreams.clone()).unwrap_or_default();
    Ok(DreamBook { dreams, inherited })
}

/// What is being tested of what it dreamt, or was at a turn.
pub fn staging(place: &Place, as_of: Option<Tick>) -> Result<Vec<Proposal>, Fail> {
    let all = Reader::open(&place.dir)?.memory().remembered(as_of, Detail::Learnt)?;
    let rows = all.rows.iter().filter(|(table, ..)| *table == NamedTable::Proposal);
    let proposals = rows.filter_map(|(_, _, body)| serde_json::from_str::<Proposal>(body).ok());
    Ok(proposals.filter(|p| p.status == ProposalStatus::Staged).collect())
}

/// One dream by its number; the latest without one.
pub fn one(place: &Place, number: Option<u32>) -> Result<DreamJournalEntry, Fail> {
    let all = latest(place, None, if number.is_some() { 10_000 } else { 1 })?;
    let found = all.into_iter().find(|d| number.is_none_or(|n| d.number == n));
    found
        .map(|dreamt| dreamt.entry)
        .ok_or_else(|| Fail::hint("there is no such dream", "`bardo dream journal NAME` lists them"))
}

/// How many dreams there were, what came true of them, and what they cost.
pub fn stats(place: &Place) -> Result<DreamStats, Fail> {
    let read = cards::status(place)?;
    read.dreams.ok_or_else(|| never_dreams(&read.name))
}

/// Refuse who was born without dreams. A newborn is not known yet, and answers for itself.
pub(crate) fn may_dream(place: &Place) -> Result<(), Fail> {
    match cards::status(place) {
        Ok(read) if read.dreams.is_none() => Err(never_dreams(&read.name)),
        _ => Ok(()),
    }
}

fn never_dreams(name: &Name) -> Fail {
    Fail::hint(
        format!("{name} does not dream: dreams were off at birth"),
        "they are off by default: --set dream.enabled=true",
    )
}
