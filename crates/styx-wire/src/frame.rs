//! The frames of the socket: a version, then one word of what a golem or the relay says. No type of a frame contains itself, so no
//! frame is deeper than its type, and lists are refused by their length before there is room made for them.

use crate::archive::ArchiveManifest;
use crate::blob::{Blob, few};
use crate::certificate::{ClosedEpochs, OwnerCertificate};
use crate::delta::{ChainHead, SignedDelta};
use crate::field::{PheromoneDeposit, Scent, SenseQuery};
use crate::grave::SignedGrave;
use crate::keys::{LogId, OriginKey, WireSignature, digest};
use crate::limits::{BATCH, FRAME_BYTES, MANIFEST_CHUNKS, SCENTS};
use crate::pulse::SignedPulse;
use crate::refuse::RefuseReason;
use ed25519_dalek::SigningKey;
use golem_core::Hash;
use serde::{Deserialize, Serialize};

/// The version of everything here.
pub const WIRE_VERSION: u8 = 1;
const HELLO: &str = "bardo 2026 styx hello";
/// The most certificates, pulses or manifests in one answer.
pub const LISTED: usize = 64;

/// What the relay asks first. The nonce is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    pub log: LogId,
    pub nonce: Hash,
}

/// The answer: a certificate, and a signature that only its golem can make, now, for the relay that it dialled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub certificate: OwnerCertificate,
    /// The host and port that the golem dialled: an answer for one relay opens no other.
    pub dialled: String,
    pub signature: WireSignature,
}

/// Let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub log: LogId,
    /// The last position of the owner's log; 0 where it is empty.
    pub head: u64,
    /// The first position that is still kept.
    pub oldest: u64,
    /// The last position that this golem said to have taken.
    pub cursor: u64,
    /// How far the relay knows this golem's own chain.
    pub chain: Option<ChainHead>,
    /// Certificates below are worth nothing.
    pub least_epoch: u64,
}

/// A delta with its position in its owner's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedDelta {
    pub position: u64,
    pub delta: SignedDelta,
}

/// What became of one delta of a push. Kept is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeltaReceipt {
    /// Kept at this position: now, or when it came the first time.
    Kept { id: Hash, position: u64 },
    /// Of a part of the chain that was kept and has expired.
    Past { id: Hash },
    /// Refused; nothing was kept.
    Refused { id: Hash, reason: RefuseReason },
}

/// What a golem says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GolemFrame {
    Hello(Box<Hello>),
    /// Answered by [`RelayFrame::Ack`], one receipt for each.
    Push(#[serde(deserialize_with = "few::<_, _, BATCH>")] Vec<SignedDelta>),
    /// From now on, be told what comes after this position.
    Follow {
        after: u64,
    },
    /// Everything up to this position has been taken, durably.
    Took {
        upto: u64,
    },
    Pulse(SignedPulse),
    Deposit(PheromoneDeposit),
    Sense(SenseQuery),
    Bury(Box<SignedGrave>),
    /// The graves of the owner's golems in the order of their keys, after this one.
    Graves {
        after: Option<OriginKey>,
    },
    /// Certificates and last pulses of all siblings, from this number on.
    Siblings {
        from: u32,
    },
    /// A backup: answered by what is missing of it.
    Offer(ArchiveManifest),
    /// A piece that was missing.
    Chunk(Blob),
    /// The manifests of the owner's golems, newest first.
    Archives,
    /// A piece of an archive.
    Fetch {
        chunk: Hash,
    },
    /// Close epochs, as the owner signed it.
    Close(ClosedEpochs),
    /// A token for reads over HTTP.
    Token,
}

/// What the relay says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RelayFrame {
    Challenge(Challenge),
    Welcome(Welcome),
    Ack(#[serde(deserialize_with = "few::<_, _, BATCH>")] Vec<DeltaReceipt>),
    /// What comes next of the log: everything of others up to a position.
    Deltas {
        #[serde(deserialize_with = "few::<_, _, BATCH>")]
        deltas: Vec<LoggedDelta>,
        upto: u64,
    },
    /// One that does not wait for its turn; it comes again with the log.
    Urgent(LoggedDelta),
    /// The log begins later than what was asked for: what is older has expired.
    Expired {
        oldest: u64,
    },
    Field(#[serde(deserialize_with = "few::<_, _, SCENTS>")] Vec<Scent>),
    /// Done, for whatever has no better answer.
    Done,
    Graves {
        #[serde(deserialize_with = "few::<_, _, LISTED>")]
        graves: Vec<SignedGrave>,
        more: bool,
    },
    Siblings {
        #[serde(deserialize_with = "few::<_, _, LISTED>")]
        siblings: Vec<(OwnerCertificate, Option<SignedPulse>)>,
        more: bool,
    },
    /// A sibling's pulse, as it comes.
    Pulse(SignedPulse),
    /// What of an offer is missing; nothing, once it is all there and kept.
    Want(#[serde(deserialize_with = "few::<_, _, MANIFEST_CHUNKS>")] Vec<Hash>),
    /// One manifest of the archive, and how many more come.
    Manifest {
        manifest: Box<ArchiveManifest>,
        more: u32,
    },
    Chunk(Blob),
    Token(String),
    Refuse(RefuseReason),
}

/// Why bytes are no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    #[error("it is too long")]
    TooLarge,
    #[error("it is of another version")]
    Version,
    #[error("it is no frame")]
    Malformed,
}

impl FrameFault {
    /// As it is said on the wire.
    #[must_use]
    pub fn reason(self) -> RefuseReason {
        match self {
            Self::TooLarge => RefuseReason::TooLarge,
            Self::Version => RefuseReason::Version,
            Self::Malformed => RefuseReason::Malformed,
        }
    }
}

/// A frame as bytes.
#[must_use]
pub fn encode<T: Serialize>(frame: &T) -> Vec<u8> {
    golem_core::plain::bytes_onto(frame, vec![WIRE_VERSION])
}

/// Bytes as a frame, and nothing after it.
///
/// # Errors
/// When they are none.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, FrameFault> {
    if bytes.len() > FRAME_BYTES {
        return Err(FrameFault::TooLarge);
    }
    match bytes.split_first() {
        Some((&WIRE_VERSION, rest)) => match postcard::take_from_bytes(rest) {
            Ok((frame, [])) => Ok(frame),
            Ok(_) | Err(_) => Err(FrameFault::Malformed),
        },
        Some(_) => Err(FrameFault::Version),
        None => Err(FrameFault::Malformed),
    }
}

impl Hello {
    /// Answer a challenge.
    #[must_use]
    pub fn answer(key: &SigningKey, certificate: OwnerCertificate, challenge: &Challenge, dialled: &str) -> Self {
        let signature = WireSignature::of(key, &said(&certificate, challenge, dialled));
        Self { certificate, dialled: dialled.to_owned(), signature }
    }

    /// Whether the golem of the certificate answers this challenge.
    #[must_use]
    pub fn answers(&self, challenge: &Challenge) -> bool {
        let origin: OriginKey = self.certificate.words.origin;
        self.dialled.len() <= 255 && self.signature.is_of(&origin, &said(&self.certificate, challenge, &self.dialled))
    }
}

fn said(certificate: &OwnerCertificate, challenge: &Challenge, dialled: &str) -> Hash {
    digest(HELLO, &(WIRE_VERSION, challenge, certificate, dialled))
}

/// Something that was kept in its compact form, and nothing after it.
#[must_use]
pub fn read_kept<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((kept, [])) => Some(kept),
        Ok(_) | Err(_) => None,
    }
}
