//! The words of a succession: its steps, what can happen in each, what comes next, and what the owner is told.

use super::config::ProvisionConfig;
use super::halt::SuccessionHalt;
use golem_core::{GolemId, Hash, Name, Timestamp, Usdc};
use serde::{Deserialize, Serialize};

/// What is to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuccessionStep {
    /// What the dead one leaves is compressed and sealed.
    Export,
    /// Settings for the successor, by the testament's advice.
    Compile,
    /// The two ways of life are held against each other.
    Compare,
    /// The owner's credit is set aside.
    Reserve,
    /// A place to live.
    Provision,
    /// The heir is born with what was set aside.
    Fund,
    /// Its identity.
    Register,
    /// Its first heartbeat.
    Boot,
    /// What was begun is taken back: somebody else was quicker, or the owner's word no longer holds.
    Undo,
    /// Nothing more.
    Done,
}

/// An heir as it was decided, before it is born.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledHeir {
    /// What it will be called.
    pub name: Name,
    /// Its settings, as a file.
    pub settings: String,
    /// What it is given.
    pub budget: Usdc,
    /// Whether it inherits what the dead one knew.
    pub inherits: bool,
    /// What is kept from it, since the testament advises against it: by their roots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Hash>,
}

/// Where its identity stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "identity")]
pub enum IdentityState {
    /// Not come to yet.
    #[default]
    Pending,
    /// It lives without one, and is registered as soon as that can be done.
    Owed {
        /// Failures in a row.
        failures: u32,
    },
    /// It has one.
    Registered {
        /// Under which number, in whose registry.
        agent: String,
    },
    /// Nobody asked for one.
    Unasked,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseEvent {
    /// The bundle was sealed.
    Exported {
        /// Its hash: what is handed on later must be the same.
        bundle: Hash,
    },
    /// Settings were made.
    Compiled(CompiledHeir),
    /// It is no copy. None where nothing is inherited, and nobody asks.
    Differs {
        /// How far the two lie apart.
        distance: Option<f64>,
    },
    /// Credit is set aside.
    Reserved,
    /// Somebody answers who can make a place, and is asked for one next.
    Asked {
        /// Who.
        place: ProvisionConfig,
    },
    /// The owner wants it to live elsewhere, and nobody is born yet.
    Moved,
    /// There is a place.
    Provisioned {
        /// Which.
        berth: String,
    },
    /// There is none yet, or the heir could not be born in it.
    ProvisionFailed {
        /// What was said.
        why: String,
        /// Whether another try alone can help.
        by_itself: bool,
    },
    /// Who is about to be born here: known before its file is, so that it is known again after a crash.
    Bearing {
        /// Who.
        heir: GolemId,
    },
    /// It is born, and has its money. None for one that is born elsewhere.
    Funded {
        /// Who.
        heir: Option<GolemId>,
    },
    /// It has an identity.
    Registered {
        /// Under which number, in whose registry.
        agent: String,
    },
    /// Nobody asked for an identity.
    Unregistered,
    /// It has none yet.
    RegisterFailed {
        /// What was said.
        why: String,
        /// Seconds to its next heartbeat.
        heartbeat_s: u64,
    },
    /// It lives.
    Booted,
    /// It does not yet.
    BootFailed {
        /// What was said.
        why: String,
    },
    /// Not before this time, by the owner's own limits.
    Postponed {
        /// When.
        until: Timestamp,
    },
    /// It stops here.
    Halted(SuccessionHalt),
    /// What was begun is taken back.
    Undone,
    /// What was begun could not be taken back yet.
    UndoFailed {
        /// What was said.
        why: String,
    },
    /// The owner says: try again.
    Resumed,
}

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
pub enum SuccessionNext {
    /// This.
    Do(SuccessionStep),
    /// Nothing before this time.
    Wait(Timestamp),
    /// It waits for the owner.
    Halted(SuccessionHalt),
    /// The heir lives; where an identity is owed, not before this time.
    Lives(Option<Timestamp>),
}

/// What the owner is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "notice")]
pub enum SuccessionNotice {
    /// It stopped, and why.
    Halted {
        /// Why.
        why: SuccessionHalt,
    },
    /// No place was to be had, and it is tried again every hour.
    Queued {
        /// Failures in a row.
        failures: u32,
        /// What was said last.
        why: String,
    },
    /// It lives without an identity for now.
    Unidentified {
        /// What was said.
        why: String,
    },
    /// There is an heir.
    Succeeded {
        /// Its name.
        name: Name,
        /// Who; none for one that was born elsewhere.
        heir: Option<GolemId>,
        /// Where it lives.
        berth: String,
    },
}

/// An event that does not belong to where the case stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{event} does not follow where the succession stands ({at:?})")]
pub struct OutOfStep {
    /// Where it stands.
    pub at: SuccessionStep,
    /// What came.
    pub event: String,
}
