//! Coming back from a snapshot: every chunk checked, the old file moved aside and never deleted.

use super::chunks;
use super::line::{self, Sorted};
use super::manifest::{self, Manifest};
use crate::db;
use crate::dir::GolemDir;
use crate::durable::sync_dir;
use crate::epoch::EpochMark;
use crate::error::Error;
use crate::journal;
use crate::lock::Lock;
use crate::notes;
use crate::origin::Origin;
use crate::reader::Reader;
use crate::schema;
use crate::starts;
use crate::tombstone;
use golem_core::{Tick, Timestamp};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What a restoration did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The turn after which the golem goes on.
    pub tick: Tick,
    /// Where the file that was there before lies now.
    pub aside: Option<PathBuf>,
    /// What became of the other snapshots.
    pub snapshots: Sorted,
}

/// Put the golem in `dir` back to a snapshot. It must not be running. Being told to is the acceptance of the rollback;
/// it is noted in the file.
///
/// # Errors
/// When anything of the snapshot is missing or damaged; then nothing was changed.
pub fn restore_snapshot(dir: &Path, manifest: &Path, now: Timestamp) -> Result<Restored, Error> {
    let dir = GolemDir::existing(dir)?;
    let _lock = Lock::take(&dir)?;
    let manifest = Manifest::read(manifest)?;
    refuse_the_dead(&dir, manifest.tick)?;
    let draft = dir.beside_db(".restored");
    let made =
        assemble(&manifest, &chunks::dir(&dir.snapshots()), &draft).and_then(|()| check(&dir, &manifest, &draft, now));
    let snapshots = match made {
        Ok(sorted) => sorted,
        Err(e) => {
            for suffix in [".restored", ".restored-wal", ".restored-shm", ".restored-journal"] {
                let _ = fs::remove_file(dir.beside_db(suffix));
            }
            return Err(e);
        }
    };
    // The main file first: until the new one has its name there is no golem here, which is an error and not a mixture.
    let aside = (1..).map(|n| format!(".aside-{n}")).find(|s| fs::symlink_metadata(dir.beside_db(s)).is_err());
    let aside = aside.ok_or_else(|| Error::Bug("no name left".into()))?;
    let moved = shift(&dir.db(), &dir.beside_db(&aside))?;
    shift(&dir.beside_db("-wal"), &dir.beside_db(&format!("{aside}-wal")))?;
    shift(&dir.beside_db("-shm"), &dir.beside_db(&format!("{aside}-shm")))?;
    shift(&draft, &dir.db())?;
    sync_dir(dir.path())?;
    Ok(Restored { tick: manifest.tick, aside: moved.then(|| dir.beside_db(&aside)), snapshots })
}

/// Dead is final: neither the golem that lies here nor one whose stone stands here is brought back.
fn refuse_the_dead(dir: &GolemDir, snapshot: Tick) -> Result<(), Error> {
    // The snapshot of a dead golem at its end changes nothing about it: it may be put back where the file is broken.
    tombstone::refuse_before_death(dir, snapshot)?;
    // A file that cannot be read says nothing; then the stone is the only witness.
    let Ok(reader) = Reader::open(dir.path()) else { return Ok(()) };
    match reader.status() {
        Ok(Some(row)) if row.standing.is_final() && snapshot < row.tick => {
            Err(Error::Dead { path: dir.db(), tick: row.tick })
        }
        _ => Ok(()),
    }
}

fn assemble(manifest: &Manifest, chunk_dir: &Path, draft: &Path) -> Result<(), Error> {
    let fail = |e| Error::io(draft, "write", &e);
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(draft).map_err(fail)?;
    let mut length = 0;
    for hash in &manifest.chunks {
        let chunk = chunks::load(chunk_dir, hash)?;
        file.write_all(&chunk).map_err(fail)?;
        length += chunk.len() as u64;
    }
    if length != manifest.length {
        return Err(Error::damaged(draft, format!("{length} bytes instead of {}", manifest.length)));
    }
    file.sync_all().map_err(fail)
}

/// The assembled file must be that golem at that turn, whole; it gets a start number above all others. Then the snapshots
/// are sorted by whose past they are: before the file has its name, so that nobody finds it beside those of another life.
fn check(dir: &GolemDir, manifest: &Manifest, draft: &Path, now: Timestamp) -> Result<Sorted, Error> {
    db::recognise(draft)?;
    let mut conn = db::writer(draft)?;
    schema::migrate(&mut conn, draft, schema::STEPS)?;
    let fail = |e: rusqlite::Error| Error::sql(draft, "check", &e);
    let verdict: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(fail)?;
    if verdict != "ok" {
        return Err(Error::damaged(draft, verdict));
    }
    let (origin, _) = Origin::read(&conn, draft)?;
    let tip = journal::tip(&conn, draft)?;
    if origin.birth.id != manifest.golem || tip.tick != manifest.tick || tip.head != manifest.head {
        return Err(Error::damaged(draft, "the file is not the one that the manifest names"));
    }
    // A note beside it that cannot be read must not stand in the way of a restoration.
    let known = EpochMark::read(dir).ok().flatten().unwrap_or_default();
    let epoch = starts::epoch(&conn, draft)?.max(known.epoch) + 1;
    let finish = |conn: &mut rusqlite::Connection| {
        let tx = conn.transaction()?;
        tx.execute("UPDATE meta SET value = ?1 WHERE key = 'epoch'", [db::int(epoch)])?;
        notes::write(&tx, now, tip.tick.0, &format!("restored from the snapshot of tick {}", tip.tick))?;
        tx.commit()
    };
    finish(&mut conn).map_err(fail)?;
    let sorted = line::sort(&dir.snapshots(), &conn, draft, tip.tick)?;
    conn.close().map_err(|(_, e)| fail(e))?;
    Ok(sorted)
}

/// Rename, if it is there.
fn shift(from: &Path, to: &Path) -> Result<bool, Error> {
    match fs::rename(from, to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(Error::io(from, "move aside", &e)),
    }
}

/// Check every snapshot of the golem in `dir` without changing anything; what is wrong, in words.
///
/// # Errors
/// When the directory itself cannot be read.
pub fn verify_snapshots(dir: &Path) -> Result<Vec<String>, Error> {
    let snapshots = GolemDir::existing(dir)?.snapshots();
    let mut wrong = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (_, path) in manifest::files(&snapshots)? {
        match Manifest::read(&path) {
            Err(e) => wrong.push(e.to_string()),
            Ok(manifest) => {
                let new = manifest.chunks.iter().filter(|hash| seen.insert(**hash));
                wrong
                    .extend(new.filter_map(|h| chunks::load(&chunks::dir(&snapshots), h).err()).map(|e| e.to_string()));
            }
        }
    }
    Ok(wrong)
}
