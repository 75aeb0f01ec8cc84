//! What a golem told its siblings and has taken from them: one small database beside the golem's own. Deltas stay for a week, so that a
//! relay that lost its disk is told again; everything else is one row that is changed together with them.

use golem_clade::kin::KinQueue;
use golem_core::{GolemId, Hash, OwnerId, Tick};
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use styx_wire::{
    ChainHead, ChainReader, DeltaLane, LogId, OriginKey, OwnerCertificate, SignedDelta, SignedGrave, SignedPulse,
};

/// The file, beside the golem's own.
const FILE: &str = "ferry.db";
const LOCK: &str = "ferry.lock";
/// "ferr" in the header.
const APPLICATION_ID: i64 = 0x6665_7272;
/// How long deltas are kept for a relay that lost its disk.
const KEPT_MS: u64 = 7 * 86_400_000;
/// Notices that are kept.
const MOST_NOTICES: i64 = 200;

/// Why it cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FerryFault {
    /// Another line of the same golem is open.
    #[error("its line to the relay is held by another process")]
    Held,
    #[error("{path}: {why}")]
    Sql { path: PathBuf, why: String },
    /// It is not what was written.
    #[error("{0} is damaged")]
    Damaged(PathBuf),
    #[error("{path}: {why}")]
    Io { path: PathBuf, why: std::io::Error },
}

/// Everything but the deltas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FerryState {
    /// What it has read of whom.
    pub reader: ChainReader,
    /// What waits to be handed to the golem.
    pub queue: KinQueue,
    /// How far its own chain goes.
    pub head: ChainHead,
    /// The next delta says that what came before it is lost.
    pub anew: bool,
    /// The last row of its outbox that became a delta, of what travels at once and of everything else.
    pub urgent: u64,
    pub outbox: u64,
    /// How far it has taken which log.
    pub cursor: Option<(LogId, u64)>,
    pub pulses: u64,
    pub backed_up: Option<Tick>,
    /// It has looked for an archive of its siblings.
    pub bootstrapped: bool,
    pub siblings: Vec<KnownSibling>,
    /// When it was last let in, in milliseconds.
    pub met_ms: Option<u64>,
}

/// A sibling, as far as the relay shows one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownSibling {
    pub certificate: OwnerCertificate,
    pub pulse: Option<SignedPulse>,
    /// When its pulse came, in milliseconds.
    pub heard_ms: u64,
}

impl FerryState {
    fn new(owner: OwnerId, origin: OriginKey) -> Self {
        Self {
            reader: ChainReader::new(owner, origin),
            queue: KinQueue::default(),
            head: ChainHead::root(owner, origin),
            anew: false,
            urgent: 0,
            outbox: 0,
            cursor: None,
            pulses: 0,
            backed_up: None,
            bootstrapped: false,
            siblings: Vec::new(),
            met_ms: None,
        }
    }
    /// Whose key it is.
    #[must_use]
    pub fn golem_of(&self, origin: OriginKey) -> Option<GolemId> {
        let certified = self.siblings.iter().find(|s| s.certificate.words.origin == origin);
        certified.map(|s| s.certificate.words.golem)
    }
}

/// The file.
#[derive(Debug)]
pub struct FerryFile {
    conn: Connection,
    path: PathBuf,
    _lock: Option<File>,
}

