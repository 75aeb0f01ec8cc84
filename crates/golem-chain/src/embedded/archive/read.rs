//! Reading the archive: blocks, transactions, single facts, and the present state at a restart.

use super::schema::settle;
use super::{Archive, runs};
use crate::embedded::ChainError;
use crate::embedded::state::code_hash;
use crate::embedded::trail::{Block, Sent, Signed};
use crate::embedded::world::{Field, Key, World};
use alloy_primitives::{Address, B256, Bytes, U256};
use golem_core::Point;
use revm::state::{AccountInfo, Bytecode};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The archive, open for reading; copies share one connection.
#[derive(Debug, Clone)]
pub(in crate::embedded) struct Shelf {
    pub(super) path: PathBuf,
    connection: Arc<OnceLock<Arc<Mutex<Connection>>>>,
    /// Code that was read once: looking through it for the machine takes longer than reading it.
    codes: Arc<Mutex<BTreeMap<B256, Bytecode>>>,
}

/// What the file has to say at a restart.
#[derive(Debug)]
pub(in crate::embedded) struct Loaded {
    /// The present state.
    pub world: World,
    /// The open block.
    pub open: Block,
    /// How many transactions there are.
    pub seq: u64,
}

const SENT: &str = "SELECT t.seq, t.block, t.sender, t.recipient, t.value, t.nonce, t.gas_limit, t.max_fee, t.tip, t.data, \
     t.access, t.success, t.gas_used, t.created, b.first, s.hash, s.envelope \
     FROM transactions t JOIN blocks b ON b.number = t.block LEFT JOIN signed s ON s.seq = t.seq";

impl Shelf {
    pub(super) fn new(path: PathBuf, shared: Option<Arc<Mutex<Connection>>>) -> Self {
        let connection = OnceLock::new();
        if let Some(shared) = shared {
            let _first = connection.set(shared);
        }
        Self { path, connection: Arc::new(connection), codes: Arc::default() }
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
    fn damaged(&self, what: &str) -> ChainError {
        ChainError::Damaged { path: self.path.clone(), what: what.to_owned() }
    }

    /// A single fact.
    pub fn meta(&self, name: &str) -> Result<Option<Vec<u8>>, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT value FROM meta WHERE name = ?").map_err(self.failed())?;
        find.query_row([name], |r| r.get(0)).optional().map_err(self.failed())
    }
    /// What an effect came to.
    pub fn effect(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT receipt FROM effects WHERE key = ?").map_err(self.failed())?;
        find.query_row([key], |r| r.get(0)).optional().map_err(self.failed())
    }
    /// The keys of the effects that begin with this.
    pub fn effect_keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, ChainError> {
        let db = self.reader()?;
        let sql = "SELECT key FROM effects WHERE key >= ?1 AND substr(key, 1, length(?1)) = ?1";
        let mut find = db.prepare_cached(sql).map_err(self.failed())?;
        let keys = find.query_map([prefix], |r| r.get(0)).map_err(self.failed())?;
        keys.collect::<Result<_, _>>().map_err(self.failed())
    }
    /// A block.
    pub fn block(&self, number: u64) -> Result<Option<Block>, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT * FROM blocks WHERE number = ?").map_err(self.failed())?;
        find.query_row([number.cast_signed()], block).optional().map_err(self.failed())
    }
    /// A transaction.
    pub fn sent(&self, seq: u64) -> Result<Option<Sent>, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached(&format!("{SENT} WHERE t.seq = ?")).map_err(self.failed())?;
        find.query_row([seq.cast_signed()], sent).optional().map_err(self.failed())
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
        let code = code.map(|c| Bytecode::new_raw(Bytes::from(c)));
        known.extend(code.iter().map(|c| (hash, c.clone())));
        Ok(code)
    }
    /// Every key.
    pub fn keys(&self) -> Result<Vec<Key>, ChainError> {
        let db = self.reader()?;
        let mut all = db.prepare_cached("SELECT key FROM keys").map_err(self.failed())?;
        let rows = all.query_map([], |r| Ok(Key::from_bytes(r.get_ref(0)?.as_blob()?))).map_err(self.failed())?;
        let keys: Option<Vec<Key>> = rows.collect::<rusqlite::Result<_>>().map_err(self.failed())?;
        keys.ok_or_else(|| self.damaged("a key"))
    }
    /// The value of a key before a transaction.
    pub fn value_before(&self, key: Key, seq: u64) -> Result<U256, ChainError> {
        let db = self.reader()?;
        let mut find = db.prepare_cached("SELECT id FROM keys WHERE key = ?").map_err(self.failed())?;
        let id: Option<i64> = find.query_row([key.to_bytes()], |r| r.get(0)).optional().map_err(self.failed())?;
        let Some(id) = id else { return Ok(U256::ZERO) };
        let edge = |seq| runs::place(id, seq).ok_or_else(|| self.damaged("a place out of range"));
        let (from, at, until) = (edge(0)?, edge(seq)?, edge((1 << 39) - 1)?);
        // The run that the transaction falls into knows the value before it; after the last run nothing changed any more.
        let next = "SELECT run FROM runs WHERE place BETWEEN ? AND ? ORDER BY place LIMIT 1";
        let last = "SELECT run FROM runs WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1";
        for (query, low, high) in [(next, at, until), (last, from, at)] {
            let mut find = db.prepare_cached(query).map_err(self.failed())?;
            let mut rows = find.query(params![low, high]).map_err(self.failed())?;
            if let Some(row) = rows.next().map_err(self.failed())? {
                let run = row.get_ref(0).ok().and_then(|r| r.as_blob().ok());
                return run.and_then(|r| runs::value_before(r, seq)).ok_or_else(|| self.damaged("a run"));
            }
        }
        Ok(U256::ZERO)
    }
}

