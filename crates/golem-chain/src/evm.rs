//! A transaction as the EVM takes it, and how it ended: the same for a chain of our own and for a fork of somebody's. The
//! hardfork is Prague, always and explicitly; tests against other nodes say so too.

use alloy_primitives::{Address, B256, Bytes, Log, TxKind, U256};
use revm::context::TxEnv;
use revm::context::result::{ExecutionResult, Output};
use revm::context::transaction::{AccessList, AccessListItem};
use revm::primitives::hardfork::SpecId;

/// The rules that transactions run by.
pub const HARDFORK: SpecId = SpecId::PRAGUE;
/// A transaction to be run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tx {
    /// Who sends it.
    pub from: Address,
    /// The contract or account it goes to; none makes a contract.
    pub to: Option<Address>,
    /// Ether that goes with it.
    pub value: U256,
    /// What it says.
    pub data: Bytes,
    /// Gas it may use at most.
    pub gas_limit: u64,
    /// The sender's count of transactions; none takes whatever it is.
    pub nonce: Option<u64>,
    /// What it pays for a unit of gas at most.
    pub max_fee: u128,
    /// What of that goes to whoever makes the block.
    pub tip: u128,
    /// Accounts and slots that it announces.
    pub access: Vec<(Address, Vec<B256>)>,
}

/// How a transaction ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// True unless it reverted or ran out of gas.
    pub success: bool,
    /// Gas it used.
    pub gas_used: u64,
    /// What it returned, or why it reverted.
    pub output: Bytes,
    /// What it logged; nothing when it reverted.
    pub logs: Vec<Log>,
    /// The contract it made.
    pub created: Option<Address>,
    /// Why it stopped without a word, if so: out of gas, a bad instruction.
    pub halted: Option<String>,
}

/// A transaction as the machine takes it.
pub(crate) fn tx_env(tx: &Tx, nonce: u64, chain_id: u64) -> TxEnv {
    let item =
        |(address, keys): &(Address, Vec<B256>)| AccessListItem { address: *address, storage_keys: keys.clone() };
    TxEnv {
        tx_type: 2,
        caller: tx.from,
        gas_limit: tx.gas_limit,
        gas_price: tx.max_fee,
        gas_priority_fee: Some(tx.tip),
        kind: tx.to.map_or(TxKind::Create, TxKind::Call),
        value: tx.value,
        data: tx.data.clone(),
        nonce,
        chain_id: Some(chain_id),
        access_list: AccessList(tx.access.iter().map(item).collect()),
        ..TxEnv::default()
    }
}

/// How the machine says that it ended.
pub(crate) fn ran(result: ExecutionResult) -> Ran {
    let gas_used = result.gas().tx_gas_used();
    match result {
        ExecutionResult::Success { logs, output, .. } => {
            let created = if let Output::Create(_, address) = &output { *address } else { None };
            Ran { success: true, gas_used, output: output.into_data(), logs, created, halted: None }
        }
        ExecutionResult::Revert { output, .. } => {
            Ran { success: false, gas_used, output, logs: Vec::new(), created: None, halted: None }
        }
        ExecutionResult::Halt { reason, .. } => Ran {
            success: false,
            gas_used,
            output: Bytes::new(),
            logs: Vec::new(),
            created: None,
            halted: Some(format!("{reason:?}")),
        },
    }
}
