//! The outbox: what a golem sends, committed with the turn that sent it. Replies to orders are read from here; effects on
//! the world stand here, under their key, before they happen.

use crate::db::{self, int, uint};
use crate::dir::GolemDir;
use crate::error::Error;
use crate::known;
use crate::reader::Reader;
use golem_core::Tick;
use golem_core::door::EffectKey;
use golem_life::{Reply, Word};
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How far a sending has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sending {
    /// Committed; may or may not have left.
    Pending,
    /// Left.
    Sent,
    /// Nothing more to come.
    Settled,
}

impl Sending {
    fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sent => "sent",
            Self::Settled => "settled",
        }
    }
}

/// One row of the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Letter {
    pub id: u64,
    /// Never used for another one.
    pub key: String,
    /// The turn that sent it.
    pub tick: Tick,
    /// `intent`, `reply`, `peer`, `kin` or `alert`.
    pub kind: String,
    /// What is sent, as JSON.
    pub body: String,
}

/// A row to be written with a turn.
#[derive(Debug, Clone)]
pub(crate) struct OutboxDraft {
    pub(crate) key: String,
    pub(crate) tick: Tick,
    pub(crate) kind: &'static str,
    pub(crate) about: Option<u64>,
    pub(crate) body: String,
    pub(crate) state: Sending,
}

impl OutboxDraft {
    pub(crate) fn reply(tick: Tick, n: usize, reply: &Reply) -> Result<Self, Error> {
        let body = serde_json::to_string(reply).map_err(|e| Error::Bug(e.to_string()))?;
        let key = format!("{tick}/reply/{n}");
        Ok(Self { key, tick, kind: "reply", about: Some(reply.order), body, state: Sending::Settled })
    }
    pub(crate) fn intent(key: EffectKey, intent: &golem_core::Intent) -> Result<Self, Error> {
        let body = serde_json::to_string(intent).map_err(|e| Error::Bug(e.to_string()))?;
        let (key, tick) = (key.to_string(), key.tick);
        Ok(Self { key, tick, kind: "intent", about: None, body, state: Sending::Pending })
    }
    pub(crate) fn word(tick: Tick, n: usize, word: &Word) -> Result<Self, Error> {
        let body = serde_json::to_string(word).map_err(|e| Error::Bug(e.to_string()))?;
        Ok(Self { key: format!("{tick}/peer/{n}"), tick, kind: "peer", about: None, body, state: Sending::Pending })
    }
    pub(crate) fn kin(tick: Tick, n: usize, letter: &impl Serialize, urgent: bool) -> Result<Self, Error> {
        let body = serde_json::to_string(letter).map_err(|e| Error::Bug(e.to_string()))?;
        let kind = if urgent { "alert" } else { "kin" };
        Ok(Self { key: format!("{tick}/kin/{n}"), tick, kind, about: None, body, state: Sending::Pending })
    }
    pub(crate) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached("INSERT INTO outbox(key, tick, kind, about, body, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute((&self.key, int(self.tick.0), self.kind, self.about.map(int), &self.body, self.state.word()))
            .map(drop)
    }
}

/// Nothing more will come of the effect with this key.
pub(crate) fn settle(conn: &Connection, key: EffectKey) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE outbox SET state = 'settled' WHERE key = ?1")?.execute([key.to_string()]).map(drop)
}

/// Whether an effect of this key was committed.
pub(crate) fn has(conn: &Connection, path: &Path, key: EffectKey) -> Result<bool, Error> {
    conn.query_row("SELECT 1 FROM outbox WHERE key = ?1", [key.to_string()], |_| Ok(()))
        .optional()
        .map(|row| row.is_some())
        .map_err(|e| Error::sql(path, "read the outbox", &e))
}

/// The way to a golem's outbox for whoever delivers from it.
#[derive(Debug)]
pub struct Outbox {
    conn: Connection,
    db: PathBuf,
}

impl Outbox {
    /// Open the outbox of the golem in `dir`.
    ///
    /// # Errors
    /// When no golem lives there or its file cannot be written.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let db = GolemDir::of_golem(dir)?.db();
        Ok(Self { conn: db::visitor(&db)?, db })
    }

    /// What is not settled yet, of one kind or of all, oldest first.
    ///
    /// # Errors
    /// What the file said.
    pub fn open_letters(&self, kind: Option<&str>, at_most: u32) -> Result<Vec<Letter>, Error> {
        let read = || -> rusqlite::Result<Vec<Letter>> {
            self.conn
                .prepare_cached(
                    "SELECT id, key, tick, kind, body FROM outbox
                     WHERE state <> 'settled' AND (?1 IS NULL OR kind = ?1) ORDER BY id LIMIT ?2",
                )?
                .query_map((kind, at_most), letter)?
                .collect()
        };
        read().map_err(|e| Error::sql(&self.db, "read the outbox", &e))
    }

    /// What was sent after a row, of some kinds, oldest first, whatever became of it: for whoever keeps its own place.
    ///
    /// # Errors
    /// What the file said.
    pub fn letters_after(&self, id: u64, kinds: [&str; 2], at_most: u32) -> Result<Vec<Letter>, Error> {
        let read = || -> rusqlite::Result<Vec<Letter>> {
            self.conn
                .prepare_cached(
                    "SELECT id, key, tick, kind, body FROM outbox
                     WHERE id > ?1 AND kind IN (?2, ?3) ORDER BY id LIMIT ?4",
                )?
                .query_map((int(id), kinds[0], kinds[1], at_most), letter)?
                .collect()
        };
        read().map_err(|e| Error::sql(&self.db, "read the outbox", &e))
    }

    /// Note how far a letter has come. Saying it twice changes nothing.
    ///
    /// # Errors
    /// What the file said.
    pub fn mark(&mut self, id: u64, state: Sending) -> Result<(), Error> {
        self.conn
            .prepare_cached("UPDATE outbox SET state = ?2 WHERE id = ?1")
            .and_then(|mut s| s.execute((int(id), state.word())))
            .map(drop)
            .map_err(|e| Error::sql(&self.db, "mark a letter", &e))
    }
}

fn letter(row: &rusqlite::Row<'_>) -> rusqlite::Result<Letter> {
    let (id, tick) = (uint(row.get(0)?)?, Tick(uint(row.get(2)?)?));
    Ok(Letter { id, key: row.get(1)?, tick, kind: row.get(3)?, body: row.get(4)? })
}

/// Wait for the golem's answer to an order; `None` when it has not answered in time.
///
/// # Errors
/// When no golem lives in `dir` or its file cannot be read.
pub fn wait_reply(dir: &Path, order: u64, timeout: Duration) -> Result<Option<Reply>, Error> {
    let (reader, begun) = (Reader::open(dir)?, Instant::now());
    loop {
        if let Some(reply) = reader.reply(order)? {
            // Whoever asked is about to be told: from here on a file without the answer is not whole. Where the note
            // cannot be written, the golem itself writes it.
            return match known::reached(reader.conn(), reader.db())?.raise(&GolemDir::of_golem(dir)?) {
                Ok(()) | Err(Error::NotWritable { .. } | Error::DiskFull { .. }) => Ok(Some(reply)),
                Err(e) => Err(e),
            };
        }
        let left = timeout.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(left.min(Duration::from_millis(25)));
    }
}
