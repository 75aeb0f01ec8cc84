//! Writing: everything since the last time, in one transaction of the database.

use super::{Archive, runs};
use crate::embedded::ChainError;
use crate::embedded::trail::{Block, Change, Sent, Trail};
use crate::embedded::world::Key;
use alloy_primitives::{B256, Bytes};
use rusqlite::{Transaction, params};
use std::collections::BTreeMap;
use std::sync::PoisonError;

/// What is to be written at once.
#[derive(Debug, Default)]
pub(in crate::embedded) struct Batch<'a> {
    /// What happened.
    pub trail: Option<&'a Trail>,
    /// The block that is open.
    pub open: Option<&'a Block>,
    /// Code that contracts were given.
    pub codes: Vec<(B256, Bytes)>,
    /// What effects came to.
    pub effects: &'a [(Vec<u8>, Vec<u8>)],
    /// Single facts.
    pub meta: Vec<(&'a str, &'a [u8])>,
}

impl Archive {
    /// Write it all, durably, or nothing.
    pub fn write(&mut self, batch: &Batch<'_>) -> Result<(), ChainError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut fresh = Vec::new();
        let mut write = || -> rusqlite::Result<()> {
            let tx = writer.transaction()?;
            write_all(&tx, batch, &mut self.ids, &mut fresh)?;
            for (hash, code) in batch.codes.iter().filter(|(hash, _)| !self.codes.contains(hash)) {
                let mut put = tx.prepare_cached("INSERT OR IGNORE INTO codes VALUES (?, ?)")?;
                put.execute(params![hash.as_slice(), code.as_ref()])?;
            }
            tx.commit()
        };
        let written = write();
        match written {
            Ok(()) => self.codes.extend(batch.codes.iter().map(|(hash, _)| *hash)),
            // The ids that were just given are not in the file.
            Err(_) => fresh.iter().for_each(|key| {
                self.ids.remove(key);
            }),
        }
        written.map_err(ChainError::store(&self.shelf.path))
    }
}

type Ids = alloy_primitives::map::HashMap<Key, i64>;

fn write_all(tx: &Transaction<'_>, batch: &Batch<'_>, ids: &mut Ids, fresh: &mut Vec<Key>) -> rusqlite::Result<()> {
    if let Some(trail) = batch.trail {
        trail.blocks.iter().try_for_each(|block| put_block(tx, block))?;
        trail.sent.iter().try_for_each(|sent| put_sent(tx, sent))?;
        put_changes(tx, &trail.changes, ids, fresh)?;
    }
    batch.open.map_or(Ok(()), |block| put_block(tx, block))?;
    for (key, receipt) in batch.effects {
        tx.prepare_cached("INSERT OR REPLACE INTO effects VALUES (?, ?)")?.execute(params![key, receipt])?;
    }
    for (name, value) in &batch.meta {
        tx.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?, ?)")?.execute(params![name, value])?;
    }
    Ok(())
}

fn put_block(tx: &Transaction<'_>, b: &Block) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)")?;
    put.execute(params![signed(b.number), signed(b.timestamp), signed(b.base_fee), signed(b.first)])?;
    Ok(())
}

fn put_sent(tx: &Transaction<'_>, s: &Sent) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    put.execute(params![
        signed(s.seq),
        signed(s.point.block),
        s.from.as_slice(),
        s.to.as_ref().map(|a| a.as_slice()),
        s.value.to_be_bytes_trimmed_vec(),
        signed(s.nonce),
        signed(s.gas_limit),
        &s.max_fee.to_be_bytes()[s.max_fee.leading_zeros() as usize / 8..],
        &s.tip.to_be_bytes()[s.tip.leading_zeros() as usize / 8..],
        runs::shorten(&s.data),
        postcard::to_stdvec(&s.access).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))?,
        s.success,
        signed(s.gas_used),
        s.created.as_ref().map(|a| a.as_slice()),
    ])?;
    if let Some(outside) = &s.signed {
        let mut put = tx.prepare_cached("INSERT INTO signed VALUES (?, ?, ?)")?;
        put.execute(params![outside.hash.as_slice(), signed(s.seq), outside.envelope.as_ref()])?;
    }
    Ok(())
}

/// The changes of each key as runs, keys in order: the same history gives the same file.
fn put_changes(tx: &Transaction<'_>, changes: &[Change], ids: &mut Ids, fresh: &mut Vec<Key>) -> rusqlite::Result<()> {
    let mut by_key: BTreeMap<Key, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        by_key.entry(change.key).or_default().push(change);
    }
    let mut put = tx.prepare_cached("INSERT INTO runs VALUES (?, ?)")?;
    for (key, changes) in by_key {
        let id = match ids.get(&key) {
            Some(id) => *id,
            None => {
                tx.prepare_cached("INSERT INTO keys (key) VALUES (?)")?.execute([key.to_bytes()])?;
                fresh.push(key);
                let id = tx.last_insert_rowid();
                ids.insert(key, id);
                id
            }
        };
        for stretch in changes.chunks(runs::LONGEST) {
            let entries: Vec<_> = stretch.iter().map(|c| (c.seq, c.after)).collect();
            let place =
                runs::place(id, entries[entries.len() - 1].0).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))?;
            put.execute(params![place, runs::write(stretch[0].before, &entries)])?;
        }
    }
    Ok(())
}

/// The database counts with signed numbers; the bits are the same.
pub(super) fn signed(n: u64) -> i64 {
    n.cast_signed()
}
