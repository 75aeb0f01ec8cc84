//! What signs: a pen signs what it is allowed to and nothing else. The sender asks; it never sees a key.

use alloy_consensus::TxEip1559;
use alloy_primitives::{Address, B256, Bytes};

/// A transaction that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inked {
    /// Its hash.
    pub hash: B256,
    /// What goes over the wire.
    pub raw: Bytes,
}

/// Signs for one account.
pub trait Pen {
    /// The account.
    fn account(&self) -> Address;
    /// Sign a transaction that something allows.
    ///
    /// # Errors
    /// Why it is not allowed.
    fn sign(&mut self, tx: TxEip1559) -> Result<Inked, String>;
    /// Sign what moves nothing: a transaction to oneself that only uses up its nonce.
    ///
    /// # Errors
    /// Why it is not allowed.
    fn sign_cancel(&mut self, tx: TxEip1559) -> Result<Inked, String>;
}
