//! A look at the whole file, for whoever wants to know before it matters: every row against its sum, nothing changed.

use super::load::{self, LAST_STEP, STEP, ends, load_keys, read_head};
use super::rows::{self, SENT};
use super::seal::{self, Total};
use super::{HeadName, runs, schema};
use crate::embedded::ChainError;
use crate::embedded::stored::code_hash;
use crate::embedded::world::{StateField, StateKey};
use alloy_primitives::U256;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::collections::BTreeMap;
use std::path::Path;

/// Problems that are told one by one; of more only how many.
const TOLD: usize = 8;

/// A file, as it stands now: within one transaction, so that a chain that goes on meanwhile is seen as it was.
fn look(path: &Path) -> Result<Connection, ChainError> {
    let failed = || ChainError::store(path);
    if !std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
        return Err(ChainError::Absent(path.to_owned()));
    }
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed())?;
    schema::is_ours(&db, path)?;
    db.execute_batch("BEGIN").map_err(failed())?;
    Ok(db)
}

/// Whether a file goes on from a head that somebody has seen.
pub(super) fn goes_on_from(path: &Path, writes: u64, name: &HeadName) -> Result<(), ChainError> {
    let db = look(path)?;
    let head = read_head(&db, path)?.ok_or_else(|| ChainError::Absent(path.to_owned()))?;
    let find = "SELECT name FROM heads WHERE writes = ?";
    let found = db.query_row(find, [writes.cast_signed()], |r| r.get(0)).optional();
    fits(head.writes, writes, name, found.map_err(ChainError::store(path))?)
}

/// A head that was seen after so many writes, held against what the file calls it.
pub(super) fn fits(now: u64, writes: u64, name: &HeadName, found: Option<HeadName>) -> Result<(), ChainError> {
    if now < writes {
        return Err(ChainError::Older(format!("it was written {now} times, and {writes} are known")));
    }
    match found {
        Some(found) if found == *name => Ok(()),
        _ => Err(ChainError::Older(format!("its history is another one, from write {writes} on at the latest"))),
    }
}

/// What is wrong with a file, in words.
pub(super) fn file(path: &Path) -> Result<Vec<String>, ChainError> {
    let db = look(path)?;
    let mut wrong = Vec::new();
    match structure(&db) {
        Ok(found) => wrong.extend(found),
        Err(e) => wrong.push(ChainError::store(path)(e).to_string()),
    }
    for part in [the_present, blocks, transactions, history, steps] {
        if let Err(e) = part(&db, path) {
            wrong.push(e.to_string());
        }
    }
    let more = wrong.len().saturating_sub(TOLD);
    wrong.truncate(TOLD);
    wrong.extend((more > 0).then(|| format!("{}: and {more} more", path.display())));
    Ok(wrong)
}

fn damaged(path: &Path, what: impl Into<String>) -> ChainError {
    ChainError::Damaged { path: path.to_owned(), what: what.into() }
}

/// What the database itself has to say about its pages and indices.
fn structure(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = db.prepare("PRAGMA integrity_check(8)")?;
    let said = check.query_map([], |r| r.get::<_, String>(0))?;
    let said: Vec<String> = said.collect::<Result<_, _>>()?;
    Ok(said.into_iter().filter(|word| word != "ok").collect())
}

/// The head and everything that it counts.
fn the_present(db: &Connection, path: &Path) -> Result<(), ChainError> {
    let head = read_head(db, path)?.ok_or_else(|| damaged(path, "its head is missing"))?;
    ends(db, path, &head)?;
    let failed = || ChainError::store(path);
    let mut all = db.prepare("SELECT name, value FROM meta").map_err(failed())?;
    let rows = all.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, Vec<u8>>(1)?))).map_err(failed())?;
    for row in rows {
        let (name, sealed) = row.map_err(failed())?;
        if seal::open("meta", name.as_bytes(), &sealed).is_none() {
            return Err(damaged(path, format!("the fact {name} does not fit its sum")));
        }
    }
    let heads = "SELECT count(*), ifnull(max(writes), 0) FROM heads";
    let (count, last) =
        db.query_row(heads, [], |r| Ok((rows::unsigned(r, 0)?, rows::unsigned(r, 1)?))).map_err(failed())?;
    if (count, last) != (head.writes, head.writes) {
        return Err(damaged(path, "names of heads are missing"));
    }
    load::codes(db, path).map(drop)
}

fn blocks(db: &Connection, path: &Path) -> Result<(), ChainError> {
    let failed = || ChainError::store(path);
    let mut all = db.prepare("SELECT * FROM blocks ORDER BY number").map_err(failed())?;
    let rows = all.query_map([], rows::block).map_err(failed())?;
    let mut first = 0;
    for (at, row) in (0u64..).zip(rows) {
        let block = row.map_err(failed())?;
        if block.number != at || block.first < first {
            return Err(damaged(path, format!("block {at} is missing")));
        }
        first = block.first;
    }
    Ok(())
}

