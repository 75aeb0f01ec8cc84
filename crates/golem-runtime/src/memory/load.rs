//! Rows become what a grimoire is rebuilt from, as of the end of a turn.

use crate::db::{int, uint};
use crate::error::Error;
use golem_core::door::Embedding;
use golem_core::{Hash, Tick};
use golem_grimoire::change::{NamedTable, TextSubject};
use golem_grimoire::situation::WIDTH;
use golem_grimoire::{Entry, EntryId, Episode, EpisodeId, Marks, Remembered, Situation};
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;

/// How much of the episodes is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// No episode at all: what was learnt, and nothing of what happened.
    Learnt,
    /// Bodies and vectors of the newest so many; of those before only their situations.
    Newest(u64),
    /// Everything of everyone.
    All,
}

/// What the file holds as of the end of a turn. A row that does not fit its sum is an error: the memory can be rebuilt from
/// the journal, and a wrong one must not be believed.
pub(crate) fn load(conn: &Connection, path: &Path, as_of: Tick, detail: Detail) -> Result<Remembered, Error> {
    let reading = MemoryReading { conn, path, as_of: int(as_of.0) };
    Ok(Remembered {
        tick: as_of,
        episodes: reading.episodes(detail)?,
        entries: reading.entries()?,
        rows: reading.named()?,
        vectors: reading.vectors()?,
    })
}

struct MemoryReading<'a> {
    conn: &'a Connection,
    path: &'a Path,
    as_of: i64,
}

type Rows<T> = Result<Vec<T>, Error>;

