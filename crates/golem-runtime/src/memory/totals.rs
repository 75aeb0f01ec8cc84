//! Sums over the rows of the memory that are believed at a start: a row that was changed, added or lost is noticed, whatever
//! it says and wherever it stood. One number for each table, so that a row costs no room for it.
//!
//! A total is the sum of the hashes of all rows, in no order: a turn adds its rows to it, and whoever reads the rows again
//! comes to the same number or knows that they are not the ones that were written.

use super::place;
use crate::db::int;
use crate::error::Error;
use golem_core::Tick;
use golem_grimoire::change::NamedTable;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, ToSql};
use std::path::Path;

/// A table of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryTable {
    Episodes,
    Marks,
    Entries,
    Standings,
    Named,
    Vectors,
}

const TABLES: [(MemoryTable, &str); 6] = [
    (MemoryTable::Episodes, "episodes"),
    (MemoryTable::Marks, "marks"),
    (MemoryTable::Entries, "entries"),
    (MemoryTable::Standings, "standings"),
    (MemoryTable::Named, "named"),
    (MemoryTable::Vectors, "vectors"),
];

/// The totals of all tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MemoryTotals([u128; TABLES.len()]);

impl MemoryTotals {
    /// Add a row as it is about to be written.
    pub(super) fn add(&mut self, of: MemoryTable, columns: &[&dyn ToSql]) -> rusqlite::Result<()> {
        let mut hash = RowHash::new(of);
        for column in columns {
            match column.to_sql()? {
                rusqlite::types::ToSqlOutput::Borrowed(value) => hash.add(value),
                rusqlite::types::ToSqlOutput::Owned(value) => hash.add(ValueRef::from(&value)),
                _ => return Err(rusqlite::Error::InvalidQuery),
            }
        }
        self.count(of, hash);
        Ok(())
    }

    fn add_stored(&mut self, of: MemoryTable, row: &Row<'_>, columns: usize) -> rusqlite::Result<()> {
        let mut hash = RowHash::new(of);
        for n in 0..columns {
            hash.add(row.get_ref(n)?);
        }
        self.count(of, hash);
        Ok(())
    }

    fn count(&mut self, of: MemoryTable, hash: RowHash) {
        let total = &mut self.0[of as usize];
        *total = total.wrapping_add(hash.done());
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        self.0.iter().flat_map(|total| total.to_le_bytes()).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (chunks, []) = bytes.as_chunks::<16>() else { return None };
        let totals: Vec<u128> = chunks.iter().map(|sixteen| u128::from_le_bytes(*sixteen)).collect();
        totals.try_into().ok().map(Self)
    }

    /// The first table in which these differ.
    pub(crate) fn differs(&self, other: &Self) -> Option<&'static str> {
        TABLES.iter().find(|(of, _)| self.0[*of as usize] != other.0[*of as usize]).map(|(_, name)| *name)
    }

    /// Of the rows that are there, up to the end of a turn.
    pub(crate) fn of(conn: &Connection, as_of: Tick) -> rusqlite::Result<Self> {
        let mut totals = Self::default();
        for (of, table) in TABLES {
            // What is kept for people only is not believed, and not summed.
            let sql = match of {
                MemoryTable::Named => {
                    format!("SELECT * FROM named WHERE tick <= ?1 AND place NOT IN ({})", for_people())
                }
                _ => format!("SELECT * FROM {table} WHERE tick <= ?1"),
            };
            let mut found = conn.prepare(&sql)?;
            let columns = found.column_count();
            let mut rows = found.query([int(as_of.0)])?;
            while let Some(row) = rows.next()? {
                totals.add_stored(of, row, columns)?;
            }
        }
        Ok(totals)
    }
}

/// Whether rows of a named table are believed at a start.
pub(super) fn is_believed(table: NamedTable) -> bool {
    !NamedTable::FOR_PEOPLE.contains(&table)
}

