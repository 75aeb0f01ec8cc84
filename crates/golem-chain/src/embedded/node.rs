//! What a JSON-RPC server needs of the chain: blocks, transactions, receipts, logs, reads and trials at the head. For any
//! other point, take a fork there and ask it the same.
//!
//! Logs are not stored: whoever wants them has the transaction run again where it stood, which gives the same.

use super::machine::{self, Mode, NotRun};
use super::trail::{Block, PastTx, SignedOutside};
use super::{ChainError, EmbeddedChain};
use crate::evm::{Ran, Tx};
use alloy_primitives::{Address, B256, Bytes, Log, U256};
use golem_core::Point;

/// A block and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSeen {
    /// The block.
    pub block: Block,
    /// Its name.
    pub hash: B256,
    /// The name of the one before; zero before the first.
    pub parent: B256,
    /// How many transactions it has.
    pub transactions: u32,
    /// True while it is open.
    pub open: bool,
}

/// A transaction that happened, run again: its receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mined {
    /// The transaction.
    pub sent: PastTx,
    /// Its hash.
    pub hash: B256,
    /// What it returned, or why it reverted.
    pub output: Bytes,
    /// What it logged.
    pub logs: Vec<Log>,
}

impl EmbeddedChain {
    /// The block that is open.
    #[must_use]
    pub fn open_block(&self) -> Block {
        self.open
    }
    /// The point at which the next transaction will stand.
    #[must_use]
    pub fn head(&self) -> Point {
        self.point()
    }
    /// A block by its number; none when there is no such block yet.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn block(&self, number: u64) -> Result<Option<BlockSeen>, ChainError> {
        let Some(block) = self.block_at(number)? else { return Ok(None) };
        let next = self.block_at(number.saturating_add(1))?;
        let count = next.map_or(self.seq, |b| b.first).saturating_sub(block.first);
        let parent = number.checked_sub(1).map_or(B256::ZERO, |n| self.names.block(n));
        let transactions = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Some(BlockSeen { block, hash: self.names.block(number), parent, transactions, open: next.is_none() }))
    }
    /// The number of the block of this name.
    #[must_use]
    pub fn block_named(&self, hash: B256) -> Option<u64> {
        self.names.block_of(hash).filter(|n| *n <= self.open.number)
    }

    /// The transaction at a point; none when nothing happened there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn transaction(&self, point: Point) -> Result<Option<PastTx>, ChainError> {
        let Some(block) = self.block_at(point.block)? else { return Ok(None) };
        let found = self.sent_at(block.first.saturating_add(u64::from(point.index)))?;
        Ok(found.filter(|sent| sent.point == point))
    }
    /// The transaction with a hash.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn transaction_named(&self, hash: B256) -> Result<Option<PastTx>, ChainError> {
        if let Some(seq) = self.names.transaction_of(hash) {
            return Ok(self.sent_at(seq)?.filter(|sent| sent.signed.is_none()));
        }
        let stretches = self.elders.iter().map(|(trail, until)| (trail, *until)).chain([(&self.trail, self.seq)]);
        for (trail, until) in stretches {
            let named = |sent: &&PastTx| sent.seq < until && sent.signed.as_ref().is_some_and(|s| s.hash == hash);
            if let Some(sent) = trail.sent.iter().find(named) {
                return Ok(Some(sent.clone()));
            }
        }
        match self.shelf.signed(hash)?.filter(|seq| *seq < self.shelved) {
            Some(seq) => self.shelf.sent(seq).map(Some),
            None => Ok(None),
        }
    }
    /// What a transaction is called.
    #[must_use]
    pub fn name_of(&self, sent: &PastTx) -> B256 {
        sent.signed.as_ref().map_or_else(|| self.names.transaction(sent.seq), |signed| signed.hash)
    }
    fn sent_at(&self, seq: u64) -> Result<Option<PastTx>, ChainError> {
        if seq >= self.seq {
            return Ok(None);
        }
        if seq < self.shelved {
            return self.shelf.sent(seq).map(Some);
        }
        let stretches =
            self.elders.iter().filter(|(_, until)| seq < *until).map(|(trail, _)| trail).chain([&self.trail]);
        Ok(stretches.rev().find_map(|trail| trail.sent(seq)).cloned())
    }

    /// The receipt of a transaction: it is run again where it stood.
    ///
    /// # Errors
    /// When the file cannot be read, or the transaction does not end as it did.
    pub fn mined(&mut self, sent: &PastTx) -> Result<Mined, ChainError> {
        let mut there = self.fork(sent.point)?;
        let ran = there.send(&again(sent), sent.signed.clone())?;
        if (ran.success, ran.gas_used, ran.created) != (sent.success, sent.gas_used, sent.created) {
            return Err(ChainError::Bug(format!("the transaction at {} ends otherwise than it did", sent.point)));
        }
        Ok(Mined { hash: self.name_of(sent), sent: sent.clone(), output: ran.output, logs: ran.logs })
    }
    /// Receipts of all transactions of a block, in order.
    ///
    /// # Errors
    /// As [`EmbeddedChain::mined`].
    pub fn mined_in(&mut self, number: u64) -> Result<Vec<Mined>, ChainError> {
        let Some(seen) = self.block(number)? else { return Ok(Vec::new()) };
        let mut mined = Vec::new();
        for index in 0..seen.transactions {
            if let Some(sent) = self.transaction(Point { block: number, index })? {
                mined.push(self.mined(&sent)?);
            }
        }
        Ok(mined)
    }

    /// What a transaction would return at the head. Whoever asks need not have ether; nothing is kept.
    ///
    /// # Errors
    /// When it could not be run.
    pub fn call(&mut self, tx: &Tx) -> Result<Ran, NotRun> {
        machine::run(&mut self.state, self.chain_id, &self.open, tx, Mode::Trial).map(|(ran, _)| ran)
    }
    /// The least gas with which a transaction would succeed at the head; its refusal when none would do.
    ///
    /// # Errors
    /// When it could not be run.
    pub fn estimate_gas(&mut self, tx: &Tx) -> Result<Result<u64, Ran>, NotRun> {
        let most = Tx { gas_limit: tx.gas_limit.clamp(21_000, machine::BLOCK_GAS), ..tx.clone() };
        let ran = self.call(&most)?;
        if !ran.success {
            return Ok(Err(ran));
        }
        let (mut low, mut high) = (ran.gas_used.saturating_sub(1), most.gas_limit);
        while high - low > 1 {
            let middle = low + (high - low).min(2 * low.max(21_000)) / 2;
            let enough = self.call(&Tx { gas_limit: middle, ..most.clone() }).is_ok_and(|ran| ran.success);
            *(if enough { &mut high } else { &mut low }) = middle;
        }
        Ok(Ok(high))
    }
    /// Let a transaction happen in the open block, as somebody outside signed it. It is not durable before
    /// [`EmbeddedChain::commit`].
    ///
    /// # Errors
    /// When it is not one that the chain can take: nonce, funds, gas.
    pub fn submit(&mut self, tx: &Tx, signed: SignedOutside) -> Result<Ran, NotRun> {
        self.send(tx, Some(signed))
    }

    /// Ether of an account at the head.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn balance(&mut self, who: Address) -> Result<U256, ChainError> {
        Ok(self.state.info(who)?.balance)
    }
    /// Transactions that an account has sent up to the head.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn nonce(&mut self, who: Address) -> Result<u64, ChainError> {
        Ok(self.state.info(who)?.nonce)
    }
    /// The code of a contract at the head.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn code_of(&mut self, who: Address) -> Result<Bytes, ChainError> {
        Ok(self.state.info(who)?.code.map(|code| code.original_bytes()).unwrap_or_default())
    }
    /// A slot of a contract's storage at the head.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn storage(&mut self, who: Address, slot: U256) -> Result<U256, ChainError> {
        Ok(self.state.slot(who, slot)?)
    }
}

/// A transaction that happened, to be run again.
fn again(sent: &PastTx) -> Tx {
    Tx {
        from: sent.from,
        to: sent.to,
        value: sent.value,
        data: sent.data.clone(),
        gas_limit: sent.gas_limit,
        nonce: Some(sent.nonce),
        max_fee: sent.max_fee,
        tip: sent.tip,
        access: sent.access.clone(),
    }
}
