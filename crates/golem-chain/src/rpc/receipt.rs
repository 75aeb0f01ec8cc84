//! What nodes say of a transaction that is in a block: read as far as anything here depends on it, so that nodes of
//! different makers can agree.

use super::wire::{NodeAsk, NodeFault, decoded};
use alloy_primitives::{Address, B256, Bytes, U64, U128};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogSeen {
    /// Who logged it.
    pub address: Address,
    /// Its topics.
    pub topics: Vec<B256>,
    /// Its data.
    pub data: Bytes,
}

/// A transaction in a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landed {
    /// The transaction.
    pub hash: B256,
    /// The block's number.
    pub block: u64,
    /// The block's hash.
    pub block_hash: B256,
    /// Its place in the block.
    pub index: u64,
    /// True when it did what it was to do; false when it was reverted and only paid gas.
    pub succeeded: bool,
    /// Gas units that it used.
    pub gas_used: u64,
    /// What it paid per unit, in wei.
    pub gas_price: u128,
    /// What it paid beside its gas, in wei, where the receipt says all of it: on an OP-stack chain, for its bytes on the chain
    /// below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1_fee: Option<u128>,
    /// What it logged.
    pub logs: Vec<LogSeen>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenReceipt {
    transaction_hash: B256,
    block_number: Option<U64>,
    block_hash: Option<B256>,
    transaction_index: Option<U64>,
    status: Option<U64>,
    gas_used: U64,
    effective_gas_price: Option<U128>,
    l1_fee: Option<U128>,
    operator_fee_scalar: Option<U128>,
    operator_fee_constant: Option<U128>,
    #[serde(default)]
    logs: Vec<LogSeen>,
}

impl WrittenReceipt {
    /// What was paid beside the gas; nothing where an operator took something too, since how much of it follows from numbers
    /// that differ from one version of the chain to the next.
    fn l1_fee(&self) -> Option<u128> {
        let taken = |n: Option<U128>| n.is_some_and(|n| !n.is_zero());
        let whole = !taken(self.operator_fee_scalar) && !taken(self.operator_fee_constant);
        self.l1_fee.filter(|_| whole).map(|fee| fee.to())
    }
}

/// The question for a receipt.
pub(super) fn ask(hash: &B256) -> NodeAsk {
    NodeAsk::new("eth_getTransactionReceipt", json!([hash]))
}

/// Read a receipt. What lies above `head` counts as not there yet, so that nodes a block apart can agree.
pub(super) fn read(answer: Result<Value, NodeFault>, wanted: &B256, head: u64) -> Result<Option<Landed>, NodeFault> {
    let Some(w) = decoded::<Option<WrittenReceipt>>(answer)? else { return Ok(None) };
    let (Some(block), Some(block_hash), Some(index)) = (w.block_number, w.block_hash, w.transaction_index) else {
        return Ok(None);
    };
    if w.transaction_hash != *wanted {
        return Err(NodeFault::Garbage("a receipt of another transaction".into()));
    }
    let status = w.status.ok_or_else(|| NodeFault::Garbage("a receipt without a status".into()))?;
    let landed = Landed {
        hash: w.transaction_hash,
        block: block.to(),
        block_hash,
        index: index.to(),
        succeeded: status == U64::from(1),
        gas_used: w.gas_used.to(),
        gas_price: w.effective_gas_price.map_or(0, |p| p.to()),
        l1_fee: w.l1_fee(),
        logs: w.logs,
    };
    Ok((landed.block <= head).then_some(landed))
}
