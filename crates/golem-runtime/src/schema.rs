//! The tables of a golem's file and how an older file becomes a current one: a list of steps, each one transaction.
//!
//! A step that was released is never edited; a change is a new step at the end.

use crate::error::Error;
use rusqlite::Connection;
use std::path::Path;

/// The steps; the schema version is how many of them were taken.
pub(crate) const STEPS: &[&str] = &[
    // 1: the file.
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
     CREATE TABLE sealed(name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
     CREATE TABLE tip(one INTEGER PRIMARY KEY CHECK (one = 1), tick INTEGER NOT NULL, head BLOB NOT NULL) STRICT;
     CREATE TABLE journal(first_tick INTEGER PRIMARY KEY, last_tick INTEGER NOT NULL, epoch INTEGER NOT NULL,
         frames BLOB NOT NULL, head BLOB NOT NULL) STRICT;
     CREATE TABLE half(one INTEGER PRIMARY KEY CHECK (one = 1), tick INTEGER NOT NULL, body BLOB NOT NULL,
         sum BLOB NOT NULL) STRICT;
     CREATE TABLE checkpoint(one INTEGER PRIMARY KEY CHECK (one = 1), format INTEGER NOT NULL, tick INTEGER NOT NULL,
         age_ms INTEGER NOT NULL, state BLOB NOT NULL, world BLOB NOT NULL, head BLOB NOT NULL,
         digest BLOB NOT NULL, sum BLOB NOT NULL) STRICT;
     CREATE TABLE status(one INTEGER PRIMARY KEY CHECK (one = 1), tick INTEGER NOT NULL, at INTEGER NOT NULL,
         standing TEXT NOT NULL, body TEXT NOT NULL) STRICT;
     CREATE TABLE facts(seq INTEGER PRIMARY KEY, tick INTEGER NOT NULL, at INTEGER NOT NULL, name TEXT NOT NULL,
         cause INTEGER, body TEXT NOT NULL) STRICT;
     CREATE TABLE series(tick INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
     CREATE TABLE inbox(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL,
         put_at INTEGER NOT NULL, taken_tick INTEGER) STRICT;
     CREATE INDEX inbox_waiting ON inbox(id) WHERE taken_tick IS NULL;
     CREATE TABLE outbox(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, tick INTEGER NOT NULL,
         kind TEXT NOT NULL, about INTEGER, body TEXT NOT NULL,
         state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'settled'))) STRICT;
     CREATE INDEX outbox_open ON outbox(id) WHERE state <> 'settled';
     CREATE INDEX outbox_replies ON outbox(about) WHERE kind = 'reply';
     CREATE TABLE starts(epoch INTEGER PRIMARY KEY, at INTEGER NOT NULL, clean INTEGER NOT NULL) STRICT;",
    // 2: what the file itself went through (rollbacks, full disks), which version 1 could not tell.
    "CREATE TABLE notes(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, tick INTEGER NOT NULL, what TEXT NOT NULL) STRICT;",
    // 3: what it knows.
    crate::memory_tables::TABLES,
    // 4: what was asked of models in turns that are not written down yet.
    "CREATE TABLE asked(tick INTEGER NOT NULL, n INTEGER NOT NULL, request BLOB NOT NULL, most INTEGER NOT NULL,
         reply TEXT, PRIMARY KEY (tick, n)) STRICT, WITHOUT ROWID;",
    // 5: what an embedder elsewhere made of what it knows.
    crate::memory_tables::VECTORS,
    // 6: the same named rows, in less room.
    crate::memory_tables::NAMED,
    // 7: what the rows of the memory add up to.
    crate::memory_tables::TOTALS,
    // 8: sums over what waits to be taken and over which orders were taken, and whether a start is in safe mode.
    "ALTER TABLE inbox ADD COLUMN sum BLOB;
     ALTER TABLE asked ADD COLUMN sum BLOB;
     CREATE TABLE taken(one INTEGER PRIMARY KEY CHECK (one = 1), total INTEGER NOT NULL) STRICT;
     ALTER TABLE starts ADD COLUMN safe INTEGER NOT NULL DEFAULT 0;",
    // 9: what the world needs to make its own past again.
    crate::past::TABLE,
    // 10: rows for people are written in shorthand from here on, which no program of before can read. Those that are there
    // stay as they are.
    "UPDATE meta SET value = value WHERE false;",
    // 11: entries are searched in memory, by readers too.
    crate::memory_tables::NO_ENTRY_WORDS,
    // 12: the saved state in pieces, of which none is large.
    "CREATE TABLE state_pieces(n INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;",
];

/// Take the steps that the file has not taken yet.
pub(crate) fn migrate(conn: &mut Connection, path: &Path, steps: &[&str]) -> Result<(), Error> {
    let known = i64::try_from(steps.len()).map_err(|e| Error::Bug(e.to_string()))?;
    let found = version(conn).map_err(|e| Error::sql(path, "read the schema version", &e))?;
    if found > known {
        return Err(Error::Newer { path: path.to_owned(), found, known });
    }
    for (at, step) in steps.iter().enumerate().skip(usize::try_from(found).unwrap_or(0)) {
        let take = |conn: &mut Connection| {
            let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            tx.execute_batch(step)?;
            tx.pragma_update(None, "user_version", i64::try_from(at + 1).unwrap_or(i64::MAX))?;
            tx.commit()
        };
        take(conn).map_err(|e| Error::sql(path, "migrate", &e))?;
    }
    Ok(())
}

/// The schema version of an open file.
pub(crate) fn version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}
