//! Writing: everything since the last time, in one transaction of the database, with the head that covers it.

use super::head::{ArchiveHead, numbers};
use super::ids::{Ids, KnownKey};
use super::load::{HEAD, LAST_STEP, STEP};
use super::{Archive, rows, runs, seal};
use crate::embedded::ChainError;
use crate::embedded::trail::{Block, PastTx, Trail, ValueChange};
use crate::embedded::world::StateKey;
use alloy_primitives::{B256, Bytes};
use rusqlite::{Transaction, params};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// What is to be written at once.
#[derive(Debug)]
pub(in crate::embedded) struct ArchiveBatch<'a> {
    /// What happened.
    pub trail: &'a Trail,
    /// The block that is open.
    pub open: &'a Block,
    /// Transactions so far.
    pub seq: u64,
    /// Code that contracts were given.
    pub codes: Vec<(B256, Bytes)>,
    /// What effects came to.
    pub effects: &'a [(Vec<u8>, Vec<u8>)],
    /// Single facts.
    pub meta: Vec<(&'a str, &'a [u8])>,
}

impl Archive {
    /// Write it all, durably, or nothing.
    pub fn write(&mut self, batch: &ArchiveBatch<'_>) -> Result<(), ChainError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.head.clone();
        let mut head =
            ArchiveHead { writes: before.writes + 1, seq: batch.seq, open: numbers(batch.open), ..before.clone() };
        if before.writes > 0 {
            head.before = before.name();
        }
        let mut facts = BTreeMap::new();
        let mut ids = self.shelf.ids.write().unwrap_or_else(PoisonError::into_inner);
        let mut moved = Vec::new();
        let mut write = || -> rusqlite::Result<()> {
            let tx = writer.transaction()?;
            put_sent(&tx, &batch.trail.sent)?;
            put_changes(&tx, &batch.trail.changes, &mut ids, &mut moved, &mut head)?;
            put_blocks(&tx, batch.trail.blocks.iter().chain([batch.open]))?;
            put_effects(&tx, batch.effects, &mut head)?;
            let steps = batch.effects.iter().filter(|(key, _)| key.first() == Some(&STEP));
            let last_step = steps.map(|(key, _)| (LAST_STEP, &key[1..])).max();
            for (name, value) in batch.meta.iter().copied().chain(last_step) {
                let sealed = seal::seal("meta", name.as_bytes(), value.to_vec());
                let member = seal::hash("fact", &[name.as_bytes(), &sealed]);
                if let Some(known) = facts.get(name).or_else(|| self.facts.get(name)) {
                    head.facts.take(known);
                }
                head.facts.add(&member);
                facts.insert(name.to_owned(), member);
                put_fact(&tx, name, &sealed)?;
            }
            for (hash, code) in batch.codes.iter().filter(|(hash, _)| !self.codes.contains(hash)) {
                let mut put = tx.prepare_cached("INSERT OR IGNORE INTO codes VALUES (?, ?)")?;
                put.execute(params![hash.as_slice(), code.as_ref()])?;
            }
            put_fact(&tx, HEAD, &seal::seal("meta", HEAD.as_bytes(), head.to_bytes()))?;
            let mut name = tx.prepare_cached("INSERT INTO heads VALUES (?, ?)")?;
            name.execute(params![signed(head.writes), head.name()])?;
            drop(name);
            tx.commit()
        };
        let written = write();
        match written {
            Ok(()) => {
                self.codes.extend(batch.codes.iter().map(|(hash, _)| *hash));
                self.facts.extend(facts);
                self.head = head;
            }
            // What was just noted of keys is not in the file.
            Err(_) => moved.iter().rev().for_each(|(key, known)| ids.set(*key, *known)),
        }
        written.map_err(ChainError::store(&self.shelf.path))
    }
}

