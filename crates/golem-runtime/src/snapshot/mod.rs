//! Insurance: the golem's file as content-addressed chunks, of which a new snapshot writes only what changed.
//!
//! The bound on loss is the distance between two snapshots: 6 virtual hours, or 5 s of wall time when time is
//! accelerated. The copy is made through SQLite (see `db`), on disk and not in memory, and is consistent whatever other
//! processes read or put meanwhile.

mod chunks;
mod line;
mod manifest;
mod restore;
mod thin;

pub use line::{Sorted, list_aside};
pub use manifest::{Manifest, list};
pub use restore::{Restored, restore_snapshot, verify_snapshots};
pub use thin::keepers;

use crate::dir::GolemDir;
use crate::durable::{self, sync_dir};
use crate::error::Error;
use golem_core::{Elapsed, GolemId, Hash, Tick, Timestamp, VirtualTime};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::fs;
use std::path::{Path, PathBuf};

/// Virtual time between two snapshots.
pub const SNAPSHOT_EVERY: Elapsed = Elapsed::secs(6 * 3_600);
/// Wall time between two snapshots in accelerated time, at least.
pub const SNAPSHOT_GAP_MS: u64 = 5_000;

/// Where in a life a snapshot is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SnapshotMoment {
    pub(crate) golem: GolemId,
    pub(crate) tick: Tick,
    pub(crate) age: VirtualTime,
    pub(crate) at: Timestamp,
    pub(crate) head: Hash,
}

/// What a snapshot cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SnapshotCost {
    pub(crate) chunks: usize,
    pub(crate) new_chunks: usize,
}

/// The snapshots of one golem and when the next one is due.
#[derive(Debug)]
pub(crate) struct Snapshots {
    dir: PathBuf,
    last_age: VirtualTime,
    last_ms: u64,
}

impl Snapshots {
    /// Those in the directory of a golem that stands at `tick`, and what was set aside as later than that.
    pub(crate) fn of(dir: &GolemDir, tick: Tick, now_ms: u64) -> Result<(Self, Vec<Tick>), Error> {
        let dir = dir.snapshots();
        let later = line::set_aside_after(&dir, tick)?.aside;
        // One that cannot be read insures nothing: the next one is due by the newest that can.
        let newest = manifest::files(&dir)?.into_iter().rev().find_map(|(_, path)| Manifest::read(&path).ok());
        let last_age = newest.map_or(VirtualTime(0), |m| m.age);
        Ok((Self { dir, last_age, last_ms: now_ms }, later))
    }

    pub(crate) fn is_due(&self, age: VirtualTime, now_ms: u64, real_speed: bool) -> bool {
        age.since(self.last_age) >= SNAPSHOT_EVERY
            && (real_speed || now_ms.saturating_sub(self.last_ms) >= SNAPSHOT_GAP_MS)
    }
    pub(crate) fn done(&mut self, age: VirtualTime, now_ms: u64) {
        (self.last_age, self.last_ms) = (age, now_ms);
    }

    /// Take one of the last committed state. The manifest is written last: without it there is no snapshot.
    pub(crate) fn take(&self, conn: &Connection, moment: &SnapshotMoment) -> Result<SnapshotCost, Error> {
        let chunk_dir = chunks::dir(&self.dir);
        durable::make_dir(&chunk_dir)?;
        let copy = self.dir.join("copy.tmp");
        let stored = copy_db(conn, &copy).and_then(|()| chunks::store(&copy, &chunk_dir));
        let _ = fs::remove_file(&copy);
        let stored = stored?;
        let manifest = Manifest::new(moment, stored.length, stored.hashes);
        manifest.place(&self.dir.join(format!("{}.json", moment.tick)))?;
        sync_dir(&self.dir)?;
        thin::thin(&self.dir)?;
        Ok(SnapshotCost { chunks: manifest.chunks.len(), new_chunks: stored.new })
    }
}

/// A consistent copy of the open database in a file of its own.
fn copy_db(conn: &Connection, to: &Path) -> Result<(), Error> {
    let fail = |e: rusqlite::Error| Error::sql(to, "copy", &e);
    match fs::remove_file(to) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(to, "remove", &e)),
        _ => {}
    }
    let mut copy = Connection::open(to).map_err(fail)?;
    copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -128;")
        .map_err(fail)?;
    {
        let backup = Backup::new(conn, &mut copy).map_err(fail)?;
        // In one step: between steps another process could put an order, and the copy would begin again.
        match backup.step(-1).map_err(fail)? {
            StepResult::Done => {}
            _ => return Err(Error::Busy { path: to.to_owned() }),
        }
    }
    copy.close().map_err(|(_, e)| fail(e))
}
