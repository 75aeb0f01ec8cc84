//! The words of the relay between siblings: what golems and the relay say to each other, what is signed, sealed and chained,
//! and how much of it there may be.
//!
//! This crate opens no socket, reads no clock and throws no dice: moments and entropy come in from outside, so that every rule
//! can be tried by a table. The relay (`styx`) and the golems' side both import it.

pub mod archive;
pub mod blob;
pub mod certificate;
pub mod criteria;
pub mod cut;
pub mod delta;
pub mod field;
pub mod frame;
pub mod grave;
pub mod keys;
pub mod limits;
pub mod public;
pub mod pulse;
pub mod reader;
pub mod refuse;
pub mod seal;

pub use archive::{ArchiveManifest, ManifestFault, ManifestWords, RestoreFault};
pub use blob::Blob;
pub use certificate::{CertificateFault, CertificateWords, ClosedEpochs, LAST_EPOCH, OwnerCertificate, OwnerSignature};
pub use delta::{ChainHead, DeltaFault, DeltaHead, DeltaKind, DeltaLane, SignedDelta};
pub use field::{FieldScope, FieldWord, Pheromone, PheromoneDeposit, PheromoneLayer, Scent, ScentKey, SenseQuery};
pub use frame::{Challenge, DeltaReceipt, FrameFault, GolemFrame, Hello, LoggedDelta, RelayFrame, Welcome};
pub use grave::{GraveFault, GraveWords, SignedGrave, StainMark};
pub use keys::{LogId, OriginKey, WireSignature};
pub use limits::{BucketRate, RateBucket, RelayLimits};
pub use public::PublicNotice;
pub use pulse::{PulseTerms, PulseWords, SignedPulse};
pub use reader::{ChainReader, HeadsReport, ReaderNotice};
pub use refuse::RefuseReason;
pub use seal::{GroupPublic, GroupSecret};
