//! Why a chain could not be opened, read or written.

use super::machine::NotRun;
use super::stored::StateError;
use golem_core::Point;
use golem_venue::VenueError;
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// Another process has it.
    #[error("{path} is in use by another process{}; hint: only one can own a chain at a time", pid_text(*.pid))]
    Locked {
        /// The chain.
        path: PathBuf,
        /// Who has it.
        pid: Option<u32>,
    },
    /// Not a file of this format.
    #[error("{path} is {}, and this program knows format {known}", format_text(*.found))]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format; none when it is no chain at all.
        found: Option<i64>,
        /// Ours.
        known: i64,
    },
    /// The file holds a chain that began otherwise.
    #[error("{path} holds another chain than the one asked for: {why}")]
    OtherChain {
        /// The file.
        path: PathBuf,
        /// In what it differs.
        why: String,
    },
    /// No chain in the file, and nothing to begin one with.
    #[error("there is no chain in {0}")]
    Absent(PathBuf),
    /// The file does not go on from where somebody has seen it.
    #[error("{0}")]
    Older(String),
    /// The file could not be read for a transaction.
    #[error("{0}")]
    Unread(String),
    /// The file contradicts itself.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        what: String,
    },
    /// The database said no.
    #[error("{path}: {why}")]
    Store {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file could not be opened.
    #[error("{path}: {why}")]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The contracts cannot begin like that.
    #[error("the chain cannot begin like that: {0}")]
    Genesis(String),
    /// No such point in its history.
    #[error("{0} is not in this chain's history")]
    NoSuchPoint(Point),
    /// An error of ours.
    #[error("bug: {0}")]
    Bug(String),
}

fn pid_text(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" ({pid})"))
}

fn format_text(found: Option<i64>) -> String {
    found.map_or_else(|| "no chain".to_owned(), |found| format!("a chain of format {found}"))
}

impl ChainError {
    pub(super) fn store(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |e| match e {
            rusqlite::Error::FromSqlConversionFailure(_, _, why) => Self::Damaged { path, what: why.to_string() },
            rusqlite::Error::InvalidQuery | rusqlite::Error::InvalidColumnType(..) => {
                Self::Damaged { path, what: "a row cannot be read".to_owned() }
            }
            other => Self::Store { path, why: other.to_string() },
        }
    }
}

impl From<ChainError> for VenueError {
    fn from(e: ChainError) -> Self {
        match e {
            ChainError::NoSuchPoint(point) => Self::NoSuchPoint(point),
            ChainError::Bug(why) => Self::Bug(why),
            other => Self::Store(other.to_string()),
        }
    }
}

impl From<StateError> for ChainError {
    fn from(e: StateError) -> Self {
        Self::Unread(e.0)
    }
}

/// A transaction of our own that is not even valid is a bug; one that could not be read for is the archive's.
impl From<NotRun> for ChainError {
    fn from(e: NotRun) -> Self {
        match e {
            NotRun::Invalid(why) => Self::Bug(why),
            NotRun::State(why) => Self::Unread(why),
        }
    }
}
