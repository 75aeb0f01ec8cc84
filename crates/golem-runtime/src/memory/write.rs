//! Changes become rows.

use super::place;
use super::shorthand::shortened;
use super::standing::LeanStanding;
use super::totals::{self, MemoryTable, MemoryTotals, is_believed};
use crate::db::int;
use golem_core::Tick;
use golem_core::door::Embedding;
use golem_grimoire::change::{NamedTable, TextSubject};
use golem_grimoire::{Change, EntryId, EpisodeId, Standing};
use rusqlite::{Connection, ToSql, params};
use serde::Serialize;
use std::collections::HashMap;

/// Add what turns changed, to the rows and to what they add up to.
pub(crate) fn write(conn: &Connection, turns: &[(Tick, Vec<Change>)]) -> rusqlite::Result<()> {
    if turns.is_empty() {
        return Ok(());
    }
    let mut totals = totals::written(conn)?.unwrap_or_default();
    for (tick, changes) in turns {
        let mut writing = Writing { conn, at: int(tick.0), totals: &mut totals, last: last_words(changes) };
        for (n, change) in changes.iter().enumerate() {
            writing.one(n, change)?;
        }
    }
    totals::keep(conn, &totals)
}

/// A row of which a turn keeps only what was said last.
#[derive(PartialEq, Eq, Hash)]
enum RowKey<'a> {
    Marks(u64),
    Standing([u8; 16]),
    Named(NamedTable, &'a str),
}

fn key(change: &Change) -> Option<RowKey<'_>> {
    match change {
        Change::Marked { id, .. } => Some(RowKey::Marks(id.0)),
        Change::Entry { entry, .. } => Some(RowKey::Standing(entry.id.0)),
        Change::Stands { id, .. } => Some(RowKey::Standing(id.0)),
        Change::Row { table, key, .. } => Some(RowKey::Named(*table, key)),
        Change::Episode { .. } | Change::Vector { .. } => None,
    }
}

/// Which change has the last word on each row.
fn last_words(changes: &[Change]) -> HashMap<RowKey<'_>, usize> {
    changes.iter().enumerate().filter_map(|(n, change)| Some((key(change)?, n))).collect()
}

struct Writing<'a> {
    conn: &'a Connection,
    at: i64,
    totals: &'a mut MemoryTotals,
    last: HashMap<RowKey<'a>, usize>,
}

