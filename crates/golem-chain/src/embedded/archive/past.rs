//! The archive as it was before one transaction: every value is looked up when it is asked for.

use super::ArchiveShelf;
use crate::embedded::stored::{StateError, code_hash};
use crate::embedded::world::{StateField, StateKey};
use alloy_primitives::{Address, B256, KECCAK256_EMPTY, U256};
use revm::state::{AccountInfo, Bytecode};

/// The state before a transaction.
#[derive(Debug, Clone)]
pub(in crate::embedded) struct Past {
    shelf: ArchiveShelf,
    seq: u64,
}

impl Past {
    /// Before transaction `seq`, which must have been written, or be the next to be.
    pub fn new(shelf: ArchiveShelf, seq: u64) -> Self {
        Self { shelf, seq }
    }
    /// An account; none when nothing is known of it.
    pub fn info(&mut self, address: Address) -> Result<Option<AccountInfo>, StateError> {
        let mut value = |field| self.value(StateKey { address, field });
        let (nonce, balance, code) = (value(StateField::Nonce)?, value(StateField::Balance)?, value(StateField::Code)?);
        if nonce.is_zero() && balance.is_zero() && code.is_zero() {
            return Ok(None);
        }
        let hash = code_hash(code);
        let code = if hash == KECCAK256_EMPTY { Some(Bytecode::default()) } else { self.code(hash)? };
        if code.is_none() {
            return Err(StateError(format!("the code of {address} is missing")));
        }
        Ok(Some(AccountInfo { balance, nonce: nonce.saturating_to(), code_hash: hash, code, ..AccountInfo::default() }))
    }
    /// A slot.
    pub fn slot(&mut self, address: Address, key: U256) -> Result<U256, StateError> {
        self.value(StateKey { address, field: StateField::Slot(key) })
    }
    /// The code with a hash.
    pub fn code(&mut self, hash: B256) -> Result<Option<Bytecode>, StateError> {
        self.shelf.code(hash).map_err(|e| StateError(e.to_string()))
    }
    /// Everything that has a value at some time.
    pub fn keys(&self) -> Result<Vec<StateKey>, StateError> {
        Ok(self.shelf.keys())
    }
    fn value(&mut self, key: StateKey) -> Result<U256, StateError> {
        self.shelf.value_before(key, self.seq).map_err(|e| StateError(e.to_string()))
    }
}
