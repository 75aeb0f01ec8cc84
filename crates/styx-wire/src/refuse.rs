//! Why something was refused, as it is said on the wire: nothing here tells a stranger what would have been let in.

use serde::{Deserialize, Serialize};

/// One word for each thing that the other side can do something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum RefuseReason {
    /// Another version of this protocol.
    #[error("another version is spoken here")]
    Version,
    /// Not a frame, or not one that is expected now.
    #[error("that is no frame for this moment")]
    Malformed,
    /// Whatever is wrong with who it says to be: forged, of another owner, expired and revoked are one word.
    #[error("not admitted")]
    NotAdmitted,
    /// Not signed by who it names, or not what was signed.
    #[error("not accepted")]
    NotAccepted,
    /// Longer than may be.
    #[error("too large")]
    TooLarge,
    /// More than is granted; come back after so many seconds.
    #[error("over the quota for another {after_s} s")]
    OverQuota {
        /// Seconds.
        after_s: u32,
    },
    /// No place left.
    #[error("full")]
    Full,
    /// What came before is missing: this is the next of the chain.
    #[error("the chain goes on with {expected}")]
    Gap {
        /// The sequence that would be accepted.
        expected: u64,
    },
    /// Another delta has this place of the chain.
    #[error("the chain has another link there")]
    Forked,
    /// Who signs it is dead.
    #[error("its origin is buried")]
    Dead,
    /// Nothing of that name is here, or not for this golem.
    #[error("not here")]
    Absent,
    /// The store does not answer; nothing was kept.
    #[error("not available at the moment")]
    Unavailable,
    /// Another socket of the same golem was opened.
    #[error("replaced by a newer connection")]
    Replaced,
    /// The relay is going down; what was acknowledged is kept.
    #[error("the relay is stopping")]
    Stopping,
    /// The key was certified for another golem of the same owner.
    #[error("another golem speaks with this key")]
    OtherGolem,
}
