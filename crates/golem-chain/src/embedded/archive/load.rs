//! The present at a restart: read from the last run of every key, and held against the head.

use super::head::{ArchiveHead, numbers};
use super::ids::KnownKey;
use super::seal::{self, Total};
use super::{Archive, head, rows, runs};
use crate::embedded::ChainError;
use crate::embedded::stored::code_hash;
use crate::embedded::trail::Block;
use crate::embedded::world::{ChainAccounts, StateField, StateKey};
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use revm::state::{AccountInfo, Bytecode};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};

/// The name of the head among the single facts; it is not one of them.
pub(super) const HEAD: &str = "head";
/// What the keys of steps begin with: they are asked for one by one and missed when they are not there.
pub(super) const STEP: u8 = b's';
/// The fact that names the last of them, which no gap would show to be missing.
pub(super) const LAST_STEP: &str = "last step";

/// What the file has to say at a restart.
#[derive(Debug)]
pub(in crate::embedded) struct Loaded {
    /// The present state.
    pub world: ChainAccounts,
    /// The open block.
    pub open: Block,
    /// How many transactions there are.
    pub seq: u64,
}

impl Archive {
    /// The present. `None` when the file is new.
    pub fn load(&mut self) -> Result<Option<Loaded>, ChainError> {
        let shelf = self.shelf.clone();
        let writer = Arc::clone(&self.writer);
        let db = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(head) = read_head(&db, &shelf.path)? else {
            return if is_empty(&db).map_err(shelf.failed())? {
                Ok(None)
            } else {
                Err(shelf.damaged("its head is missing"))
            };
        };
        let Ends { open, facts } = ends(&db, &shelf.path, &head)?;
        self.facts = facts;
        let codes = codes(&db, &shelf.path)?;
        self.codes = codes.keys().copied().collect();

        let mut world = ChainAccounts::default();
        let mut state = Total::default();
        let mut infos: BTreeMap<Address, AccountInfo> = BTreeMap::new();
        let mut ids = shelf.ids.write().unwrap_or_else(PoisonError::into_inner);
        for (id, key) in load_keys(&db, &shelf.path)? {
            let (value, last) = last_value(&db, &shelf.path, id, key)?;
            ids.set(key, Some(KnownKey { id, last: Some(last) }));
            state.add(&seal::value(key, value));
            if let StateField::Slot(slot) = key.field {
                world.set_slot(key.address, slot, value);
                continue;
            }
            let info = infos.entry(key.address).or_default();
            match key.field {
                StateField::Nonce => info.nonce = value.saturating_to(),
                StateField::Balance => info.balance = value,
                StateField::Code | StateField::Slot(_) if value.is_zero() => {}
                StateField::Code | StateField::Slot(_) => {
                    let hash = code_hash(value);
                    let code = codes.get(&hash).ok_or_else(|| shelf.damaged("a code is missing"))?;
                    (info.code_hash, info.code) = (hash, Some(code.clone()));
                }
            }
        }
        if state != head.state {
            return Err(shelf.damaged("the present values are not those that its head names"));
        }
        infos.into_iter().for_each(|(address, info)| world.set_info(address, info));
        let seq = head.seq;
        self.head = head;
        Ok(Some(Loaded { world, open, seq }))
    }
}

/// The head, held against its name.
pub(super) fn read_head(db: &Connection, path: &Path) -> Result<Option<ArchiveHead>, ChainError> {
    let failed = || ChainError::store(path);
    let damaged = |what: &str| ChainError::Damaged { path: path.to_owned(), what: what.to_owned() };
    let find = "SELECT value FROM meta WHERE name = ?";
    let sealed: Option<Vec<u8>> = db.query_row(find, [HEAD], |r| r.get(0)).optional().map_err(failed())?;
    let Some(sealed) = sealed else { return Ok(None) };
    let bytes = seal::open("meta", HEAD.as_bytes(), &sealed).ok_or_else(|| damaged("its head does not fit its sum"))?;
    let head = ArchiveHead::from_bytes(bytes).ok_or_else(|| damaged("its head cannot be read"))?;
    let last = "SELECT writes, name FROM heads ORDER BY writes DESC LIMIT 1";
    let named: Option<(i64, head::HeadName)> =
        db.query_row(last, [], |r| Ok((r.get(0)?, r.get(1)?))).optional().map_err(failed())?;
    if named != Some((head.writes.cast_signed(), head.name())) {
        return Err(damaged("its head is not the last one that was written"));
    }
    Ok(Some(head))
}

/// The end of the file: the open block, and the single facts.
pub(super) struct Ends {
    pub open: Block,
    pub facts: BTreeMap<String, [u8; 32]>,
}

