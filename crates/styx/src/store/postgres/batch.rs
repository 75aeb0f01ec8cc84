//! Keeping deltas: a handful of statements for each transaction, however many deltas there are.

use super::{bytes, chain_row, int, nat};
use crate::store::{AppendOutcome, KeptChain, KeptRowKey, StoreFault, WriteBatch, first_of, place};
use golem_core::Hash;
use std::collections::{BTreeMap, BTreeSet};
use styx_wire::{DeltaLane, OriginKey, SignedDelta};
use tokio_postgres::Transaction;

type Who = (golem_core::OwnerId, OriginKey);

/// What will be written.
#[derive(Default)]
struct BatchWriting<'a> {
    kept: Vec<(i64, &'a SignedDelta, Hash)>,
    chains: BTreeMap<Who, KeptChain>,
    /// In this transaction, by their place.
    placed: BTreeMap<(Who, u64), (u64, Hash)>,
}

pub(super) async fn commit(
    tx: &Transaction<'_>,
    now_ms: u64,
    batch: &WriteBatch,
) -> Result<Vec<AppendOutcome>, StoreFault> {
    let mut outcomes = Vec::with_capacity(batch.deltas.len());
    if !batch.deltas.is_empty() {
        let owners: BTreeSet<&[u8]> = batch.deltas.iter().map(|d| &d.head.owner.0[..]).collect();
        let mut heads = lock(tx, owners.into_iter().collect()).await?;
        let mut writing = BatchWriting { chains: chains(tx, &batch.deltas).await?, ..BatchWriting::default() };
        for delta in &batch.deltas {
            outcomes.push(append(tx, delta, &mut heads, &mut writing).await?);
        }
        write(tx, now_ms, &heads, &writing).await?;
    }
    if !batch.cursors.is_empty() {
        let mut furthest: BTreeMap<(&[u8], &[u8]), i64> = BTreeMap::new();
        for moved in &batch.cursors {
            let upto = furthest.entry((&moved.owner.0, &moved.origin.0)).or_default();
            *upto = (*upto).max(int(moved.upto));
        }
        let owners: Vec<&[u8]> = furthest.keys().map(|k| k.0).collect();
        let origins: Vec<&[u8]> = furthest.keys().map(|k| k.1).collect();
        let upto: Vec<i64> = furthest.values().copied().collect();
        tx.execute(
            "INSERT INTO styx_cursors(owner, origin, upto) SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[])
             ON CONFLICT (owner, origin) DO UPDATE SET upto = greatest(styx_cursors.upto, excluded.upto)",
            &[&owners, &origins, &upto],
        )
        .await?;
    }
    if !batch.rows.is_empty() {
        put(tx, batch).await?;
    }
    Ok(outcomes)
}

/// Put rows, each once and all in one order.
async fn put(tx: &Transaction<'_>, batch: &WriteBatch) -> Result<(), StoreFault> {
    let last: BTreeMap<&KeptRowKey, &[u8]> = batch.rows.iter().map(|(key, bytes)| (key, &bytes[..])).collect();
    let rooms: Vec<i16> = last.keys().map(|key| i16::from(key.room as u8)).collect();
    let owners: Vec<&[u8]> = last.keys().map(|key| &key.owner.0[..]).collect();
    let keys: Vec<&[u8]> = last.keys().map(|key| &key.key[..]).collect();
    let bodies: Vec<&[u8]> = last.values().copied().collect();
    tx.execute(
        "INSERT INTO styx_kept(room, owner, key, bytes)
         SELECT * FROM unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bytea[])
         ON CONFLICT (room, owner, key) DO UPDATE SET bytes = excluded.bytes",
        &[&rooms, &owners, &keys, &bodies],
    )
    .await?;
    Ok(())
}

/// Lock the owners in one order, and say how far their logs go: nobody else gives positions meanwhile.
async fn lock(tx: &Transaction<'_>, owners: Vec<&[u8]>) -> Result<BTreeMap<Vec<u8>, i64>, StoreFault> {
    tx.execute(
        "INSERT INTO styx_owners(owner, head, bytes) SELECT o, 0, 0 FROM unnest($1::bytea[]) o ORDER BY o
         ON CONFLICT (owner) DO NOTHING",
        &[&owners],
    )
    .await?;
    let rows = tx
        .query("SELECT owner, head FROM styx_owners WHERE owner = ANY($1) ORDER BY owner FOR UPDATE", &[&owners])
        .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

async fn chains(tx: &Transaction<'_>, deltas: &[SignedDelta]) -> Result<BTreeMap<Who, KeptChain>, StoreFault> {
    let who: BTreeSet<Who> = deltas.iter().map(|d| (d.head.owner, d.head.origin)).collect();
    let owners: Vec<&[u8]> = who.iter().map(|w| &w.0.0[..]).collect();
    let origins: Vec<&[u8]> = who.iter().map(|w| &w.1.0[..]).collect();
    let rows = tx
        .query(
            "SELECT c.owner, c.origin, c.seq, c.id, c.first, c.last FROM styx_chains c
             JOIN unnest($1::bytea[], $2::bytea[]) AS w(owner, origin) ON c.owner = w.owner AND c.origin = w.origin",
            &[&owners, &origins],
        )
        .await?;
    let each = |row: &tokio_postgres::Row| {
        let who = (golem_core::OwnerId(bytes(row, 0)?), OriginKey(bytes(row, 1)?));
        Ok((who, chain_row(row, 2)?))
    };
    rows.iter().map(each).collect()
}

async fn append<'a>(
    tx: &Transaction<'_>,
    delta: &'a SignedDelta,
    heads: &mut BTreeMap<Vec<u8>, i64>,
    writing: &mut BatchWriting<'a>,
) -> Result<AppendOutcome, StoreFault> {
    let head = &delta.head;
    let who = (head.owner, head.origin);
    let chain = writing.chains.get(&who).copied();
    let before = chain.is_some_and(|chain| head.seq <= chain.head.seq);
    let there = match writing.placed.get(&(who, head.seq)) {
        Some(there) => Some(*there),
        None if before => stored(tx, delta).await?,
        None => None,
    };
    if let Some(outcome) = place(delta, chain.as_ref(), || Ok(there))? {
        return Ok(outcome);
    }
    let position = heads.get_mut(&head.owner.0[..]).ok_or_else(|| StoreFault("an owner is not locked".to_owned()))?;
    *position += 1;
    let reached = delta.reached();
    writing.kept.push((*position, delta, reached.id));
    writing.placed.insert((who, head.seq), (nat(*position), reached.id));
    let first = first_of(delta, chain.as_ref());
    writing.chains.insert(who, KeptChain { head: reached, first, last: chain.and_then(|c| c.last) });
    Ok(AppendOutcome::Kept { position: nat(*position) })
}

