//! The file of one golem, open for writing: lock, fence, ballast. Every change is one transaction that first makes sure
//! that nobody else has opened the golem since.

use crate::ballast::{Ballast, Room};
use crate::db::{self, int};
use crate::dir::GolemDir;
use crate::durable;
use crate::epoch::EpochMark;
use crate::error::Error;
use crate::half::OpenTurn;
use crate::journal::{self, Tip};
use crate::known;
use crate::lock::Lock;
use crate::origin::Origin;
use crate::schema;
use crate::starts::{self, StartReport};
use crate::tombstone;
use crate::{inbox, memory, notes};
use golem_core::{Hash, Tick, Timestamp};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};

/// How far the log may grow before it is moved into the file.
const LOG_BYTES: u64 = 4 << 20;
/// The same on a full disk.
const SHORT_LOG_BYTES: u64 = 256 << 10;

/// How to open.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenOptions {
    /// Go on from an older file that was put back; it is noted in the file.
    pub accept_rollback: bool,
    /// It is opened to die: on a full disk, the room that is kept for that is used.
    pub to_die: bool,
}

/// A golem's file in the hands of the one process that runs it.
///
/// Dropping it is a crash as far as the next start is concerned; [`Store::close`] is a clean stop.
#[derive(Debug)]
pub struct Store {
    conn: Connection,
    dir: GolemDir,
    db: PathBuf,
    origin: Origin,
    root: Hash,
    start: StartReport,
    room: Room,
    // After the connection, so that the file is closed before another process may take it.
    _lock: Lock,
}

impl Store {
    /// Take the lock, check and migrate the file, and make this the only start that may write.
    ///
    /// # Errors
    /// Refusals before anything is touched (missing, symlinked, read-only, running, foreign, newer, rolled back), or
    /// what the disk said.
    pub fn open(dir: &Path, options: OpenOptions, now: Timestamp) -> Result<Self, Error> {
        let dir = GolemDir::of_golem(dir)?;
        let lock = Lock::take(&dir)?;
        let db = dir.db();
        db::recognise(&db)?;
        let mut room = Room::of(&dir, options.to_die);
        let known = EpochMark::read(&dir)?.unwrap_or_default();
        // By a reader, which leaves a log as it finds it: what is missing from it may still be found by other means.
        let (missing, dying) = room.for_this(|| {
            let reader = db::reader(&db)?;
            Ok((known::missing(&reader, &db, known)?, known::is_dying(&reader, &db)?))
        })?;
        if dying {
            room.for_dying();
        }
        let rolled_back = match missing {
            Some(missing) if !options.accept_rollback => return Err(missing.refusal(&db)),
            missing => missing.is_some(),
        };
        room.prepare()?;
        let conn = room.for_this(|| {
            let mut conn = db::writer(&db)?;
            schema::migrate(&mut conn, &db, schema::STEPS)?;
            Ok(conn)
        })?;
        let (origin, root) = Origin::read(&conn, &db)?;
        room.for_this(|| inbox::check_taken(&conn, &db))?;
        let found = known::reached(&conn, &db)?;
        tombstone::refuse_before_death(&dir, Tick(found.tick))?;
        let ours = found.epoch.max(known.epoch) + 1;
        let mut store = Self { conn, dir, db, origin, root, start: StartReport::of(found.epoch, 0), room, _lock: lock };
        store.start = store.durably(|tx| {
            tx.execute("UPDATE meta SET value = ?1 WHERE key = 'epoch'", [int(ours)])?;
            memory::begin(tx)?;
            if rolled_back {
                notes::write(
                    tx,
                    now,
                    found.tick,
                    &format!("rolled back from tick {} (start {})", known.tick, known.epoch),
                )?;
            }
            let report = starts::begin(tx, ours, now)?;
            if report.safe_mode {
                notes::write(tx, now, found.tick, &format!("safe mode after {} crashes in a row", report.unclean))?;
            }
            Ok(report)
        })?;
        // The log may have been made just now, and SQLite passes over a failure to make its name last.
        durable::sync_dir(store.dir.path())?;
        store.mark()?;
        store.room.keep()?;
        Ok(store)
    }

    /// A clean stop: the next start will not count this one as a crash.
    ///
    /// # Errors
    /// When it cannot be written, or someone else has opened the golem since.
    pub fn close(mut self) -> Result<(), Error> {
        let epoch = self.start.epoch;
        self.durably(|tx| starts::end(tx, epoch))?;
        // A reader may keep the log from being moved into the file, or there may be no room for that, which loses nothing.
        match self.move_log("PRAGMA wal_checkpoint(TRUNCATE)") {
            Err(Error::DiskFull { .. }) => {}
            moved => moved?,
        }
        self.mark()?;
        let db = self.db.clone();
        self.conn.close().map_err(|(_, e)| Error::sql(&db, "close", &e))
    }

    /// A turn failed by a panic: noted, and counted as a crash whatever was committed before it.
    pub(crate) fn panicked(&mut self, tick: Tick, what: &str, now: Timestamp) -> Result<(), Error> {
        let epoch = self.start.epoch;
        self.durably(|tx| {
            notes::write(tx, now, tick.0, what)?;
            starts::panicked(tx, epoch)
        })
    }