/// The places of rows that are kept for people, for a query.
pub(super) fn for_people() -> String {
    NamedTable::FOR_PEOPLE.map(|table| format!("'{}'", place(table))).join(", ")
}

/// The hash of one row: every column with its type and length.
struct RowHash(blake3::Hasher);

impl RowHash {
    fn new(of: MemoryTable) -> Self {
        static BEGIN: std::sync::OnceLock<blake3::Hasher> = std::sync::OnceLock::new();
        let mut hasher = BEGIN.get_or_init(|| blake3::Hasher::new_derive_key("bardo 2026 memory row")).clone();
        hasher.update(&[of as u8]);
        Self(hasher)
    }
    fn add(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.part(0, &[]),
            ValueRef::Integer(n) => self.part(1, &n.to_le_bytes()),
            ValueRef::Real(x) => self.part(2, &x.to_bits().to_le_bytes()),
            ValueRef::Text(text) => self.part(3, text),
            ValueRef::Blob(bytes) => self.part(4, bytes),
        }
    }
    fn part(&mut self, kind: u8, bytes: &[u8]) {
        self.0.update(&[kind]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
    fn done(self) -> u128 {
        let mut first = [0; 16];
        first.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        u128::from_le_bytes(first)
    }
}

/// The totals as of the last turn that is written down; `None` in a file that no writer of this version has opened.
pub(crate) fn written(conn: &Connection) -> rusqlite::Result<Option<MemoryTotals>> {
    let row: Option<Vec<u8>> = conn
        .prepare_cached("SELECT totals FROM remembered WHERE one = 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    // A row that is none was never written: no total fits it.
    Ok(row.map(|bytes| MemoryTotals::from_bytes(&bytes).unwrap_or(MemoryTotals([u128::MAX; TABLES.len()]))))
}

/// Keep the totals after a turn's rows were added.
pub(super) fn keep(conn: &Connection, totals: &MemoryTotals) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO remembered(one, totals) VALUES (1, ?1)")?
        .execute([totals.to_bytes()])
        .map(drop)
}

/// Forget every row: they are about to be written anew.
pub(crate) fn empty(conn: &Connection) -> rusqlite::Result<()> {
    for (_, table) in TABLES {
        conn.execute(&format!("DELETE FROM {table}"), [])?;
    }
    conn.execute("INSERT INTO episode_words(episode_words) VALUES ('delete-all')", [])?;
    keep(conn, &MemoryTotals::default())
}

/// A file of an earlier version is taken as it is found; from here on its rows are known.
pub(crate) fn begin(conn: &Connection) -> rusqlite::Result<()> {
    if written(conn)?.is_some() { Ok(()) } else { keep(conn, &MemoryTotals::of(conn, Tick(u64::MAX))?) }
}

/// Hold all rows against the totals that were kept with them.
///
/// # Errors
/// [`Error::Damaged`] names the table in which a row was changed, added or lost.
pub(crate) fn check(conn: &Connection, path: &Path) -> Result<(), Error> {
    let fail = |e: rusqlite::Error| Error::sql(path, "read the memory", &e);
    let known = "SELECT count(*) FROM sqlite_schema WHERE name = 'remembered'";
    if conn.query_row(known, [], |row| row.get::<_, i64>(0)).map_err(fail)? == 0 {
        return Ok(());
    }
    // In one transaction: a golem that runs adds rows and totals at the same moment.
    let tx = conn.unchecked_transaction().map_err(fail)?;
    let (kept, found) = (written(&tx).map_err(fail)?, MemoryTotals::of(&tx, Tick(u64::MAX)).map_err(fail)?);
    drop(tx);
    match kept.and_then(|kept| kept.differs(&found)) {
        Some(table) => Err(Error::damaged(path, changed(table))),
        None => Ok(()),
    }
}

/// What is wrong with a table, in words.
pub(crate) fn changed(table: &str) -> String {
    format!("memory: a row of {table} was changed, added or lost")
}
