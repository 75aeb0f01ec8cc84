//! A golem's anchor: where the chain under it stood when it was last written, kept in the golem's own file. The chain keeps
//! the golem's head in turn; whoever opens both can tell whether they belong together.

use crate::db::{self, int};
use crate::dir::GolemDir;
use crate::error::Error;
use crate::half::OpenTurn;
use crate::journal::{self, JournalWalk, Tip};
use crate::lock::Lock;
use crate::notes;
use crate::origin::Origin;
use crate::reader::Reader;
use crate::store::Store;
use golem_core::{Hash, Tick, Timestamp};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// What a golem's file says about itself to the chain under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// How many turns it has lived.
    pub lived: Tick,
    /// The turn that is open, with effects that may have happened.
    pub open: Option<Tick>,
    /// Where the chain stood when it was last written.
    pub mark: Option<String>,
}

pub(crate) fn write(conn: &Connection, mark: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO meta(key, value) VALUES ('anchor', ?1) ON CONFLICT(key) DO UPDATE SET value = ?1";
    conn.prepare_cached(sql)?.execute([mark]).map(drop)
}

fn read(conn: &Connection, path: &Path) -> Result<Anchor, Error> {
    let fail = |e: rusqlite::Error| Error::sql(path, "read the anchor", &e);
    let mark =
        conn.query_row("SELECT value FROM meta WHERE key = 'anchor'", [], |row| row.get(0)).optional().map_err(fail)?;
    Ok(Anchor { lived: journal::tip(conn, path)?.tick, open: OpenTurn::read(conn, path)?.map(|half| half.tick), mark })
}

/// The head after a turn; `None` when it has not been lived.
fn head_after(conn: &Connection, path: &Path, root: Hash, tick: Tick) -> Result<Option<Hash>, Error> {
    let end = journal::tip(conn, path)?.tick;
    if tick > end {
        return Ok(None);
    }
    let from = journal::boundary_before(conn, path, tick.next())?.unwrap_or(Tip { tick: Tick(0), head: root });
    let mut walk = JournalWalk::after(conn, path, from, tick);
    while walk.step()?.is_some() {}
    Ok((walk.tip().tick == tick).then_some(walk.tip().head))
}

impl Store {
    /// What the file says about itself to the chain under it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn anchor(&self) -> Result<Anchor, Error> {
        read(self.conn(), self.db())
    }
    /// The head after a turn; nothing when it has not been lived.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn head_after(&self, tick: Tick) -> Result<Option<Hash>, Error> {
        head_after(self.conn(), self.db(), self.root(), tick)
    }
}

impl Reader {
    /// What the file says about itself to the chain under it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn anchor(&self) -> Result<Anchor, Error> {
        read(self.conn(), self.db())
    }
}

/// Let the golem in `dir` stand on a chain that was made anew; it is noted in the file. It must not be running.
///
/// # Errors
/// When it runs, or cannot be written.
pub fn set_anchor(dir: &Path, mark: &str, now: Timestamp) -> Result<(), Error> {
    let dir = GolemDir::existing(dir)?;
    let _lock = Lock::take(&dir)?;
    let db = dir.db();
    db::recognise(&db)?;
    let mut conn = db::writer(&db)?;
    Origin::read(&conn, &db)?;
    let tick = journal::tip(&conn, &db)?.tick;
    let fail = |e: rusqlite::Error| Error::sql(&db, "write the anchor", &e);
    let tx = conn.transaction().map_err(fail)?;
    write(&tx, mark).map_err(fail)?;
    let note = format!("its chain was made anew from its own record, up to turn {}", int(tick.0));
    notes::write(&tx, now, tick.0, &note).map_err(fail)?;
    tx.commit().map_err(fail)?;
    conn.close().map_err(|(_, e)| Error::sql(&db, "close", &e))
}
