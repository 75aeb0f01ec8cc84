//! A delta: one thing that a golem tells its siblings, signed, chained to what it told before, and sealed to them.

use crate::blob::Blob;
use crate::keys::{OriginKey, WireSignature, digest};
use crate::limits::{PAYLOAD_BYTES, URGENT_BYTES};
use ed25519_dalek::SigningKey;
use golem_core::{Hash, OwnerId, VirtualTime};
use serde::{Deserialize, Serialize};

const PURPOSE: &str = "bardo 2026 styx delta";
const ROOT: &str = "bardo 2026 styx chain";

/// What is told. The relay sees the kind, and nothing of what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaKind {
    Insight,
    Heuristic,
    Warning,
    CausalLink,
    StrategyFragment,
    /// The market is another than it was.
    RegimeShift,
    /// What a sibling told has been tried here, and how that went.
    Validation,
    /// A golem suffers badly.
    Crisis,
    /// A golem has died, or is about to.
    Death,
    /// How far it has read whom: siblings hold it against what they were shown.
    Heads,
}

/// How it travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaLane {
    /// At once, past everything that waits.
    Urgent,
    /// With a batch.
    Batch,
}

impl DeltaKind {
    pub const ALL: [Self; 10] = [
        Self::Insight,
        Self::Heuristic,
        Self::Warning,
        Self::CausalLink,
        Self::StrategyFragment,
        Self::RegimeShift,
        Self::Validation,
        Self::Crisis,
        Self::Death,
        Self::Heads,
    ];

    /// How it travels, and from which budget it is paid.
    #[must_use]
    pub fn lane(self) -> DeltaLane {
        match self {
            Self::Warning | Self::RegimeShift | Self::Crisis | Self::Death => DeltaLane::Urgent,
            Self::Insight | Self::Heuristic | Self::CausalLink | Self::StrategyFragment => DeltaLane::Batch,
            Self::Validation | Self::Heads => DeltaLane::Batch,
        }
    }

    /// The longest sealed body.
    #[must_use]
    pub fn most_bytes(self) -> usize {
        if self.lane() == DeltaLane::Urgent { URGENT_BYTES } else { PAYLOAD_BYTES }
    }
}

/// What is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeltaHead {
    pub owner: OwnerId,
    pub origin: OriginKey,
    /// From 1, without holes.
    pub seq: u64,
    /// The id of the one before; of the first, the root of the chain.
    pub previous: Hash,
    pub kind: DeltaKind,
    /// The golem's own time.
    pub at: VirtualTime,
    /// Of the sealed body.
    pub content: Hash,
    /// What came before is not to be had any more, and its origin says so itself: readers see it as a gap, the relay takes it.
    pub anew: bool,
}

/// A delta as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedDelta {
    pub head: DeltaHead,
    pub signature: WireSignature,
    /// Sealed to the owner's group.
    pub payload: Blob,
}

/// How far a chain goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChainHead {
    /// 0 before the first.
    pub seq: u64,
    pub id: Hash,
}

/// Why a delta is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeltaFault {
    /// Of another owner's log.
    #[error("it is of another owner")]
    WrongOwner,
    /// Its origin did not sign it, or it was changed.
    #[error("its origin did not sign it")]
    Forged,
    /// The body is not the one that was signed.
    #[error("its body is not what was signed")]
    Content,
    /// Longer than its kind may be.
    #[error("its body is too long")]
    TooLarge,
    /// No place in any chain: number 0, or a first one that follows something.
    #[error("it has no place in a chain")]
    NoPlace,
    /// What comes before it is missing.
    #[error("the chain goes on with {expected}")]
    Gap {
        /// The next of the chain.
        expected: u64,
    },
    /// Another one has its place, or it follows another one.
    #[error("the chain has another link there")]
    Forked,
}

impl ChainHead {
    /// Before the first delta.
    #[must_use]
    pub fn root(owner: OwnerId, origin: OriginKey) -> Self {
        Self { seq: 0, id: digest(ROOT, &(owner, origin)) }
    }
}

impl DeltaHead {
    /// What names it, and what is signed.
    #[must_use]
    pub fn id(&self) -> Hash {
        digest(PURPOSE, self)
    }
}

impl SignedDelta {
    /// The next of a chain.
    #[must_use]
    pub fn next(
        key: &SigningKey,
        owner: OwnerId,
        after: ChainHead,
        kind: DeltaKind,
        at: VirtualTime,
        sealed: Vec<u8>,
    ) -> Self {
        let head = DeltaHead {
            owner,
            origin: OriginKey::of(key),
            seq: after.seq.saturating_add(1),
            previous: after.id,
            kind,
            at,
            content: Hash::of(&sealed),
            anew: false,
        };
        Self { head, signature: WireSignature::of(key, &head.id()), payload: Blob(sealed) }
    }

    /// How far the chain goes with it.
    #[must_use]
    pub fn reached(&self) -> ChainHead {
        ChainHead { seq: self.head.seq, id: self.head.id() }
    }

    /// Everything that can be said of it alone: whose it is, that it is whole, and that its origin signed it.
    ///
    /// # Errors
    /// With the first thing that is wrong.
    pub fn check(&self, owner: OwnerId) -> Result<(), DeltaFault> {
        let head = &self.head;
        if head.owner != owner {
            return Err(DeltaFault::WrongOwner);
        }
        if self.payload.0.len() > head.kind.most_bytes() {
            return Err(DeltaFault::TooLarge);
        }
        let first = head.previous == ChainHead::root(owner, head.origin).id;
        // Numbers beyond what a database counts are nobody's.
        if head.seq == 0 || head.seq > i64::MAX as u64 || (head.seq == 1) != first {
            return Err(DeltaFault::NoPlace);
        }
        if Hash::of(&self.payload.0) != head.content {
            return Err(DeltaFault::Content);
        }
        if self.signature.is_of(&head.origin, &head.id()) { Ok(()) } else { Err(DeltaFault::Forged) }
    }

    /// Whether it goes on with a chain. Where nothing is known of the chain, it may begin anywhere.
    ///
    /// # Errors
    /// [`DeltaFault::Gap`] or [`DeltaFault::Forked`].
    pub fn follows(&self, chain: Option<ChainHead>) -> Result<(), DeltaFault> {
        let Some(chain) = chain else { return Ok(()) };
        let expected = chain.seq.saturating_add(1);
        if self.head.seq == expected {
            return if self.head.previous == chain.id || self.head.anew { Ok(()) } else { Err(DeltaFault::Forked) };
        }
        if self.head.seq > expected {
            return if self.head.anew { Ok(()) } else { Err(DeltaFault::Gap { expected }) };
        }
        Err(DeltaFault::Forked)
    }
}