impl Writing<'_> {
    fn one(&mut self, n: usize, change: &Change) -> rusqlite::Result<()> {
        let at = self.at;
        let has_last_word = key(change).is_none_or(|key| self.last.get(&key) == Some(&n));
        match change {
            Change::Episode { episode, embedding } => {
                let situation = bytes_of(&episode.situation.0);
                let body = json(&episode.body())?;
                let (model, vector, scale) = columns(embedding.as_ref());
                let sum = sum(&[&situation, body.as_bytes()]);
                let id = int(episode.id.0);
                self.put(
                    MemoryTable::Episodes,
                    "INSERT INTO episodes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    params![id, at, int(episode.age.0), episode.text, situation, body, sum, model, vector, scale],
                )?;
                let words = "INSERT INTO episode_words(rowid, text) VALUES (?1, ?2)";
                self.execute(words, params![id, episode.text])
            }
            Change::Marked { id, marks } if has_last_word => {
                let sql = "INSERT OR REPLACE INTO marks VALUES (?1, ?2, ?3)";
                self.put(MemoryTable::Marks, sql, params![int(id.0), at, json(marks)?])
            }
            Change::Entry { entry, embedding } => {
                let (model, vector, scale) = columns(embedding.as_ref());
                let number = self.next("SELECT coalesce(max(number), 0) + 1 FROM entries")?;
                let (id, hash, body) = (&entry.id.0[..], &entry.hash.0[..], json(&entry.body)?);
                self.put(
                    MemoryTable::Entries,
                    "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    params![number, id, at, entry.body.text, body, hash, model, vector, scale],
                )?;
                if has_last_word { self.stands(&entry.id.0, &entry.standing) } else { Ok(()) }
            }
            Change::Stands { id, standing } if has_last_word => self.stands(&id.0, standing),
            Change::Row { table, key, text, body } if has_last_word => {
                let (place, sql) = (place(*table), "INSERT OR REPLACE INTO named VALUES (?1, ?2, ?3, ?4, ?5)");
                if is_believed(*table) {
                    self.put(MemoryTable::Named, sql, params![place, key, at, text, body])
                } else {
                    self.execute(sql, params![place, key, at, text, shortened(body)])
                }
            }
            Change::Vector { of, embedding } => {
                let (kind, id) = named(*of);
                let (model, vector, scale) = columns(Some(embedding));
                let number = self.next("SELECT coalesce(max(number), 0) + 1 FROM vectors")?;
                self.put(
                    MemoryTable::Vectors,
                    "INSERT INTO vectors VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![number, at, kind, id, model, vector, scale, vector_sum(kind, &id, embedding)],
                )
            }
            Change::Marked { .. } | Change::Stands { .. } | Change::Row { .. } => Ok(()),
        }
    }

    fn stands(&mut self, id: &[u8], standing: &Standing) -> rusqlite::Result<()> {
        let (at, body) = (self.at, json(&LeanStanding(standing))?);
        self.put(MemoryTable::Standings, "INSERT OR REPLACE INTO standings VALUES (?1, ?2, ?3)", params![id, at, body])
    }

    /// Write a row that will be believed.
    fn put(&mut self, of: MemoryTable, sql: &str, row: &[&dyn ToSql]) -> rusqlite::Result<()> {
        self.totals.add(of, row)?;
        self.execute(sql, row)
    }
    fn execute(&self, sql: &str, row: &[&dyn ToSql]) -> rusqlite::Result<()> {
        self.conn.prepare_cached(sql)?.execute(row).map(drop)
    }
    fn next(&self, sql: &str) -> rusqlite::Result<i64> {
        self.conn.prepare_cached(sql)?.query_row([], |row| row.get(0))
    }
}

/// What a vector is of, as its row says it.
fn named(of: TextSubject) -> (&'static str, Vec<u8>) {
    match of {
        TextSubject::Episode(id) => ("episode", id.0.to_be_bytes().to_vec()),
        TextSubject::Entry(id) => ("entry", id.0.to_vec()),
    }
}

/// The same, read back.
pub(super) fn subject(kind: &str, id: &[u8]) -> Option<TextSubject> {
    match kind {
        "episode" => Some(TextSubject::Episode(EpisodeId(u64::from_be_bytes(id.try_into().ok()?)))),
        "entry" => Some(TextSubject::Entry(EntryId(id.try_into().ok()?))),
        _ => None,
    }
}

/// Over everything that a vector's row says.
pub(super) fn vector_sum(kind: &str, id: &[u8], embedding: &Embedding) -> [u8; 8] {
    sum(&[kind.as_bytes(), id, embedding.model.as_bytes(), &blob(&embedding.row), &embedding.scale.to_le_bytes()])
}

fn columns(embedding: Option<&Embedding>) -> (Option<&str>, Option<Vec<u8>>, Option<f64>) {
    match embedding {
        None => (None, None, None),
        Some(e) => (Some(e.model.as_str()), Some(blob(&e.row)), Some(f64::from(e.scale))),
    }
}

/// A row as little-endian bytes.
fn blob(row: &[i16]) -> Vec<u8> {
    row.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Floats as little-endian bytes.
fn bytes_of(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Over the columns that are believed when they are read, so that a rotten bit is noticed.
pub(super) fn sum(parts: &[&[u8]]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 episode row");
    for part in parts {
        hasher.update(part);
    }
    let mut sum = [0; 8];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    sum
}

fn json<T: Serialize>(value: &T) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}
