//! Starts and crashes: whoever crashes ten times in five minutes without a turn in between comes back slowly and without
//! hands. A kill after a committed turn is bad luck, not a loop: the life has moved on. A panic counts all the same.

use crate::db::{int, uint};
use crate::error::Error;
use golem_core::Timestamp;
use rusqlite::Connection;
use std::path::Path;

/// The window in which crashes are counted, in seconds of wall time.
pub const CRASH_WINDOW_S: i64 = 300;
/// So many unclean starts in a row within the window, none of which committed a turn, are a loop.
pub const CRASH_LOOP: u64 = 10;
const MAX_BACKOFF_S: u64 = 60;
/// Starts that are remembered.
const KEPT: u64 = 200;

/// Safe mode is over once a golem has lived through this many turns, or through the window, without a crash.
pub const SAFE_TURNS: u64 = 500;

/// How this start stands among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StartReport {
    /// Number of this start; every later one has a higher number.
    pub epoch: u64,
    /// Starts within the window that panicked, and the last ones in a row that neither committed a turn nor ended well.
    pub unclean: u64,
    /// It may only observe and reduce risk, until it has lived through [`SAFE_TURNS`] turns or the window.
    pub safe_mode: bool,
    /// How long to wait before the first turn.
    pub backoff_ms: u64,
}

impl StartReport {
    /// The report that follows from a count.
    #[must_use]
    pub fn of(epoch: u64, unclean: u64) -> Self {
        let safe_mode = unclean >= CRASH_LOOP;
        let doublings = u32::try_from(unclean.saturating_sub(CRASH_LOOP).min(10)).unwrap_or(10);
        let backoff_s = if safe_mode { 2u64.pow(doublings).min(MAX_BACKOFF_S) } else { 0 };
        Self { epoch, unclean, safe_mode, backoff_ms: backoff_s * 1_000 }
    }
}

/// Record this start and count the ones before it. A wall that jumped ahead hides no crash: nearness counts either way.
pub(crate) fn begin(conn: &Connection, epoch: u64, now: Timestamp) -> rusqlite::Result<StartReport> {
    let (from, to) = (now.0.saturating_sub(CRASH_WINDOW_S), now.0.saturating_add(CRASH_WINDOW_S));
    let unclean: i64 = conn.query_row(
        "SELECT count(*) FROM starts WHERE at > ?1 AND at < ?2 AND (clean = 2 OR (clean = 0
           AND epoch > coalesce((SELECT max(epoch) FROM starts WHERE clean = 1), 0)
           AND epoch > coalesce((SELECT epoch FROM journal ORDER BY first_tick DESC LIMIT 1), 0)))",
        (from, to),
        |row| row.get(0),
    )?;
    let report = StartReport::of(epoch, u64::try_from(unclean).unwrap_or(0));
    let row = (int(epoch), now.0, report.safe_mode);
    conn.execute("INSERT INTO starts(epoch, at, clean, safe) VALUES (?1, ?2, 0, ?3)", row)?;
    conn.execute("DELETE FROM starts WHERE epoch <= ?1", [int(epoch.saturating_sub(KEPT))])?;
    Ok(report)
}

/// This start's safe mode is over.
pub(crate) fn safe_again(conn: &Connection, epoch: u64) -> rusqlite::Result<()> {
    conn.execute("UPDATE starts SET safe = 0 WHERE epoch = ?1", [int(epoch)]).map(drop)
}

/// This start ended in a panic.
pub(crate) fn panicked(conn: &Connection, epoch: u64) -> rusqlite::Result<()> {
    conn.execute("UPDATE starts SET clean = 2 WHERE epoch = ?1", [int(epoch)]).map(drop)
}

/// This start ended as it should.
pub(crate) fn end(conn: &Connection, epoch: u64) -> rusqlite::Result<()> {
    conn.execute("UPDATE starts SET clean = 1, safe = 0 WHERE epoch = ?1", [int(epoch)]).map(drop)
}

/// The number of the last start.
pub(crate) fn epoch(conn: &Connection, path: &Path) -> Result<u64, Error> {
    conn.prepare_cached("SELECT value FROM meta WHERE key = 'epoch'")
        .and_then(|mut s| s.query_row([], |row| uint(row.get(0)?)))
        .map_err(|e| Error::sql(path, "read the epoch", &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_to_a_minute() {
        let waits: Vec<u64> = [0, 9, 10, 11, 12, 13, 14, 15, 16, 17, 200, u64::MAX]
            .map(|n| StartReport::of(1, n).backoff_ms / 1_000)
            .into_iter()
            .collect();
        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        assert!(!StartReport::of(1, 9).safe_mode && StartReport::of(1, 10).safe_mode);
    }
}
