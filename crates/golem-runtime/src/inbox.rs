//! The inbox: durable, typed, idempotent orders, put by any process while the golem runs and taken by the golem as the
//! recorded input of a turn.

use crate::ballast;
use crate::db::{self, int, uint};
use crate::dir::GolemDir;
use crate::error::Error;
use crate::known;
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
    dir: GolemDir,
    db: PathBuf,
}

impl Inbox {
    /// Open the inbox of the golem in `dir`, whether it runs or not.
    ///
    /// # Errors
    /// When no golem lives there, its file cannot be written, or the file ends before what is known of it.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let dir = GolemDir::of_golem(dir)?;
        let db = dir.db();
        // By a reader: whoever writes to a log whose end is gone writes over what might still be found.
        known::whole(&db::reader(&db)?, &db, &dir)?;
        Ok(Self { conn: db::visitor(&db)?, dir, db })
    }

    /// Open it to put this order. One that ends the life may use the room that is kept for that on a full disk.
    ///
    /// # Errors
    /// As [`Inbox::open`].
    pub fn open_for(dir: &Path, ask: &Ask) -> Result<Self, Error> {
        match Self::open(dir) {
            Err(Error::DiskFull { .. }) if is_last(ask) && ballast::release_for_death(&GolemDir::of_golem(dir)?) => {
                Self::open(dir)
            }
            opened => opened,
        }
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
        let mut attempt = || put(&mut self.conn).map_err(|e| Error::sql(&self.db, "put an order", &e));
        let done = match attempt() {
            // No room for anything but an end: that is what some was kept for.
            Err(Error::DiskFull { .. }) if is_last(ask) && ballast::release_for_death(&self.dir) => attempt(),
            done => done,
        };
        match done? {
            Put::Done(id) => self.note().map(|()| id),
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

    /// How many orders wait.
    ///
    /// # Errors
    /// What the file said.
    pub fn waiting(&self) -> Result<u64, Error> {
        let count = self.conn.query_row("SELECT count(*) FROM inbox WHERE taken_tick IS NULL", [], |row| row.get(0));
        count.and_then(uint).map_err(|e| Error::sql(&self.db, "read the inbox", &e))
    }

    /// Whoever put it is about to be told so: from here on a file without it is not whole.
    fn note(&self) -> Result<(), Error> {
        // The log may have been made just now, and SQLite passes over a failure to make its name last.
        crate::durable::sync_dir(self.dir.path())?;
        known::reached(&self.conn, &self.db)?.raise(&self.dir)
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
    let sum = sum(key, body, now.0);
    conn.execute("INSERT INTO inbox(key, body, put_at, sum) VALUES (?1, ?2, ?3, ?4)", (key, body, now.0, &sum[..]))?;
    Ok(Put::Done(uint(conn.last_insert_rowid())?))
}

fn check(key: &str, ask: &Ask) -> Result<(), Error> {
    let length = match ask {
        Ask::Kill { reason } | Ask::Halt { reason } | Ask::Wake { reason } => reason.len(),
        Ask::KillSwitch { trigger } => trigger.len(),
        Ask::Tell { text } => text.len(),
        Ask::Learn { entries: texts } | Ask::Equip { parcels: texts } => texts.iter().map(String::len).sum(),
        Ask::Peer { from, text, .. } => from.len() + text.len(),
        Ask::Suffer { text } | Ask::Kin { letter: text, .. } => text.len(),
        Ask::Feed { .. } | Ask::Pause | Ask::Resume | Ask::Dream | Ask::Judge { .. } | Ask::Withdraw { .. } => 0,
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

/// Whether an order ends the life.
pub(crate) fn is_last(ask: &Ask) -> bool {
    matches!(ask, Ask::Kill { .. } | Ask::KillSwitch { .. })
}

/// Over what an order says, so that no other one is obeyed.
fn sum(key: &str, body: &str, put_at: i64) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 order");
    for part in [key.as_bytes(), body.as_bytes()] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let mut sum = [0; 8];
    sum.copy_from_slice(&hasher.update(&put_at.to_le_bytes()).finalize().as_bytes()[..8]);
    sum
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
    let read = || -> rusqlite::Result<Vec<(i64, String, bool)>> {
        conn.prepare_cached("SELECT id, body, key, put_at, sum FROM inbox WHERE taken_tick IS NULL ORDER BY id")?
            .query_map([], |row| {
                let (body, key, stored): (String, String, Option<Vec<u8>>) = (row.get(1)?, row.get(2)?, row.get(4)?);
                let own = sum(&key, &body, row.get(3)?);
                // Orders of earlier versions have no sum.
                Ok((row.get(0)?, body, stored.is_none_or(|stored| stored == own)))
            })?
            .collect()
    };
    let rows = read().map_err(|e| Error::sql(path, "read the inbox", &e))?;
    let mut mail = Mail::default();
    for (id, body, fits) in rows {
        let id = id.unsigned_abs();
        if taken(id) || mail.due.len() == MAX_ORDERS_PER_TURN {
            continue;
        }
        if !fits {
            return Err(Error::damaged(path, format!("order {id}: its sum does not fit")));
        }
        let ask: Ask = serde_json::from_str(&body).map_err(|e| Error::damaged(path, format!("order {id}: {e}")))?;
        match ask {
            Ask::Peer { at, .. } | Ask::Kin { at, .. } if at > now => {
                mail.held_until = Some(mail.held_until.map_or(at, |first: Timestamp| first.min(at)));
            }
            ask => mail.due.push(Order { id, ask }),
        }
    }
    Ok(mail)
}

/// Mark orders as taken, each by its turn; no order is taken twice. Letters wait for their time, so that orders are not
/// always taken as they came: which were is kept as a sum.
pub(crate) fn take(conn: &Connection, orders: &[(u64, golem_core::Tick)]) -> rusqlite::Result<()> {
    if orders.is_empty() {
        return Ok(());
    }
    let mut total = kept_total(conn)?.unwrap_or(0);
    for (id, tick) in orders {
        let (id, tick) = (int(*id), int(tick.0));
        let taken = conn
            .prepare_cached("UPDATE inbox SET taken_tick = ?2 WHERE id = ?1 AND taken_tick IS NULL")?
            .execute((id, tick))?;
        if taken != 1 {
            return Err(rusqlite::Error::StatementChangedRows(taken));
        }
        total = total.wrapping_add(taken_sum(id, tick));
    }
    keep_total(conn, total)
}

fn taken_sum(id: i64, tick: i64) -> i64 {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 order taken");
    hasher.update(&id.to_le_bytes()).update(&tick.to_le_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(first)
}

fn kept_total(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT total FROM taken WHERE one = 1")?.query_row([], |row| row.get(0)).optional()
}

fn keep_total(conn: &Connection, total: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO taken(one, total) VALUES (1, ?1)")?.execute([total]).map(drop)
}

/// At a start: no order is gone, and those that are marked as taken are those that were. A file of an earlier version is
/// believed once.
pub(crate) fn check_taken(conn: &Connection, path: &Path) -> Result<(), Error> {
    let look = || -> rusqlite::Result<Vec<(i64, Option<i64>)>> {
        let mut found = conn.prepare("SELECT id, taken_tick FROM inbox ORDER BY id")?;
        found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let fail = |e: rusqlite::Error| Error::sql(path, "read the inbox", &e);
    let (rows, kept) = (look().map_err(fail)?, kept_total(conn).map_err(fail)?);
    // Numbers are given one after the other, and no order is ever removed.
    if let Some((_, id)) = rows.iter().zip(1..).find(|((id, _), expected)| id != expected) {
        return Err(Error::damaged(path, format!("order {id} is gone")));
    }
    let total = rows.iter().filter_map(|(id, tick)| Some(taken_sum(*id, (*tick)?))).fold(0i64, i64::wrapping_add);
    match kept {
        None => keep_total(conn, total).map_err(fail),
        Some(kept) if kept != total => Err(Error::damaged(path, "it is not known which orders were taken")),
        Some(_) => Ok(()),
    }
}
