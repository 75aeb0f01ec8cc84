//! What the file itself went through (rollbacks, full disks, repairs): the table `notes`.

use crate::db::int;
use golem_core::Timestamp;
use rusqlite::Connection;

/// Write a line about what the file went through.
pub(crate) fn write(conn: &Connection, at: Timestamp, tick: u64, what: &str) -> rusqlite::Result<()> {
    conn.execute("INSERT INTO notes(at, tick, what) VALUES (?1, ?2, ?3)", (at.0, int(tick), what)).map(drop)
}
