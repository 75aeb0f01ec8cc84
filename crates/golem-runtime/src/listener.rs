//! Whoever listens to a golem as it lives. Nothing is told before it is on disk, and nothing is serialised for nobody.

use crate::error::Error;
use golem_core::Tick;
use golem_core::door::EffectKey;
use golem_core::fact::Envelope;

/// A listener to one golem.
pub trait Listener<F>: Send {
    /// Whether anyone listens right now; facts are kept for it only then.
    fn wants(&self) -> bool;
    /// A fact that is on disk.
    fn fact(&mut self, fact: &Envelope<F>);
    /// A turn begins, for whoever measures how long turns take.
    fn turn_begins(&mut self, _tick: Tick) {}
    /// It was lived; it is on disk with the next commit.
    fn turn_ends(&mut self, _tick: Tick) {}
    /// Something the loop itself has to say.
    fn notice(&mut self, _notice: &Notice) {}
}

/// What the loop has to say that is no fact of the golem's life.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The life goes on after `tick`, `replayed` turns of which were replayed; `unfit` says why the checkpoint was not used.
    Resumed {
        /// The last committed turn.
        tick: Tick,
        /// Turns that were replayed.
        replayed: u64,
        /// Why the checkpoint was left aside, if it was.
        unfit: Option<String>,
    },
    /// Rows of the memory were not the ones that were written: all of them were written anew.
    MemoryMended {
        /// After which turn.
        tick: Tick,
        what: String,
    },
    /// Snapshots that were taken later than the last turn of the file belong to a life that was left, and were set aside.
    SnapshotsAside {
        /// The last committed turn.
        tick: Tick,
        /// After which turns they were taken.
        ticks: Vec<Tick>,
    },
    /// Safe mode is over: it has lived long enough without a crash.
    SafeModeOver {
        /// After which turn.
        tick: Tick,
    },
    /// Too many crashes: observe and reduce risk only, after a wait.
    SafeMode {
        /// Unclean starts within the window.
        unclean: u64,
        backoff_ms: u64,
    },
    /// The effect of an open turn was settled with the world.
    Reconciled {
        key: EffectKey,
        /// True when the world had it; false when it was carried out or refused now.
        had_happened: bool,
    },
    /// A turn took longer than its interval.
    DeadlineMissed { tick: Tick, late_ms: u64 },
    /// The disk is full: the ballast is gone and no new risk is taken.
    DiskFull {
        /// After which turn.
        tick: Tick,
    },
    /// A snapshot was taken.
    SnapshotTaken {
        /// After which turn.
        tick: Tick,
        /// Chunks that were not there yet.
        new_chunks: usize,
        /// Chunks in all.
        chunks: usize,
    },
    /// A snapshot was due and could not be taken; the golem goes on without.
    SnapshotSkipped {
        /// After which turn.
        tick: Tick,
        why: String,
    },
    /// The page for people could not be written; the golem goes on without.
    PageNotWritten {
        /// After which turn.
        tick: Tick,
        why: String,
    },
    /// A panic inside a turn.
    Panicked {
        tick: Tick,
        /// Whose code, and what it said.
        what: String,
    },
}

impl Notice {
    pub(crate) fn of_panic(error: &Error) -> Option<Self> {
        match error {
            Error::Panicked { tick, place, message } => {
                Some(Self::Panicked { tick: *tick, what: format!("{place}: {message}") })
            }
            _ => None,
        }
    }
}
