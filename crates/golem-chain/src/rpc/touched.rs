//! Accounts and slots of a chain at one block, as far as something looked at them: enough to do the same again without
//! the chain.

use super::head::Head;
use super::owned::ReceiptOwned;
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256, keccak256};
use golem_core::Point;
use golem_venue::VenueError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountSeen {
    /// Its ether.
    pub balance: U256,
    /// How many transactions it sent.
    pub nonce: u64,
    /// The hash of its code.
    pub code_hash: B256,
}

/// The block that a fork goes on from, and the one that it is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkStage {
    /// The chain's id.
    pub chain_id: u64,
    /// The point, as it was asked for.
    pub point: Point,
    /// The last block whose state is under the fork.
    pub below: Head,
    /// Time of the block that the fork is inside of.
    pub timestamp: u64,
    /// Its base fee, in wei.
    pub base_fee: u64,
    /// The account whose own bookings are known, and what it owns by them.
    pub owner: Option<(Address, ReceiptOwned)>,
}

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedState {
    /// Where.
    pub stage: ForkStage,
    /// Accounts.
    pub accounts: BTreeMap<Address, AccountSeen>,
    /// Slots.
    pub slots: BTreeMap<(Address, U256), U256>,
    /// Code, by its hash.
    pub code: BTreeMap<B256, Bytes>,
    /// Hashes of earlier blocks.
    pub hashes: BTreeMap<u64, B256>,
}

impl TouchedState {
    /// Nothing yet.
    #[must_use]
    pub fn at(stage: ForkStage) -> Self {
        Self {
            stage,
            accounts: BTreeMap::new(),
            slots: BTreeMap::new(),
            code: BTreeMap::new(),
            hashes: BTreeMap::new(),
        }
    }
    /// As bytes.
    ///
    /// # Errors
    /// Never for plain data; the encoder's own word if it does.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self).map_err(|e| e.to_string())
    }
    /// From bytes. Code that does not have its hash is refused.
    ///
    /// # Errors
    /// When they are not what [`TouchedState::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let state: Self = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
        state.sound().map(|()| state)
    }
    /// Whether all code has its hash.
    pub(super) fn sound(&self) -> Result<(), String> {
        match self.code.iter().find(|(hash, code)| keccak256(code) != **hash) {
            None => Ok(()),
            Some((hash, _)) => Err(format!("the code {hash} is damaged")),
        }
    }
    /// Note an account with its code.
    pub(super) fn see(&mut self, address: Address, balance: U256, nonce: u64, code: &Bytes) {
        let code_hash = if code.is_empty() { KECCAK256_EMPTY } else { keccak256(code) };
        self.accounts.insert(address, AccountSeen { balance, nonce, code_hash });
        if !code.is_empty() {
            self.code.entry(code_hash).or_insert_with(|| code.clone());
        }
    }
}

/// Where a fork reads what it does not know itself.
pub trait Backing: std::fmt::Debug + Send {
    /// Where it stands.
    fn stage(&self) -> &ForkStage;
    /// An account; one that was never heard of is empty.
    ///
    /// # Errors
    /// When it cannot be known.
    fn account(&mut self, address: Address) -> Result<AccountSeen, String>;
    /// A slot; one that was never written is zero.
    ///
    /// # Errors
    /// When it cannot be known.
    fn slot(&mut self, address: Address, key: U256) -> Result<U256, String>;
    /// The code with a hash that an account was seen to have.
    ///
    /// # Errors
    /// When it cannot be known.
    fn code(&mut self, hash: B256) -> Result<Bytes, String>;
    /// The hash of an earlier block.
    ///
    /// # Errors
    /// When it cannot be known.
    fn block_hash(&mut self, number: u64) -> Result<B256, String>;
    /// What the node answers to a call, past the machine: for what no code on the chain tells. Nothing where there is no node.
    ///
    /// # Errors
    /// When it cannot be known.
    fn ask_node(&mut self, to: Address, data: &Bytes) -> Result<Option<Bytes>, String> {
        let _ = (to, data);
        Ok(None)
    }
    /// Everything that was looked at so far.
    fn touched(&self) -> &TouchedState;
    /// Why the last read failed, where that is more than words.
    fn take_fault(&mut self) -> Option<VenueError> {
        None
    }
}

/// What was recorded, and nothing else: whoever looks at something new is told so.
impl Backing for TouchedState {
    fn stage(&self) -> &ForkStage {
        &self.stage
    }
    fn account(&mut self, address: Address) -> Result<AccountSeen, String> {
        self.accounts.get(&address).copied().ok_or_else(|| format!("the account {address} was not recorded"))
    }
    fn slot(&mut self, address: Address, key: U256) -> Result<U256, String> {
        self.slots.get(&(address, key)).copied().ok_or_else(|| format!("slot {key:#x} of {address} was not recorded"))
    }
    fn code(&mut self, hash: B256) -> Result<Bytes, String> {
        self.code.get(&hash).cloned().ok_or_else(|| format!("the code {hash} was not recorded"))
    }
    fn block_hash(&mut self, number: u64) -> Result<B256, String> {
        self.hashes.get(&number).copied().ok_or_else(|| format!("the hash of block {number} was not recorded"))
    }
    fn touched(&self) -> &TouchedState {
        self
    }
}
