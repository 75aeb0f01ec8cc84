//! A golem of this home as its owner's library sees it: read from its file, which is left as it is.

use crate::birth::{genesis, settings_of};
use crate::fail::Fail;
use crate::golem_file::{ChainWord, GolemFile, WorldKind};
use crate::home::{Home, Place};
use crate::stored;
use golem_clade::library::{Archetype, EquipTarget, LibraryVisitor, WorldCalendar};
use golem_clade::provenance::{HandedPassport, Lineage, PassportBook};
use golem_clade::world_time::LifeClock;
use golem_core::door::Embedding;
use golem_core::{Birth, VirtualTime};
use golem_grimoire::causal::Edge;
use golem_grimoire::change::NamedTable;
use golem_grimoire::playbook::PlaybookWriter;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{Entry, Remembered};
use golem_life::LifeStanding;
use golem_runtime::memory::Detail;
use golem_runtime::{Origin, Reader};

/// Milliseconds of a day.
const DAY_MS: f64 = 86_400_000.0;

/// Read one.
pub fn visit(place: &Place, home: &Home) -> Result<LibraryVisitor, Fail> {
    let reader = Reader::open(&place.dir)?;
    let origin = reader.origin()?;
    let file = settings_of(&origin)?;
    let (tick, _) = reader.tip()?;
    let status = reader.status()?;
    let dead = status.as_ref().is_some_and(|row| row.standing == LifeStanding::Dead);
    let age_days = status.map(|row| stored::parse(&row.body)).transpose()?.map_or(0.0, |status| status.age_days);
    let Remembered { entries, rows, .. } = reader.memory().remembered(None, Detail::Learnt)?;
    let clock = LifeClock { zero: origin.birth.born_at };
    let passports = passports(&origin, &entries, &rows)?;
    Ok(LibraryVisitor {
        lineage: lineage(&origin.birth, home),
        name: place.name.to_string(),
        archetype: Archetype::named(file.policy.template.name()),
        calendar: calendar(&file)?,
        clock,
        tick,
        now: clock.at(VirtualTime((age_days * DAY_MS) as u64)),
        dead,
        entries: entries.into_iter().map(|(entry, _)| entry).collect(),
        edges: edges(&rows)?,
        playbook: playbook(&rows, &origin.birth)?,
        passports,
    })
}

/// Where it has what it was born with, and what it was handed since.
fn passports(
    origin: &Origin,
    entries: &[(Entry, Option<Embedding>)],
    rows: &[(NamedTable, String, String)],
) -> Result<PassportBook, Fail> {
    let genesis = genesis(origin)?;
    let (mut shelf, taken_in) = (Shelf::default(), genesis.taken_in_at());
    for (entry, _) in entries {
        shelf.add(entry.clone());
    }
    let inherited = genesis.inheritance.as_ref();
    let mut book = inherited.map(|i| i.passports(origin.birth.id, taken_in, &shelf)).unwrap_or_default();
    for (_, _, body) in rows.iter().filter(|(table, ..)| *table == NamedTable::Passport) {
        let bad = |e: serde_json::Error| Fail::world(format!("a stored passport cannot be read: {e}"));
        let handed = HandedPassport::read(body).map_err(bad)?;
        book.accept(handed.entry, handed.passport);
    }
    Ok(book)
}

/// Who is equipped.
pub fn equip_target(place: &Place) -> Result<EquipTarget, Fail> {
    let origin = Reader::open(&place.dir)?.origin()?;
    let file = settings_of(&origin)?;
    Ok(EquipTarget {
        golem: origin.birth.id,
        archetype: Archetype::named(file.policy.template.name()),
        calendar: calendar(&file)?,
        born: origin.birth.born_at,
    })
}

/// The line that a golem stands in, as far as its ancestors still lie in this home.
fn lineage(birth: &Birth, home: &Home) -> Lineage {
    let (mut births, mut next) = (vec![birth.clone()], birth.parent);
    while let Some(parent) = next.filter(|id| births.iter().all(|b| b.id != *id)) {
        let Ok(origin) = Reader::open(&home.golem_dir(parent)).and_then(|reader| reader.origin()) else { break };
        next = origin.birth.parent;
        births.push(origin.birth);
    }
    let line =
        births.iter().rev().fold(None, |before: Option<Lineage>, birth| Some(Lineage::of(birth, before.as_ref())));
    line.unwrap_or_else(|| Lineage::of(birth, None))
}

/// Recordings and living chains are dated like the world outside; a market that was made up has days of its own.
fn calendar(file: &GolemFile) -> Result<WorldCalendar, Fail> {
    if file.chain.kind == ChainWord::Rpc || file.world.kind == WorldKind::Csv {
        return Ok(WorldCalendar::Outside);
    }
    let world = serde_json::to_string(&file.world).map_err(|e| Fail::Bug(e.to_string()))?;
    Ok(WorldCalendar::MadeUp(blake3::hash(world.as_bytes()).to_hex()[..16].to_owned()))
}

fn edges(rows: &[(NamedTable, String, String)]) -> Result<Vec<Edge>, Fail> {
    let of = rows.iter().filter(|(table, ..)| *table == NamedTable::Edge);
    of.map(|(_, key, body)| serde_json::from_str(body).map_err(|e| Fail::world(format!("the edge {key}: {e}"))))
        .collect()
}

fn playbook(rows: &[(NamedTable, String, String)], birth: &Birth) -> Result<String, Fail> {
    let found = rows.iter().find(|(table, key, _)| *table == NamedTable::Playbook && key == PlaybookWriter::KEY);
    let writer = match found {
        Some((_, _, body)) => PlaybookWriter::restore(body).map_err(|e| Fail::world(format!("the playbook: {e}")))?,
        None => PlaybookWriter::new(birth.name.clone(), birth.id),
    };
    Ok(writer.text().to_owned())
}