impl Archive {
    /// The present, from the last run of every key. `None` when the file is new.
    pub fn load(&mut self) -> Result<Option<Loaded>, ChainError> {
        let shelf = self.shelf.clone();
        let writer = Arc::clone(&self.writer);
        let db = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = "SELECT * FROM blocks ORDER BY number DESC LIMIT 1";
        let Some(open) = db.query_row(latest, [], block).optional().map_err(shelf.failed())? else { return Ok(None) };
        let count = "SELECT ifnull(max(seq) + 1, 0) FROM transactions";
        let seq = db.query_row(count, [], |r| unsigned(r, 0)).map_err(shelf.failed())?;
        let codes = load_codes(&db).map_err(shelf.failed())?;
        self.codes = codes.keys().copied().collect();

        let mut world = World::default();
        let mut infos: BTreeMap<Address, AccountInfo> = BTreeMap::new();
        let mut keys = db.prepare("SELECT id, key FROM keys ORDER BY id").map_err(shelf.failed())?;
        let keys =
            keys.query_map([], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, Vec<u8>>(1)?))).map_err(shelf.failed())?;
        for row in keys {
            let (id, bytes) = row.map_err(shelf.failed())?;
            let key = Key::from_bytes(&bytes).ok_or_else(|| shelf.damaged("a key"))?;
            self.ids.set(key, Some(id));
            let value = last_value(&db, id).map_err(shelf.failed())?.ok_or_else(|| shelf.damaged("a run"))?;
            if let Field::Slot(slot) = key.field {
                world.set_slot(key.address, slot, value);
                continue;
            }
            let info = infos.entry(key.address).or_default();
            match key.field {
                Field::Nonce => info.nonce = value.saturating_to(),
                Field::Balance => info.balance = value,
                Field::Code | Field::Slot(_) if value.is_zero() => {}
                Field::Code | Field::Slot(_) => {
                    let hash = code_hash(value);
                    let code = codes.get(&hash).ok_or_else(|| shelf.damaged("a code"))?;
                    (info.code_hash, info.code) = (hash, Some(code.clone()));
                }
            }
        }
        infos.into_iter().for_each(|(address, info)| world.set_info(address, info));
        Ok(Some(Loaded { world, open, seq }))
    }
}

fn load_codes(db: &Connection) -> rusqlite::Result<BTreeMap<B256, Bytecode>> {
    let mut all = db.prepare("SELECT hash, code FROM codes")?;
    let rows = all.query_map([], |r| Ok((hash(r, 0)?, Bytecode::new_raw(Bytes::from(r.get::<_, Vec<u8>>(1)?)))))?;
    rows.collect()
}

fn last_value(db: &Connection, id: i64) -> rusqlite::Result<Option<U256>> {
    let edge = |seq| runs::place(id, seq).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id));
    let query = "SELECT run FROM runs WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1";
    let mut find = db.prepare_cached(query)?;
    let run: Option<Vec<u8>> = find.query_row(params![edge(0)?, edge((1 << 39) - 1)?], |r| r.get(0)).optional()?;
    Ok(run.and_then(|r| runs::value_before(&r, u64::MAX)))
}

fn block(row: &Row<'_>) -> rusqlite::Result<Block> {
    Ok(Block {
        number: unsigned(row, 0)?,
        timestamp: unsigned(row, 1)?,
        base_fee: unsigned(row, 2)?,
        first: unsigned(row, 3)?,
    })
}

fn sent(row: &Row<'_>) -> rusqlite::Result<Sent> {
    let bytes = |i: usize| row.get_ref(i).and_then(|v| Ok(v.as_blob()?));
    let number = |i: usize| bytes(i).map(|b| U256::try_from_be_slice(b).unwrap_or_default());
    let address = |i: usize| match row.get_ref(i)?.as_blob_or_null()? {
        Some(blob) => Ok::<_, rusqlite::Error>((blob.len() == 20).then(|| Address::from_slice(blob))),
        None => Ok(None),
    };
    let (seq, number_of_block, first) = (unsigned(row, 0)?, unsigned(row, 1)?, unsigned(row, 14)?);
    let index = u32::try_from(seq.saturating_sub(first)).unwrap_or(u32::MAX);
    let signed = match row.get_ref(15)?.as_blob_or_null()? {
        Some(_) => Some(Signed { hash: hash(row, 15)?, envelope: Bytes::from(bytes(16)?.to_vec()) }),
        None => None,
    };
    let data = runs::lengthen(bytes(9)?).ok_or(rusqlite::Error::InvalidQuery)?;
    Ok(Sent {
        seq,
        point: Point { block: number_of_block, index },
        from: address(2)?.unwrap_or_default(),
        to: address(3)?,
        value: number(4)?,
        nonce: unsigned(row, 5)?,
        gas_limit: unsigned(row, 6)?,
        max_fee: number(7)?.saturating_to(),
        tip: number(8)?.saturating_to(),
        data: data.into(),
        signed,
        access: access(bytes(10)?)?,
        success: row.get(11)?,
        gas_used: unsigned(row, 12)?,
        created: address(13)?,
    })
}

fn access(bytes: &[u8]) -> rusqlite::Result<Vec<(Address, Vec<B256>)>> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    postcard::from_bytes(bytes).map_err(|_| rusqlite::Error::InvalidQuery)
}

fn hash(row: &Row<'_>, i: usize) -> rusqlite::Result<B256> {
    let blob = row.get_ref(i)?.as_blob()?;
    B256::try_from(blob).map_err(|_| rusqlite::Error::InvalidQuery)
}

fn unsigned(row: &Row<'_>, i: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(i).map(i64::cast_unsigned)
}
