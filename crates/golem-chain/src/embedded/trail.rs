//! What has happened and is not in the archive yet: transactions, blocks, and every change they made.

use alloy_primitives::{Address, B256, Bytes, U256};
use golem_core::Point;

use super::world::StateKey;

/// One value that one transaction changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueChange {
    /// The transaction, counted from the chain's beginning.
    pub seq: u64,
    /// What changed.
    pub key: StateKey,
    /// From.
    pub before: U256,
    /// To.
    pub after: U256,
}

/// A block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Its number.
    pub number: u64,
    /// Its time, in seconds since 1970.
    pub timestamp: u64,
    /// Its base fee, in wei.
    pub base_fee: u64,
    /// Its first transaction, counted from the chain's beginning.
    pub first: u64,
}

/// A transaction that happened, successfully or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastTx {
    /// Its place among all transactions since the chain began.
    pub seq: u64,
    /// Its place.
    pub point: Point,
    /// Who sent it.
    pub from: Address,
    /// The contract or account it went to; none when it made a contract.
    pub to: Option<Address>,
    /// Ether that went with it.
    pub value: U256,
    /// The sender's count of transactions before it.
    pub nonce: u64,
    /// Gas it could use at most.
    pub gas_limit: u64,
    /// What it would pay for a unit of gas at most.
    pub max_fee: u128,
    /// What of that goes to whoever makes the block.
    pub tip: u128,
    /// What it said.
    pub data: Bytes,
    /// Accounts and slots that it announced.
    pub access: Vec<(Address, Vec<B256>)>,
    /// The envelope, where it came from outside; transactions of our own carry no signature.
    pub signed: Option<SignedOutside>,
    /// True unless it reverted.
    pub success: bool,
    /// Gas it used.
    pub gas_used: u64,
    /// The contract it made.
    pub created: Option<Address>,
}

/// A transaction as it was signed outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedOutside {
    /// Its hash.
    pub hash: B256,
    /// Its bytes.
    pub envelope: Bytes,
}

/// A stretch of history.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    /// Where it begins, counted in transactions.
    pub first: u64,
    /// Blocks that were closed on it, oldest first.
    pub blocks: Vec<Block>,
    /// Transactions, oldest first.
    pub sent: Vec<PastTx>,
    /// Changes, oldest first.
    pub changes: Vec<ValueChange>,
}

impl Trail {
    /// One that begins at a transaction.
    pub fn at(first: u64) -> Self {
        Self { first, ..Self::default() }
    }
    /// Changes by transactions from one (inclusive) to another (exclusive), newest first.
    pub fn newest_first(&self, from: u64, until: u64) -> impl Iterator<Item = &ValueChange> {
        self.changes.iter().rev().skip_while(move |c| c.seq >= until).take_while(move |c| c.seq >= from)
    }
    /// The transaction at a place.
    pub fn sent(&self, seq: u64) -> Option<&PastTx> {
        let at = usize::try_from(seq.checked_sub(self.first)?).ok()?;
        self.sent.get(at)
    }
    /// The block with a number.
    pub fn block(&self, number: u64) -> Option<&Block> {
        let first = self.blocks.first()?.number;
        self.blocks.get(usize::try_from(number.checked_sub(first)?).ok()?)
    }
}
