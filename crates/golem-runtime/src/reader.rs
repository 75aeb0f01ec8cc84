//! Looking at a golem from outside while it runs: short reads, no locks kept, nothing created.

use crate::db::{self, int, uint};
use crate::dir::GolemDir;
use crate::error::Error;
use crate::half::OpenTurn;
use crate::journal::{self, JournalWalk, Tip};
use crate::origin::Origin;
use crate::{past, starts};
use golem_core::door::PastRow;
use golem_core::{Hash, Seq, Tick, Timestamp};
use golem_life::{Ask, LifeStanding, Record, Reply};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A golem's file, open for looking.
#[derive(Debug)]
pub struct Reader {
    conn: Connection,
    db: PathBuf,
}

/// What the golem showed of itself after its last commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusRow {
    /// The turn it was shown after.
    pub tick: Tick,
    /// When, for people.
    pub at: Timestamp,
    /// Whether there will be another turn.
    pub standing: LifeStanding,
    /// The being's own status, as JSON.
    pub body: String,
}

/// One stored fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactRow {
    /// Its place in history.
    pub seq: Seq,
    /// The turn it belongs to.
    pub tick: Tick,
    /// When, for people.
    pub at: Timestamp,
    /// What kind of fact.
    pub name: String,
    /// The fact that led to it.
    pub cause: Option<Seq>,
    /// The fact itself, as JSON.
    pub body: String,
}

/// One point of the downsampled series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeriesRow {
    /// After which turn.
    pub tick: Tick,
    /// When, for people.
    pub at: Timestamp,
    /// The being's status then, as JSON.
    pub body: String,
}

/// Something the file itself went through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteRow {
    /// When, by the wall.
    pub at: Timestamp,
    /// After which turn.
    pub tick: Tick,
    pub what: String,
}

