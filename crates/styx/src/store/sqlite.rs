//! A store in one file: SQLite with a write-ahead log, synchronised in full before anybody is told that something is kept.

use super::{
    AppendOutcome, KeptChain, KeptRow, KeptRowKey, LogBounds, RecentUse, RelayStore, RowChange, RowRoom, StoreFault,
    StoreIdentity, WriteBatch, first_of, place,
};
use golem_core::{Hash, OwnerId};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use styx_wire::{ChainHead, DeltaLane, LogId, LoggedDelta, OriginKey, SignedDelta};

const VERSION: i64 = 1;
const SCHEMA: &str = "
CREATE TABLE identity(one INTEGER PRIMARY KEY CHECK (one = 1), log BLOB NOT NULL, secret BLOB NOT NULL);
CREATE TABLE owners(owner BLOB PRIMARY KEY, head INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE log(owner BLOB NOT NULL, position INTEGER NOT NULL, received INTEGER NOT NULL, origin BLOB NOT NULL,
  seq INTEGER NOT NULL, id BLOB NOT NULL, urgent INTEGER NOT NULL, bytes INTEGER NOT NULL, delta BLOB NOT NULL,
  PRIMARY KEY(owner, position)) WITHOUT ROWID;
CREATE UNIQUE INDEX log_place ON log(owner, origin, seq);
CREATE INDEX log_received ON log(received);
CREATE TABLE chains(owner BLOB NOT NULL, origin BLOB NOT NULL, seq INTEGER NOT NULL, id BLOB NOT NULL, first INTEGER NOT NULL,
  last INTEGER, PRIMARY KEY(owner, origin)) WITHOUT ROWID;
CREATE TABLE cursors(owner BLOB NOT NULL, origin BLOB NOT NULL, upto INTEGER NOT NULL, PRIMARY KEY(owner, origin)) WITHOUT ROWID;
CREATE TABLE kept(room INTEGER NOT NULL, owner BLOB NOT NULL, key BLOB NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY(room, owner, key)) WITHOUT ROWID;
";
/// Reads at the same time.
const READERS: usize = 4;

/// One file.
#[derive(Debug)]
pub struct SqliteStore {
    identity: StoreIdentity,
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl From<rusqlite::Error> for StoreFault {
    fn from(why: rusqlite::Error) -> Self {
        Self(why.to_string())
    }
}

impl SqliteStore {
    /// Open a file, or make it with this identity.
    ///
    /// # Errors
    /// When it cannot be, or is of another version.
    pub fn open(path: &Path, fresh: StoreIdentity) -> Result<Self, StoreFault> {
        // The relay's secret is in there: for its owner's eyes only, from the first byte.
        let made = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        made.map_err(|e| StoreFault(format!("{}: {e}", path.display())))?;
        let mut writer = connect(path)?;
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        match version {
            0 => {
                tx.execute_batch(SCHEMA)?;
                tx.execute("INSERT INTO identity VALUES (1, ?1, ?2)", params![fresh.log.0, fresh.secret])?;
                tx.execute_batch(&format!("PRAGMA user_version = {VERSION}"))?;
            }
            VERSION => {}
            other => return Err(StoreFault(format!("{} is of version {other}, not {VERSION}", path.display()))),
        }
        let (log, secret): ([u8; 16], [u8; 32]) =
            tx.query_row("SELECT log, secret FROM identity", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        tx.commit()?;
        let identity = StoreIdentity { log: LogId(log), secret };
        Ok(Self { identity, path: path.to_owned(), writer: Mutex::new(writer), readers: Mutex::default() })
    }

    fn read<T>(&self, ask: impl FnOnce(&Connection) -> Result<T, StoreFault>) -> Result<T, StoreFault> {
        let spare = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reader = spare.map_or_else(|| connect(&self.path), Ok)?;
        let answer = ask(&reader);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < READERS {
            readers.push(reader);
        }
        answer
    }

    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreFault>) -> Result<T, StoreFault> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx)?;
        tx.commit()?;
        Ok(done)
    }
}

fn connect(path: &Path) -> Result<Connection, StoreFault> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(Duration::from_secs(10))?;
    conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;")?;
    conn.set_prepared_statement_cache_capacity(32);
    Ok(conn)
}

