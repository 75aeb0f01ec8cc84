//! The rules of the relay over a store: who is let in, what is kept, what is told to whom. Calls block; nothing here knows a socket.

mod archive;
mod door;
mod field;
mod graves;
mod sweep;

use crate::clock::{RelayClock, WallTime};
use crate::shelf::ChunkShelf;
use crate::store::{KeptRow, KeptRowKey, LogBounds, RelayStore, RowRoom, StoreFault};
use golem_core::OwnerId;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use styx_wire::{CertificateFault, LoggedDelta, RateBucket, RefuseReason, RelayLimits};

pub use door::AdmittedGolem;
pub(crate) use door::pulse_row;
pub use sweep::SweptAway;

/// The relay without its sockets.
#[derive(Debug, Clone)]
pub struct RelayDesk {
    pub store: Arc<dyn RelayStore>,
    pub shelf: Arc<dyn ChunkShelf>,
    pub clock: Arc<dyn RelayClock>,
    pub limits: RelayLimits,
    /// Whether there is a layer for everybody.
    pub public: bool,
    /// The owners that it serves; none for whoever comes.
    pub owners: Option<BTreeSet<OwnerId>>,
    /// How many owners came for the first time.
    pub newcomers: Arc<Mutex<Option<RateBucket>>>,
}

/// Why the desk did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeskFault {
    /// The store failed: nothing was kept.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// Whoever asks may not.
    #[error("{0}")]
    Refused(RefuseReason),
    /// Who asks is not who it says to be; the reason is for the log of the relay alone.
    #[error("{0}")]
    Certificate(CertificateFault),
}

impl From<RefuseReason> for DeskFault {
    fn from(reason: RefuseReason) -> Self {
        Self::Refused(reason)
    }
}

impl DeskFault {
    /// As it is said on the wire.
    #[must_use]
    pub fn reason(&self) -> RefuseReason {
        match self {
            Self::Store(_) => RefuseReason::Unavailable,
            Self::Refused(reason) => *reason,
            Self::Certificate(_) => RefuseReason::NotAdmitted,
        }
    }
}

impl RelayDesk {
    /// Over a store and a shelf, by the machine's clock, with the usual limits, for whoever comes, and without a layer for everybody.
    #[must_use]
    pub fn new(store: Arc<dyn RelayStore>, shelf: Arc<dyn ChunkShelf>) -> Self {
        let (clock, limits) = (Arc::new(WallTime), RelayLimits::default());
        Self { store, shelf, clock, limits, public: false, owners: None, newcomers: Arc::default() }
    }

    /// Now, in milliseconds.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// What was received before is over: later than it must be kept, earlier than it must be gone.
    #[must_use]
    pub fn kept_since(&self) -> u64 {
        let keep = self.limits.keep_deltas_ms.saturating_add(self.limits.grace_ms / 2);
        self.now_ms().saturating_sub(keep)
    }

    /// Where an owner's log stands.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn bounds(&self, owner: OwnerId) -> Result<LogBounds, StoreFault> {
        self.store.bounds(owner, self.kept_since())
    }

    /// What comes after a position.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn page(&self, owner: OwnerId, after: u64, most: usize) -> Result<Vec<LoggedDelta>, StoreFault> {
        self.store.page(owner, after, self.kept_since(), most)
    }

    /// All rows of a kind of one owner.
    fn all(&self, room: RowRoom, owner: OwnerId) -> Result<Vec<KeptRow>, StoreFault> {
        self.store.rows(&KeptRowKey { room, owner, key: Vec::new() }, usize::MAX >> 1)
    }
}

fn kept<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, StoreFault> {
    styx_wire::frame::read_kept(bytes).ok_or_else(|| StoreFault("a row cannot be read".to_owned()))
}
