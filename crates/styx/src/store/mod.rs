//! What a relay keeps, behind one door: one log for each owner, one cursor for each golem, and rows for everything else.
//!
//! Calls block and are durable when they return. Whoever writes much goes through the writer, which commits for many at once.

mod model;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

use golem_core::OwnerId;
use std::fmt::Debug;
use styx_wire::{ChainHead, DeltaReceipt, LogId, LoggedDelta, OriginKey, RefuseReason, SignedDelta};

pub use model::ModelStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;

/// What a store is known by, drawn when it was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoreIdentity {
    pub log: LogId,
    /// Behind tokens and the names of sources: never leaves the relay.
    pub secret: [u8; 32],
}

impl Debug for StoreIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreIdentity").field("log", &self.log).finish_non_exhaustive()
    }
}

/// Why a store could not do it. Nothing was kept then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the relay's store: {0}")]
pub struct StoreFault(pub String);

/// What became of one delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendOutcome {
    /// Kept for the first time.
    Kept { position: u64 },
    /// The same one was kept before.
    Known { position: u64 },
    /// It was kept before, and has expired.
    Past,
    /// Not kept.
    Refused(RefuseReason),
}

/// Where a log stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogBounds {
    /// The last position ever given; 0 before the first.
    pub head: u64,
    /// The first position that is still to be had; one after the head where there is none.
    pub oldest: u64,
    pub bytes: u64,
}

/// What one golem has told lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecentUse {
    pub batch: u64,
    pub urgent: u64,
}

/// A golem that says how far it has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorMove {
    pub owner: OwnerId,
    pub origin: OriginKey,
    pub upto: u64,
}

/// What is committed together.
#[derive(Debug, Clone, Default)]
pub struct WriteBatch {
    pub deltas: Vec<SignedDelta>,
    pub cursors: Vec<CursorMove>,
    /// Rows that are put in place of whatever is there; of two with one name the later.
    pub rows: Vec<(KeptRowKey, Vec<u8>)>,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RowRoom {
    /// Certificates, by the golem's key.
    Member = 1,
    /// The last pulse, by the golem's key.
    Pulse = 2,
    /// Graves, by the golem's key.
    Grave = 3,
    /// Manifests, by when they came and their id.
    Manifest = 4,
    /// Pieces that the shelf holds, by their name.
    Chunk = 5,
    /// Marks in a field, by what they are about.
    Mark = 6,
    /// What everybody may know, by when.
    Notice = 7,
    /// One row: from which epoch on certificates are worth something, and when the owner first came.
    Owner = 8,
}

impl RowRoom {
    pub const ALL: [Self; 8] =
        [Self::Member, Self::Pulse, Self::Grave, Self::Manifest, Self::Chunk, Self::Mark, Self::Notice, Self::Owner];
}

/// The name of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptRowKey {
    pub room: RowRoom,
    pub owner: OwnerId,
    pub key: Vec<u8>,
}

/// A row's key within its room and owner, and what it holds.
pub type KeptRow = (Vec<u8>, Vec<u8>);

/// What is done to a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChange {
    Leave,
    Put(Vec<u8>),
    Remove,
}

/// A store. Everything of one owner is apart from everything of another.
pub trait RelayStore: Send + Sync + Debug {
    /// What it is known by.
    fn identity(&self) -> StoreIdentity;

    /// Keep deltas, cursors and rows in one transaction: each delta is kept, known or refused by itself, in order. Durable on return.
    ///
    /// # Errors
    /// When nothing of it was kept.
    fn commit(&self, now_ms: u64, batch: &WriteBatch) -> Result<Vec<AppendOutcome>, StoreFault>;

    /// What comes after a position, of what was received since a moment.
    ///
    /// # Errors
    /// When it cannot be read.
    fn page(&self, owner: OwnerId, after: u64, since_ms: u64, most: usize) -> Result<Vec<LoggedDelta>, StoreFault>;

    /// Where a log stands, of what was received since a moment.
    ///
    /// # Errors
    /// When it cannot be read.
    fn bounds(&self, owner: OwnerId, since_ms: u64) -> Result<LogBounds, StoreFault>;

    /// How far a golem's chain goes.
    ///
    /// # Errors
    /// When it cannot be read.
    fn chain(&self, owner: OwnerId, origin: OriginKey) -> Result<Option<ChainHead>, StoreFault>;