/// Numbers of a database go to half of ours: what is larger has been refused before.
fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
fn nat(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

fn chain_of(conn: &Connection, owner: OwnerId, origin: OriginKey) -> Result<Option<KeptChain>, StoreFault> {
    let mut ask = conn.prepare_cached("SELECT seq, id, first, last FROM chains WHERE owner = ?1 AND origin = ?2")?;
    let found = ask.query_row(params![owner.0, origin.0], |row| {
        let head = ChainHead { seq: nat(row.get(0)?), id: Hash(row.get(1)?) };
        Ok(KeptChain { head, first: nat(row.get(2)?), last: row.get::<_, Option<i64>>(3)?.map(nat) })
    });
    Ok(found.optional()?)
}

fn append(tx: &Transaction<'_>, now_ms: u64, delta: &SignedDelta) -> Result<AppendOutcome, StoreFault> {
    let head = &delta.head;
    let (owner, origin) = (head.owner, head.origin);
    let chain = chain_of(tx, owner, origin)?;
    let there = || {
        let mut ask =
            tx.prepare_cached("SELECT position, id FROM log WHERE owner = ?1 AND origin = ?2 AND seq = ?3")?;
        let found =
            ask.query_row(params![owner.0, origin.0, int(head.seq)], |row| Ok((nat(row.get(0)?), Hash(row.get(1)?))));
        Ok(found.optional()?)
    };
    if let Some(outcome) = place(delta, chain.as_ref(), there)? {
        return Ok(outcome);
    }
    let bytes = int(delta.payload.0.len() as u64);
    let position: i64 = tx
        .prepare_cached(
            "INSERT INTO owners VALUES (?1, 1, ?2) ON CONFLICT(owner) DO UPDATE SET head = head + 1, bytes = bytes + ?2
             RETURNING head",
        )?
        .query_row(params![owner.0, bytes], |row| row.get(0))?;
    tx.prepare_cached("INSERT INTO log VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?.execute(params![
        owner.0,
        position,
        int(now_ms),
        origin.0,
        int(head.seq),
        head.id().0,
        head.kind.lane() == DeltaLane::Urgent,
        bytes,
        golem_core::plain::bytes(delta),
    ])?;
    tx.prepare_cached(
        "INSERT INTO chains VALUES (?1, ?2, ?3, ?4, ?5, NULL) ON CONFLICT(owner, origin)
         DO UPDATE SET seq = excluded.seq, id = excluded.id, first = excluded.first",
    )?
    .execute(params![owner.0, origin.0, int(head.seq), head.id().0, int(first_of(delta, chain.as_ref()))])?;
    Ok(AppendOutcome::Kept { position: nat(position) })
}

fn put(tx: &Transaction<'_>, key: &KeptRowKey, bytes: &[u8]) -> Result<(), StoreFault> {
    tx.prepare_cached("INSERT OR REPLACE INTO kept VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        key.room as u8,
        key.owner.0,
        key.key,
        bytes
    ])?;
    Ok(())
}

pub(super) fn read_delta(bytes: &[u8]) -> Result<SignedDelta, StoreFault> {
    styx_wire::frame::read_kept(bytes).ok_or_else(|| StoreFault("a delta of the log cannot be read".to_owned()))
}

impl RelayStore for SqliteStore {
    fn identity(&self) -> StoreIdentity {
        self.identity
    }

    fn commit(&self, now_ms: u64, batch: &WriteBatch) -> Result<Vec<AppendOutcome>, StoreFault> {
        self.write(|tx| {
            let outcomes = batch.deltas.iter().map(|delta| append(tx, now_ms, delta)).collect::<Result<_, _>>()?;
            for moved in &batch.cursors {
                tx.prepare_cached(
                    "INSERT INTO cursors VALUES (?1, ?2, ?3) ON CONFLICT(owner, origin) DO UPDATE SET upto = max(upto, ?3)",
                )?
                .execute(params![moved.owner.0, moved.origin.0, int(moved.upto)])?;
            }
            for (key, bytes) in &batch.rows {
                put(tx, key, bytes)?;
            }
            Ok(outcomes)
        })
    }

    fn page(&self, owner: OwnerId, after: u64, since_ms: u64, most: usize) -> Result<Vec<LoggedDelta>, StoreFault> {
        self.read(|conn| {
            let mut ask = conn.prepare_cached(
                "SELECT position, delta FROM log WHERE owner = ?1 AND position > ?2 AND received >= ?3
                 ORDER BY position LIMIT ?4",
            )?;
            let mut found = ask.query(params![owner.0, int(after), int(since_ms), int(most as u64)])?;
            let mut page = Vec::new();
            while let Some(row) = found.next()? {
                let delta = read_delta(row.get_ref(1)?.as_blob().map_err(|e| StoreFault(e.to_string()))?)?;
                page.push(LoggedDelta { position: nat(row.get(0)?), delta });
            }
            Ok(page)
        })
    }

