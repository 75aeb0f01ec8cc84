//! `chain.db`: every block, every transaction, and every value that any of them ever changed, so that the chain can be
//! read as it was before any transaction.
//!
//! Rows are added and never altered. What is written at once is there at once or not at all; after a crash the file holds
//! a beginning of what was lived, and the rest can be lived again. Every row carries a sum, and what could be missing is
//! counted in the head (`seal`, `head`): what is read is what was written, or it is refused.

mod check;
mod head;
mod ids;
mod load;
mod lock;
mod past;
mod read;
mod replace;
mod rows;
mod runs;
mod schema;
mod seal;
mod write;

pub(super) use head::HeadName;
pub(super) use load::Loaded;
pub(super) use past::Past;
pub(super) use read::ArchiveShelf;
pub(super) use write::ArchiveBatch;

use head::ArchiveHead;
use lock::ArchiveLock;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::ChainError;

/// The file, open for writing: by one process at a time.
#[derive(Debug)]
pub(super) struct Archive {
    shelf: ArchiveShelf,
    writer: Arc<Mutex<Connection>>,
    head: ArchiveHead,
    /// Single facts that are written already, as members of their total.
    facts: BTreeMap<String, [u8; 32]>,
    /// Codes that are written already.
    codes: BTreeSet<alloy_primitives::B256>,
    _lock: Option<ArchiveLock>,
}

impl Archive {
    /// Open a file, new or not.
    pub fn open(path: &Path) -> Result<Self, ChainError> {
        let lock = ArchiveLock::take(path)?;
        let db = Connection::open(path).map_err(ChainError::store(path))?;
        let archive = Self::with(db, Some(path.to_owned()), Some(lock))?;
        sync_parents(path)?;
        Ok(archive)
    }
    /// An archive that is gone when it is dropped.
    pub fn in_memory() -> Result<Self, ChainError> {
        let db = Connection::open_in_memory().map_err(ChainError::store(Path::new(":memory:")))?;
        Self::with(db, None, None)
    }
    /// Hold every row of a file against its sums, without changing anything; what is wrong, in words.
    pub fn check(path: &Path) -> Result<Vec<String>, ChainError> {
        check::file(path)
    }

    /// Whether a file goes on from a head that somebody has seen, without opening it for writing.
    pub fn goes_on_from(path: &Path, writes: u64, name: &HeadName) -> Result<(), ChainError> {
        check::goes_on_from(path, writes, name)
    }

    fn with(db: Connection, path: Option<PathBuf>, lock: Option<ArchiveLock>) -> Result<Self, ChainError> {
        let named = path.clone().unwrap_or_else(|| PathBuf::from(":memory:"));
        schema::prepare(&db, &named)?;
        let writer = Arc::new(Mutex::new(db));
        let shelf = ArchiveShelf::new(named, path.is_none().then(|| Arc::clone(&writer)));
        let (head, facts, codes) = (ArchiveHead::default(), BTreeMap::new(), BTreeSet::new());
        Ok(Self { shelf, writer, head, facts, codes, _lock: lock })
    }

    /// For reading, also from other threads.
    pub fn shelf(&self) -> &ArchiveShelf {
        &self.shelf
    }
    /// How often the file was written, and the name of its head.
    pub fn head(&self) -> (u64, HeadName) {
        (self.head.writes, self.head.name())
    }
}

/// Make the file's name last, and that of its folder.
fn sync_parents(path: &Path) -> Result<(), ChainError> {
    for dir in path.ancestors().skip(1).take(2).filter(|dir| !dir.as_os_str().is_empty()) {
        let io = |why: std::io::Error| ChainError::Io { path: dir.to_owned(), why: why.to_string() };
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(io)?;
    }
    Ok(())
}
