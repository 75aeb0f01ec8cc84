//! Owners and golems for tests.

use ed25519_dalek::SigningKey;
use golem_core::{GolemId, Hash, OwnerId, VirtualTime};
use k256::ecdsa::SigningKey as OwnerKey;
use styx_wire::*;

/// An owner with its wallet.
pub struct Owner {
    key: OwnerKey,
    pub id: OwnerId,
    pub group: GroupSecret,
}

pub fn owner(n: u8) -> Owner {
    let key = OwnerKey::from_bytes(&[n; 32].into()).unwrap();
    let id = OwnerId(alloy_primitives::Address::from_private_key(&key).0.0);
    Owner { key, id, group: GroupSecret::of(&[n ^ 0x55; 32]) }
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
            expires_s: 2_000,
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

/// The first deltas of a golem, of these kinds.
pub fn chain(owner: &Owner, key: &SigningKey, kinds: &[DeltaKind]) -> Vec<SignedDelta> {
    let mut head = ChainHead::root(owner.id, OriginKey::of(key));
    let mut all = Vec::new();
    for (i, kind) in kinds.iter().enumerate() {
        let body = owner.group.public().seal(&[i as u8; 20], &[i as u8 + 1; 32]);
        let delta = SignedDelta::next(key, owner.id, head, *kind, VirtualTime(i as u64), body);
        head = delta.reached();
        all.push(delta);
    }
    all
}

pub fn word(text: &str) -> FieldWord {
    text.parse().unwrap()
}
