//! One private key: made, derived or read back, and used to sign a hash. It cannot be copied, printed or taken out.

use crate::error::Error;
use alloy_primitives::{Address, B256, Signature, hex};
use k256::ecdsa::SigningKey;
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// A secp256k1 private key, wiped from memory when dropped.
pub struct Key(SigningKey);

impl Key {
    /// A new one from the system's randomness.
    pub fn random() -> Result<Self, Error> {
        let mut secret = Zeroizing::new([0; 32]);
        loop {
            getrandom::fill(secret.as_mut()).map_err(|e| Error::Randomness(e.to_string()))?;
            // One in 2^128 draws lies beyond the curve's order.
            if let Ok(key) = Self::of(&secret) {
                return Ok(key);
            }
        }
    }

    /// The key with this secret number.
    pub fn of(secret: &[u8; 32]) -> Result<Self, Error> {
        SigningKey::from_bytes(secret.into()).map(Self).map_err(|_| Error::NotAKey)
    }

    /// From 64 hex digits, with or without `0x` and white space around them.
    pub fn from_hex(text: &[u8]) -> Result<Self, Error> {
        let digits = text.trim_ascii();
        let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
        let mut secret = Zeroizing::new([0; 32]);
        hex::decode_to_slice(digits, secret.as_mut()).map_err(|_| Error::NotAKey)?;
        Self::of(&secret)
    }

    /// The account it signs for.
    #[must_use]
    pub fn address(&self) -> Address {
        Address::from_private_key(&self.0)
    }

    /// The secret number itself, for sealing.
    pub(crate) fn secret(&self) -> Zeroizing<[u8; 32]> {
        let mut bytes = self.0.to_bytes();
        let secret = Zeroizing::new(bytes.into());
        bytes.as_mut_slice().zeroize();
        secret
    }

    /// A deterministic signature (RFC 6979), low half. `None` cannot happen with 32 bytes.
    pub(crate) fn sign(&self, hash: &B256) -> Option<Signature> {
        self.0.sign_prehash_recoverable(hash.as_slice()).ok().map(Signature::from)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key of {}", self.address())
    }
}

/// The account that a private key signs for.
pub fn address_of(secret: &[u8; 32]) -> Result<Address, Error> {
    Key::of(secret).map(|key| key.address())
}

/// A golem's key on chains of our own, from its secret: the same golem has the same account in every replay. Never for
/// money that is worth something elsewhere, since the secret is revealed at death.
#[must_use]
pub fn derive_golem_key(secret: &[u8; 32]) -> Key {
    let mut bytes = Zeroizing::new(*secret);
    loop {
        *bytes = blake3::derive_key("bardo 2026 wallet key", bytes.as_ref());
        if let Ok(key) = Key::of(&bytes) {
            return key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::address;

    /// Address of the private key 1, which every explorer knows, and two of the usual development keys.
    #[test]
    fn addresses_are_those_that_everybody_computes() {
        for (hex, address) in [
            (
                "0000000000000000000000000000000000000000000000000000000000000001",
                address!("7E5F4552091A69125d5DfCb7b8C2659029395Bdf"),
            ),
            (
                " 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n",
                address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
            ),
            (
                "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
                address!("70997970C51812dc3A010C7d01b50e0d17dc79C8"),
            ),
        ] {
            let key = Key::from_hex(hex.as_bytes()).unwrap();
            assert_eq!((key.address(), address_of(&key.secret()).unwrap()), (address, address));
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
        let zero = "0".repeat(64);
        for bad in ["", "0x", "12", &"1".repeat(63), &"1".repeat(65), &"g".repeat(64), &zero, order] {
            assert!(matches!(Key::from_hex(bad.as_bytes()), Err(Error::NotAKey)), "{bad:?} was taken");
        }
    }

    #[test]
    fn a_golem_has_the_same_account_in_every_replay() {
        let seed = [7; 32];
        assert_eq!(derive_golem_key(&seed).address(), derive_golem_key(&seed).address());
        assert_eq!(derive_golem_key(&seed).address(), address!("f9a7c5db75015d9a85cfa0e92306158fba7fca44"));
        assert_ne!(derive_golem_key(&[8; 32]).address(), derive_golem_key(&seed).address());
    }

    #[test]
    fn a_key_does_not_show_itself() {
        let key = derive_golem_key(&[7; 32]);
        let shown = format!("{key:?} {key:#?}");
        assert!(!shown.contains(&hex::encode(key.secret().as_ref())), "{shown}");
        assert_eq!(format!("{key:?}"), format!("Key of {}", key.address()));
    }
}
