//! The chain as its server sees it: closed blocks, an open one that is empty between calls, and forks of the end of any
//! block. Reads and trials happen on forks only, so that nothing but a transaction can touch the chain.

use super::ServeLimits;
use super::fault::ServeFault;
use super::owner::Owned;
use super::params::Which;
use super::runs::{Runs, TxRun};
use crate::embedded::{BlockSeen, ChainError, EmbeddedChain};
use golem_core::Point;
use golem_venue::{Header, Venue};
use std::sync::Arc;

/// The chain and what is known of it.
#[derive(Debug)]
pub(super) struct ServedChain {
    pub chain: EmbeddedChain,
    pub limits: ServeLimits,
    runs: Runs,
}

impl Owned for ServedChain {
    fn recover(&mut self) {
        self.runs = Runs::default();
    }
}

/// Seconds between two blocks.
const BLOCK_S: u64 = 12;

impl ServedChain {
    /// A chain whose open block has something in it has that closed first.
    pub fn new(chain: EmbeddedChain, limits: ServeLimits) -> Result<Self, ChainError> {
        let mut desk = Self { chain, limits, runs: Runs::default() };
        if desk.chain.head().index > 0 {
            desk.close().map_err(|fault| ChainError::Bug(fault.message))?;
        }
        Ok(desk)
    }
    pub fn into_chain(self) -> EmbeddedChain {
        self.chain
    }

    /// Close the open block, durably, and open the next: as much later as on Ethereum, at the same base fee.
    pub fn close(&mut self) -> Result<(), ServeFault> {
        let open = self.chain.open_block();
        let header = Header { timestamp: open.timestamp.saturating_add(BLOCK_S), base_fee: u128::from(open.base_fee) };
        self.chain.begin_block(header)?;
        Ok(self.chain.commit()?)
    }

    /// The number of the last closed block. The first is closed when a chain begins.
    pub fn latest(&self) -> u64 {
        self.chain.open_block().number.saturating_sub(1)
    }

    /// The number of a block; none when there is no such block.
    pub fn number(&self, which: Which) -> Option<u64> {
        match which {
            Which::Latest => Some(self.latest()),
            Which::Pending => Some(self.chain.open_block().number),
            Which::Number(n) => (n <= self.latest()).then_some(n),
            Which::Hash(hash) => self.chain.block_named(hash).filter(|n| *n <= self.latest()),
        }
    }

    /// A block; none when there is no such block.
    pub fn block(&self, which: Which) -> Result<Option<BlockSeen>, ServeFault> {
        match self.number(which) {
            Some(number) => Ok(self.chain.block(number)?),
            None => Ok(None),
        }
    }

    /// The chain at the end of a block, inside of it.
    pub fn fork(&mut self, which: Which) -> Result<EmbeddedChain, ServeFault> {
        let seen = self.block(which)?.ok_or_else(|| ServeFault::absent("header not found"))?;
        Ok(self.chain.fork(Point { block: seen.block.number, index: seen.transactions })?)
    }

    /// Transactions of a closed block with their logs.
    pub fn runs(&mut self, number: u64) -> Result<Arc<Vec<TxRun>>, ServeFault> {
        self.runs.of(&mut self.chain, number)
    }
    pub fn is_known(&self, number: u64) -> bool {
        self.runs.has(number)
    }
}
