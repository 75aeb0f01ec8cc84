//! The machine: one transaction on one state, whatever the state lies on (a chain of our own, or a fork of somebody's).
//!
//! revm's machine cannot be sent between threads, and making one costs more than a token transfer; so every thread keeps
//! one, and a state is moved into it for the length of a transaction. To the machine every state is the same [`AnyState`]: it
//! is compiled once, and not once for each kind of state.

use crate::evm::{HARDFORK, Ran, Tx, ran, tx_env};
use alloy_primitives::{Address, B256, U256};
use revm::context::result::{EVMError, InvalidTransaction};
use revm::context::{BlockEnv, CfgEnv, Context, DBErrorMarker, Journal, TxEnv};
use revm::state::{AccountId, AccountInfo, Bytecode, EvmState};
use revm::{Database, ExecuteEvm, MainBuilder, MainnetEvm};
use std::any::Any;
use std::cell::RefCell;

type Machine = MainnetEvm<Context<BlockEnv, TxEnv, CfgEnv, AnyState, Journal<AnyState>, ()>>;

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
pub(crate) enum Mode {
    /// As it will be.
    Real,
    /// To see what would come of it: whoever asks need not have ether, nor be an account without code.
    Trial,
    /// On a fork: an account with code may be spoken for, and nobody pays; its count of transactions is held to.
    Fork,
}

/// Where a transaction is run.
pub(crate) struct Within {
    pub(crate) chain_id: u64,
    pub(crate) block: BlockEnv,
    pub(crate) mode: Mode,
}

thread_local! {
    static MACHINE: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// Run a transaction with a count of its sender's. The state is only read; what would change is returned.
pub(crate) fn run<S>(state: &mut S, empty: S, within: Within, tx: &Tx, nonce: u64) -> Result<(Ran, EvmState), NotRun>
where
    S: Database<Error: ToString> + Any,
{
    let tx = tx_env(tx, nonce, within.chain_id);
    let (back, done) = run_on(Box::new(std::mem::replace(state, empty)), within, tx);
    match back.into_any().downcast::<S>() {
        Ok(back) => *state = *back,
        Err(_) => unreachable!("what is taken out of the machine is what was put in"),
    }
    done
}

fn run_on(state: Box<dyn Readable>, within: Within, tx: TxEnv) -> (Box<dyn Readable>, Result<(Ran, EvmState), NotRun>) {
    MACHINE.with_borrow_mut(|machine| {
        let machine = machine.get_or_insert_with(new);
        let (trial, fork) = (within.mode == Mode::Trial, within.mode == Mode::Fork);
        let cfg = &mut machine.ctx.cfg;
        cfg.chain_id = within.chain_id;
        (cfg.disable_nonce_check, cfg.disable_balance_check) = (trial, trial);
        (cfg.disable_eip3607, cfg.disable_base_fee) = (trial || fork, trial || fork);
        cfg.disable_block_gas_limit = trial || fork;
        machine.ctx.block = within.block;
        machine.ctx.journaled_state.database.0 = state;
        let result = machine.transact(tx);
        let state = std::mem::replace(&mut machine.ctx.journaled_state.database, AnyState::nothing());
        (state.0, result.map(|done| (ran(done.result), done.state)).map_err(not_run))
    })
}

fn new() -> Machine {
    let mut context =
        Context::<BlockEnv, TxEnv, CfgEnv, AnyState, Journal<AnyState>, ()>::new(AnyState::nothing(), HARDFORK);
    context.cfg.set_spec_and_mainnet_gas_params(HARDFORK);
    context.cfg.tx_chain_id_check = true;
    context.build_mainnet()
}

fn not_run(error: EVMError<NotRead, InvalidTransaction>) -> NotRun {
    match error {
        EVMError::Transaction(why) => NotRun::Invalid(why.to_string()),
        EVMError::Database(why) => NotRun::State(why.0),
        other => NotRun::Invalid(other.to_string()),
    }
}

/// The state could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotRead(String);

impl DBErrorMarker for NotRead {}

/// Any state, as the machine reads it.
trait Readable {
    fn info(&mut self, address: Address) -> Result<Option<AccountInfo>, NotRead>;
    fn code(&mut self, hash: B256) -> Result<Bytecode, NotRead>;
    fn slot(&mut self, address: Address, key: U256) -> Result<U256, NotRead>;
    fn slot_by_id(&mut self, address: Address, id: AccountId, key: U256) -> Result<U256, NotRead>;
    fn named_block(&mut self, number: u64) -> Result<B256, NotRead>;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<S: Database<Error: ToString> + Any> Readable for S {
    fn info(&mut self, address: Address) -> Result<Option<AccountInfo>, NotRead> {
        self.basic(address).map_err(|e| NotRead(e.to_string()))
    }
    fn code(&mut self, hash: B256) -> Result<Bytecode, NotRead> {
        self.code_by_hash(hash).map_err(|e| NotRead(e.to_string()))
    }
    fn slot(&mut self, address: Address, key: U256) -> Result<U256, NotRead> {
        self.storage(address, key).map_err(|e| NotRead(e.to_string()))
    }
    fn slot_by_id(&mut self, address: Address, id: AccountId, key: U256) -> Result<U256, NotRead> {
        self.storage_by_account_id(address, id, key).map_err(|e| NotRead(e.to_string()))
    }
    fn named_block(&mut self, number: u64) -> Result<B256, NotRead> {
        self.block_hash(number).map_err(|e| NotRead(e.to_string()))
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// What the machine stands on during a transaction; between two of them, nothing.
struct AnyState(Box<dyn Readable>);

impl AnyState {
    fn nothing() -> Self {
        Self(Box::new(revm::database::EmptyDB::default()))
    }
}

impl Database for AnyState {
    type Error = NotRead;
    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, NotRead> {
        self.0.info(address)
    }
    fn code_by_hash(&mut self, hash: B256) -> Result<Bytecode, NotRead> {
        self.0.code(hash)
    }
    fn storage(&mut self, address: Address, key: U256) -> Result<U256, NotRead> {
        self.0.slot(address, key)
    }
    fn storage_by_account_id(&mut self, address: Address, id: AccountId, key: U256) -> Result<U256, NotRead> {
        self.0.slot_by_id(address, id, key)
    }
    fn block_hash(&mut self, number: u64) -> Result<B256, NotRead> {
        self.0.named_block(number)
    }
}
