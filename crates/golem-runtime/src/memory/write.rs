//! Changes become rows.

use super::place;
use super::standing::LeanStanding;
use crate::db::int;
use golem_core::Tick;
use golem_core::door::Embedding;
use golem_grimoire::change::Subject;
use golem_grimoire::{Change, EntryId, EpisodeId, Standing};
use rusqlite::{Connection, params};
use serde::Serialize;

/// Add what one turn changed.
pub(crate) fn write(conn: &Connection, tick: Tick, changes: &[Change]) -> rusqlite::Result<()> {
    changes.iter().try_for_each(|change| one(conn, tick, change))
}

fn one(conn: &Connection, tick: Tick, change: &Change) -> rusqlite::Result<()> {
    let at = int(tick.0);
    match change {
        Change::Episode { episode, embedding } => {
            let situation = bytes_of(&episode.situation.0);
            let body = json(&episode.body())?;
            let (model, vector, scale) = columns(embedding.as_ref());
            let sum = sum(&[&situation, body.as_bytes()]);
            conn.prepare_cached("INSERT INTO episodes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?.execute(
                params![
                    int(episode.id.0),
                    at,
                    int(episode.age.0),
                    episode.text,
                    situation,
                    body,
                    sum,
                    model,
                    vector,
                    scale
                ],
            )?;
            conn.prepare_cached("INSERT INTO episode_words(rowid, text) VALUES (?1, ?2)")?
                .execute(params![int(episode.id.0), episode.text])?;
        }
        Change::Marked { id, marks } => {
            conn.prepare_cached("INSERT OR REPLACE INTO marks VALUES (?1, ?2, ?3)")?.execute(params![
                int(id.0),
                at,
                json(marks)?
            ])?;
        }
        Change::Entry { entry, embedding } => {
            let (model, vector, scale) = columns(embedding.as_ref());
            conn.prepare_cached(
                "INSERT INTO entries(id, tick, text, body, hash, model, vector, scale)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                &entry.id.0[..],
                at,
                entry.body.text,
                json(&entry.body)?,
                &entry.hash.0[..],
                model,
                vector,
                scale
            ])?;
            conn.prepare_cached("INSERT INTO entry_words(rowid, text) VALUES (?1, ?2)")?
                .execute(params![conn.last_insert_rowid(), entry.body.text])?;
            stands(conn, &entry.id.0, at, &entry.standing)?;
        }
        Change::Stands { id, standing } => stands(conn, &id.0, at, standing)?,
        Change::Row { table, key, text, body } => {
            conn.prepare_cached("INSERT OR REPLACE INTO named VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
                place(*table),
                key,
                at,
                text,
                body
            ])?;
        }
        Change::Vector { of, embedding } => {
            let (kind, id) = named(*of);
            let (model, vector, scale) = columns(Some(embedding));
            let sum = vector_sum(kind, &id, embedding);
            conn.prepare_cached(
                "INSERT INTO vectors(tick, kind, id, model, vector, scale, sum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![at, kind, id, model, vector, scale, sum])?;
        }
    }
    Ok(())
}

fn stands(conn: &Connection, id: &[u8], at: i64, standing: &Standing) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO standings VALUES (?1, ?2, ?3)")?
        .execute(params![id, at, json(&LeanStanding(standing))?])
        .map(drop)
}

/// What a vector is of, as its row says it.
fn named(of: Subject) -> (&'static str, Vec<u8>) {
    match of {
        Subject::Episode(id) => ("episode", id.0.to_be_bytes().to_vec()),
        Subject::Entry(id) => ("entry", id.0.to_vec()),
    }
}

/// The same, read back.
pub(super) fn subject(kind: &str, id: &[u8]) -> Option<Subject> {
    match kind {
        "episode" => Some(Subject::Episode(EpisodeId(u64::from_be_bytes(id.try_into().ok()?)))),
        "entry" => Some(Subject::Entry(EntryId(id.try_into().ok()?))),
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
