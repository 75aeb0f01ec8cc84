//! The list of what can be asked. Filters that the server would have to remember, tracing, mining by hand and keys are not
//! on it.

use super::answers::{self, quantity};
use super::desk::ServedChain;
use super::fault::ServeFault;
use super::message::ClientCall;
use super::params::{self, Params, Which};
use super::{calls, fees, inbox, logs};
use alloy_primitives::B256;
use golem_core::Point;
use golem_venue::Venue;
use serde_json::{Value, json};

type Method = fn(&mut ServedChain, &Params<'_>) -> Result<Value, ServeFault>;

/// Every method: its name, and how many parameters it takes at most.
const TABLE: &[(&str, usize, Method)] = &[
    ("web3_clientVersion", 0, |_, _| Ok(json!(concat!("bardo/v", env!("CARGO_PKG_VERSION"))))),
    ("net_version", 0, |desk, _| Ok(json!(desk.chain.chain_id().to_string()))),
    ("net_listening", 0, |_, _| Ok(json!(true))),
    ("eth_chainId", 0, |desk, _| Ok(quantity(desk.chain.chain_id()))),
    ("eth_blockNumber", 0, |desk, _| Ok(quantity(desk.latest()))),
    ("eth_syncing", 0, |_, _| Ok(json!(false))),
    ("eth_accounts", 0, |_, _| Ok(json!([]))),
    ("eth_gasPrice", 0, inbox::price),
    ("eth_maxPriorityFeePerGas", 0, |_, _| Ok(json!("0x0"))),
    ("eth_feeHistory", 3, fees::history),
    ("eth_getBalance", 2, |desk, p| {
        let who = p.address(0)?;
        Ok(quantity(desk.fork(p.block(1)?)?.balance(who)?))
    }),
    ("eth_getTransactionCount", 2, |desk, p| {
        let who = p.address(0)?;
        Ok(quantity(desk.fork(p.block(1)?)?.nonce(who)?))
    }),
    ("eth_getCode", 2, |desk, p| {
        let who = p.address(0)?;
        Ok(json!(desk.fork(p.block(1)?)?.code_of(who)?))
    }),
    ("eth_getStorageAt", 3, |desk, p| {
        let (who, slot) = (p.address(0)?, params::slot(p.required(1, "slot")?)?);
        Ok(json!(B256::from(desk.fork(p.block(2)?)?.storage(who, slot)?)))
    }),
    ("eth_call", 3, calls::call),
    ("eth_estimateGas", 3, calls::estimate),
    ("eth_sendRawTransaction", 1, inbox::send),
    ("eth_getTransactionByHash", 1, by_hash),
    ("eth_getTransactionByBlockNumberAndIndex", 2, |desk, p| {
        p.required(0, "block")?;
        in_block(desk, p.block(0)?, p)
    }),
    ("eth_getTransactionByBlockHashAndIndex", 2, |desk, p| in_block(desk, Which::Hash(p.hash(0)?), p)),
    ("eth_getTransactionReceipt", 1, receipt),
    ("eth_getBlockReceipts", 1, receipts),
    ("eth_getBlockByNumber", 2, |desk, p| {
        p.required(0, "block")?;
        block(desk, p.block(0)?, p.flag(1, "full transactions")?)
    }),
    ("eth_getBlockByHash", 2, |desk, p| block(desk, Which::Hash(p.hash(0)?), p.flag(1, "full transactions")?)),
    ("eth_getBlockTransactionCountByNumber", 1, |desk, p| {
        p.required(0, "block")?;
        count(desk, p.block(0)?)
    }),
    ("eth_getBlockTransactionCountByHash", 1, |desk, p| count(desk, Which::Hash(p.hash(0)?))),
    ("eth_getLogs", 1, logs::search),
    ("bardo_fundAccount", 2, inbox::fund),
];

/// The names of all methods.
pub const METHODS: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        names[at] = TABLE[at].0;
        at += 1;
    }
    names
};

/// Answer a call.
pub(super) fn answer(desk: &mut ServedChain, asked: &ClientCall) -> Result<Value, ServeFault> {
    let found = TABLE.iter().find(|(name, ..)| *name == asked.method);
    let (_, most, method) = found.ok_or_else(|| ServeFault::method(&asked.method))?;
    method(desk, &Params::new(&asked.params, *most)?)
}

fn block(desk: &mut ServedChain, which: Which, whole: bool) -> Result<Value, ServeFault> {
    match desk.block(which)? {
        Some(seen) => answers::block(desk, &seen, whole),
        None => Ok(Value::Null),
    }
}

fn count(desk: &mut ServedChain, which: Which) -> Result<Value, ServeFault> {
    Ok(desk.block(which)?.map_or(Value::Null, |seen| quantity(seen.transactions)))
}

fn in_block(desk: &mut ServedChain, which: Which, p: &Params<'_>) -> Result<Value, ServeFault> {
    let index = p.number(1, "index")?;
    let (Some(seen), Ok(index)) = (desk.block(which)?, u32::try_from(index)) else { return Ok(Value::Null) };
    let sent = desk.chain.transaction(Point { block: seen.block.number, index })?;
    Ok(sent.map_or(Value::Null, |sent| answers::transaction(&sent, desk.chain.name_of(&sent), &seen)))
}

fn by_hash(desk: &mut ServedChain, p: &Params<'_>) -> Result<Value, ServeFault> {
    let hash = p.hash(0)?;
    let Some(sent) = desk.chain.transaction_named(hash)? else { return Ok(Value::Null) };
    let seen = desk.chain.block(sent.point.block)?;
    Ok(seen.map_or(Value::Null, |seen| answers::transaction(&sent, hash, &seen)))
}

fn receipt(desk: &mut ServedChain, p: &Params<'_>) -> Result<Value, ServeFault> {
    let Some(sent) = desk.chain.transaction_named(p.hash(0)?)? else { return Ok(Value::Null) };
    let Some(seen) = desk.chain.block(sent.point.block)? else { return Ok(Value::Null) };
    let runs = desk.runs(sent.point.block)?;
    let run = runs.iter().find(|run| run.sent.seq == sent.seq);
    Ok(run.map_or(Value::Null, |run| answers::receipt(run, &seen)))
}

fn receipts(desk: &mut ServedChain, p: &Params<'_>) -> Result<Value, ServeFault> {
    let which = match p.required(0, "block")? {
        // Some clients name the block by its bare hash.
        hash if hash.as_str().is_some_and(|text| text.len() == 66) => Which::Hash(params::hash(hash, "block")?),
        _ => p.block(0)?,
    };
    let Some(seen) = desk.block(which)? else { return Ok(Value::Null) };
    if seen.open {
        return Ok(json!([]));
    }
    let runs = desk.runs(seen.block.number)?;
    Ok(runs.iter().map(|run| answers::receipt(run, &seen)).collect())
}
