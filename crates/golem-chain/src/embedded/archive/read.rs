//! Reading the archive: blocks, transactions, single facts. Every row is held against its sum, and one that must be there
//! is: the end of the file is known, and what lies before it was written.

use super::ids::Ids;
use super::rows::{self, SENT, unsigned};
use super::schema::settle;
use super::{runs, seal};
use crate::embedded::ChainError;
use crate::embedded::trail::{Block, PastTx};
use crate::embedded::world::StateKey;
use alloy_primitives::{B256, Bytes, U256, keccak256};
use revm::state::Bytecode;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// The archive, open for reading; copies share one connection.
#[derive(Debug, Clone)]
pub(in crate::embedded) struct ArchiveShelf {
    pub(super) path: PathBuf,
    connection: Arc<OnceLock<Arc<Mutex<Connection>>>>,
    /// Every key of the file.
    pub(super) ids: Arc<RwLock<Ids>>,
    /// Code that was read once: looking through it for the machine takes longer than reading it.
    codes: Arc<Mutex<BTreeMap<B256, Bytecode>>>,
}

impl ArchiveShelf {
    pub(super) fn new(path: PathBuf, shared: Option<Arc<Mutex<Connection>>>) -> Self {
        let connection = OnceLock::new();
        if let Some(shared) = shared {
            let _first = connection.set(shared);
        }
        Self { path, connection: Arc::new(connection), ids: Arc::default(), codes: Arc::default() }
    }

