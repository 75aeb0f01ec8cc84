//! A pulse: a golem says that it lives, how well, and under which terms; siblings may weigh its word by that.

use crate::delta::ChainHead;
use crate::field::FieldWord;
use crate::keys::{OriginKey, WireSignature, digest};
use ed25519_dalek::SigningKey;
use golem_core::{OwnerId, VirtualTime};
use serde::{Deserialize, Serialize};

const PURPOSE: &str = "bardo 2026 styx pulse";

/// Under which terms a golem lives: what it says costs the immortal nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PulseTerms {
    Mortal,
    SelfHosted,
    Immortal,
    Recorded,
}

/// What is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PulseWords {
    pub owner: OwnerId,
    pub origin: OriginKey,
    /// Grows with every pulse: an older one does not come back.
    pub count: u64,
    pub tick: u64,
    pub at: VirtualTime,
    pub phase: FieldWord,
    /// Thousandths.
    pub vitality: u16,
    pub terms: PulseTerms,
    pub dreaming: bool,
    /// How far its own chain goes: a relay cannot hide the end of it.
    pub chain: ChainHead,
}

/// A pulse as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedPulse {
    pub words: PulseWords,
    pub signature: WireSignature,
}

impl SignedPulse {
    /// Sign it.
    #[must_use]
    pub fn of(key: &SigningKey, words: PulseWords) -> Self {
        let signature = WireSignature::of(key, &digest(PURPOSE, &words));
        Self { words, signature }
    }
    /// Whether it stands, and is of this golem of this owner.
    #[must_use]
    pub fn is_from(&self, owner: OwnerId, origin: OriginKey) -> bool {
        self.words.owner == owner && self.words.origin == origin && self.stands()
    }
    /// Whether its golem signed it, and its numbers can be.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.words.vitality <= 1_000 && self.signature.is_of(&self.words.origin, &digest(PURPOSE, &self.words))
    }
}
