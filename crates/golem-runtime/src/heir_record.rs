//! Who succeeds a dead golem, as its own file says: written before the heir exists, so that the record goes wherever the file goes,
//! and a copy of the file knows of it too.

use crate::db;
use crate::dir::GolemDir;
use crate::error::Error;
use crate::reader::Reader;
use golem_core::{GolemId, Name};
use rusqlite::{Connection, TransactionBehavior};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What the key of a record begins with.
const KEY: &str = "heir/";

/// An heir, as its parent's file knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeirRecord {
    /// Who.
    pub heir: GolemId,
    /// What it is called.
    pub name: Name,
    /// The home that it was born into.
    pub home: String,
    /// False until its file is there: a crash in between leaves it so.
    pub born: bool,
}

/// The records of the heirs of one golem.
#[derive(Debug)]
pub struct HeirRecords {
    conn: Connection,
    db: PathBuf,
}

impl HeirRecords {
    /// Those of the golem in `dir`.
    ///
    /// # Errors
    /// When no golem lies there, or its file cannot be written.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let db = GolemDir::of_golem(dir)?.db();
        Ok(Self { conn: db::visitor(&db)?, db })
    }

    /// An heir is about to be born. Unless `beside` others, it is written only where no other stands, and the one that does
    /// comes back; those that came to nothing (`never_born`) are forgotten. One transaction, on disk when it returns.
    ///
    /// # Errors
    /// What the file said.
    pub fn begin(
        &mut self,
        heir: &HeirRecord,
        never_born: &[GolemId],
        beside: bool,
    ) -> Result<Option<HeirRecord>, Error> {
        let body = serde_json::to_string(heir).map_err(|e| Error::Bug(e.to_string()))?;
        let begin = |conn: &mut Connection| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for gone in never_born {
                tx.execute("DELETE FROM meta WHERE key = ?1", [key(*gone)])?;
            }
            let mut stands = tx.prepare("SELECT value FROM meta WHERE key LIKE 'heir/%' ORDER BY key")?;
            let first = stands.query_map((), |row| row.get::<_, String>(0))?.next().transpose()?;
            drop(stands);
            if let Some(first) = first.filter(|_| !beside) {
                return Ok(Some(first));
            }
            tx.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?1, ?2)", (key(heir.heir), &body))?;
            tx.commit().map(|()| None)
        };
        let stands = begin(&mut self.conn).map_err(|e| Error::sql(&self.db, "record an heir", &e))?;
        stands.map(|body| read(&body, &self.db)).transpose()
    }

    /// It is born.
    ///
    /// # Errors
    /// What the file said.
    pub fn born(&mut self, heir: &HeirRecord) -> Result<(), Error> {
        let body = HeirRecord { born: true, ..heir.clone() };
        let body = serde_json::to_string(&body).map_err(|e| Error::Bug(e.to_string()))?;
        let put = self.conn.execute("UPDATE meta SET value = ?2 WHERE key = ?1", (key(heir.heir), &body));
        put.map(|_| ()).map_err(|e| Error::sql(&self.db, "record an heir", &e))
    }
}

impl Reader {
    /// Its heirs, by its own record.
    ///
    /// # Errors
    /// What the file said.
    pub fn heirs(&self) -> Result<Vec<HeirRecord>, Error> {
        let sql = "SELECT value FROM meta WHERE key LIKE 'heir/%' ORDER BY key";
        let bodies = self.rows(sql, (), |row| row.get::<_, String>(0))?;
        bodies.iter().map(|body| read(body, self.db())).collect()
    }
}

fn key(heir: GolemId) -> String {
    format!("{KEY}{heir}")
}

fn read(body: &str, db: &Path) -> Result<HeirRecord, Error> {
    serde_json::from_str(body).map_err(|_| Error::damaged(db, "the record of an heir cannot be read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, HeirRecords) {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("golem.db");
        let conn = Connection::open(&db).unwrap();
        conn.execute_batch("CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID")
            .unwrap();
        (dir, HeirRecords { conn, db })
    }

    fn heir(n: u8) -> HeirRecord {
        let name = format!("heir-{n}").parse().unwrap();
        HeirRecord { heir: GolemId([n; 16]), name, home: "/home/one".to_owned(), born: false }
    }

    #[test]
    fn one_stands_until_it_came_to_nothing_and_others_only_beside_it() {
        let (_dir, mut records) = file();
        assert_eq!(records.begin(&heir(1), &[], false).unwrap(), None);
        assert_eq!(records.begin(&heir(2), &[], false).unwrap(), Some(heir(1)), "nothing is written over it");
        // A crash before the birth: whoever comes next says that it came to nothing, and takes its place.
        assert_eq!(records.begin(&heir(2), &[heir(1).heir], false).unwrap(), None);
        records.born(&heir(2)).unwrap();
        let born = HeirRecord { born: true, ..heir(2) };
        assert_eq!(records.begin(&heir(3), &[], false).unwrap(), Some(born.clone()));
        assert_eq!(records.begin(&heir(3), &[], true).unwrap(), None, "the owner says so again");
        assert_eq!(records.begin(&heir(4), &[heir(3).heir], false).unwrap(), Some(born));
    }
}
