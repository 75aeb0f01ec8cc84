//! What an owner signs: that a golem's key is one of its golems (EIP-712, with the owner's secp256k1 key), until when, and of which
//! epoch; and which epochs are closed. No chain is asked, so that a relay works offline.

use crate::keys::OriginKey;
use alloy_primitives::{Address, B256, FixedBytes, Signature};
use alloy_sol_types::{Eip712Domain, SolStruct, eip712_domain, sol};
use golem_core::{GolemId, Hash, OwnerId};
use serde::{Deserialize, Serialize};

sol! {
    struct GolemCertificate {
        address owner;
        bytes32 golemKey;
        bytes16 golemId;
        bytes32 groupKey;
        uint64 epoch;
        uint64 issuedAt;
        uint64 expiresAt;
    }
    struct ClosedGolemEpochs {
        address owner;
        uint64 leastEpoch;
        uint64 issuedAt;
    }
}

/// The words of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertificateWords {
    pub owner: OwnerId,
    pub origin: OriginKey,
    pub golem: GolemId,
    /// The public key that the owner's golems seal to.
    pub group: Hash,
    /// Certificates of an epoch that the owner has closed are worth nothing.
    pub epoch: u64,
    /// Unix seconds.
    pub issued_s: u64,
    /// Unix seconds; from then on it is worth nothing.
    pub expires_s: u64,
}

/// Words, and the owner's signature over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerCertificate {
    pub words: CertificateWords,
    pub signature: OwnerSignature,
}

/// r, s and v (27 or 28), as wallets write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerSignature {
    pub r: Hash,
    pub s: Hash,
    pub v: u8,
}

/// That certificates below an epoch are worth nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedEpochs {
    pub owner: OwnerId,
    pub least_epoch: u64,
    pub issued_s: u64,
    pub signature: OwnerSignature,
}

/// Why a certificate is worth nothing. Only ever told to who keeps the relay: on the wire all of it is one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CertificateFault {
    /// The signature is none, or has a twin.
    #[error("its signature is malformed")]
    Malformed,
    /// Somebody else signed it, or its words were changed.
    #[error("its owner did not sign it")]
    Forged,
    /// It is for somebody else's golems.
    #[error("it is of another owner")]
    WrongOwner,
    /// It names no key, or one that anybody can sign for.
    #[error("it names no key")]
    WeakKey,
    /// It begins in the future.
    #[error("it is not valid yet")]
    NotYet,
    /// Its time is over.
    #[error("it has expired")]
    Expired,
    /// Its epoch was closed.
    #[error("it was revoked")]
    Revoked,
}

/// How far in the future a certificate may have been issued: clocks differ.
const SKEW_S: u64 = 300;

/// The epoch that is never opened: whoever closes all before it closes for good, also for whoever else has the owner's key.
pub const LAST_EPOCH: u64 = u64::MAX;

/// Whether certificates of an epoch are worth nothing.
pub(crate) fn is_closed(epoch: u64, least_epoch: u64) -> bool {
    epoch < least_epoch || epoch == LAST_EPOCH
}

fn domain() -> Eip712Domain {
    eip712_domain! { name: "Bardo Styx", version: "1", }
}

impl CertificateWords {
    /// What the owner's wallet signs.
    #[must_use]
    pub fn signing_hash(&self) -> Hash {
        let words = GolemCertificate {
            owner: Address::from(self.owner.0),
            golemKey: B256::from(self.origin.0),
            golemId: FixedBytes::from(self.golem.0),
            groupKey: B256::from(self.group.0),
            epoch: self.epoch,
            issuedAt: self.issued_s,
            expiresAt: self.expires_s,
        };
        Hash(words.eip712_signing_hash(&domain()).0)
    }
}

impl OwnerCertificate {
    /// Whether it was signed by the owner that it names, whatever the time is.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn check_signature(&self) -> Result<(), CertificateFault> {
        if !self.words.origin.is_key() {
            return Err(CertificateFault::WeakKey);
        }
        self.signature.check(&self.words.signing_hash(), self.words.owner)
    }

    /// Whether it stands at a moment, with this least epoch of its owner.
    ///
    /// # Errors
    /// With the first thing that is wrong.
    pub fn check(&self, now_s: u64, least_epoch: u64) -> Result<(), CertificateFault> {
        self.check_signature()?;
        let words = &self.words;
        if is_closed(words.epoch, least_epoch) {
            return Err(CertificateFault::Revoked);
        }
        if words.issued_s > now_s.saturating_add(SKEW_S) || words.issued_s >= words.expires_s {
            return Err(CertificateFault::NotYet);
        }
        if words.expires_s <= now_s { Err(CertificateFault::Expired) } else { Ok(()) }
    }

    /// As a sibling reads it: of the own owner, not revoked, and not over for longer than what it signed is kept.
    ///
    /// # Errors
    /// With the first thing that is wrong.
    pub fn check_as_sibling(
        &self,
        owner: OwnerId,
        now_s: u64,
        least_epoch: u64,
        kept_s: u64,
    ) -> Result<(), CertificateFault> {
        if self.words.owner != owner {
            return Err(CertificateFault::WrongOwner);
        }
        let at = now_s.min(self.words.expires_s.saturating_sub(1));
        let over = now_s.saturating_sub(self.words.expires_s);
        if over > kept_s { Err(CertificateFault::Expired) } else { self.check(at, least_epoch) }
    }
}

impl ClosedEpochs {
    /// What the owner's wallet signs.
    #[must_use]
    pub fn signing_hash(owner: OwnerId, least_epoch: u64, issued_s: u64) -> Hash {
        let words = ClosedGolemEpochs { owner: Address::from(owner.0), leastEpoch: least_epoch, issuedAt: issued_s };
        Hash(words.eip712_signing_hash(&domain()).0)
    }

    /// Whether its owner signed it.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn check(&self) -> Result<(), CertificateFault> {
        self.signature.check(&Self::signing_hash(self.owner, self.least_epoch, self.issued_s), self.owner)
    }
}

impl OwnerSignature {
    /// From r, s and v in a row.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 65]) -> Self {
        let half = |from: usize| {
            let mut half = [0; 32];
            half.copy_from_slice(&bytes[from..from + 32]);
            Hash(half)
        };
        Self { r: half(0), s: half(32), v: bytes[64] }
    }

    fn check(&self, hash: &Hash, owner: OwnerId) -> Result<(), CertificateFault> {
        let mut bytes = [0; 65];
        bytes[..32].copy_from_slice(&self.r.0);
        bytes[32..64].copy_from_slice(&self.s.0);
        bytes[64] = self.v;
        let signature = Signature::from_raw(&bytes).map_err(|_| CertificateFault::Malformed)?;
        // A larger s has a twin, and would be a second spelling of the same certificate.
        if !matches!(self.v, 27 | 28) || signature.normalize_s().is_some() {
            return Err(CertificateFault::Malformed);
        }
        let found =
            signature.recover_address_from_prehash(&B256::from(hash.0)).map_err(|_| CertificateFault::Malformed)?;
        if found == Address::ZERO || found != Address::from(owner.0) { Err(CertificateFault::Forged) } else { Ok(()) }
    }
}
