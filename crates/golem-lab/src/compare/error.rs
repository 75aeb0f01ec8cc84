//! What can be wrong with a comparison, each with what would help.

use crate::world::{CsvError, PlaceError};
use golem_venue::VenueError;
use std::path::PathBuf;

/// Why a comparison cannot be made, gone on with or put together.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The plan itself.
    #[error("{what}")]
    Unsound { what: String, hint: String },
    /// Not `i/n`.
    #[error("{0:?} is no shard")]
    NoShard(String),
    /// Not a world.
    #[error(transparent)]
    NoWorld(#[from] PlaceError),
    /// A recorded world that cannot be read.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// A recorded world that is shorter than a life.
    #[error("{world} has {days:.1} days, and a life takes {wanted}")]
    TooShort { world: String, days: f64, wanted: u64 },
    /// No market, or a broken one.
    #[error("{0}")]
    Venue(#[from] VenueError),
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// A folder that holds something else.
    #[error("{} holds {what}", path.display())]
    Other { path: PathBuf, what: String, hint: String },
}

impl CompareError {
    /// What would help.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unsound { hint, .. } | Self::Other { hint, .. } => hint.clone(),
            Self::NoShard(_) => "write i/n, counted from 1: --shard 2/8".into(),
            Self::NoWorld(_) => "name a world, or a recorded one as csv:PATH".into(),
            Self::Csv(e) => e.hint().to_string(),
            Self::TooShort { .. } => "live for fewer --days, or give a longer history".into(),
            Self::Venue(_) => "look at the market's settings: bardo config show market".into(),
            Self::Io { .. } => "choose a folder that can be written: --out DIR".into(),
        }
    }

    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
