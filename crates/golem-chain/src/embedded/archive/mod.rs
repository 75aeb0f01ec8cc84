//! `chain.db`: every block, every transaction, and every value that any of them ever changed, so that the chain can be
//! read as it was before any transaction.
//!
//! Rows are added and never altered. What is written at once is there at once or not at all; after a crash the file holds
//! a beginning of what was lived, and the rest can be lived again.

mod ids;
mod lock;
mod past;
mod read;
mod runs;
mod schema;
mod write;

pub(super) use past::Past;
pub(super) use read::{Loaded, Shelf};
pub(super) use write::Batch;

use ids::Ids;
use lock::Lock;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::ChainError;

/// The file, open for writing: by one process at a time.
#[derive(Debug)]
pub(super) struct Archive {
    shelf: Shelf,
    writer: Arc<Mutex<Connection>>,
    ids: Ids,
    /// Codes that are written already.
    codes: std::collections::BTreeSet<alloy_primitives::B256>,
    _lock: Option<Lock>,
}

impl Archive {
    /// Open a file, new or not.
    pub fn open(path: &Path) -> Result<Self, ChainError> {
        let lock = Lock::take(path)?;
        let db = Connection::open(path).map_err(ChainError::store(path))?;
        Self::with(db, Some(path.to_owned()), Some(lock))
    }
    /// An archive that is gone when it is dropped.
    pub fn in_memory() -> Result<Self, ChainError> {
        let db = Connection::open_in_memory().map_err(ChainError::store(Path::new(":memory:")))?;
        Self::with(db, None, None)
    }

    fn with(db: Connection, path: Option<PathBuf>, lock: Option<Lock>) -> Result<Self, ChainError> {
        let named = path.clone().unwrap_or_else(|| PathBuf::from(":memory:"));
        schema::prepare(&db, &named)?;
        let writer = Arc::new(Mutex::new(db));
        let shelf = Shelf::new(named, path.is_none().then(|| Arc::clone(&writer)));
        Ok(Self { shelf, writer, ids: Ids::default(), codes: std::collections::BTreeSet::new(), _lock: lock })
    }

    /// For reading, also from other threads.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }
}
