//! Birth on disk: a golem's file appears whole under its name, or not at all.

use crate::db;
use crate::dir::GolemDir;
use crate::durable::{self, sync_dir};
use crate::epoch::EpochMark;
use crate::error::Error;
use crate::lock::Lock;
use crate::origin::Origin;
use crate::schema;
use rusqlite::Connection;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Make the file of a newborn in `dir`, which is created if it is missing; its parent is not.
///
/// # Errors
/// [`Error::Exists`] when a golem lives there; otherwise what the disk said. Nothing is left behind under its name.
pub fn create(dir: &Path, origin: &Origin) -> Result<(), Error> {
    match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => durable::sync_parent(dir)?,
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        Err(e) => return Err(Error::io(dir, "make the directory", &e)),
    }
    let dir = GolemDir::existing(dir)?;
    let _lock = Lock::take(&dir)?;
    for taken in [dir.db(), dir.beside_db("-wal"), dir.beside_db("-journal")] {
        if fs::symlink_metadata(&taken).is_ok() {
            return Err(Error::Exists { path: taken });
        }
    }
    let draft = dir.beside_db(".new");
    // What a crash left of an earlier attempt was never a golem.
    for leftover in [draft.clone(), dir.beside_db(".new-journal"), dir.beside_db(".new-wal"), dir.beside_db(".new-shm")]
    {
        match fs::remove_file(&leftover) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(Error::io(&leftover, "remove", &e)),
            _ => {}
        }
    }
    // Made by us first, so that the secrets in it are never readable by others; SQLite's side files follow its mode.
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .map_err(|e| Error::io(&draft, "create", &e))?;
    write(&draft, origin)?;
    // Its first note, so that orders put before its first turn are known of too.
    EpochMark::default().raise(&dir)?;
    fs::rename(&draft, dir.db()).map_err(|e| Error::io(&dir.db(), "rename", &e))?;
    sync_dir(dir.path())
}

fn write(draft: &Path, origin: &Origin) -> Result<(), Error> {
    let fail = |e| Error::sql(draft, "write", &e);
    let mut conn = Connection::open(draft).map_err(fail)?;
    conn.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;").map_err(fail)?;
    conn.pragma_update(None, "application_id", db::APPLICATION_ID).map_err(fail)?;
    schema::migrate(&mut conn, draft, schema::STEPS)?;
    let fill = |conn: &mut Connection| {
        let tx = conn.transaction()?;
        origin.write(&tx)?;
        tx.commit()?;
        conn.execute_batch("PRAGMA journal_mode = WAL")
    };
    fill(&mut conn).map_err(fail)?;
    conn.close().map_err(|(_, e)| fail(e))?;
    db::recognise(draft)
}
