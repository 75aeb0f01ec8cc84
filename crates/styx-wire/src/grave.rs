//! Graves and the blood on them: what a golem leaves at its death, signed by its own key, with its owner's certificate.

use crate::blob::{Blob, few};
use crate::certificate::{CertificateFault, OwnerCertificate, is_closed};
use crate::delta::ChainHead;
use crate::field::FieldWord;
use crate::keys::{WireSignature, digest};
use crate::limits::{GRAVE_BYTES, MARKS};
use ed25519_dalek::SigningKey;
use golem_core::{Hash, Regime, VirtualTime};
use serde::{Deserialize, Serialize};

const PURPOSE: &str = "bardo 2026 styx grave";

/// What a death marks: a place in the market where a golem of this kind died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StainMark {
    pub class: FieldWord,
    pub domain: FieldWord,
    pub regime: Regime,
    /// Thousandths.
    pub severity: u16,
}

/// What is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraveWords {
    /// Who died, and whose it was.
    pub certificate: OwnerCertificate,
    pub generation: u32,
    pub cause: FieldWord,
    pub tick: u64,
    pub at: VirtualTime,
    /// How far its chain goes: nothing later is ever taken from it.
    pub last: ChainHead,
    /// Of its testament.
    pub testament: Hash,
    #[serde(deserialize_with = "few::<_, _, MARKS>")]
    pub marks: Vec<StainMark>,
    /// Whether the marks may be told to everybody, without its name.
    pub public: bool,
    /// Warnings, causes, what it felt: sealed to the owner's group.
    pub private: Hash,
}

/// A grave as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedGrave {
    pub words: GraveWords,
    pub signature: WireSignature,
    pub private: Blob,
}

/// Why a grave is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GraveFault {
    /// Its certificate is worth nothing.
    #[error("its certificate: {0}")]
    Certificate(CertificateFault),
    /// The dead one did not sign it.
    #[error("the dead did not sign it")]
    Forged,
    /// Its sealed part is not what was signed.
    #[error("its sealed part is not what was signed")]
    Content,
    /// More than a grave holds.
    #[error("it is too large")]
    TooLarge,
}

impl SignedGrave {
    /// Sign it with the dead one's key.
    #[must_use]
    pub fn of(key: &SigningKey, words: GraveWords, private: Vec<u8>) -> Self {
        let words = GraveWords { private: Hash::of(&private), ..words };
        let signature = WireSignature::of(key, &digest(PURPOSE, &words));
        Self { words, signature, private: Blob(private) }
    }

    /// What names it.
    #[must_use]
    pub fn id(&self) -> Hash {
        digest(PURPOSE, &self.words)
    }

    /// Whether the dead one left it, of an owner that certified it. Expiry does not matter to the dead, revocation does.
    ///
    /// # Errors
    /// With the first thing that is wrong.
    pub fn check(&self, least_epoch: u64) -> Result<(), GraveFault> {
        let words = &self.words;
        if words.marks.len() > MARKS || self.private.0.len() > GRAVE_BYTES {
            return Err(GraveFault::TooLarge);
        }
        if is_closed(words.certificate.words.epoch, least_epoch) {
            return Err(GraveFault::Certificate(CertificateFault::Revoked));
        }
        words.certificate.check_signature().map_err(GraveFault::Certificate)?;
        if Hash::of(&self.private.0) != words.private {
            return Err(GraveFault::Content);
        }
        let signed = self.signature.is_of(&words.certificate.words.origin, &self.id());
        if signed { Ok(()) } else { Err(GraveFault::Forged) }
    }
}
