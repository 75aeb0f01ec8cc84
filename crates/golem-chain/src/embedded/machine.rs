//! The machine of a chain of our own: one transaction on one state.
//!
//! revm's machine cannot be sent between threads, and making one costs more than a token transfer; so every thread keeps
//! one, and a state is moved into it for the length of a transaction.

use super::state::ChainState;
use super::stored::StateError;
use super::trail::Block;
use crate::evm::{HARDFORK, Ran, Tx, ran, tx_env};
use alloy_primitives::U256;
use revm::context::result::{EVMError, InvalidTransaction};
use revm::context::{BlockEnv, CfgEnv, Context, Journal, TxEnv};
use revm::state::EvmState;
use revm::{ExecuteEvm, MainBuilder, MainnetEvm};
use std::cell::RefCell;

/// Gas that a block offers. It binds each transaction; blocks of our own are never full.
pub const BLOCK_GAS: u64 = 60_000_000;

type Machine = MainnetEvm<Context<BlockEnv, TxEnv, CfgEnv, ChainState, Journal<ChainState>, ()>>;

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
    state: &mut ChainState,
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
    let mut context =
        Context::<BlockEnv, TxEnv, CfgEnv, ChainState, Journal<ChainState>, ()>::new(ChainState::default(), HARDFORK);
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

fn not_run(error: EVMError<StateError, InvalidTransaction>) -> NotRun {
    match error {
        EVMError::Transaction(why) => NotRun::Invalid(why.to_string()),
        EVMError::Database(why) => NotRun::State(why.0),
        other => NotRun::State(other.to_string()),
    }
}
