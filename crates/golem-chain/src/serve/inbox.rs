//! Transactions from outside: read, held against their signature and the chain's rules, carried out, and their block
//! closed. Nothing that is refused leaves a trace.

use super::answers::quantity;
use super::desk::ServedChain;
use super::fault::ServeFault;
use super::params::{self, Params, Which};
use super::request;
use crate::embedded::{BLOCK_GAS, SignedOutside, Tx};
use alloy_consensus::TxEnvelope;
use alloy_consensus::transaction::{SignerRecoverable, Transaction};
use alloy_eips::eip2718::Decodable2718;
use alloy_primitives::{Bytes, U256, keccak256};
use golem_core::Usdc;
use golem_venue::{Account, Venue};
use serde_json::{Value, json};

/// `eth_sendRawTransaction`.
pub(super) fn send(desk: &mut ServedChain, params: &Params<'_>) -> Result<Value, ServeFault> {
    let raw = request::raw(params.required(0, "raw transaction")?)?;
    let (tx, signed) = read(raw, desk.chain.chain_id())?;
    let hash = signed.hash;
    check(desk, &tx, &signed)?;
    // First on a fork, so that what the rules refuse, or trips over a bug of ours, has not touched the chain.
    let mut trial = desk.fork(Which::Pending)?;
    trial.submit(&tx, signed.clone())?;
    drop(trial);
    desk.chain.submit(&tx, signed)?;
    desk.close()?;
    Ok(json!(hash))
}

/// What the bytes say, and who signed them.
fn read(raw: Bytes, chain_id: u64) -> Result<(Tx, SignedOutside), ServeFault> {
    let mut rest = raw.as_ref();
    let envelope =
        TxEnvelope::decode_2718(&mut rest).map_err(|e| ServeFault::params(format!("not a transaction: {e}")))?;
    if !rest.is_empty() {
        return Err(ServeFault::params("not a transaction: there is more after its end"));
    }
    if !matches!(envelope, TxEnvelope::Legacy(_) | TxEnvelope::Eip2930(_) | TxEnvelope::Eip1559(_)) {
        return Err(ServeFault::refused("transaction type not supported"));
    }
    match envelope.chain_id() {
        Some(id) if id == chain_id => {}
        Some(id) => return Err(ServeFault::refused(format!("invalid chain id for signer: have {id} want {chain_id}"))),
        None => return Err(ServeFault::refused("only replay-protected (EIP-155) transactions allowed over RPC")),
    }
    let from = envelope.recover_signer().map_err(|e| ServeFault::refused(format!("invalid sender: {e}")))?;
    let access = envelope.access_list().map(|list| list.iter().map(|i| (i.address, i.storage_keys.clone())).collect());
    let tx = Tx {
        from,
        to: envelope.to(),
        value: envelope.value(),
        data: envelope.input().clone(),
        gas_limit: envelope.gas_limit(),
        nonce: Some(envelope.nonce()),
        max_fee: envelope.max_fee_per_gas(),
        // Before there were tips, everything above the base fee was one.
        tip: envelope.max_priority_fee_per_gas().unwrap_or_else(|| envelope.max_fee_per_gas()),
        access: access.unwrap_or_default(),
    };
    Ok((tx, SignedOutside { hash: keccak256(&raw), envelope: raw }))
}

/// The rules that can be told in words that clients know; the machine checks all of them once more.
fn check(desk: &mut ServedChain, tx: &Tx, signed: &SignedOutside) -> Result<(), ServeFault> {
    if desk.chain.transaction_named(signed.hash)?.is_some() {
        return Err(ServeFault::refused("already known"));
    }
    let mut now = desk.fork(Which::Pending)?;
    let (nonce, next) = (tx.nonce.unwrap_or_default(), now.nonce(tx.from)?);
    let (from, base_fee) = (tx.from, now.open_block().base_fee);
    if nonce < next {
        return Err(ServeFault::refused(format!("nonce too low: address {from}, tx: {nonce} state: {next}")));
    }
    if nonce > next {
        return Err(ServeFault::refused(format!("nonce too high: address {from}, tx: {nonce} state: {next}")));
    }
    if tx.gas_limit > BLOCK_GAS {
        return Err(ServeFault::refused("exceeds block gas limit"));
    }
    if tx.tip > tx.max_fee {
        return Err(ServeFault::refused("max priority fee per gas higher than max fee per gas"));
    }
    if tx.max_fee < u128::from(base_fee) {
        let (has, want) = (tx.max_fee, base_fee);
        return Err(ServeFault::refused(format!("max fee per gas less than block base fee: {has} < {want}")));
    }
    let most = U256::from(tx.max_fee).saturating_mul(U256::from(tx.gas_limit)).saturating_add(tx.value);
    let has = now.balance(tx.from)?;
    if has < most {
        let words = format!("insufficient funds for gas * price + value: address {from} have {has} want {most}");
        return Err(ServeFault::refused(words));
    }
    Ok(())
}

/// `bardo_fundAccount`: make sure that an account was given so many millionths of a dollar in all, and ether for gas.
/// Answers the hash of the transaction that did it; null when it had been given as much before.
pub(super) fn fund(desk: &mut ServedChain, params: &Params<'_>) -> Result<Value, ServeFault> {
    let who = params.address(0)?;
    let total = Usdc(params::number(params.required(1, "usdc")?, "usdc")?);
    let before = desk.chain.head();
    let mut trial = desk.fork(Which::Pending)?;
    trial.fund_to(Account(who.0.0), total).map_err(|e| ServeFault::refused(e.to_string()))?;
    drop(trial);
    desk.chain.fund_to(Account(who.0.0), total)?;
    let Some(sent) = desk.chain.transaction(before)? else { return Ok(Value::Null) };
    let hash = desk.chain.name_of(&sent);
    desk.close()?;
    Ok(json!(hash))
}

/// `eth_gasPrice`: the base fee, since nobody has to be outbid here.
pub(super) fn price(desk: &mut ServedChain, _: &Params<'_>) -> Result<Value, ServeFault> {
    Ok(quantity(desk.chain.open_block().base_fee))
}
