//! A chain of our own in this process: a real EVM with real Uniswap contracts, a block whenever it is told to make one, a
//! file with all of its history, and forks of any point of that.
//!
//! Where to begin: [`EmbeddedChain`] is a [`golem_venue::Venue`]; `node` is what a JSON-RPC server needs of it. Signatures
//! are not checked here: whoever lets transactions in from outside does that.

mod act;
mod archive;
mod books;
mod claims;
mod deploy;
mod error;
mod fork;
mod ground;
mod identity;
mod keep;
mod layout;
mod lending;
mod machine;
mod mark;
mod market;
mod names;
mod node;
mod state;
mod stored;
mod trail;
mod venue;
mod world;

pub use crate::evm::{HARDFORK, Ran, Tx};
pub use deploy::{DeployStep, Site, endowment, script, site};
pub use error::ChainError;
pub use identity::RegisteredAgent;
pub use lending::{BankDeed, LendingSite, lending_site};
pub use machine::{BLOCK_GAS, NotRun};
pub use mark::ChainMark;
pub use node::{BlockSeen, Mined};
pub use trail::{Block, PastTx, SignedOutside};

use alloy_primitives::{B256, U256};
use archive::{Archive, ArchiveShelf};
use golem_venue::GenesisConfig;
use golem_wallet::RouterKind;
use names::Names;
use state::ChainState;
use std::collections::BTreeMap;
use std::sync::Arc;
use trail::Trail;

/// How a chain is begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedConfig {
    /// The chain's id.
    pub chain_id: u64,
    /// Blocks after which what has happened is written to the file at the latest.
    pub write_every: u64,
    /// The beginning.
    pub genesis: GenesisConfig,
    /// Which router stands there.
    pub router: RouterKind,
}

impl EmbeddedConfig {
    /// The id that development chains use and no public one does.
    pub const CHAIN_ID: u64 = 31_337;

    /// The usual chain with a certain beginning.
    #[must_use]
    pub fn new(genesis: GenesisConfig) -> Self {
        Self { chain_id: Self::CHAIN_ID, write_every: 1_000, genesis, router: RouterKind::V1 }
    }
}

/// A chain with real contracts; or a fork of one, which keeps everything in memory.
#[derive(Debug)]
pub struct EmbeddedChain {
    chain_id: u64,
    site: Arc<Site>,
    names: Names,
    write_every: u64,
    state: ChainState,
    /// The block that is open.
    open: Block,
    /// Transactions so far.
    seq: u64,
    /// What has happened since the archive was written, or since the fork was taken.
    trail: Arc<Trail>,
    /// Stretches of history before that, oldest first, each up to a transaction that is not part of it any more.
    elders: Vec<(Arc<Trail>, u64)>,
    /// The archive's part of the history, up to a transaction; the rest of the archive is another future.
    shelf: ArchiveShelf,
    shelved: u64,
    /// Every tick of the pool that was ever initialised, with its slot.
    ticks: Arc<BTreeMap<i32, U256>>,
    /// True when some of them are not written yet.
    new_ticks: bool,
    /// Where to write; a fork has nowhere.
    archive: Option<Archive>,
    /// To be written with what has happened.
    effects: Vec<(Vec<u8>, Vec<u8>)>,
    market_state: Option<Vec<u8>>,
}

impl EmbeddedChain {
    /// Where the contracts stand.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }
    /// The name of the chain's beginning: two chains with the same one have the same contracts, price and liquidity.
    #[must_use]
    pub fn genesis_hash(&self) -> B256 {
        self.names.0
    }
    /// A hash over every account and slot, the same for equal states. It reads all of them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn digest(&mut self) -> Result<B256, ChainError> {
        Ok(self.state.digest()?)
    }
}
