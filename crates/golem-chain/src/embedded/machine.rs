//! A transaction on a chain of our own: whose turn it is, and the block it stands in.

use super::state::ChainState;
use super::trail::Block;
use crate::evm::{Ran, Tx};
use crate::machine;
pub(super) use crate::machine::Mode;
pub use crate::machine::NotRun;
use alloy_primitives::U256;
use revm::context::BlockEnv;
use revm::state::EvmState;

/// Gas that a block offers. It binds each transaction; blocks of our own are never full.
pub const BLOCK_GAS: u64 = 60_000_000;

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
    let within = machine::Within { chain_id, block: block_env(block), mode };
    machine::run(state, ChainState::default(), within, tx, nonce)
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