fn transactions(db: &Connection, path: &Path) -> Result<(), ChainError> {
    let failed = || ChainError::store(path);
    let mut all = db.prepare(&format!("{SENT} ORDER BY t.seq")).map_err(failed())?;
    let rows = all.query_map([], rows::sent).map_err(failed())?;
    for (at, row) in (0u64..).zip(rows) {
        if row.map_err(failed())?.seq != at {
            return Err(damaged(path, format!("transaction {at} is missing")));
        }
    }
    let stray = "SELECT count(*) FROM signed WHERE seq NOT IN (SELECT seq FROM transactions)";
    match db.query_row(stray, [], |r| r.get::<_, i64>(0)).map_err(failed())? {
        0 => Ok(()),
        _ => Err(damaged(path, "an envelope without a transaction")),
    }
}

/// Every value that anything ever had, and the total of the last ones; and the code behind each value that names one.
fn history(db: &Connection, path: &Path) -> Result<(), ChainError> {
    let failed = || ChainError::store(path);
    let codes = load::codes(db, path)?;
    let has_code = |key: StateKey, value: U256| {
        let is_there = key.field != StateField::Code || value.is_zero() || codes.contains_key(&code_hash(value));
        if is_there { Ok(()) } else { Err(damaged(path, "a code is missing")) }
    };
    let keys: BTreeMap<i64, StateKey> = load_keys(db, path)?.into_iter().collect();
    let mut state = Total::default();
    let mut all = db.prepare("SELECT place, run FROM runs ORDER BY place").map_err(failed())?;
    let mut rows = all.query([]).map_err(failed())?;
    let mut before: Option<(i64, u64, U256)> = None;
    let mut seen = 0;
    while let Some(row) = rows.next().map_err(failed())? {
        let place: i64 = row.get(0).map_err(failed())?;
        let sealed = row.get_ref(1).ok().and_then(|r| r.as_blob().ok()).unwrap_or_default();
        let id = runs::id_of(place);
        let key = *keys.get(&id).ok_or_else(|| damaged(path, "a run of a key that is missing"))?;
        let of_key = before.filter(|(of, ..)| *of == id);
        if let (Some((of, _, value)), None) = (before, of_key) {
            has_code(keys[&of], value)?;
            state.add(&seal::value(keys[&of], value));
            seen += 1;
        }
        let run = runs::open(key, place, of_key.map(|(_, seq, _)| seq), sealed);
        let run = run.ok_or_else(|| damaged(path, "a run does not fit its sum, or one before it is missing"))?;
        let value = runs::value_before(run, u64::MAX).ok_or_else(|| damaged(path, "a run cannot be read"))?;
        before = Some((id, runs::seq_of(place), value));
    }
    if let Some((of, _, value)) = before {
        has_code(keys[&of], value)?;
        state.add(&seal::value(keys[&of], value));
        seen += 1;
    }
    let head = read_head(db, path)?.ok_or_else(|| damaged(path, "its head is missing"))?;
    if seen != keys.len() || state != head.state {
        return Err(damaged(path, "the present values are not those that its head names"));
    }
    Ok(())
}

/// What was seen at each step.
fn steps(db: &Connection, path: &Path) -> Result<(), ChainError> {
    let failed = || ChainError::store(path);
    let mut all = db.prepare("SELECT key, receipt FROM effects WHERE key >= ?1 AND key < ?2").map_err(failed())?;
    let range = rusqlite::params![&[STEP][..], &[STEP + 1][..]];
    let rows = all.query_map(range, |r| Ok((r.get::<_, Vec<u8>>(0)?, r.get::<_, Vec<u8>>(1)?))).map_err(failed())?;
    let (mut last, mut stride) = (None::<u64>, None);
    for row in rows {
        let (key, sealed) = row.map_err(failed())?;
        let tick = key.get(1..).and_then(|t| t.try_into().ok()).map(u64::from_be_bytes);
        let (Some(tick), true) = (tick, seal::open("effect", &key, &sealed).is_some()) else {
            return Err(damaged(path, "a step does not fit its sum"));
        };
        // Steps are equally far apart: a gap is a step that is missing.
        let gap = last.map(|last| tick - last);
        if last.is_none() && tick != 0 || stride.is_some_and(|stride| gap != Some(stride)) {
            return Err(damaged(path, format!("a step before {tick} is missing")));
        }
        (last, stride) = (Some(tick), stride.or(gap));
    }
    // No gap shows that the last one is missing. Files of before have no name for it.
    let find = "SELECT value FROM meta WHERE name = ?";
    let named = db.query_row(find, [LAST_STEP], |r| r.get::<_, Vec<u8>>(0)).optional().map_err(failed())?;
    let named = named.and_then(|sealed| seal::open("meta", LAST_STEP.as_bytes(), &sealed)?.try_into().ok());
    if named.is_some_and(|named| last != Some(u64::from_be_bytes(named))) {
        return Err(damaged(path, "the last step is missing"));
    }
    Ok(())
}
