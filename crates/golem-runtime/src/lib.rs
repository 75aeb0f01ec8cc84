//! The loop and the file of a golem: store, journal, replay, snapshots, recovery, fleet. It knows no rule of life: a
//! golem is whatever implements [`golem_life::Being`].
//!
//! Where to begin: [`create`] a file, [`Store::open`] it (lock, fence), [`Runner::open`] brings the being back to its
//! last committed turn, [`Runner::run`] lives on, [`Runner::close`] stops cleanly. [`Reader`], [`Inbox`] and
//! [`wait_reply`] are for other processes; [`replay`], [`verify_chain`] and [`health`] for whoever doubts.
//!
//! What never happens here: an effect before its intent is on disk, the same effect twice, a turn that is half there, a
//! write by a process that has been superseded, an empty golem in place of a damaged one.

mod anchor;
mod asked;
mod ballast;
mod batch;
mod blame;
mod chain;
mod checkpoint;
mod clock;
mod commit;
mod create;
mod db;
mod dir;
mod durable;
mod epoch;
mod error;
mod fleet;
mod frame;
mod half;
mod health;
mod heir_record;
mod inbox;
mod journal;
mod json;
mod known;
mod library_file;
mod listener;
mod live;
mod lives;
mod lock;
pub mod memory;
mod memory_tables;
mod mend;
mod models;
mod notes;
mod origin;
mod outbox;
mod pace;
mod packed;
mod page;
mod past;
mod reader;
mod rebuild;
mod relive;
mod replay;
mod resume;
mod runner;
mod schema;
mod snapshot;
mod starts;
mod store;
mod terms;
mod tombstone;
mod turn;
mod verify;
mod wire;

pub use anchor::{Anchor, set_anchor};
pub use ballast::{BALLAST_BYTES, Ballast, LAST_BYTES};
pub use chain::DIGEST_EVERY;
pub use clock::{Clock, RealClock, StopFlag, VirtualClock};
pub use create::create;
pub use dir::GolemDir;
pub use durable::{make_dir, replace as replace_file};
pub use error::{Error, ErrorKind};
pub use fleet::{Member, raise_open_files, run_fleet};
pub use health::{Health, health};
pub use heir_record::{HeirRecord, HeirRecords};
pub use inbox::{Inbox, MAX_ORDERS_PER_TURN, MAX_TEXT_BYTES, MAX_WAITING};
pub use library_file::{LibraryFile, ShelfChange, ShelfRow, TreasuryFile};
pub use listener::{Listener, Notice};
pub use lives::{AnyHands, AnyWorld, LifeRunner, rebuild_life, replay_life};
pub use lock::Lock;
pub use origin::Origin;
pub use outbox::{Letter, Outbox, Sending, wait_reply};
pub use pace::{BadPace, Pace};
pub use reader::{FactRow, NoteRow, Reader, SeriesRow, StatusRow};
pub use rebuild::{Rebuilt, rebuild};
pub use replay::{ReplayReport, replay};
pub use runner::Runner;
pub use snapshot::list as list_snapshots;
pub use snapshot::list_aside as list_snapshots_aside;
pub use snapshot::{
    Manifest, Restored, SNAPSHOT_EVERY, SNAPSHOT_GAP_MS, Sorted, keepers, restore_snapshot, verify_snapshots,
};
pub use starts::{CRASH_LOOP, CRASH_WINDOW_S, SAFE_TURNS, StartReport};
pub use store::{OpenOptions, Store};
pub use terms::{Around, Options, Progress, ShownTime, Until, WhyBack};
pub use tombstone::set_tombstone;
pub use verify::{ChainReport, Difference, diff, verify_chain};
