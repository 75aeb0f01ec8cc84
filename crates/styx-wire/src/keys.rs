//! Who signs: a golem's key, its signature, and what is signed.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use golem_core::Hash;
use serde::{Deserialize, Serialize};

golem_core::hex_id!(
    /// A golem as the relay knows it: its ed25519 verifying key.
    OriginKey, 32
);
golem_core::hex_id!(
    /// One store of one relay, drawn when it was made: a relay that lost its disk comes back with another.
    LogId, 16
);

/// An ed25519 signature.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireSignature([[u8; 32]; 2]);

/// What every signature of this protocol begins with, whatever it is over.
const TAG: &[u8] = b"bardo styx 1\0";

impl std::fmt::Debug for WireSignature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        golem_core::hash::write_hex(f, &self.0[0][..8])
    }
}

impl WireSignature {
    /// Sign a digest with a golem's key.
    #[must_use]
    pub fn of(key: &SigningKey, digest: &Hash) -> Self {
        let bytes = key.sign(&message(digest)).to_bytes();
        let mut halves = [[0; 32]; 2];
        for (half, part) in halves.iter_mut().zip(bytes.chunks_exact(32)) {
            half.copy_from_slice(part);
        }
        Self(halves)
    }

    /// Whether this golem signed this digest. Strict: a signature has one spelling, and weak keys sign nothing.
    #[must_use]
    pub fn is_of(&self, origin: &OriginKey, digest: &Hash) -> bool {
        let mut bytes = [0; 64];
        for (part, half) in bytes.chunks_exact_mut(32).zip(&self.0) {
            part.copy_from_slice(half);
        }
        VerifyingKey::from_bytes(&origin.0)
            .is_ok_and(|key| key.verify_strict(&message(digest), &Signature::from_bytes(&bytes)).is_ok())
    }

    /// The same with one bit turned, for whoever tries what is refused.
    #[must_use]
    pub fn with_bit_turned(mut self, at: u16) -> Self {
        let at = usize::from(at) % 512;
        self.0[at / 256][at / 8 % 32] ^= 1 << (at % 8);
        self
    }
}

impl OriginKey {
    /// The name of a signing key.
    #[must_use]
    pub fn of(key: &SigningKey) -> Self {
        Self(key.verifying_key().to_bytes())
    }
    /// Whether anything can be signed with it that only its holder can sign.
    #[must_use]
    pub fn is_key(&self) -> bool {
        VerifyingKey::from_bytes(&self.0).is_ok_and(|key| !key.is_weak())
    }
}

/// The digest of words for one purpose: the same words for another purpose have another.
#[must_use]
pub fn digest<T: Serialize>(purpose: &str, words: &T) -> Hash {
    Hash(blake3::derive_key(purpose, &golem_core::plain::bytes(words)))
}

fn message(digest: &Hash) -> Vec<u8> {
    [TAG, &digest.0].concat()
}
