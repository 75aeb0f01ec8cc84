//! The EVM: one transaction on one state. The hardfork is Prague, always and explicitly; tests against other nodes say so
//! too.
//!
//! revm's machine cannot be sent between threads, and making one costs more than a token transfer; so every thread keeps
//! one, and a state is moved into it for the length of a transaction.

use super::state::{State, StateError};
use super::trail::Block;
use alloy_primitives::{Address, B256, Bytes, Log, TxKind, U256};
use revm::context::result::{EVMError, ExecutionResult, InvalidTransaction, Output};
use revm::context::transaction::{AccessList, AccessListItem};
use revm::context::{BlockEnv, CfgEnv, Context, Journal, TxEnv};
use revm::primitives::hardfork::SpecId;
use revm::state::EvmState;
use revm::{ExecuteEvm, MainBuilder, MainnetEvm};
use std::cell::RefCell;

/// The rules that transactions run by.
pub const HARDFORK: SpecId = SpecId::PRAGUE;
/// Gas that a block offers. It binds each transaction; blocks of our own are never full.
pub const BLOCK_GAS: u64 = 60_000_000;

type Machine = MainnetEvm<Context<BlockEnv, TxEnv, CfgEnv, State, Journal<State>, ()>>;

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

/// Why a transaction did not run at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRun {
    /// It is not one that this state can take: nonce, funds, gas.
    #[error("{0}")]
    Invalid(String),
    /// The state could not be read.
    #[error("{0}")]
    State(String),
}

/// How strictly a transaction is held to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// As it will be.
    Real,
    /// To see what would come of it: whoever asks need not have ether, nor be an account without code.
    Trial,
}

thread_local! {
    static MACHINE: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// Run a transaction in a block. The state is only read; what would change is returned.
pub(super) fn run(
    state: &mut State,
    chain_id: u64,
    block: &Block,
    tx: &Tx,
    mode: Mode,
) -> Result<(Ran, EvmState), NotRun> {
    let nonce = match tx.nonce {
        Some(nonce) => nonce,
        None => state.info(tx.from).map_err(|e| NotRun::State(e.0))?.nonce,
    };
    MACHINE.with_borrow_mut(|machine| {
        let machine = machine.get_or_insert_with(new);
        let trial = mode == Mode::Trial;
        let cfg = &mut machine.ctx.cfg;
        cfg.chain_id = chain_id;
        (cfg.disable_nonce_check, cfg.disable_balance_check) = (trial, trial);
        (cfg.disable_eip3607, cfg.disable_base_fee) = (trial, trial);
        cfg.disable_block_gas_limit = trial;
        machine.ctx.block = block_env(block);
        std::mem::swap(&mut machine.ctx.journaled_state.database, state);
        let result = machine.transact(tx_env(tx, nonce, chain_id));
        std::mem::swap(&mut machine.ctx.journaled_state.database, state);
        let done = result.map_err(not_run)?;
        Ok((ran(done.result), done.state))
    })
}

fn new() -> Machine {
    let mut context = Context::<BlockEnv, TxEnv, CfgEnv, State, Journal<State>, ()>::new(State::default(), HARDFORK);
    context.cfg.set_spec_and_mainnet_gas_params(HARDFORK);
    context.cfg.tx_chain_id_check = true;
    context.build_mainnet()
}

fn block_env(block: &Block) -> BlockEnv {
    BlockEnv {
        number: U256::from(block.number),
        timestamp: U256::from(block.timestamp),
        gas_limit: BLOCK_GAS,
        basefee: block.base_fee,
        // No randomness enters a block, and nothing here may think that some did.
        prevrandao: Some(U256::from(block.number).into()),
        ..BlockEnv::default()
    }
}

fn tx_env(tx: &Tx, nonce: u64, chain_id: u64) -> TxEnv {
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

fn ran(result: ExecutionResult) -> Ran {
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

fn not_run(error: EVMError<StateError, InvalidTransaction>) -> NotRun {
    match error {
        EVMError::Transaction(why) => NotRun::Invalid(why.to_string()),
        EVMError::Database(why) => NotRun::State(why.0),
        other => NotRun::State(other.to_string()),
    }
}