impl FerryFile {
    /// Open it to carry: one process at a time.
    ///
    /// # Errors
    /// [`FerryFault::Held`] where another process carries, or what the file said.
    pub fn open(dir: &Path, owner: OwnerId, origin: OriginKey) -> Result<(Self, FerryState), FerryFault> {
        let lock = locked(&dir.join(LOCK))?;
        let path = dir.join(FILE);
        if !path.exists() {
            let made = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
            made.map_err(|why| FerryFault::Io { path: path.clone(), why })?;
        }
        let open = || -> rusqlite::Result<Connection> {
            let conn = Connection::open(&path)?;
            conn.busy_timeout(Duration::from_secs(5))?;
            conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")?;
            conn.pragma_update(None, "application_id", APPLICATION_ID)?;
            conn.execute_batch(
                "BEGIN IMMEDIATE;
                 CREATE TABLE IF NOT EXISTS state(one INTEGER PRIMARY KEY CHECK (one = 1), body BLOB NOT NULL);
                 CREATE TABLE IF NOT EXISTS told(seq INTEGER PRIMARY KEY, body BLOB NOT NULL, at_ms INTEGER NOT NULL,
                                                 urgent INTEGER NOT NULL, kept INTEGER NOT NULL DEFAULT 0);
                 CREATE TABLE IF NOT EXISTS grave(one INTEGER PRIMARY KEY CHECK (one = 1), body BLOB NOT NULL,
                                                  told INTEGER NOT NULL DEFAULT 0);
                 CREATE TABLE IF NOT EXISTS heard_grave(origin BLOB PRIMARY KEY) WITHOUT ROWID;
                 CREATE TABLE IF NOT EXISTS notice(id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, text TEXT NOT NULL);
                 COMMIT;",
            )?;
            Ok(conn)
        };
        let conn = open().map_err(|e| FerryFault::Sql { path: path.clone(), why: e.to_string() })?;
        let file = Self { conn, path, _lock: Some(lock) };
        let state = match file.state()? {
            Some(state) if state.reader.is_of(owner, origin) => state,
            Some(before) => file.spoken_for_by_another_key(&before, owner, origin)?,
            None => FerryState::new(owner, origin),
        };
        Ok((file, state))
    }

    /// Its owner's key is another, or its own: another chain begins, and siblings are met anew. What was not told yet is told by it, where
    /// the same siblings can open it.
    fn spoken_for_by_another_key(
        &self,
        before: &FerryState,
        owner: OwnerId,
        origin: OriginKey,
    ) -> Result<FerryState, FerryFault> {
        let gone = self.conn.execute("DELETE FROM told WHERE kept = 1 OR ?1", [before.reader.owner() != owner]);
        self.told(gone)?;
        Ok(FerryState { urgent: before.urgent, outbox: before.outbox, ..FerryState::new(owner, origin) })
    }

    /// Look at it while somebody may be carrying; none where nobody ever has.
    ///
    /// # Errors
    /// What the file said.
    pub fn look(dir: &Path) -> Result<Option<(Self, FerryState)>, FerryFault> {
        let path = dir.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let conn = Connection::open_with_flags(&path, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|e| FerryFault::Sql { path: path.clone(), why: e.to_string() })?;
        let file = Self { conn, path, _lock: None };
        // Somebody may be making it just now.
        let sql = "SELECT count(*) FROM sqlite_master WHERE name = 'state'";
        if file.told(file.conn.query_row(sql, [], |row| row.get::<_, i64>(0)))? == 0 {
            return Ok(None);
        }
        let state = file.state()?;
        Ok(state.map(|state| (file, state)))
    }

    /// What is kept of this key: what was changed since and could not be kept did not happen.
    ///
    /// # Errors
    /// What the file said.
    pub fn kept_state(&self, owner: OwnerId, origin: OriginKey) -> Result<FerryState, FerryFault> {
        let kept = self.state()?.filter(|state| state.reader.is_of(owner, origin));
        Ok(kept.unwrap_or_else(|| FerryState::new(owner, origin)))
    }

    fn state(&self) -> Result<Option<FerryState>, FerryFault> {
        let read = self.conn.query_row("SELECT body FROM state WHERE one = 1", [], |row| row.get::<_, Vec<u8>>(0));
        let body = self.told(read.optional())?;
        body.map(|b| postcard::from_bytes(&b).map_err(|_| FerryFault::Damaged(self.path.clone()))).transpose()
    }

    /// Keep the state, and deltas that were just made, in one transaction.
    ///
    /// # Errors
    /// What the file said.
    pub fn keep(&mut self, state: &FerryState, made: &[SignedDelta], now_ms: u64) -> Result<(), FerryFault> {
        let body = golem_core::plain::bytes(state);
        let write = |conn: &mut Connection| -> rusqlite::Result<()> {
            let tx = conn.transaction()?;
            insert(&tx, made, now_ms)?;
            tx.execute("DELETE FROM told WHERE kept = 1 AND at_ms < ?1", [int(now_ms.saturating_sub(KEPT_MS))])?;
            tx.execute("INSERT OR REPLACE INTO state(one, body) VALUES (1, ?1)", [body])?;
            tx.commit()
        };
        let written = write(&mut self.conn);
        self.told(written)
    }

