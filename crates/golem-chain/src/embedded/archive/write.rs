//! Writing: everything since the last time, in one transaction of the database.

use super::ids::Ids;
use super::{Archive, runs};
use crate::embedded::ChainError;
use crate::embedded::trail::{Block, Change, Sent, Trail};
use crate::embedded::world::Key;
use alloy_primitives::{B256, Bytes};
use rusqlite::{Transaction, params};
use std::collections::BTreeSet;
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
            Err(_) => fresh.iter().for_each(|key| self.ids.set(*key, None)),
        }
        written.map_err(ChainError::store(&self.shelf.path))
    }
}

fn write_all(tx: &Transaction<'_>, batch: &Batch<'_>, ids: &mut Ids, fresh: &mut Vec<Key>) -> rusqlite::Result<()> {
    if let Some(trail) = batch.trail {
        put_sent(tx, &trail.sent)?;
        put_changes(tx, &trail.changes, ids, fresh)?;
    }
    put_blocks(tx, batch.trail.into_iter().flat_map(|trail| &trail.blocks).chain(batch.open))?;
    for (key, receipt) in batch.effects {
        tx.prepare_cached("INSERT OR REPLACE INTO effects VALUES (?, ?)")?.execute(params![key, receipt])?;
    }
    for (name, value) in &batch.meta {
        tx.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?, ?)")?.execute(params![name, value])?;
    }
    Ok(())
}

fn put_blocks<'a>(tx: &Transaction<'_>, blocks: impl Iterator<Item = &'a Block>) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)")?;
    for b in blocks {
        put.execute(params![signed(b.number), signed(b.timestamp), signed(b.base_fee), signed(b.first)])?;
    }
    Ok(())
}

fn put_sent(tx: &Transaction<'_>, sent: &[Sent]) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    let mut outside = tx.prepare_cached("INSERT INTO signed VALUES (?, ?, ?)")?;
    for s in sent {
        let access = if s.access.is_empty() { Ok(Vec::new()) } else { postcard::to_stdvec(&s.access) };
        let access = access.map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))?;
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
            access,
            s.success,
            signed(s.gas_used),
            s.created.as_ref().map(|a| a.as_slice()),
        ])?;
        if let Some(from) = &s.signed {
            outside.execute(params![from.hash.as_slice(), signed(s.seq), from.envelope.as_ref()])?;
        }
    }
    Ok(())
}

/// The changes of each key as runs. New keys are numbered in order, so that the same history gives the same file.
fn put_changes(tx: &Transaction<'_>, changes: &[Change], ids: &mut Ids, fresh: &mut Vec<Key>) -> rusqlite::Result<()> {
    let known: Vec<Option<i64>> = changes.iter().map(|c| ids.get(&c.key)).collect();
    let new: BTreeSet<Key> = changes.iter().zip(&known).filter(|(_, id)| id.is_none()).map(|(c, _)| c.key).collect();
    let mut put = tx.prepare_cached("INSERT INTO keys (key) VALUES (?)")?;
    for key in new {
        put.execute([key.to_bytes()])?;
        ids.set(key, Some(tx.last_insert_rowid()));
        fresh.push(key);
    }
    let id = |at: usize| known[at].or_else(|| ids.get(&changes[at].key)).unwrap_or_default();
    let mut order: Vec<(i64, usize)> = (0..changes.len()).map(|at| (id(at), at)).collect();
    order.sort_unstable();
    let mut put = tx.prepare_cached("INSERT INTO runs VALUES (?, ?)")?;
    for of_key in order.chunk_by(|a, b| a.0 == b.0) {
        for stretch in of_key.chunks(runs::LONGEST) {
            let entries: Vec<_> = stretch.iter().map(|(_, at)| (changes[*at].seq, changes[*at].after)).collect();
            let (id, first) = stretch[0];
            let last = entries[entries.len() - 1].0;
            let place = runs::place(id, last).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))?;
            put.execute(params![place, runs::write(changes[first].before, &entries)])?;
        }
    }
    Ok(())
}

/// The database counts with signed numbers; the bits are the same.
pub(super) fn signed(n: u64) -> i64 {
    n.cast_signed()
}
