//! A pen that signs whatever it is given, and can be told not to: what is under test is the sender, not the permit.

use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_primitives::{Address, B256};
use alloy_signer::SignerSync;
use alloy_signer_local::PrivateKeySigner;
use golem_chain::rpc::{Inked, Pen};

/// A test's own key.
pub struct AnyPen {
    key: PrivateKeySigner,
    /// False like a pen whose permit is gone: only what moves nothing is signed.
    pub permitted: bool,
    /// Signatures given.
    pub signed: usize,
}

impl AnyPen {
    /// The pen of a key that is only good for tests.
    pub fn of(n: u8) -> Self {
        let key = PrivateKeySigner::from_bytes(&B256::repeat_byte(n)).expect("a key");
        Self { key, permitted: true, signed: 0 }
    }

    fn ink(&mut self, tx: TxEip1559) -> Inked {
        self.signed += 1;
        let signature = self.key.sign_hash_sync(&tx.signature_hash()).expect("a signature");
        let signed = tx.into_signed(signature);
        let mut raw = Vec::new();
        signed.eip2718_encode(&mut raw);
        Inked { hash: *signed.hash(), raw: raw.into() }
    }
}

impl Pen for AnyPen {
    fn account(&self) -> Address {
        self.key.address()
    }
    fn sign(&mut self, tx: TxEip1559) -> Result<Inked, String> {
        if self.permitted { Ok(self.ink(tx)) } else { Err("no permit".into()) }
    }
    fn sign_cancel(&mut self, tx: TxEip1559) -> Result<Inked, String> {
        Ok(self.ink(tx))
    }
}