async fn stored(tx: &Transaction<'_>, delta: &SignedDelta) -> Result<Option<(u64, Hash)>, StoreFault> {
    let head = &delta.head;
    let row = tx
        .query_opt(
            "SELECT position, id FROM styx_log WHERE owner = $1 AND origin = $2 AND seq = $3",
            &[&&head.owner.0[..], &&head.origin.0[..], &int(head.seq)],
        )
        .await?;
    row.map(|row| Ok((nat(row.try_get(0)?), Hash(bytes(&row, 1)?)))).transpose()
}

async fn write(
    tx: &Transaction<'_>,
    now_ms: u64,
    heads: &BTreeMap<Vec<u8>, i64>,
    writing: &BatchWriting<'_>,
) -> Result<(), StoreFault> {
    let kept = &writing.kept;
    if kept.is_empty() {
        return Ok(());
    }
    let column = |of: fn(&SignedDelta) -> &[u8]| kept.iter().map(|(_, d, _)| of(d)).collect::<Vec<&[u8]>>();
    let number = |of: &dyn Fn(&SignedDelta) -> i64| kept.iter().map(|(_, d, _)| of(d)).collect::<Vec<i64>>();
    let (owners, origins) = (column(|d| &d.head.owner.0), column(|d| &d.head.origin.0));
    let positions: Vec<i64> = kept.iter().map(|(position, ..)| *position).collect();
    let ids: Vec<&[u8]> = kept.iter().map(|(.., id)| &id.0[..]).collect();
    let seqs = number(&|d| int(d.head.seq));
    let sizes = number(&|d| int(d.payload.0.len() as u64));
    let urgent: Vec<bool> = kept.iter().map(|(_, d, _)| d.head.kind.lane() == DeltaLane::Urgent).collect();
    let bodies: Vec<Vec<u8>> = kept.iter().map(|(_, d, _)| golem_core::plain::bytes(*d)).collect();
    tx.execute(
        "INSERT INTO styx_log(owner, position, received, origin, seq, id, urgent, bytes, delta)
         SELECT o, p, $3, g, s, i, u, b, d FROM unnest($1::bytea[], $2::bigint[], $4::bytea[], $5::bigint[], $6::bytea[],
         $7::boolean[], $8::bigint[], $9::bytea[]) AS t(o, p, g, s, i, u, b, d)",
        &[&owners, &positions, &int(now_ms), &origins, &seqs, &ids, &urgent, &sizes, &bodies],
    )
    .await?;
    let mut grown: BTreeMap<&[u8], i64> = BTreeMap::new();
    for (owner, size) in owners.iter().zip(&sizes) {
        *grown.entry(owner).or_default() += size;
    }
    let names: Vec<&[u8]> = grown.keys().copied().collect();
    let reached: Vec<i64> = names.iter().map(|name| heads.get(*name).copied().unwrap_or(0)).collect();
    let sizes: Vec<i64> = grown.values().copied().collect();
    tx.execute(
        "UPDATE styx_owners o SET head = n.head, bytes = o.bytes + n.bytes
         FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) AS n(owner, head, bytes) WHERE o.owner = n.owner",
        &[&names, &reached, &sizes],
    )
    .await?;
    let told: BTreeSet<Who> = kept.iter().map(|(_, d, _)| (d.head.owner, d.head.origin)).collect();
    let chains: Vec<(Who, KeptChain)> = told.iter().filter_map(|w| Some((*w, *writing.chains.get(w)?))).collect();
    let owners: Vec<&[u8]> = chains.iter().map(|(w, _)| &w.0.0[..]).collect();
    let origins: Vec<&[u8]> = chains.iter().map(|(w, _)| &w.1.0[..]).collect();
    let seqs: Vec<i64> = chains.iter().map(|(_, c)| int(c.head.seq)).collect();
    let ids: Vec<&[u8]> = chains.iter().map(|(_, c)| &c.head.id.0[..]).collect();
    let firsts: Vec<i64> = chains.iter().map(|(_, c)| int(c.first)).collect();
    tx.execute(
        "INSERT INTO styx_chains(owner, origin, seq, id, first)
         SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bytea[], $5::bigint[])
         ON CONFLICT (owner, origin) DO UPDATE SET seq = excluded.seq, id = excluded.id, first = excluded.first",
        &[&owners, &origins, &seqs, &ids, &firsts],
    )
    .await?;
    Ok(())
}
