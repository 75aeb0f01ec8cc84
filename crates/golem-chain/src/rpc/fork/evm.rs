//! One transaction on a fork: the EVM over what the fork has changed, over what the chain says.
//!
//! Gas is reckoned and not paid for: whoever acts on a fork needs no ether.

use super::super::touched::{Backing, TouchedState};
pub(super) use crate::evm::{Ran, Tx};
use crate::machine::{self, Mode, NotRun, Within};
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256};
use golem_venue::VenueError;
use revm::context::{BlockEnv, DBErrorMarker};
use revm::database::CacheDB;
use revm::state::{AccountInfo, Bytecode, EvmState};
use revm::{DatabaseCommit, DatabaseRef};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Gas for whatever is tried on a fork.
pub(super) const GAS: u64 = 15_000_000;

/// What lies under a fork. Copies read and record together.
#[derive(Debug, Clone)]
pub(super) struct Far(Arc<Mutex<dyn Backing>>);

impl Far {
    pub(super) fn new(backing: impl Backing + 'static) -> Self {
        Self(Arc::new(Mutex::new(backing)))
    }
    fn lock(&self) -> MutexGuard<'_, dyn Backing + 'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Everything that was looked at so far.
    pub(super) fn touched(&self) -> TouchedState {
        self.lock().touched().clone()
    }
    /// What the node behind it answers past the machine, if there is one.
    pub(super) fn ask_node(&self, to: Address, data: &Bytes) -> Result<Option<Bytes>, VenueError> {
        let said = self.lock().ask_node(to, data);
        said.map_err(|why| self.fault(FarError(why)))
    }
    fn fault(&self, why: FarError) -> VenueError {
        self.lock().take_fault().unwrap_or(VenueError::Store(why.0))
    }
}

/// What lies under a fork could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct FarError(String);

impl DBErrorMarker for FarError {}

impl DatabaseRef for Far {
    type Error = FarError;
    fn basic_ref(&self, address: Address) -> Result<Option<AccountInfo>, FarError> {
        let mut far = self.lock();
        let seen = far.account(address).map_err(FarError)?;
        let code = match seen.code_hash {
            KECCAK256_EMPTY => Bytecode::default(),
            hash => Bytecode::new_raw(far.code(hash).map_err(FarError)?),
        };
        let (balance, nonce, code_hash) = (seen.balance, seen.nonce, seen.code_hash);
        Ok(Some(AccountInfo { balance, nonce, code_hash, code: Some(code), ..AccountInfo::default() }))
    }
    fn code_by_hash_ref(&self, hash: B256) -> Result<Bytecode, FarError> {
        self.lock().code(hash).map(Bytecode::new_raw).map_err(FarError)
    }
    fn storage_ref(&self, address: Address, key: U256) -> Result<U256, FarError> {
        self.lock().slot(address, key).map_err(FarError)
    }
    fn block_hash_ref(&self, number: u64) -> Result<B256, FarError> {
        self.lock().block_hash(number).map_err(FarError)
    }
}

/// The block that a fork is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenBlock {
    pub(super) number: u64,
    pub(super) timestamp: u64,
    pub(super) base_fee: u64,
    pub(super) index: u32,
}

/// The state of a fork: what it changed, over what lies under it.
pub(super) type ForkState = CacheDB<Far>;

/// Run a transaction without keeping what it did; returns that too.
pub(super) fn run(
    state: &mut ForkState,
    chain_id: u64,
    open: &OpenBlock,
    tx: &Tx,
) -> Result<(Ran, EvmState), VenueError> {
    use revm::Database;
    let far = state.db.clone();
    let nonce = state.basic(tx.from).map_err(|e| far.fault(e))?.map_or(0, |info| info.nonce);
    let block = BlockEnv {
        number: U256::from(open.number),
        timestamp: U256::from(open.timestamp),
        basefee: open.base_fee,
        gas_limit: u64::MAX,
        prevrandao: Some(B256::ZERO),
        ..BlockEnv::default()
    };
    let within = Within { chain_id, block, mode: Mode::Fork };
    machine::run(state, ForkState::new(far.clone()), within, tx, nonce).map_err(|why| match why {
        NotRun::State(why) => far.fault(FarError(why)),
        NotRun::Invalid(why) => VenueError::Bug(format!("a fork refused a transaction: {why}")),
    })
}

/// Keep what a transaction did.
pub(super) fn keep(state: &mut ForkState, done: EvmState) {
    state.commit(done);
}

/// A slot as it would be read.
pub(super) fn set(state: &mut ForkState, address: Address, slot: U256, value: U256) -> Result<(), VenueError> {
    let far = state.db.clone();
    state.insert_account_storage(address, slot, value).map_err(|e| far.fault(e))
}
