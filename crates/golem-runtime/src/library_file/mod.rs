//! The file of an owner's library: rows with sums, one transaction for each change, safe for any number of processes.
//!
//! Rows are what somebody else makes of them: a table, a key and a text. Each carries a sum, and one total covers all of them,
//! so that a row that was changed, added or lost is noticed, wherever it stood. Never here: an empty library in place of a
//! damaged one, or a file of somebody else touched.

mod draft;
mod totals;
mod treasury;

pub use treasury::TreasuryFile;

use crate::db;
use crate::durable;
use crate::error::Error;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use totals::{ShelfTotal, key_sum, read, row_sum};

/// "barl" in the header of the file.
const LIBRARY_ID: i64 = 0x6261_726c;
/// The schema version of the file.
const LIBRARY_SCHEMA: i64 = 1;

/// A row of a library's file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShelfRow {
    /// Of which table.
    pub table: String,
    /// Which.
    pub key: String,
    /// What it says.
    pub body: String,
}

/// What becomes of a row; without a body it is taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShelfChange {
    /// Of which table.
    pub table: String,
    /// Which.
    pub key: String,
    /// What it says from now on.
    pub body: Option<String>,
}

/// An owner's library, open.
#[derive(Debug)]
pub struct LibraryFile {
    conn: Connection,
    path: PathBuf,
}

impl LibraryFile {
    /// Open it for reading; nothing when there is none.
    ///
    /// # Errors
    /// When it is a symbolic link, none of ours, made by a newer version, or damaged.
    pub fn find(path: &Path) -> Result<Option<Self>, Error> {
        Self::find_as(path, LIBRARY_ID)
    }

    fn find_as(path: &Path, id: i64) -> Result<Option<Self>, Error> {
        if !is_there(path)? {
            return Ok(None);
        }
        recognise(path, id)?;
        let file = Self { conn: db::open_reader(path)?, path: path.to_owned() };
        file.check_version()?;
        Ok(Some(file))
    }

    /// Open it for writing; one that is missing is made, with this key to sign with.
    ///
    /// # Errors
    /// As [`LibraryFile::find`], or what the disk said.
    pub fn open(path: &Path, key: impl FnOnce() -> Result<[u8; 32], Error>) -> Result<Self, Error> {
        if !is_there(path)? {
            draft::create(path, LIBRARY_ID, Some(&key()?))?;
        }
        Self::open_as(path, LIBRARY_ID)
    }

    fn open_as(path: &Path, id: i64) -> Result<Self, Error> {
        recognise(path, id)?;
        let file = Self { conn: db::shared_writer(path)?, path: path.to_owned() };
        file.check_version()?;
        Ok(file)
    }

    /// Every row, by table and key, as one moment saw them.
    ///
    /// # Errors
    /// What the file said, or that it does not say what was once written to it.
    pub fn rows(&mut self) -> Result<Vec<ShelfRow>, Error> {
        let tx = self.conn.transaction().map_err(|e| failed(&self.path, "read", &e))?;
        read(&tx, &self.path).map(|(rows, _)| rows)
    }

    /// Change it: what is there is shown, and what becomes of it is written, in one transaction that nobody else comes between.
    ///
    /// # Errors
    /// As [`LibraryFile::rows`], or what `make` said; then nothing has changed.
    pub fn change<T, E: From<Error>>(
        &mut self,
        make: impl FnOnce(&[ShelfRow]) -> Result<(Vec<ShelfChange>, T), E>,
    ) -> Result<T, E> {
        let path = &self.path;
        let begun = self.conn.transaction_with_behavior(TransactionBehavior::Immediate);
        let tx = begun.map_err(|e| failed(path, "write", &e))?;
        let (rows, mut total) = read(&tx, path)?;
        let (changes, made) = make(&rows)?;
        if changes.is_empty() {
            return Ok(made);
        }
        let write = |total: &mut ShelfTotal| -> rusqlite::Result<()> {
            for ShelfChange { table, key, body } in &changes {
                let before = rows.binary_search_by(|row| (&row.table, &row.key).cmp(&(table, key)));
                if let Ok(at) = before {
                    total.less(&rows[at]);
                    tx.execute("DELETE FROM rows WHERE place = ?1 AND key = ?2", (table, key))?;
                }
                let Some(body) = body else { continue };
                let row = ShelfRow { table: table.clone(), key: key.clone(), body: body.clone() };
                total.more(&row);
                let sum = row_sum(&row);
                tx.execute(
                    "INSERT INTO rows(place, key, body, sum) VALUES (?1, ?2, ?3, ?4)",
                    (table, key, body, &sum[..]),
                )?;
            }
            total.write(&tx)
        };
        write(&mut total).map_err(|e| failed(path, "write", &e))?;
        tx.commit().map_err(|e| failed(path, "commit", &e))?;
        // The log may have been made just now, and SQLite passes over a failure to make its name last.
        durable::sync_parent(path)?;
        Ok(made)
    }

    /// The key that this library signs with.
    ///
    /// # Errors
    /// What the file said, or that the key is not the one that was written.
    pub fn signing_key(&self) -> Result<[u8; 32], Error> {
        let found: Option<([u8; 32], Vec<u8>)> = self
            .conn
            .query_row("SELECT value, sum FROM sealed WHERE name = 'signing_key'", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(|e| failed(&self.path, "read", &e))?;
        match found {
            Some((key, sum)) if sum[..] == key_sum(&key)[..] => Ok(key),
            _ => Err(Error::damaged(&self.path, "the key that it signs with is not the one it was made with")),
        }
    }

    fn check_version(&self) -> Result<(), Error> {
        let found = self.conn.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        match found.map_err(|e| failed(&self.path, "read the schema version", &e))? {
            LIBRARY_SCHEMA => Ok(()),
            found if found > LIBRARY_SCHEMA => {
                Err(Error::Newer { path: self.path.clone(), found, known: LIBRARY_SCHEMA })
            }
            found => Err(Error::damaged(&self.path, format!("there never was a schema {found}"))),
        }
    }
}

/// What the file says to somebody who once wrote it: whatever SQLite cannot make sense of was not written by us.
fn failed(path: &Path, doing: &'static str, e: &rusqlite::Error) -> Error {
    match Error::sql(path, doing, e) {
        Error::Bug(what) => Error::damaged(path, what),
        other => other,
    }
}

fn is_there(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            let target = fs::read_link(path).unwrap_or_else(|_| path.to_owned());
            Err(Error::Symlink { path: path.to_owned(), target })
        }
        Ok(_) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(Error::io(path, "look at", &e)),
    }
}

fn recognise(path: &Path, id: i64) -> Result<(), Error> {
    match db::recognise_as(path, id) {
        Err(Error::Foreign { path, why }) if id == LIBRARY_ID => Err(Error::NoLibrary { path, why }),
        Err(Error::Foreign { path, why }) => Err(Error::NoTreasury { path, why }),
        other => other,
    }
}