    fn bounds(&self, owner: OwnerId, since_ms: u64) -> Result<LogBounds, StoreFault> {
        self.read(|conn| {
            let mut ask = conn.prepare_cached(
                "SELECT o.head, o.bytes, (SELECT position FROM log WHERE owner = ?1 AND received >= ?2
                 ORDER BY position LIMIT 1) FROM owners o WHERE o.owner = ?1",
            )?;
            let found = ask
                .query_row(params![owner.0, int(since_ms)], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<i64>>(2)?))
                })
                .optional()?;
            let (head, bytes, oldest) = found.unwrap_or((0, 0, None));
            Ok(LogBounds { head: nat(head), oldest: nat(oldest.unwrap_or(head + 1)), bytes: nat(bytes) })
        })
    }

    fn chain(&self, owner: OwnerId, origin: OriginKey) -> Result<Option<ChainHead>, StoreFault> {
        self.read(|conn| Ok(chain_of(conn, owner, origin)?.map(|chain| chain.head).filter(|head| head.seq > 0)))
    }

    fn end_chain(&self, owner: OwnerId, origin: OriginKey, last: u64) -> Result<(), StoreFault> {
        let root = ChainHead::root(owner, origin);
        self.write(|tx| {
            tx.execute(
                "INSERT INTO chains VALUES (?1, ?2, 0, ?3, 1, ?4) ON CONFLICT(owner, origin) DO UPDATE SET last = ?4",
                params![owner.0, origin.0, root.id.0, int(last)],
            )?;
            Ok(())
        })
    }

    fn cursor(&self, owner: OwnerId, origin: OriginKey) -> Result<u64, StoreFault> {
        self.read(|conn| {
            let mut ask = conn.prepare_cached("SELECT upto FROM cursors WHERE owner = ?1 AND origin = ?2")?;
            let upto: Option<i64> = ask.query_row(params![owner.0, origin.0], |row| row.get(0)).optional()?;
            Ok(upto.map_or(0, nat))
        })
    }

    fn recent(&self, owner: OwnerId, origin: OriginKey, since_ms: u64) -> Result<RecentUse, StoreFault> {
        self.read(|conn| {
            let mut ask = conn.prepare_cached(
                "SELECT count(*) - coalesce(sum(urgent), 0), coalesce(sum(urgent), 0) FROM log
                 WHERE owner = ?1 AND origin = ?2 AND received >= ?3",
            )?;
            let used = ask.query_row(params![owner.0, origin.0, int(since_ms)], |row| {
                Ok(RecentUse { batch: nat(row.get(0)?), urgent: nat(row.get(1)?) })
            })?;
            Ok(used)
        })
    }

    fn expire(&self, before_ms: u64) -> Result<u64, StoreFault> {
        self.write(|tx| {
            tx.execute(
                "UPDATE owners SET bytes = bytes - gone.n FROM
                 (SELECT owner AS who, sum(bytes) AS n FROM log WHERE received < ?1 GROUP BY owner) AS gone
                 WHERE owners.owner = gone.who",
                params![int(before_ms)],
            )?;
            Ok(tx.execute("DELETE FROM log WHERE received < ?1", params![int(before_ms)])? as u64)
        })
    }

    fn row(&self, key: &KeptRowKey) -> Result<Option<Vec<u8>>, StoreFault> {
        self.read(|conn| {
            let mut ask = conn.prepare_cached("SELECT bytes FROM kept WHERE room = ?1 AND owner = ?2 AND key = ?3")?;
            Ok(ask.query_row(params![key.room as u8, key.owner.0, key.key], |row| row.get(0)).optional()?)
        })
    }

    fn rows(&self, after: &KeptRowKey, most: usize) -> Result<Vec<KeptRow>, StoreFault> {
        self.read(|conn| {
            let mut ask = conn.prepare_cached(
                "SELECT key, bytes FROM kept WHERE room = ?1 AND owner = ?2 AND key > ?3 ORDER BY key LIMIT ?4",
            )?;
            let found = ask
                .query_map(params![after.room as u8, after.owner.0, after.key, int(most as u64)], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }

    fn change(&self, key: &KeptRowKey, by: &mut dyn FnMut(Option<&[u8]>) -> RowChange) -> Result<(), StoreFault> {
        let named = params![key.room as u8, key.owner.0, key.key];
        self.write(|tx| {
            let now: Option<Vec<u8>> = tx
                .prepare_cached("SELECT bytes FROM kept WHERE room = ?1 AND owner = ?2 AND key = ?3")?
                .query_row(named, |row| row.get(0))
                .optional()?;
            match by(now.as_deref()) {
                RowChange::Leave => {}
                RowChange::Put(bytes) => put(tx, key, &bytes)?,
                RowChange::Remove => {
                    tx.prepare_cached("DELETE FROM kept WHERE room = ?1 AND owner = ?2 AND key = ?3")?
                        .execute(named)?;
                }
            }
            Ok(())
        })
    }

    fn owners_of(&self, room: RowRoom) -> Result<Vec<OwnerId>, StoreFault> {
        self.read(|conn| {
            let mut ask = conn.prepare_cached("SELECT DISTINCT owner FROM kept WHERE room = ?1 ORDER BY owner")?;
            let found = ask.query_map(params![room as u8], |row| row.get(0).map(OwnerId))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }
}
