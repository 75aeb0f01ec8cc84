//! What can go wrong with a golem's file, in three kinds that are never mixed: the world said no, the owner said
//! something wrong, we are wrong. Every message names the file; an owner's error also says what would help.

use golem_core::Tick;
use std::path::PathBuf;

/// Whose fault it is; the command line makes an exit code of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Disk, file system, another process: the world said no.
    World,
    /// The owner asked for something that cannot be; the message carries a hint.
    Owner,
    /// A broken promise of this program.
    Bug,
}

/// Why the runtime could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing there.
    #[error("{path}: no golem lives here; hint: `bardo golem list` shows those there are")]
    NoGolem {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A golem is there already.
    #[error("{path}: a golem lives here already; hint: choose another name")]
    Exists {
        /// The file that is in the way.
        path: PathBuf,
    },
    /// The directory or the file is a symbolic link.
    #[error("{path}: is a symbolic link, and a golem's lock and log must lie beside its real file; hint: use {target}")]
    Symlink {
        path: PathBuf,
        /// Where it points.
        target: PathBuf,
    },
    /// The place cannot be written to.
    #[error("{path}: cannot be written to ({why}); hint: a golem needs a directory of its own that is writable")]
    NotWritable {
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The file is none of ours. It was not touched.
    #[error("{path}: is not a golem's file ({why}); it was left as it is")]
    Foreign {
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// The file is no library of ours. It was not touched.
    #[error(
        "{path}: is not an owner's library ({why}); it was left as it is; hint: put it elsewhere, or a copy of the library back"
    )]
    NoLibrary {
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// A file that is no owner's treasury.
    #[error(
        "{path}: is not an owner's treasury ({why}); it was left as it is; hint: put it elsewhere, or a copy of the treasury back"
    )]
    NoTreasury {
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// The file was made by a later version of this program.
    #[error("{path}: made by a newer bardo (schema {found}, this one knows {known}); hint: upgrade bardo")]
    Newer {
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest this program knows.
        known: i64,
    },
    /// Another process runs this golem.
    #[error("{path}: already running{}", holder(.pid))]
    Locked {
        path: PathBuf,
        /// Who holds it, if it told.
        pid: Option<u32>,
    },
    /// An older copy of the file was put back, or the end of its log is gone.
    #[error(
        "{path}: is older than the life it belongs to (file: start {found_epoch}, tick {found_tick}; \
         last known: start {known_epoch}, tick {known_tick}): {missing} missing; hint: put the newer file and its log \
         back, or accept the rollback with --accept-rollback"
    )]
    RolledBack {
        path: PathBuf,
        /// Start number in the file.
        found_epoch: u64,
        /// Turn in the file.
        found_tick: u64,
        /// Start number noted beside it.
        known_epoch: u64,
        /// Turn noted beside it.
        known_tick: u64,
        /// What is gone, in words.
        missing: String,
    },
    /// The golem is dead, and an older state of it is not it.
    #[error(
        "{path}: it died at turn {tick}, and dead is final: an older state would be another life; \
         hint: what you may want is a successor: `bardo golem successor ID --inherit-grimoire` gives it what this one knew"
    )]
    Dead {
        /// The file.
        path: PathBuf,
        /// The turn in which death was recorded.
        tick: Tick,
    },
    /// An order that cannot be taken.
    #[error("{what}; hint: {hint}")]
    BadOrder { what: String, hint: &'static str },
    /// Someone else has opened the golem since: nothing was written, and nothing may be any more.
    #[error("start {ours} was superseded by start {found}: another process has taken this golem over")]
    Fenced {
        /// The start this process made.
        ours: u64,
        /// The start in the file.
        found: u64,
    },
    /// No room, even after the ballast was given up.
    #[error("{path}: disk full")]
    DiskFull { path: PathBuf },
    /// The disk failed. What was written before may or may not be there: stop, and let the next start find out.
    #[error("{path}: {doing}: {why}")]
    Io {
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        why: String,
    },
    /// Another process kept the file busy for too long.
    #[error("{path}: kept busy by another process")]
    Busy { path: PathBuf },
    /// The file does not say what was once written to it.
    #[error("{path}: damaged{}: {what}", at_tick(.tick))]
    Damaged {
        path: PathBuf,
        /// The turn that is damaged, if it is one.
        tick: Option<Tick>,
        /// What does not fit.
        what: String,
    },
    /// The recorded life and this program disagree.
    #[error("tick {tick}: this program does not relive the recorded life: {what}")]
    Diverged {
        /// The first turn at which they do.
        tick: Tick,
        what: String,
    },
    /// A panic inside a turn; the turn was not committed.
    #[error("tick {tick}: panic in {place}: {message}")]
    Panicked {
        tick: Tick,
        /// Whose code.
        place: &'static str,
        /// What it said.
        message: String,
    },
    /// The loop stopped over an earlier error and must be opened again.
    #[error("stopped over an earlier error: open the golem again")]
    Broken,
    /// A promise between our own rooms does not hold.
    #[error("bug: {0}")]
    Bug(String),
}

impl Error {
    /// Whose fault it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoGolem { .. }
            | Self::Exists { .. }
            | Self::Symlink { .. }
            | Self::NotWritable { .. }
            | Self::Foreign { .. }
            | Self::NoLibrary { .. }
            | Self::NoTreasury { .. }
            | Self::Newer { .. }
            | Self::Locked { .. }
            | Self::RolledBack { .. }
            | Self::Dead { .. }
            | Self::BadOrder { .. } => ErrorKind::Owner,
            Self::Fenced { .. }
            | Self::DiskFull { .. }
            | Self::Io { .. }
            | Self::Busy { .. }
            | Self::Damaged { .. } => ErrorKind::World,
            Self::Diverged { .. } | Self::Panicked { .. } | Self::Broken | Self::Bug(_) => ErrorKind::Bug,
        }
    }
}

fn holder(pid: &Option<u32>) -> String {
    pid.map_or_else(String::new, |p| format!(" as process {p}; hint: stop it first"))
}

fn at_tick(tick: &Option<Tick>) -> String {
    tick.map_or_else(String::new, |t| format!(" at tick {t}"))
}