    /// Take nothing of a chain after this number.
    ///
    /// # Errors
    /// When it cannot be written.
    fn end_chain(&self, owner: OwnerId, origin: OriginKey, last: u64) -> Result<(), StoreFault>;

    /// How far a golem has read; 0 where it never said.
    ///
    /// # Errors
    /// When it cannot be read.
    fn cursor(&self, owner: OwnerId, origin: OriginKey) -> Result<u64, StoreFault>;

    /// What a golem has told since a moment.
    ///
    /// # Errors
    /// When it cannot be read.
    fn recent(&self, owner: OwnerId, origin: OriginKey, since_ms: u64) -> Result<RecentUse, StoreFault>;

    /// Forget deltas that were received before a moment: all of them, or at least whole days of them.
    ///
    /// # Errors
    /// When it cannot be written.
    fn expire(&self, before_ms: u64) -> Result<u64, StoreFault>;

    /// One row.
    ///
    /// # Errors
    /// When it cannot be read.
    fn row(&self, key: &KeptRowKey) -> Result<Option<Vec<u8>>, StoreFault>;

    /// Rows of one owner after a key, in their order.
    ///
    /// # Errors
    /// When they cannot be read.
    fn rows(&self, after: &KeptRowKey, most: usize) -> Result<Vec<KeptRow>, StoreFault>;

    /// Change a row by what it is; nobody else changes it in between. Durable on return.
    ///
    /// # Errors
    /// When it cannot be written.
    fn change(&self, key: &KeptRowKey, by: &mut dyn FnMut(Option<&[u8]>) -> RowChange) -> Result<(), StoreFault>;

    /// The owners that have rows of a kind.
    ///
    /// # Errors
    /// When they cannot be read.
    fn owners_of(&self, room: RowRoom) -> Result<Vec<OwnerId>, StoreFault>;
}

impl AppendOutcome {
    /// As it is told.
    #[must_use]
    pub fn receipt(self, delta: &SignedDelta) -> DeltaReceipt {
        let id = delta.head.id();
        match self {
            Self::Kept { position } | Self::Known { position } => DeltaReceipt::Kept { id, position },
            Self::Past => DeltaReceipt::Past { id },
            Self::Refused(reason) => DeltaReceipt::Refused { id, reason },
        }
    }
}

/// What a store knows of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeptChain {
    pub head: ChainHead,
    /// Where it begins here.
    pub first: u64,
    /// Nothing is taken after it.
    pub last: Option<u64>,
}

/// What is to be done with a delta: the rules of a chain, the same for every store. `there` is what the log has in its place.
pub(crate) fn place(
    delta: &SignedDelta,
    chain: Option<&KeptChain>,
    there: impl FnOnce() -> Result<Option<(u64, golem_core::Hash)>, StoreFault>,
) -> Result<Option<AppendOutcome>, StoreFault> {
    let head = &delta.head;
    if let Some(chain) = chain {
        if head.seq <= chain.head.seq && chain.head.seq > 0 {
            let refused = |reason| Ok(Some(AppendOutcome::Refused(reason)));
            return match there()? {
                Some((position, id)) if id == head.id() => Ok(Some(AppendOutcome::Known { position })),
                Some(_) => refused(RefuseReason::Forked),
                // It was never here: nobody may take it for kept.
                None if head.seq < chain.first => refused(RefuseReason::Gap { expected: chain.head.seq + 1 }),
                None => Ok(Some(AppendOutcome::Past)),
            };
        }
        if chain.last.is_some_and(|last| head.seq > last) {
            return Ok(Some(AppendOutcome::Refused(RefuseReason::Dead)));
        }
    }
    let known = chain.map(|chain| chain.head).filter(|head| head.seq > 0);
    Ok(match delta.follows(known) {
        Ok(()) => None,
        Err(styx_wire::DeltaFault::Gap { expected }) => Some(AppendOutcome::Refused(RefuseReason::Gap { expected })),
        Err(_) => Some(AppendOutcome::Refused(RefuseReason::Forked)),
    })
}

/// Where a chain begins here once a delta was kept.
pub(crate) fn first_of(delta: &SignedDelta, chain: Option<&KeptChain>) -> u64 {
    match chain {
        Some(chain) if chain.head.seq > 0 && delta.head.seq == chain.head.seq + 1 => chain.first,
        _ => delta.head.seq,
    }
}