fn put_fact(tx: &Transaction<'_>, name: &str, sealed: &[u8]) -> rusqlite::Result<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?, ?)")?.execute(params![name, sealed]).map(drop)
}

fn put_effects(tx: &Transaction<'_>, effects: &[(Vec<u8>, Vec<u8>)], head: &mut ArchiveHead) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT INTO effects VALUES (?, ?)")?;
    for (key, receipt) in effects {
        let sealed = seal::seal("effect", key, receipt.clone());
        if key.first() != Some(&STEP) {
            head.effects.add(&seal::hash("noted", &[key, &sealed]));
        }
        put.execute(params![key, sealed])?;
    }
    Ok(())
}

fn put_blocks<'a>(tx: &Transaction<'_>, blocks: impl Iterator<Item = &'a Block>) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)")?;
    for b in blocks {
        let sum = rows::block_sum(b);
        put.execute(params![signed(b.number), signed(b.timestamp), signed(b.base_fee), signed(b.first), sum])?;
    }
    Ok(())
}

fn put_sent(tx: &Transaction<'_>, sent: &[PastTx]) -> rusqlite::Result<()> {
    let mut put = tx.prepare_cached("INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
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
            rows::sent_sum(s),
        ])?;
        if let Some(from) = &s.signed {
            outside.execute(params![from.hash.as_slice(), signed(s.seq), from.envelope.as_ref()])?;
        }
    }
    Ok(())
}

/// The changes of each key as runs. New keys are numbered in order, so that the same history gives the same file. What was
/// known of each key before goes into `moved`.
fn put_changes(
    tx: &Transaction<'_>,
    changes: &[ValueChange],
    ids: &mut Ids,
    moved: &mut Vec<(StateKey, Option<KnownKey>)>,
    head: &mut ArchiveHead,
) -> rusqlite::Result<()> {
    let known: Vec<Option<KnownKey>> = changes.iter().map(|c| ids.get(&c.key)).collect();
    let new: BTreeSet<StateKey> =
        changes.iter().zip(&known).filter(|(_, id)| id.is_none()).map(|(c, _)| c.key).collect();
    let mut put = tx.prepare_cached("INSERT INTO keys (key) VALUES (?)")?;
    for key in new {
        put.execute([key.to_bytes()])?;
        ids.set(key, Some(KnownKey { id: tx.last_insert_rowid(), last: None }));
        moved.push((key, None));
    }
    let id = |at: usize| known[at].or_else(|| ids.get(&changes[at].key)).map(|known| known.id).unwrap_or_default();
    let mut order: Vec<(i64, usize)> = (0..changes.len()).map(|at| (id(at), at)).collect();
    order.sort_unstable();
    let mut put = tx.prepare_cached("INSERT INTO runs VALUES (?, ?)")?;
    for of_key in order.chunk_by(|a, b| a.0 == b.0) {
        let ((id, first), (_, last)) = (of_key[0], of_key[of_key.len() - 1]);
        let key = changes[first].key;
        let was = ids.get(&key);
        let mut before = was.and_then(|known| known.last);
        // A key that is new had no value that counted.
        if before.is_some() {
            head.state.take(&seal::value(key, changes[first].before));
        }
        head.state.add(&seal::value(key, changes[last].after));
        for stretch in of_key.chunks(runs::LONGEST) {
            let entries: Vec<_> = stretch.iter().map(|(_, at)| (changes[*at].seq, changes[*at].after)).collect();
            let end = entries[entries.len() - 1].0;
            let place = runs::place(id, end).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))?;
            let run = runs::write(changes[stretch[0].1].before, &entries);
            put.execute(params![place, runs::seal(key, place, before, run)])?;
            before = Some(end);
        }
        moved.push((key, was));
        ids.set(key, Some(KnownKey { id, last: before }));
    }
    Ok(())
}

/// The database counts with signed numbers; the bits are the same.
pub(super) fn signed(n: u64) -> i64 {
    n.cast_signed()
}