    /// What waits was signed again: it stands in place of what was signed before.
    ///
    /// # Errors
    /// What the file said.
    pub fn signed_again(&mut self, state: &FerryState, made: &[SignedDelta], now_ms: u64) -> Result<(), FerryFault> {
        let first = made.first().map_or(i64::MAX, |delta| int(delta.head.seq));
        let body = golem_core::plain::bytes(state);
        let write = |conn: &mut Connection| -> rusqlite::Result<()> {
            let tx = conn.transaction()?;
            tx.execute("DELETE FROM told WHERE kept = 0 OR seq >= ?1", [first])?;
            insert(&tx, made, now_ms)?;
            tx.execute("INSERT OR REPLACE INTO state(one, body) VALUES (1, ?1)", [body])?;
            tx.commit()
        };
        let written = write(&mut self.conn);
        self.told(written)
    }

    /// The id of what it told under a number, where that is still here.
    ///
    /// # Errors
    /// What the file said.
    pub fn id_at(&self, seq: u64) -> Result<Option<Hash>, FerryFault> {
        let read = self.conn.query_row("SELECT body FROM told WHERE seq = ?1", [int(seq)], |r| r.get::<_, Vec<u8>>(0));
        let body = self.told(read.optional())?;
        let damaged = |_| FerryFault::Damaged(self.path.clone());
        body.map(|b| postcard::from_bytes::<SignedDelta>(&b).map(|d| d.head.id()).map_err(damaged)).transpose()
    }

    /// Deltas after a number that the relay has not said to keep, in their order.
    ///
    /// # Errors
    /// What the file said.
    pub fn unkept(&self, at_most: u32) -> Result<Vec<SignedDelta>, FerryFault> {
        let read = || -> rusqlite::Result<Vec<Vec<u8>>> {
            self.conn
                .prepare_cached("SELECT body FROM told WHERE kept = 0 ORDER BY seq LIMIT ?1")?
                .query_map([at_most], |row| row.get(0))?
                .collect()
        };
        let bodies = self.told(read())?;
        let damaged = || FerryFault::Damaged(self.path.clone());
        bodies.iter().map(|body| postcard::from_bytes(body).map_err(|_| damaged())).collect()
    }

    /// How many the relay has not said to keep.
    ///
    /// # Errors
    /// What the file said.
    pub fn waiting(&self) -> Result<u64, FerryFault> {
        let count = self.conn.query_row("SELECT count(*) FROM told WHERE kept = 0", [], |row| row.get::<_, i64>(0));
        self.told(count).map(|n| u64::try_from(n).unwrap_or(0))
    }

    /// How many were made since a moment, of what travels at once or of everything else.
    ///
    /// # Errors
    /// What the file said.
    pub fn made_since(&self, at_ms: u64, urgent: bool) -> Result<u64, FerryFault> {
        let sql = "SELECT count(*) FROM told WHERE at_ms > ?1 AND urgent = ?2";
        let count = self.conn.query_row(sql, (int(at_ms), urgent), |row| row.get::<_, i64>(0));
        self.told(count).map(|n| u64::try_from(n).unwrap_or(0))
    }

    /// The relay keeps everything up to a number, and nothing after it: what it lost is told again.
    ///
    /// # Errors
    /// What the file said.
    pub fn known_upto(&mut self, seq: u64) -> Result<(), FerryFault> {
        let moved = self.conn.execute("UPDATE told SET kept = (seq <= ?1)", [int(seq)]);
        self.told(moved).map(drop)
    }

    /// The relay keeps this one.
    ///
    /// # Errors
    /// What the file said.
    pub fn is_kept(&mut self, seq: u64) -> Result<(), FerryFault> {
        let kept = self.conn.execute("UPDATE told SET kept = 1 WHERE seq = ?1", [int(seq)]);
        self.told(kept).map(drop)
    }

