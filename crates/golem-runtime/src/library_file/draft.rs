//! Making a library's file: it appears whole under its name, or not at all.

use super::LIBRARY_SCHEMA;
use super::totals::{ShelfTotal, key_sum};
use crate::durable::{self, sync_dir};
use crate::error::Error;
use rusqlite::Connection;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const TABLES: &str = "
    CREATE TABLE sealed(name TEXT PRIMARY KEY, value BLOB NOT NULL, sum BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE rows(place TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, sum BLOB NOT NULL,
        UNIQUE (place, key)) STRICT;
    CREATE TABLE total(one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL, sum BLOB NOT NULL) STRICT;";
/// How many drafts this process has begun: each has a name of its own.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Make an empty one: it appears whole under its name, or not at all, and never in place of one that is there by then.
pub(super) fn create(path: &Path, id: i64, key: Option<&[u8; 32]>) -> Result<(), Error> {
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    durable::make_dir(parent)?;
    let nth = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = parent.join(format!(".{name}.new-{}-{nth}", std::process::id()));
    let made = write_draft(&draft, id, key).and_then(|()| match fs::hard_link(&draft, path) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(Error::io(path, "make", &e)),
        // Whoever was first has made it.
        _ => Ok(()),
    });
    // A draft is nobody's; that it could not be removed changes nothing about what came of it.
    let _ = fs::remove_file(&draft);
    made.and_then(|()| sync_dir(parent))
}

fn write_draft(draft: &Path, id: i64, key: Option<&[u8; 32]>) -> Result<(), Error> {
    match fs::remove_file(draft) {
        Err(e) if e.kind() != ErrorKind::NotFound => return Err(Error::io(draft, "remove", &e)),
        _ => {}
    }
    // Made by us first, so that the key in it is never readable by others; SQLite's side files follow its mode.
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(draft)
        .map_err(|e| Error::io(draft, "create", &e))?;
    let fill = || -> rusqlite::Result<()> {
        let mut conn = Connection::open(draft)?;
        conn.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;")?;
        conn.pragma_update(None, "application_id", id)?;
        let tx = conn.transaction()?;
        tx.execute_batch(TABLES)?;
        tx.pragma_update(None, "user_version", LIBRARY_SCHEMA)?;
        if let Some(key) = key {
            let sum = key_sum(key);
            tx.execute("INSERT INTO sealed(name, value, sum) VALUES ('signing_key', ?1, ?2)", (&key[..], &sum[..]))?;
        }
        ShelfTotal::default().write(&tx)?;
        tx.commit()?;
        conn.execute_batch("PRAGMA journal_mode = WAL")?;
        conn.close().map_err(|(_, e)| e)
    };
    fill().map_err(|e| Error::sql(draft, "write", &e))
}
