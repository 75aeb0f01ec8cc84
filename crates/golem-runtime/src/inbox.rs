//! The inbox: durable, typed, idempotent orders, put by any process while the golem runs and taken by the golem as the
//! recorded input of a turn.

use crate::db::{self, int, uint};
use crate::dir::GolemDir;
use crate::error::Error;
use golem_core::Timestamp;
use golem_life::{Ask, Order};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::path::{Path, PathBuf};

/// Orders that one turn takes at most.
pub const MAX_ORDERS_PER_TURN: usize = 64;
/// Bytes of text in one order, at most.
pub const MAX_TEXT_BYTES: usize = 4 << 10;
/// Orders that may wait.
pub const MAX_WAITING: u64 = 1_024;
const MAX_KEY_BYTES: usize = 200;
/// The key of the order that the kill switch makes; it fits into a full inbox.
pub(crate) const KILL_SWITCH: &str = "kill-switch";

/// The way into a golem's inbox from outside.
#[derive(Debug)]
pub struct Inbox {
    conn: Connection,
    db: PathBuf,
}

impl Inbox {
    /// Open the inbox of the golem in `dir`, whether it runs or not.
    ///
    /// # Errors
    /// When no golem lives there or its file cannot be written.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let db = GolemDir::of_golem(dir)?.db();
        Ok(Self { conn: db::visitor(&db)?, db })
    }

    /// Put an order. The same key again is the same order: it is not put twice, and its number comes back.
    ///
    /// # Errors
    /// [`Error::BadOrder`] for a text or key that is too long, a key that stands for another order, or a full inbox.
    pub fn put(&mut self, key: &str, ask: &Ask, now: Timestamp) -> Result<u64, Error> {
        check(key, ask)?;
        let body = serde_json::to_string(ask).map_err(|e| Error::Bug(e.to_string()))?;
        let put = |conn: &mut Connection| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let put = insert(&tx, key, &body, now)?;
            tx.commit().map(|()| put)
        };
        match put(&mut self.conn).map_err(|e| Error::sql(&self.db, "put an order", &e))? {
            Put::Done(id) => Ok(id),
            Put::Taken => Err(Error::BadOrder {
                what: format!("the key {key:?} already stands for another order"),
                hint: "use a new key for a new order",
            }),
            Put::Full => Err(Error::BadOrder {
                what: format!("{MAX_WAITING} orders are waiting already"),
                hint: "run the golem, so that it takes them",
            }),
        }
    }
}

/// What came of putting an order.
pub(crate) enum Put {
    /// It is there, under this number.
    Done(u64),
    /// The key stands for another order.
    Taken,
    /// No more may wait.
    Full,
}

/// Put an order within a transaction.
pub(crate) fn insert(conn: &Connection, key: &str, body: &str, now: Timestamp) -> rusqlite::Result<Put> {
    let found: Option<(i64, String)> = conn
        .query_row("SELECT id, body FROM inbox WHERE key = ?1", [key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((id, stored)) = found {
        return Ok(if stored == body { Put::Done(uint(id)?) } else { Put::Taken });
    }
    let waiting: i64 = conn.query_row("SELECT count(*) FROM inbox WHERE taken_tick IS NULL", [], |row| row.get(0))?;
    if waiting >= int(MAX_WAITING) && key != KILL_SWITCH {
        return Ok(Put::Full);
    }
    conn.execute("INSERT INTO inbox(key, body, put_at) VALUES (?1, ?2, ?3)", (key, body, now.0))?;
    Ok(Put::Done(uint(conn.last_insert_rowid())?))
}

fn check(key: &str, ask: &Ask) -> Result<(), Error> {
    let length = match ask {
        Ask::Kill { reason } | Ask::Halt { reason } => reason.len(),
        Ask::KillSwitch { trigger } => trigger.len(),
        Ask::Tell { text } => text.len(),
        Ask::Learn { entries } => entries.iter().map(String::len).sum(),
        Ask::Peer { from, text, .. } => from.len() + text.len(),
        Ask::Suffer { text } => text.len(),
        Ask::Feed { .. } | Ask::Pause | Ask::Resume => 0,
    };
    if length > MAX_TEXT_BYTES {
        let what = format!("a text of {length} bytes is too long");
        return Err(Error::BadOrder { what, hint: "keep it to 4096 bytes" });
    }
    if key.is_empty() || key.len() > MAX_KEY_BYTES {
        return Err(Error::BadOrder { what: "a key has 1 to 200 bytes".into(), hint: "use a random or counted key" });
    }
    Ok(())
}

/// What an inbox holds for a turn.
#[derive(Debug, Default)]
pub(crate) struct Mail {
    /// What is taken now, at most one turn's worth.
    pub(crate) due: Vec<Order>,
    /// When the first letter falls due that was written later than this turn, by its writer's virtual time.
    pub(crate) held_until: Option<Timestamp>,
}

/// Orders that wait and that `taken` does not know, at a virtual time: nobody hears of what has not happened yet.
pub(crate) fn waiting(
    conn: &Connection,
    path: &Path,
    now: Timestamp,
    taken: impl Fn(u64) -> bool,
) -> Result<Mail, Error> {
    let read = || -> rusqlite::Result<Vec<(i64, String)>> {
        conn.prepare_cached("SELECT id, body FROM inbox WHERE taken_tick IS NULL ORDER BY id")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    let rows = read().map_err(|e| Error::sql(path, "read the inbox", &e))?;
    let mut mail = Mail::default();
    for (id, body) in rows {
        let id = id.unsigned_abs();
        if taken(id) || mail.due.len() == MAX_ORDERS_PER_TURN {
            continue;
        }
        let ask: Ask = serde_json::from_str(&body).map_err(|e| Error::damaged(path, format!("order {id}: {e}")))?;
        match ask {
            Ask::Peer { at, .. } if at > now => {
                mail.held_until = Some(mail.held_until.map_or(at, |first: Timestamp| first.min(at)));
            }
            ask => mail.due.push(Order { id, ask }),
        }
    }
    Ok(mail)
}

/// Mark an order as taken by a turn; no order is taken twice.
pub(crate) fn take(conn: &Connection, id: u64, tick: golem_core::Tick) -> rusqlite::Result<()> {
    let taken = conn
        .prepare_cached("UPDATE inbox SET taken_tick = ?2 WHERE id = ?1 AND taken_tick IS NULL")?
        .execute((int(id), int(tick.0)))?;
    if taken == 1 { Ok(()) } else { Err(rusqlite::Error::StatementChangedRows(taken)) }
}
