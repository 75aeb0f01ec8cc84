//! A file held against the note beside it: what the note knows of and the file has not is missing, and is named.

use crate::db::uint;
use crate::dir::GolemDir;
use crate::epoch::EpochMark;
use crate::error::Error;
use crate::journal::{self, Tip};
use crate::starts;
use golem_core::Tick;
use rusqlite::Connection;
use std::path::Path;

/// How far a file says that its life has come.
pub(crate) fn reached(conn: &Connection, path: &Path) -> Result<EpochMark, Error> {
    let Tip { tick, head } = journal::tip(conn, path)?;
    let orders = number(conn, path, "SELECT coalesce(max(id), 0) FROM inbox")?;
    let open = number(conn, path, "SELECT coalesce(max(tick), 0) FROM half")?;
    Ok(EpochMark { epoch: starts::epoch(conn, path)?, tick: tick.0, head: Some(head), open, orders })
}

fn number(conn: &Connection, path: &Path, sql: &str) -> Result<u64, Error> {
    conn.prepare_cached(sql)
        .and_then(|mut s| s.query_row([], |row| uint(row.get(0)?)))
        .map_err(|e| Error::sql(path, "read how far it has come", &e))
}

/// What a file has not, although it is known to have been there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) found: EpochMark,
    pub(crate) known: EpochMark,
    /// In words.
    pub(crate) what: String,
}

impl Missing {
    pub(crate) fn refusal(self, path: &Path) -> Error {
        let Self { found, known, what } = self;
        Error::RolledBack {
            path: path.to_owned(),
            found_epoch: found.epoch,
            found_tick: found.tick,
            known_epoch: known.epoch,
            known_tick: known.tick,
            missing: what,
        }
    }
}

/// Hold a file against what is known. A file of a later start than the note's was restored, with the owner's word.
pub(crate) fn missing(conn: &Connection, path: &Path, known: EpochMark) -> Result<Option<Missing>, Error> {
    let found = reached(conn, path)?;
    if found.epoch > known.epoch {
        return Ok(None);
    }
    let mut lost = Vec::new();
    if found.tick < known.tick {
        lost.push(counted(known.tick - found.tick, "turn"));
    } else if known.tick > 0 && known.head.is_some() && journal::head_at(conn, path, Tick(known.tick))? != known.head {
        lost.push(format!("turn {} as it was", known.tick));
    }
    if known.open > found.tick && found.open != known.open {
        lost.push(format!("the open turn {}, whose effects may be out in the world,", known.open));
    }
    if found.orders < known.orders {
        lost.push(counted(known.orders - found.orders, "order"));
    }
    if found.epoch < known.epoch && lost.is_empty() {
        lost.push(counted(known.epoch - found.epoch, "start"));
    }
    Ok((!lost.is_empty()).then(|| Missing { found, known, what: lost.join(" and ") }))
}

/// Whether its last turns have begun.
pub(crate) fn is_dying(conn: &Connection, path: &Path) -> Result<bool, Error> {
    number(conn, path, "SELECT count(*) FROM status WHERE standing = 'dying'").map(|n| n > 0)
}

/// Refuse a file that ends before what is known, before anything is written to it.
pub(crate) fn whole(conn: &Connection, path: &Path, dir: &GolemDir) -> Result<(), Error> {
    // The note first: it is written after the file, so that it is never ahead of a file that is read later.
    let Some(known) = EpochMark::read(dir)? else { return Ok(()) };
    missing(conn, path, known)?.map_or(Ok(()), |missing| Err(missing.refusal(path)))
}

fn counted(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
