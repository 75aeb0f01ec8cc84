//! The open turn: its input and its intents, committed before the first effect reaches the world. Whoever finds one after
//! a crash asks the world what came of each effect, and only then finishes the turn.

use crate::db::{int, uint};
use crate::error::Error;
use crate::wire;
use golem_core::{Hash, Intent, Preview, Receipt, Tick};
use golem_life::{Answer, Record, TickInput};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// A turn that is committed up to its verdicts, and whose effects may have happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenTurn {
    pub(crate) tick: Tick,
    pub(crate) input: TickInput,
    pub(crate) answers: Vec<Answer>,
    pub(crate) intents: Vec<Intent>,
    pub(crate) previews: Vec<Preview>,
    pub(crate) granted: Vec<bool>,
}

fn sum(tick: Tick, body: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 open turn");
    hasher.update(&tick.0.to_le_bytes()).update(body);
    Hash(*hasher.finalize().as_bytes())
}

impl OpenTurn {
    /// A turn that has begun.
    pub(crate) fn new(tick: Tick, begun: Record) -> Self {
        let Record { input, answers, intents, previews, granted, .. } = begun;
        Self { tick, input, answers, intents, previews, granted }
    }

    /// The turn's record, once it is known what came of its wishes.
    pub(crate) fn record(&self, receipts: Vec<Receipt>) -> Record {
        let Self { input, answers, intents, previews, granted, .. } = self.clone();
        Record { input, answers, intents, previews, granted, receipts }
    }

    /// The bytes to store.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let record = self.record(vec![]);
        wire::write(&record, vec![wire::FORMAT]).map_err(|e| Error::Bug(format!("open turn {}: {e}", self.tick)))
    }

    pub(crate) fn write(conn: &Connection, tick: Tick, body: &[u8]) -> rusqlite::Result<()> {
        conn.prepare_cached("INSERT INTO half(one, tick, body, sum) VALUES (1, ?1, ?2, ?3)")?
            .execute((int(tick.0), body, &sum(tick, body).0[..]))
            .map(drop)
    }

    pub(crate) fn clear(conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached("DELETE FROM half")?.execute([]).map(drop)
    }

    /// The open turn, if there is one. A damaged one is an error: its effects may be out in the world.
    pub(crate) fn read(conn: &Connection, path: &Path) -> Result<Option<Self>, Error> {
        let row = conn
            .query_row("SELECT tick, body, sum FROM half WHERE one = 1", [], |row| {
                Ok((Tick(uint(row.get(0)?)?), row.get::<_, Vec<u8>>(1)?, Hash(row.get(2)?)))
            })
            .optional()
            .map_err(|e| Error::sql(path, "read the open turn", &e))?;
        let Some((tick, body, stored)) = row else { return Ok(None) };
        let damaged = |what: String| Error::damaged_at(path, tick, format!("open turn: {what}"));
        if sum(tick, &body) != stored {
            return Err(damaged("its sum does not fit".into()));
        }
        let (&format, record) = body.split_first().ok_or_else(|| damaged("empty".into()))?;
        let record = wire::read(format, record).map_err(damaged)?;
        Ok(Some(Self::new(tick, record)))
    }
}
