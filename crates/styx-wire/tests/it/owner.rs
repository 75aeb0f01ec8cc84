//! Owners and golems for tests. Shared by `#[path]` with the relay's tests.

use ed25519_dalek::SigningKey;
use golem_core::{GolemId, Hash, OwnerId};
use k256::ecdsa::SigningKey as OwnerKey;
use styx_wire::*;

/// An owner with its wallet.
pub struct Owner {
    key: OwnerKey,
    pub id: OwnerId,
    pub group: GroupSecret,
    /// Until when what it certifies holds.
    pub expires_s: u64,
}

pub fn owner_until(n: u8, expires_s: u64) -> Owner {
    let key = OwnerKey::from_bytes(&[n; 32].into()).unwrap();
    let point = key.verifying_key().to_encoded_point(false);
    let id = OwnerId(alloy_primitives::keccak256(&point.as_bytes()[1..]).0[12..].try_into().unwrap());
    Owner { key, id, group: GroupSecret::of(&[n ^ 0x55; 32]), expires_s }
}

impl Owner {
    pub fn sign(&self, hash: &Hash) -> OwnerSignature {
        let (signature, recovery) = self.key.sign_prehash_recoverable(&hash.0).unwrap();
        let mut bytes = [0; 65];
        bytes[..64].copy_from_slice(&signature.to_bytes());
        bytes[64] = 27 + recovery.to_byte();
        OwnerSignature::from_bytes(&bytes)
    }
    pub fn words(&self, golem: &SigningKey) -> CertificateWords {
        CertificateWords {
            owner: self.id,
            origin: OriginKey::of(golem),
            golem: GolemId([golem.to_bytes()[0]; 16]),
            group: self.group.public().name(),
            epoch: 3,
            issued_s: 1_000,
            expires_s: self.expires_s,
        }
    }
    pub fn certify(&self, golem: &SigningKey) -> OwnerCertificate {
        self.certified(self.words(golem))
    }
    pub fn certified(&self, words: CertificateWords) -> OwnerCertificate {
        OwnerCertificate { words, signature: self.sign(&words.signing_hash()) }
    }
}

pub fn golem(n: u8) -> SigningKey {
    SigningKey::from_bytes(&[n; 32])
}