    /// It has lived long enough without a crash.
    pub(crate) fn end_safe_mode(&mut self, tick: Tick, now: Timestamp) -> Result<(), Error> {
        let epoch = self.start.epoch;
        self.durably(|tx| {
            notes::write(tx, now, tick.0, "safe mode is over")?;
            starts::safe_again(tx, epoch)
        })
    }

    /// Before the first turn a golem may still be born otherwise (into another world): same keys, same secret, same mail.
    ///
    /// # Errors
    /// When it has already lived, or it cannot be written.
    pub fn rebirth(&mut self, origin: &Origin) -> Result<(), Error> {
        if self.tip()?.tick.0 > 0 {
            return Err(Error::BadOrder { what: "it has already lived".into(), hint: "create another golem" });
        }
        self.durably(|tx| origin.rewrite(tx))?;
        let (origin, root) = Origin::read(&self.conn, &self.db)?;
        (self.origin, self.root) = (origin, root);
        Ok(())
    }

    /// What the golem was born with.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
    /// How this start stands among the others.
    #[must_use]
    pub fn start(&self) -> StartReport {
        self.start
    }
    /// Whether room is still kept for dying. When it is gone, no new risk is taken.
    #[must_use]
    pub fn ballast(&self) -> Ballast {
        self.room.ballast
    }
    /// What is written from here on are last words.
    pub(crate) fn is_dying(&mut self) {
        self.room.for_dying();
    }
    /// Its directory.
    #[must_use]
    pub fn dir(&self) -> &GolemDir {
        &self.dir
    }
    pub(crate) fn db(&self) -> &Path {
        &self.db
    }
    pub(crate) fn conn(&self) -> &Connection {
        &self.conn
    }
    pub(crate) fn root(&self) -> Hash {
        self.root
    }
    /// How many turns are written down.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn lived(&self) -> Result<Tick, Error> {
        self.tip().map(|tip| tip.tick)
    }
    /// The turn that is open, its effects perhaps out in the world.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn open_turn(&self) -> Result<Option<Tick>, Error> {
        OpenTurn::read(&self.conn, &self.db).map(|half| half.map(|half| half.tick))
    }
    pub(crate) fn tip(&self) -> Result<Tip, Error> {
        journal::tip(&self.conn, &self.db)
    }

    /// One durable transaction behind the fence. On a full disk the ballast is given up once and the transaction tried
    /// once more; any other failure is final.
    pub(crate) fn durably<T>(&mut self, change: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, Error> {
        let Self { conn, db, room, start, .. } = self;
        room.for_this(|| {
            let fail = |e: rusqlite::Error| Error::sql(db, "commit", &e);
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
            let found = starts::epoch(&tx, db)?;
            if found != start.epoch {
                return Err(Error::Fenced { ours: start.epoch, found });
            }
            let done = change(&tx).map_err(fail)?;
            tx.commit().map_err(fail)?;
            Ok(done)
        })
    }

    /// A larger cache for one transaction, or the small one again.
    pub(crate) fn lend_cache(&self, large: bool) -> Result<(), Error> {
        db::set_cache(&self.conn, large).map_err(|e| Error::sql(&self.db, "set the cache", &e))
    }

    /// Look once more before an effect: a process that was stopped after its commit may have been superseded meanwhile.
    pub(crate) fn is_ours(&self) -> Result<(), Error> {
        let (ours, found) = (self.start.epoch, starts::epoch(&self.conn, &self.db)?);
        if found == ours { Ok(()) } else { Err(Error::Fenced { ours, found }) }
    }

    /// Move the log into the file when it has grown. Left to itself SQLite does this after a commit and keeps its errors
    /// to itself; a disk that fails here must stop the golem too.
    pub(crate) fn tidy(&mut self) -> Result<(), Error> {
        let path = self.dir.beside_db("-wal");
        let log = match std::fs::metadata(&path) {
            Ok(found) => found.len(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => 0,
            Err(e) => return Err(Error::io(&path, "look at the log", &e)),
        };
        // On a full disk what the log takes is taken from the last room there is.
        let most = if self.ballast() == Ballast::Gone { SHORT_LOG_BYTES } else { LOG_BYTES };
        if log < most { Ok(()) } else { self.move_log("PRAGMA wal_checkpoint(PASSIVE)") }
    }

    fn move_log(&mut self, sql: &str) -> Result<(), Error> {
        let Self { conn, db, room, .. } = self;
        let run = || conn.query_row(sql, [], |_| Ok(())).map_err(|e| Error::sql(db, "move the log", &e));
        match room.for_this(run) {
            Err(Error::Busy { .. }) => Ok(()),
            other => other,
        }
    }

    /// Note beside the file how far it has come, for whoever is told of it.
    pub(crate) fn mark(&mut self) -> Result<(), Error> {
        let mark = EpochMark { epoch: self.start.epoch, ..known::reached(&self.conn, &self.db)? };
        self.room.for_this(|| mark.raise(&self.dir))
    }
}
