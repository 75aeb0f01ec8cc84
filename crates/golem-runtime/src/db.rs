//! Connections to a golem's file: writer, visitor (inbox) and reader, each with its pragmas.
//!
//! The file is never opened but through SQLite: closing a plain handle to it would drop the locks that SQLite holds for
//! this process, and another process could then delete the log under us.

use crate::error::Error;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// "bard" in the header of the file.
pub(crate) const APPLICATION_ID: i64 = 0x6261_7264;
/// How long a short transaction waits for another one.
const BUSY: Duration = Duration::from_secs(5);

/// Refuse whatever is not a golem's file, without locks, logs or any other trace beside it.
pub(crate) fn recognise(path: &Path) -> Result<(), Error> {
    recognise_as(path, APPLICATION_ID)
}

/// The same for a file with this id in its header.
pub(crate) fn recognise_as(path: &Path, id: i64) -> Result<(), Error> {
    let foreign = |why: String| Error::Foreign { path: path.to_owned(), why };
    let had_log = !no_log(path);
    // The id was written before the file had a log, so the main file always has it.
    let found = immutable(path).and_then(|c| c.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0)));
    match found {
        Ok(found) if found == id => Ok(()),
        Ok(0) => Err(foreign("empty, or a database without an owner".into())),
        Ok(other) => Err(foreign(format!("application id {other:#x}"))),
        Err(rusqlite::Error::SqliteFailure(e, _)) if e.code == rusqlite::ErrorCode::NotADatabase => {
            Err(foreign("no database, or its first page is damaged".into()))
        }
        // With a log beside it the main file alone proves nothing: it says that it is longer than it is while a process
        // moves the log into it, or was killed doing so; and the log may be gone before anybody looks for it. Opening it
        // for real, under its locks, recovers it or finds that it is damaged.
        Err(rusqlite::Error::SqliteFailure(e, _))
            if e.code == rusqlite::ErrorCode::DatabaseCorrupt && (had_log || !no_log(path)) =>
        {
            Ok(())
        }
        Err(e) => Err(Error::sql(path, "open", &e)),
    }
}

/// Room for the pages of a large transaction, or the small room between them. What a commit takes and gives back lies
/// scattered among what a life keeps, so that more of it would stay resident.
pub(crate) fn set_cache(conn: &Connection, large: bool) -> rusqlite::Result<()> {
    conn.execute_batch(if large { "PRAGMA cache_size = -512;" } else { "PRAGMA cache_size = -128;" })
}

/// The one that runs the golem. A thousand of them share a process, so each gets a small cache.
pub(crate) fn writer(path: &Path) -> Result<Connection, Error> {
    let open = || {
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | NO_MUTEX)?;
        conn.busy_timeout(BUSY)?;
        conn.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -128; PRAGMA mmap_size = 0;
             PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 1048576; PRAGMA temp_store = MEMORY;
             PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
        )?;
        conn.set_prepared_statement_cache_capacity(24);
        Ok(conn)
    };
    open().map_err(|e| Error::sql(path, "open", &e))
}

/// One that puts something into a box while the golem runs: durable, and leaves checkpoints to the golem.
pub(crate) fn visitor(path: &Path) -> Result<Connection, Error> {
    recognise(path)?;
    let open = || {
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | NO_MUTEX)?;
        conn.busy_timeout(BUSY)?;
        conn.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA trusted_schema = OFF;")?;
        Ok(conn)
    };
    open().map_err(|e| Error::sql(path, "open", &e))
}

/// One of several that write to a file which nobody runs: durable, and each moves the log into the file in its turn.
pub(crate) fn shared_writer(path: &Path) -> Result<Connection, Error> {
    let open = || {
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | NO_MUTEX)?;
        conn.busy_timeout(BUSY)?;
        conn.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;
             PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
        )?;
        Ok(conn)
    };
    open().map_err(|e| Error::sql(path, "open", &e))
}

/// One that only looks. Where not even a log can be made (read-only media) and there is none, the file is taken as it is.
pub(crate) fn reader(path: &Path) -> Result<Connection, Error> {
    recognise(path)?;
    open_reader(path)
}

/// The same for a file that was recognised.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, Error> {
    let open = || {
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | NO_MUTEX)?;
        conn.busy_timeout(BUSY)?;
        // The first read finds out whether the log can be used.
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(conn)
    };
    match open() {
        Err(rusqlite::Error::SqliteFailure(e, _)) if cannot_write(e.code) && no_log(path) => immutable(path),
        other => other,
    }
    .map_err(|e| Error::sql(path, "open", &e))
}

const NO_MUTEX: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

fn cannot_write(code: rusqlite::ErrorCode) -> bool {
    matches!(code, rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)
}

fn no_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // A log that cannot be looked at is there: whoever takes the file without it would miss what it says.
    std::fs::metadata(log).map_or_else(|e| e.kind() == std::io::ErrorKind::NotFound, |m| m.len() == 0)
}

fn immutable(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    Connection::open_with_flags(uri, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | NO_MUTEX)
}

/// SQLite's integers are signed. No count of ours comes near the end of them.
pub(crate) fn int(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// And back; a negative one was never written by us.
pub(crate) fn uint(n: i64) -> rusqlite::Result<u64> {
    u64::try_from(n).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, n))
}
