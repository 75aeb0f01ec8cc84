//! What can be wrong with a trial, each with what would help.

use crate::compare::CompareError;
use crate::stats::PairingError;
use golem_venue::VenueError;
use std::path::PathBuf;

/// Why a trial cannot be planned, lived, gone on with or judged.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The plan itself.
    #[error("{what}")]
    Unsound { what: String, hint: String },
    /// What the plan was made with is not what is here.
    #[error("the plan was made with another {what}")]
    Differs { what: String, hint: String },
    /// A folder that holds something else.
    #[error("{} holds {what}", path.display())]
    Other { path: PathBuf, what: String, hint: String },
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// A recorded market that cannot be read.
    #[error(transparent)]
    Data(#[from] CompareError),
    /// No market, or a broken one.
    #[error(transparent)]
    Venue(#[from] VenueError),
    /// Rows that cannot be judged.
    #[error(transparent)]
    Judging(#[from] PairingError),
}

impl TrialError {
    pub(super) fn unsound(what: impl Into<String>, hint: &str) -> Self {
        Self::Unsound { what: what.into(), hint: hint.to_owned() }
    }

    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    /// What would help.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unsound { hint, .. } | Self::Differs { hint, .. } | Self::Other { hint, .. } => hint.clone(),
            Self::Io { .. } => "choose a place that can be read and written: --out DIR".to_owned(),
            Self::Data(e) => e.hint(),
            Self::Venue(_) => "this is a bug: a shipped world has a market".to_owned(),
            Self::Judging(_) => "remove rows.csv and run the same command again".to_owned(),
        }
    }
}