impl Reader {
    /// Open the golem in `dir` for looking.
    ///
    /// # Errors
    /// When no golem lives there, or its file is foreign or made by a newer version.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let db = GolemDir::of_golem(dir)?.db();
        let conn = db::reader(&db)?;
        let known = crate::schema::STEPS.len() as i64;
        let found = crate::schema::version(&conn).map_err(|e| Error::sql(&db, "read the schema version", &e))?;
        if found > known {
            return Err(Error::Newer { path: db, found, known });
        }
        Ok(Self { conn, db })
    }

    /// What it was born with.
    ///
    /// # Errors
    /// What the file said.
    pub fn origin(&self) -> Result<Origin, Error> {
        Origin::read(&self.conn, &self.db).map(|(origin, _)| origin)
    }
    /// The last committed turn and the head of the chain after it.
    ///
    /// # Errors
    /// What the file said.
    pub fn tip(&self) -> Result<(Tick, Hash), Error> {
        journal::tip(&self.conn, &self.db).map(|tip| (tip.tick, tip.head))
    }
    /// The last stretch of the world's past under this number or a smaller one.
    ///
    /// # Errors
    /// What the file said, or that the stretch is damaged.
    pub fn past(&self, place: u64) -> Result<Option<PastRow>, Error> {
        past::last_until(&self.conn, &self.db, place)
    }
    /// How often it was started.
    ///
    /// # Errors
    /// What the file said.
    pub fn epoch(&self) -> Result<u64, Error> {
        starts::epoch(&self.conn, &self.db)
    }
    /// Whether its last start is in safe mode: too many crashes before it, and not lived long enough since.
    ///
    /// # Errors
    /// What the file said.
    pub fn is_safe_mode(&self) -> Result<bool, Error> {
        // Readers do not migrate: an older file does not say.
        if self.rows("SELECT 1 FROM pragma_table_info('starts') WHERE name = 'safe'", (), |_| Ok(()))?.is_empty() {
            return Ok(false);
        }
        let last = self.rows("SELECT safe FROM starts ORDER BY epoch DESC LIMIT 1", (), |row| row.get(0))?;
        Ok(last.first() == Some(&true))
    }
    /// What it showed last; `None` before its first turn.
    ///
    /// # Errors
    /// What the file said.
    pub fn status(&self) -> Result<Option<StatusRow>, Error> {
        let read = |row: &Row<'_>| {
            Ok(StatusRow {
                tick: Tick(uint(row.get(0)?)?),
                at: Timestamp(row.get(1)?),
                standing: standing(row)?,
                body: row.get(3)?,
            })
        };
        Ok(self.rows("SELECT tick, at, standing, body FROM status WHERE one = 1", (), read)?.pop())
    }
    /// Facts after a place in history, oldest first; of one name when asked.
    ///
    /// # Errors
    /// What the file said.
    pub fn facts(&self, after: Option<Seq>, name: Option<&str>, at_most: u32) -> Result<Vec<FactRow>, Error> {
        self.rows(
            "SELECT seq, tick, at, name, cause, body FROM facts
             WHERE seq > ?1 AND (?2 IS NULL OR name = ?2) ORDER BY seq LIMIT ?3",
            (after.map_or(-1, |s| int(s.0)), name, at_most),
            fact,
        )
    }
    /// The newest facts, oldest first; of one name when asked.
    ///
    /// # Errors
    /// What the file said.
    pub fn last_facts(&self, name: Option<&str>, at_most: u32) -> Result<Vec<FactRow>, Error> {
        let mut rows = self.rows(
            "SELECT seq, tick, at, name, cause, body FROM facts
             WHERE (?1 IS NULL OR name = ?1) ORDER BY seq DESC LIMIT ?2",
            (name, at_most),
            fact,
        )?;
        rows.reverse();
        Ok(rows)
    }
    /// The last fact from before its last run that came to a turn; none where there was no other run.
    ///
    /// # Errors
    /// What the file said.
    pub fn before_last_run(&self) -> Result<Option<Seq>, Error> {
        let found = self.rows(
            "SELECT seq FROM facts WHERE tick <= (SELECT last_tick FROM journal
               WHERE epoch < (SELECT epoch FROM journal ORDER BY first_tick DESC LIMIT 1)
               ORDER BY first_tick DESC LIMIT 1) ORDER BY seq DESC LIMIT 1",
            (),
            |row| Ok(Seq(uint(row.get(0)?)?)),
        )?;
        Ok(found.first().copied())
    }
    /// The series after a turn, oldest first.
    ///
    /// # Errors
    /// What the file said.
    pub fn series(&self, after: Tick, at_most: u32) -> Result<Vec<SeriesRow>, Error> {
        let read = |row: &Row<'_>| {
            Ok(SeriesRow { tick: Tick(uint(row.get(0)?)?), at: Timestamp(row.get(1)?), body: row.get(2)? })
        };
        let sql = "SELECT tick, at, body FROM series WHERE tick > ?1 ORDER BY tick LIMIT ?2";
        self.rows(sql, (int(after.0), at_most), read)
    }
    /// What the file itself went through, newest last.
    ///
    /// # Errors
    /// What the file said.
    pub fn notes(&self) -> Result<Vec<NoteRow>, Error> {
        let read = |row: &Row<'_>| {
            Ok(NoteRow { at: Timestamp(row.get(0)?), tick: Tick(uint(row.get(1)?)?), what: row.get(2)? })
        };
        // A file of version 1 that no writer has opened since has no such table, and nothing to tell.
        if self.rows("SELECT 1 FROM sqlite_schema WHERE name = 'notes'", (), |_| Ok(()))?.is_empty() {
            return Ok(vec![]);
        }
        self.rows("SELECT at, tick, what FROM notes ORDER BY id", (), read)
    }
    /// The answer to an order, if there is one yet.
    ///
    /// # Errors
    /// What the file said.
    pub fn reply(&self, order: u64) -> Result<Option<Reply>, Error> {
        let body: Option<String> = self
            .conn
            .prepare_cached("SELECT body FROM outbox WHERE kind = 'reply' AND about = ?1 ORDER BY id LIMIT 1")
            .and_then(|mut s| s.query_row([int(order)], |row| row.get(0)).optional())
            .map_err(|e| Error::sql(&self.db, "read the outbox", &e))?;
        body.map(|b| serde_json::from_str(&b).map_err(|e| Error::damaged(&self.db, format!("reply: {e}")))).transpose()
    }
    /// The turn that took an order; `None` while it waits.
    ///
    /// # Errors
    /// What the file said.
    pub fn taken_at(&self, order: u64) -> Result<Option<Tick>, Error> {
        let read = |row: &Row<'_>| row.get::<_, Option<i64>>(0)?.map(uint).transpose();
        let taken = self.rows("SELECT taken_tick FROM inbox WHERE id = ?1", [int(order)], read)?;
        Ok(taken.into_iter().flatten().next().map(Tick))
    }

    /// Every order that was put, with its number, oldest first.
    ///
    /// # Errors
    /// What the file said.
    pub fn orders(&self) -> Result<Vec<(u64, Ask)>, Error> {
        let read = |row: &Row<'_>| Ok((uint(row.get(0)?)?, row.get::<_, String>(1)?));
        let rows = self.rows("SELECT id, body FROM inbox ORDER BY id", (), read)?;
        let ask = |(id, body): (u64, String)| {
            let ask = serde_json::from_str(&body).map_err(|e| Error::damaged(&self.db, format!("order {id}: {e}")))?;
            Ok((id, ask))
        };
        rows.into_iter().map(ask).collect()
    }

    /// Show what was recorded of every turn from one on, the oldest first; last the open one, which has no receipts yet.
    ///
    /// # Errors
    /// What the file said, or where it is damaged.
    pub fn turns_from(&self, first: Tick, mut show: impl FnMut(Tick, &Record)) -> Result<(), Error> {
        let (until, _) = self.tip()?;
        let before = journal::boundary_before(&self.conn, &self.db, first)?;
        let from = match before {
            Some(tip) => tip,
            None => Tip { tick: Tick(0), head: self.origin_and_root()?.1 },
        };
        let mut walk = JournalWalk::after(&self.conn, &self.db, from, until);
        while let Some((tick, payload)) = walk.step()? {
            if tick >= first {
                let (record, _) = payload.open().map_err(|e| Error::damaged_at(&self.db, tick, e))?;
                show(tick, &record);
            }
        }
        if let Some(half) = OpenTurn::read(&self.conn, &self.db)? {
            show(half.tick, &half.record(Vec::new()));
        }
        Ok(())
    }

    pub(crate) fn conn(&self) -> &Connection {
        &self.conn
    }
    pub(crate) fn db(&self) -> &Path {
        &self.db
    }
    pub(crate) fn origin_and_root(&self) -> Result<(Origin, Hash), Error> {
        Origin::read(&self.conn, &self.db)
    }
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        self.conn
            .prepare_cached(sql)
            .and_then(|mut s| s.query_map(params, read)?.collect())
            .map_err(|e| Error::sql(&self.db, "read", &e))
    }
}

fn fact(row: &Row<'_>) -> rusqlite::Result<FactRow> {
    Ok(FactRow {
        seq: Seq(uint(row.get(0)?)?),
        tick: Tick(uint(row.get(1)?)?),
        at: Timestamp(row.get(2)?),
        name: row.get(3)?,
        cause: row.get::<_, Option<i64>>(4)?.map(uint).transpose()?.map(Seq),
        body: row.get(5)?,
    })
}

/// The standing of a status row. A word that no golem writes is damage, not another standing.
fn standing(row: &Row<'_>) -> rusqlite::Result<LifeStanding> {
    let word: String = row.get(2)?;
    LifeStanding::named(&word).ok_or_else(|| {
        let what = format!("{word:?} is no standing of a golem");
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, what.into())
    })
}
