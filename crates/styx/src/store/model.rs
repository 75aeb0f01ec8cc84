//! A store in memory: what the others are held against, and enough for a try.

use super::{
    AppendOutcome, KeptChain, KeptRow, KeptRowKey, LogBounds, RecentUse, RelayStore, RowChange, RowRoom, StoreFault,
    StoreIdentity, WriteBatch, first_of, place,
};
use golem_core::OwnerId;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use styx_wire::{ChainHead, DeltaLane, LoggedDelta, OriginKey, SignedDelta};

/// Everything in maps.
#[derive(Debug)]
pub struct ModelStore {
    identity: StoreIdentity,
    kept: Mutex<Maps>,
}

#[derive(Debug, Default)]
struct Maps {
    /// By position, with when each came.
    logs: BTreeMap<OwnerId, OneLog>,
    chains: BTreeMap<(OwnerId, OriginKey), KeptChain>,
    cursors: BTreeMap<(OwnerId, OriginKey), u64>,
    rows: BTreeMap<KeptRowKey, Vec<u8>>,
}

#[derive(Debug, Default)]
struct OneLog {
    head: u64,
    deltas: BTreeMap<u64, (u64, SignedDelta)>,
}

impl ModelStore {
    #[must_use]
    pub fn new(identity: StoreIdentity) -> Self {
        Self { identity, kept: Mutex::default() }
    }
    fn kept(&self) -> MutexGuard<'_, Maps> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RelayStore for ModelStore {
    fn identity(&self) -> StoreIdentity {
        self.identity
    }

    fn commit(&self, now_ms: u64, batch: &WriteBatch) -> Result<Vec<AppendOutcome>, StoreFault> {
        let mut kept = self.kept();
        let mut outcomes = Vec::with_capacity(batch.deltas.len());
        for delta in &batch.deltas {
            let who = (delta.head.owner, delta.head.origin);
            let chain = kept.chains.get(&who).copied();
            let log = kept.logs.entry(who.0).or_default();
            let there = || {
                let same = |d: &SignedDelta| d.head.origin == who.1 && d.head.seq == delta.head.seq;
                Ok(log.deltas.iter().find(|(_, (_, d))| same(d)).map(|(at, (_, d))| (*at, d.head.id())))
            };
            if let Some(outcome) = place(delta, chain.as_ref(), there)? {
                outcomes.push(outcome);
                continue;
            }
            log.head += 1;
            let position = log.head;
            log.deltas.insert(position, (now_ms, delta.clone()));
            let next = KeptChain {
                head: delta.reached(),
                first: first_of(delta, chain.as_ref()),
                last: chain.and_then(|c| c.last),
            };
            kept.chains.insert(who, next);
            outcomes.push(AppendOutcome::Kept { position });
        }
        for moved in &batch.cursors {
            let cursor = kept.cursors.entry((moved.owner, moved.origin)).or_default();
            *cursor = (*cursor).max(moved.upto);
        }
        kept.rows.extend(batch.rows.iter().cloned());
        Ok(outcomes)
    }

    fn page(&self, owner: OwnerId, after: u64, since_ms: u64, most: usize) -> Result<Vec<LoggedDelta>, StoreFault> {
        let kept = self.kept();
        let Some(log) = kept.logs.get(&owner) else { return Ok(Vec::new()) };
        let later = log.deltas.range(after.saturating_add(1)..).filter(|(_, (at, _))| *at >= since_ms);
        Ok(later.take(most).map(|(at, (_, d))| LoggedDelta { position: *at, delta: d.clone() }).collect())
    }

    fn bounds(&self, owner: OwnerId, since_ms: u64) -> Result<LogBounds, StoreFault> {
        let kept = self.kept();
        let Some(log) = kept.logs.get(&owner) else { return Ok(LogBounds { head: 0, oldest: 1, bytes: 0 }) };
        let oldest = log.deltas.iter().find(|(_, (at, _))| *at >= since_ms).map_or(log.head + 1, |(at, _)| *at);
        let bytes = log.deltas.values().map(|(_, d)| d.payload.0.len() as u64).sum();
        Ok(LogBounds { head: log.head, oldest, bytes })
    }

    fn chain(&self, owner: OwnerId, origin: OriginKey) -> Result<Option<ChainHead>, StoreFault> {
        Ok(self.kept().chains.get(&(owner, origin)).map(|chain| chain.head).filter(|head| head.seq > 0))
    }

    fn end_chain(&self, owner: OwnerId, origin: OriginKey, last: u64) -> Result<(), StoreFault> {
        let begin = KeptChain { head: ChainHead::root(owner, origin), first: 1, last: None };
        self.kept().chains.entry((owner, origin)).or_insert(begin).last = Some(last);
        Ok(())
    }

    fn cursor(&self, owner: OwnerId, origin: OriginKey) -> Result<u64, StoreFault> {
        Ok(self.kept().cursors.get(&(owner, origin)).copied().unwrap_or(0))
    }

    fn recent(&self, owner: OwnerId, origin: OriginKey, since_ms: u64) -> Result<RecentUse, StoreFault> {
        let mut used = RecentUse::default();
        for (at, delta) in self.kept().logs.get(&owner).iter().flat_map(|log| log.deltas.values()) {
            if *at >= since_ms && delta.head.origin == origin {
                match delta.head.kind.lane() {
                    DeltaLane::Urgent => used.urgent += 1,
                    DeltaLane::Batch => used.batch += 1,
                }
            }
        }
        Ok(used)
    }

    fn expire(&self, before_ms: u64) -> Result<u64, StoreFault> {
        let mut gone = 0;
        for log in self.kept().logs.values_mut() {
            let before = log.deltas.len();
            log.deltas.retain(|_, (at, _)| *at >= before_ms);
            gone += (before - log.deltas.len()) as u64;
        }
        Ok(gone)
    }

    fn row(&self, key: &KeptRowKey) -> Result<Option<Vec<u8>>, StoreFault> {
        Ok(self.kept().rows.get(key).cloned())
    }

    fn rows(&self, after: &KeptRowKey, most: usize) -> Result<Vec<KeptRow>, StoreFault> {
        let kept = self.kept();
        let later = kept.rows.range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded));
        let same = later.take_while(|(key, _)| key.room == after.room && key.owner == after.owner);
        Ok(same.take(most).map(|(key, bytes)| (key.key.clone(), bytes.clone())).collect())
    }

    fn change(&self, key: &KeptRowKey, by: &mut dyn FnMut(Option<&[u8]>) -> RowChange) -> Result<(), StoreFault> {
        let mut kept = self.kept();
        match by(kept.rows.get(key).map(Vec::as_slice)) {
            RowChange::Leave => {}
            RowChange::Put(bytes) => drop(kept.rows.insert(key.clone(), bytes)),
            RowChange::Remove => drop(kept.rows.remove(key)),
        }
        Ok(())
    }

    fn owners_of(&self, room: RowRoom) -> Result<Vec<OwnerId>, StoreFault> {
        let mut all: Vec<OwnerId> = self.kept().rows.keys().filter(|k| k.room == room).map(|k| k.owner).collect();
        all.dedup();
        Ok(all)
    }
}