/// The ends of the file, as the head names them: nothing is missing there, and nothing is altered.
pub(super) fn ends(db: &Connection, path: &Path, head: &ArchiveHead) -> Result<Ends, ChainError> {
    let failed = || ChainError::store(path);
    let damaged = |what: &str| ChainError::Damaged { path: path.to_owned(), what: what.to_owned() };
    let latest = "SELECT * FROM blocks ORDER BY number DESC LIMIT 1";
    let open = db.query_row(latest, [], rows::block).optional().map_err(failed())?;
    let open = open.filter(|open| numbers(open) == head.open).ok_or_else(|| damaged("the last block is missing"))?;
    let count = "SELECT ifnull(max(seq) + 1, 0) FROM transactions";
    if db.query_row(count, [], |r| rows::unsigned(r, 0)).map_err(failed())? != head.seq {
        return Err(damaged("the last transactions are missing"));
    }
    let (mut facts, mut total) = (BTreeMap::new(), Total::default());
    let mut all = db.prepare("SELECT name, value FROM meta WHERE name <> ?").map_err(failed())?;
    let found = all.query_map([HEAD], |r| Ok((r.get::<_, String>(0)?, r.get::<_, Vec<u8>>(1)?))).map_err(failed())?;
    for row in found {
        let (name, sealed) = row.map_err(failed())?;
        let member = seal::hash("fact", &[name.as_bytes(), &sealed]);
        total.add(&member);
        facts.insert(name, member);
    }
    if total != head.facts {
        return Err(damaged("the single facts are not those that its head names"));
    }
    let mut total = Total::default();
    let mut all = db.prepare("SELECT key, receipt FROM effects WHERE key < ?1 OR key >= ?2").map_err(failed())?;
    let range = params![&[STEP][..], &[STEP + 1][..]];
    let found = all.query_map(range, |r| Ok((r.get::<_, Vec<u8>>(0)?, r.get::<_, Vec<u8>>(1)?))).map_err(failed())?;
    for row in found {
        let (key, sealed) = row.map_err(failed())?;
        total.add(&seal::hash("noted", &[&key, &sealed]));
    }
    if total != head.effects {
        return Err(damaged("what golems did there is not what its head names"));
    }
    Ok(Ends { open, facts })
}

/// Whether nothing was ever written: a file whose tables were made and no more.
fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    let mut tables = ["meta", "blocks", "transactions", "signed", "keys", "runs", "codes", "effects", "heads"].iter();
    tables.try_fold(true, |empty, table| {
        let some: bool = db.query_row(&format!("SELECT EXISTS (SELECT 1 FROM {table})"), [], |r| r.get(0))?;
        Ok(empty && !some)
    })
}

/// Every key with its number.
pub(super) fn load_keys(db: &Connection, path: &Path) -> Result<Vec<(i64, StateKey)>, ChainError> {
    let failed = || ChainError::store(path);
    let mut keys = db.prepare("SELECT id, key FROM keys ORDER BY id").map_err(failed())?;
    let keys = keys.query_map([], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, Vec<u8>>(1)?))).map_err(failed())?;
    let key = |row: rusqlite::Result<(i64, Vec<u8>)>| {
        let (id, bytes) = row.map_err(failed())?;
        let damaged = || ChainError::Damaged { path: path.to_owned(), what: "a key".to_owned() };
        Ok((id, StateKey::from_bytes(&bytes).ok_or_else(damaged)?))
    };
    keys.map(key).collect()
}

/// Every code, held against its hash.
pub(super) fn codes(db: &Connection, path: &Path) -> Result<BTreeMap<B256, Bytecode>, ChainError> {
    let failed = || ChainError::store(path);
    let mut all = db.prepare("SELECT hash, code FROM codes").map_err(failed())?;
    let rows = all.query_map([], |r| Ok((rows::hash(r, 0)?, r.get::<_, Vec<u8>>(1)?))).map_err(failed())?;
    let code = |row: rusqlite::Result<(B256, Vec<u8>)>| {
        let (hash, code) = row.map_err(failed())?;
        if keccak256(&code) != hash {
            let what = "a code does not fit its hash".to_owned();
            return Err(ChainError::Damaged { path: path.to_owned(), what });
        }
        Ok((hash, Bytecode::new_raw(Bytes::from(code))))
    };
    rows.map(code).collect()
}

/// The present value of a key, and the last transaction that changed it.
fn last_value(db: &Connection, path: &Path, id: i64, key: StateKey) -> Result<(U256, u64), ChainError> {
    let failed = || ChainError::store(path);
    let damaged = |what: &str| ChainError::Damaged { path: path.to_owned(), what: what.to_owned() };
    let edge = |seq| runs::place(id, seq).ok_or_else(|| damaged("a place out of range"));
    let query = "SELECT place, run FROM runs WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 2";
    let mut find = db.prepare_cached(query).map_err(failed())?;
    let mut rows = find.query(params![edge(0)?, edge(runs::LAST)?]).map_err(failed())?;
    let row = rows.next().map_err(failed())?.ok_or_else(|| damaged("a run is missing"))?;
    let (place, sealed): (i64, Vec<u8>) = (row.get(0).map_err(failed())?, row.get(1).map_err(failed())?);
    let before = match rows.next().map_err(failed())? {
        Some(row) => Some(runs::seq_of(row.get(0).map_err(failed())?)),
        None => None,
    };
    let run = runs::open(key, place, before, &sealed).ok_or_else(|| damaged("a run does not fit its sum"))?;
    let value = runs::value_before(run, u64::MAX).ok_or_else(|| damaged("a run cannot be read"))?;
    Ok((value, runs::seq_of(place)))
}