impl MemoryReading<'_> {
    fn episodes(&self, detail: Detail) -> Rows<(Episode, Marks, Option<Embedding>)> {
        let newest: i64 = self.one("SELECT coalesce(max(id), 0) FROM episodes WHERE tick <= ?1")?;
        let bodies_from = match detail {
            Detail::Learnt => return Ok(Vec::new()),
            Detail::All => 0,
            Detail::Newest(n) => newest.saturating_sub(int(n)),
        };
        let marks: BTreeMap<i64, Marks> = self
            .list("SELECT id, body, max(tick) FROM marks WHERE tick <= ?1 GROUP BY id", |row| {
                Ok((row.get(0)?, self.parse(text(row, 1)?)))
            })?
            .into_iter()
            .map(|(id, marks): (i64, Result<Marks, Error>)| Ok((id, marks?)))
            .collect::<Result<_, Error>>()?;
        let sql = "SELECT id, situation, body, sum, model, vector, scale FROM episodes WHERE tick <= ?1 ORDER BY id";
        // A long life has many: each becomes an episode before the next is read.
        let rows = self.list(sql, |row| {
            let (id, situation, body) = (row.get::<_, i64>(0)?, row.get_ref(1)?.as_blob()?, text(row, 2)?);
            let fits = super::write::sum(&[situation, body.as_bytes()])[..] == *row.get_ref(3)?.as_blob()?;
            let recent = id > bodies_from;
            let embedding = if recent { embedding(row, 4)? } else { None };
            let damaged = |what: &str| self.damaged(format!("episode {id}: {what}"));
            Ok((|| {
                if !fits {
                    return Err(damaged("its sum does not fit"));
                }
                let situation = situation_of(situation).ok_or_else(|| damaged("its situation is not one"))?;
                let mut episode = Episode::from_body(EpisodeId(id.unsigned_abs()), situation, self.parse(body)?);
                if !recent {
                    (episode.text, episode.deed) = (String::new(), None);
                }
                Ok((episode, marks.get(&id).copied().unwrap_or_default(), embedding))
            })())
        })?;
        rows.into_iter().collect()
    }

    fn entries(&self) -> Rows<(Entry, Option<Embedding>)> {
        let standings: BTreeMap<Vec<u8>, String> = self
            .list("SELECT id, body, max(tick) FROM standings WHERE tick <= ?1 GROUP BY id", |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .into_iter()
            .collect();
        let sql = "SELECT id, body, hash, model, vector, scale FROM entries WHERE tick <= ?1 ORDER BY number";
        let rows = self.list(sql, |row| {
            Ok((row.get::<_, [u8; 16]>(0)?, row.get::<_, String>(1)?, row.get::<_, [u8; 32]>(2)?, embedding(row, 3)?))
        })?;
        let mut entries = Vec::with_capacity(rows.len());
        for (id, body, hash, embedding) in rows {
            let (id, hash) = (EntryId(id), Hash(hash));
            let Some(standing) = standings.get(&id.0[..]) else {
                return Err(self.damaged(format!("entry {id}: it has no standing")));
            };
            let super::standing::StandingRead(standing) = self.parse(standing)?;
            let entry = Entry::new(self.parse(&body)?, standing);
            if entry.hash != hash || entry.id != id {
                return Err(self.damaged(format!("entry {id}: its hash does not fit")));
            }
            entries.push((entry, embedding));
        }
        Ok(entries)
    }

    fn named(&self) -> Rows<(NamedTable, String, String)> {
        let sql = format!(
            "SELECT place, key, body, max(tick) FROM named WHERE tick <= ?1 AND place NOT IN ({}) GROUP BY place, key
             ORDER BY place, key",
            super::totals::for_people()
        );
        let rows = self.list(&sql, |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))?;
        rows.into_iter().map(|(place, key, body)| Ok((self.parse(&format!("\"{place}\""))?, key, body))).collect()
    }

    fn vectors(&self) -> Rows<(TextSubject, Embedding)> {
        // Readers do not migrate: an older file has no such table.
        if self.one("SELECT count(*) FROM sqlite_schema WHERE name = 'vectors' AND ?1 >= 0")? == 0 {
            return Ok(Vec::new());
        }
        let sql = "SELECT kind, id, model, vector, scale, sum FROM vectors WHERE tick <= ?1 ORDER BY number";
        let rows = self.list(sql, |row| {
            let (kind, id): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
            Ok((kind, id, embedding(row, 2)?, row.get::<_, Vec<u8>>(5)?))
        })?;
        let read = |(kind, id, embedding, sum): (String, Vec<u8>, Option<Embedding>, Vec<u8>)| {
            let embedding = embedding.filter(|e| super::write::vector_sum(&kind, &id, e)[..] == sum[..]);
            let damaged = || self.damaged(format!("a vector of an {kind}: its sum does not fit"));
            super::write::subject(&kind, &id).zip(embedding).ok_or_else(damaged)
        };
        rows.into_iter().map(read).collect()
    }

    fn one(&self, sql: &str) -> Result<i64, Error> {
        self.conn.query_row(sql, [self.as_of], |row| row.get(0)).map_err(|e| self.failed(&e))
    }
    fn list<T>(&self, sql: &str, read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Rows<T> {
        let mut found = self.conn.prepare(sql).map_err(|e| self.failed(&e))?;
        let rows = found.query_map([self.as_of], read).map_err(|e| self.failed(&e))?;
        rows.collect::<Result<_, _>>().map_err(|e| self.failed(&e))
    }
    fn parse<T: DeserializeOwned>(&self, body: &str) -> Result<T, Error> {
        serde_json::from_str(body).map_err(|e| self.damaged(format!("a row of the memory: {e}")))
    }
    fn failed(&self, e: &rusqlite::Error) -> Error {
        Error::sql(self.path, "read the memory", e)
    }
    fn damaged(&self, what: String) -> Error {
        Error::damaged_at(self.path, Tick(self.as_of.unsigned_abs()), what)
    }
}

fn situation_of(bytes: &[u8]) -> Option<Situation> {
    let mut situation = Situation::default();
    if bytes.len() != 4 * WIDTH {
        return None;
    }
    for (x, four) in situation.0.iter_mut().zip(bytes.chunks_exact(4)) {
        *x = f32::from_le_bytes(four.try_into().ok()?);
    }
    Some(situation)
}

fn text<'a>(row: &'a Row<'_>, at: usize) -> rusqlite::Result<&'a str> {
    Ok(row.get_ref(at)?.as_str()?)
}

fn embedding(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Embedding>> {
    let (model, vector): (Option<String>, Option<Vec<u8>>) = (row.get(first)?, row.get(first + 1)?);
    let scale: Option<f64> = row.get(first + 2)?;
    Ok(match (model, vector, scale) {
        (Some(model), Some(vector), Some(scale)) => {
            let row = vector.as_chunks().0.iter().map(|two| i16::from_le_bytes(*two)).collect();
            Some(Embedding { model, row, scale: scale as f32 })
        }
        _ => None,
    })
}

/// The newest episode's number, and how many there are.
pub(super) fn count(conn: &Connection, sql: &str) -> rusqlite::Result<u64> {
    conn.query_row(sql, [], |row| uint(row.get(0)?))
}
