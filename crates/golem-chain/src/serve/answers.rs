//! Blocks, transactions, receipts and logs, written as nodes write them.

use super::desk::ServedChain;
use super::fault::ServeFault;
use super::runs::TxRun;
use crate::embedded::{BLOCK_GAS, BlockSeen, PastTx};
use alloy_consensus::transaction::Transaction;
use alloy_consensus::{EMPTY_OMMER_ROOT_HASH, EMPTY_ROOT_HASH, TxEnvelope};
use alloy_eips::eip2718::Decodable2718;
use alloy_primitives::{Address, B64, B256, Bloom, U256};
use golem_core::Point;
use serde_json::{Map, Value, json};

/// A quantity.
pub(super) fn quantity(n: impl TryInto<U256>) -> Value {
    n.try_into().map_or(Value::Null, |n| json!(format!("{n:#x}")))
}

/// A block, with its transactions whole or by their hashes.
pub(super) fn block(desk: &mut ServedChain, seen: &BlockSeen, whole: bool) -> Result<Value, ServeFault> {
    let number = seen.block.number;
    let mut transactions = Vec::new();
    let mut gas_used = 0u64;
    for index in 0..seen.transactions {
        let Some(sent) = desk.chain.transaction(Point { block: number, index })? else { continue };
        let hash = desk.chain.name_of(&sent);
        gas_used = gas_used.saturating_add(sent.gas_used);
        transactions.push(if whole { transaction(&sent, hash, seen) } else { json!(hash) });
    }
    let bloom = if seen.open { Bloom::ZERO } else { bloom(desk, number)? };
    // No trie is kept: an empty list has a known root, and there is none for the others.
    let root = |empty: bool| if empty { EMPTY_ROOT_HASH } else { B256::ZERO };
    let empty = transactions.is_empty();
    Ok(json!({
        "number": quantity(number),
        "hash": seen.hash,
        "parentHash": seen.parent,
        "timestamp": quantity(seen.block.timestamp),
        "baseFeePerGas": quantity(seen.block.base_fee),
        "gasLimit": quantity(BLOCK_GAS),
        "gasUsed": quantity(gas_used),
        "transactions": transactions,
        "logsBloom": bloom,
        "miner": Address::ZERO,
        "nonce": B64::ZERO,
        "mixHash": B256::ZERO,
        "difficulty": "0x0",
        "extraData": "0x",
        "size": "0x0",
        "uncles": [],
        "sha3Uncles": EMPTY_OMMER_ROOT_HASH,
        "stateRoot": B256::ZERO,
        "transactionsRoot": root(empty),
        "receiptsRoot": root(empty),
        "withdrawals": [],
        "withdrawalsRoot": EMPTY_ROOT_HASH,
    }))
}

fn bloom(desk: &mut ServedChain, number: u64) -> Result<Bloom, ServeFault> {
    let mut all = Bloom::ZERO;
    desk.runs(number)?.iter().for_each(|run| all.accrue_bloom(&run.bloom()));
    Ok(all)
}

/// What was signed, where it was: transactions of our own carry no envelope.
fn envelope(sent: &PastTx) -> Option<TxEnvelope> {
    TxEnvelope::decode_2718(&mut sent.signed.as_ref()?.envelope.as_ref()).ok()
}

fn kind(envelope: Option<&TxEnvelope>) -> u8 {
    envelope.map_or(2, |e| e.tx_type() as u8)
}

/// A transaction in a block.
pub(super) fn transaction(sent: &PastTx, hash: B256, seen: &BlockSeen) -> Value {
    let envelope = envelope(sent);
    let kind = kind(envelope.as_ref());
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
    put("hash", json!(hash));
    put("type", quantity(kind));
    put("blockHash", json!(seen.hash));
    put("blockNumber", quantity(seen.block.number));
    put("transactionIndex", quantity(sent.point.index));
    put("from", json!(sent.from));
    put("to", json!(sent.to));
    put("value", quantity(sent.value));
    put("input", json!(sent.data));
    put("nonce", quantity(sent.nonce));
    put("gas", quantity(sent.gas_limit));
    put("gasPrice", quantity(price(sent, seen.block.base_fee)));
    if kind == 2 {
        put("maxFeePerGas", quantity(sent.max_fee));
        put("maxPriorityFeePerGas", quantity(sent.tip));
    }
    if kind > 0 {
        let list = sent.access.iter().map(|(address, keys)| json!({ "address": address, "storageKeys": keys }));
        put("accessList", list.collect());
    }
    let id = envelope.as_ref().and_then(Transaction::chain_id);
    if let Some(id) = id {
        put("chainId", quantity(id));
    }
    // Nobody signed what the chain itself did: zeros say so, where clients insist on a signature.
    let (odd, r, s) = envelope.as_ref().map_or((false, U256::ZERO, U256::ZERO), |e| {
        let signature = e.signature();
        (signature.v(), signature.r(), signature.s())
    });
    put("r", quantity(r));
    put("s", quantity(s));
    if kind == 0 {
        let v = id.map_or(27, |id| U256::from(id).to::<u128>().saturating_mul(2).saturating_add(35));
        put("v", quantity(v.saturating_add(u128::from(odd))));
    } else {
        put("v", quantity(u8::from(odd)));
        put("yParity", quantity(u8::from(odd)));
    }
    Value::Object(fields)
}

/// What a unit of gas cost.
pub(super) fn price(sent: &PastTx, base_fee: u64) -> u128 {
    sent.max_fee.min(u128::from(base_fee).saturating_add(sent.tip))
}

/// A receipt.
pub(super) fn receipt(run: &TxRun, seen: &BlockSeen) -> Value {
    let TxRun { sent, hash, .. } = run;
    let logs: Vec<Value> = (0..run.logs.len()).map(|at| log(run, at, seen)).collect();
    json!({
        "transactionHash": hash,
        "transactionIndex": quantity(sent.point.index),
        "blockHash": seen.hash,
        "blockNumber": quantity(seen.block.number),
        "from": sent.from,
        "to": sent.to,
        "contractAddress": sent.created.filter(|_| sent.success && sent.to.is_none()),
        "status": quantity(u8::from(sent.success)),
        "type": quantity(kind(envelope(sent).as_ref())),
        "gasUsed": quantity(sent.gas_used),
        "cumulativeGasUsed": quantity(run.gas_so_far),
        "effectiveGasPrice": quantity(price(sent, seen.block.base_fee)),
        "logs": logs,
        "logsBloom": run.bloom(),
    })
}

/// One log of a transaction.
pub(super) fn log(run: &TxRun, at: usize, seen: &BlockSeen) -> Value {
    let Some(log) = run.logs.get(at) else { return Value::Null };
    json!({
        "address": log.address,
        "topics": log.data.topics(),
        "data": log.data.data,
        "blockHash": seen.hash,
        "blockNumber": quantity(seen.block.number),
        "blockTimestamp": quantity(seen.block.timestamp),
        "transactionHash": run.hash,
        "transactionIndex": quantity(run.sent.point.index),
        "logIndex": quantity(run.first_log.saturating_add(at)),
        "removed": false,
    })
}