    /// The connection; opened when something is read for the first time.
    pub(super) fn reader(&self) -> Result<MutexGuard<'_, Connection>, ChainError> {
        if self.connection.get().is_none() {
            let db =
                Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(self.failed())?;
            settle(&db).map_err(self.failed())?;
            let _another_was_first = self.connection.set(Arc::new(Mutex::new(db)));
        }
        let connection = self.connection.get().ok_or_else(|| ChainError::Bug("no connection".to_owned()))?;
        Ok(connection.lock().unwrap_or_else(PoisonError::into_inner))
    }
    pub(super) fn failed(&self) -> impl FnOnce(rusqlite::Error) -> ChainError + use<> {
        ChainError::store(&self.path)
    }
    pub(super) fn damaged(&self, what: impl Into<String>) -> ChainError {
        ChainError::Damaged { path: self.path.clone(), what: what.into() }
    }

    /// A single fact.
    pub fn meta(&self, name: &str) -> Result<Option<Vec<u8>>, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT value FROM meta WHERE name = ?").map_err(self.failed())?;
        let sealed: Option<Vec<u8>> = find.query_row([name], |r| r.get(0)).optional().map_err(self.failed())?;
        let open = |sealed: Vec<u8>| {
            let bytes = seal::open("meta", name.as_bytes(), &sealed).map(<[u8]>::to_vec);
            bytes.ok_or_else(|| self.damaged(format!("the fact {name} does not fit its sum")))
        };
        sealed.map(open).transpose()
    }
    /// What an effect came to.
    pub fn effect(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT receipt FROM effects WHERE key = ?").map_err(self.failed())?;
        let sealed: Option<Vec<u8>> = find.query_row([key], |r| r.get(0)).optional().map_err(self.failed())?;
        let open = |sealed: Vec<u8>| seal::open("effect", key, &sealed).map(<[u8]>::to_vec);
        let unfit = || self.damaged("what was kept of an effect or a step does not fit its sum");
        sealed.map(|sealed| open(sealed).ok_or_else(unfit)).transpose()
    }
    /// The keys of the effects that begin with this.
    pub fn effect_keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, ChainError> {
        let db = self.reader()?;
        let sql = "SELECT key FROM effects WHERE key >= ?1 AND substr(key, 1, length(?1)) = ?1";
        let mut find = db.prepare_cached(sql).map_err(self.failed())?;
        let keys = find.query_map([prefix], |r| r.get(0)).map_err(self.failed())?;
        keys.collect::<Result<_, _>>().map_err(self.failed())
    }
    /// A block that was written.
    pub fn block(&self, number: u64) -> Result<Block, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT * FROM blocks WHERE number = ?").map_err(self.failed())?;
        let found = find.query_row([number.cast_signed()], rows::block).optional().map_err(self.failed())?;
        found.ok_or_else(|| self.damaged(format!("block {number} is missing")))
    }
    /// A transaction that was written.
    pub fn sent(&self, seq: u64) -> Result<PastTx, ChainError> {
        let found = {
            let db = self.reader()?;
            let mut find = db.prepare_cached(&format!("{SENT} WHERE t.seq = ?")).map_err(self.failed())?;
            find.query_row([seq.cast_signed()], rows::sent).optional().map_err(self.failed())?
        };
        let mut sent = found.ok_or_else(|| self.damaged(format!("transaction {seq} is missing")))?;
        let first = self.block(sent.point.block)?.first;
        sent.point.index = u32::try_from(seq.saturating_sub(first)).unwrap_or(u32::MAX);
        Ok(sent)
    }
    /// The place of a transaction that was signed outside.
    pub fn signed(&self, hash: B256) -> Result<Option<u64>, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT seq FROM signed WHERE hash = ?").map_err(self.failed())?;
        find.query_row([hash.as_slice()], |r| unsigned(r, 0)).optional().map_err(self.failed())
    }
    /// The code with a hash.
    pub fn code(&self, hash: B256) -> Result<Option<Bytecode>, ChainError> {
        let mut known = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = known.get(&hash) {
            return Ok(Some(code.clone()));
        }
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT code FROM codes WHERE hash = ?").map_err(self.failed())?;
        let code: Option<Vec<u8>> =
            find.query_row([hash.as_slice()], |r| r.get(0)).optional().map_err(self.failed())?;
        if code.as_ref().is_some_and(|code| keccak256(code) != hash) {
            return Err(self.damaged("a code does not fit its hash"));
        }
        let code = code.map(|c| Bytecode::new_raw(Bytes::from(c)));
        known.extend(code.iter().map(|c| (hash, c.clone())));
        Ok(code)
    }
    /// Every key.
    pub fn keys(&self) -> Vec<StateKey> {
        self.ids.read().unwrap_or_else(PoisonError::into_inner).keys()
    }
    /// The value of a key before a transaction.
    pub fn value_before(&self, key: StateKey, seq: u64) -> Result<U256, ChainError> {
        let known = self.ids.read().unwrap_or_else(PoisonError::into_inner).get(&key);
        let Some(known) = known else { return Ok(U256::ZERO) };
        let db = self.reader()?;
        // The run that the transaction falls into knows the value before it; after the last run nothing changed any more.
        let at = if known.last >= Some(seq) { seq } else { known.last.unwrap_or_default() };
        let edge = |seq| runs::place(known.id, seq).ok_or_else(|| self.damaged("a place out of range"));
        let (low, high) = (edge(at)?, edge(runs::LAST)?);
        let first = "SELECT place, run FROM runs WHERE place BETWEEN ? AND ? ORDER BY place LIMIT 1";
        let mut find = db.prepare_cached(first).map_err(self.failed())?;
        let mut rows = find.query(params![low, high]).map_err(self.failed())?;
        let missing = || self.damaged("a run is missing");
        let row = rows.next().map_err(self.failed())?.ok_or_else(missing)?;
        let place: i64 = row.get(0).map_err(self.failed())?;
        let sealed = row.get_ref(1).ok().and_then(|r| r.as_blob().ok()).unwrap_or_default();
        let before = run_before(&db, known.id, place).map_err(self.failed())?;
        if before.is_some_and(|before| before >= at) {
            return Err(missing());
        }
        let run = runs::open(key, place, before, sealed).ok_or_else(|| self.damaged("a run does not fit its sum"))?;
        runs::value_before(run, seq).ok_or_else(|| self.damaged("a run"))
    }
}

/// The last transaction of the run before the one at a place.
pub(super) fn run_before(db: &Connection, id: i64, place: i64) -> rusqlite::Result<Option<u64>> {
    let from = runs::place(id, 0).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))?;
    let before = "SELECT place FROM runs WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT 1";
    let mut find = db.prepare_cached(before)?;
    let found: Option<i64> = find.query_row(params![from, place], |r| r.get(0)).optional()?;
    Ok(found.map(runs::seq_of))
}