    /// The golem's grave, once it is dug, and whether the relay has it.
    ///
    /// # Errors
    /// What the file said.
    pub fn grave(&self) -> Result<Option<(SignedGrave, bool)>, FerryFault> {
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, bool>(1)?));
        let read = self.conn.query_row("SELECT body, told FROM grave WHERE one = 1", [], row);
        let found = self.told(read.optional())?;
        let damaged = |_| FerryFault::Damaged(self.path.clone());
        found.map(|(body, told)| Ok((postcard::from_bytes(&body).map_err(damaged)?, told))).transpose()
    }

    /// Dig it.
    ///
    /// # Errors
    /// What the file said.
    pub fn dig(&mut self, grave: &SignedGrave) -> Result<(), FerryFault> {
        let dug = self.conn.execute("INSERT INTO grave(one, body) VALUES (1, ?1)", [golem_core::plain::bytes(grave)]);
        self.told(dug).map(drop)
    }

    /// The relay has it.
    ///
    /// # Errors
    /// What the file said.
    pub fn grave_is_told(&mut self) -> Result<(), FerryFault> {
        let told = self.conn.execute("UPDATE grave SET told = 1", []);
        self.told(told).map(drop)
    }

    /// Whether a sibling's grave was heard.
    ///
    /// # Errors
    /// What the file said.
    pub fn has_heard_grave(&self, of: OriginKey) -> Result<bool, FerryFault> {
        let sql = "SELECT count(*) FROM heard_grave WHERE origin = ?1";
        self.told(self.conn.query_row(sql, [of.0], |row| row.get::<_, i64>(0))).map(|n| n > 0)
    }

    /// It was, and what it says lies in the inbox.
    ///
    /// # Errors
    /// What the file said.
    pub fn grave_is_heard(&mut self, of: OriginKey) -> Result<(), FerryFault> {
        let heard = self.conn.execute("INSERT OR IGNORE INTO heard_grave(origin) VALUES (?1)", [of.0]);
        self.told(heard).map(drop)
    }

    /// Something that an owner should know of the relay or of a sibling.
    ///
    /// # Errors
    /// What the file said.
    pub fn notice(&mut self, text: &str, now_ms: u64) -> Result<(), FerryFault> {
        let write = |conn: &Connection| -> rusqlite::Result<()> {
            conn.execute("INSERT INTO notice(at_ms, text) VALUES (?1, ?2)", (int(now_ms), text))?;
            conn.execute("DELETE FROM notice WHERE id <= (SELECT max(id) FROM notice) - ?1", [MOST_NOTICES]).map(drop)
        };
        let written = write(&self.conn);
        self.told(written)
    }

    /// What was noticed, the newest first.
    ///
    /// # Errors
    /// What the file said.
    pub fn notices(&self, at_most: u32) -> Result<Vec<(u64, String)>, FerryFault> {
        let read = || -> rusqlite::Result<Vec<(i64, String)>> {
            self.conn
                .prepare("SELECT at_ms, text FROM notice ORDER BY id DESC LIMIT ?1")?
                .query_map([at_most], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        let rows = self.told(read())?;
        Ok(rows.into_iter().map(|(at, text)| (u64::try_from(at).unwrap_or(0), text)).collect())
    }

    fn told<T>(&self, done: rusqlite::Result<T>) -> Result<T, FerryFault> {
        done.map_err(|e| FerryFault::Sql { path: self.path.clone(), why: e.to_string() })
    }
}

fn insert(tx: &Connection, made: &[SignedDelta], now_ms: u64) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT INTO told(seq, body, at_ms, urgent) VALUES (?1, ?2, ?3, ?4)")?;
    for delta in made {
        put.execute((int(delta.head.seq), golem_core::plain::bytes(delta), int(now_ms), is_urgent(delta)))?;
    }
    Ok(())
}

fn is_urgent(delta: &SignedDelta) -> bool {
    delta.head.kind.lane() == DeltaLane::Urgent
}

fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn locked(path: &Path) -> Result<File, FerryFault> {
    let io = |why| FerryFault::Io { path: path.to_owned(), why };
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map_err(io)?;
    // A process that is just being started by this one holds what its parent held, for a moment.
    for again in [true, true, true, false] {
        match rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) if again => std::thread::sleep(Duration::from_millis(50)),
            Err(rustix::io::Errno::WOULDBLOCK) => break,
            Err(e) => return Err(io(e.into())),
        }
    }
    Err(FerryFault::Held)
}
