//! Another file in the place of a chain's.

use super::lock::ArchiveLock;
use super::{Archive, sync_parents};
use crate::embedded::ChainError;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What belongs to a database file.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

impl Archive {
    /// Move a file into the place of another, which is kept under a free name beside it.
    pub fn replace(path: &Path, with: &Path) -> Result<Option<PathBuf>, ChainError> {
        let _lock = ArchiveLock::take(path)?;
        let aside = (1u32..).map(|n| beside(path, &format!(".aside-{n}"))).find(|p| fs::symlink_metadata(p).is_err());
        let aside = aside.ok_or_else(|| ChainError::Bug("no name left".to_owned()))?;
        // The main file first: until the new one has its name there is no chain here, which is refused and not a mixture.
        let mut moved = false;
        for part in PARTS {
            let kept = shift(&beside(path, part), &beside(&aside, part))?;
            moved |= kept && part.is_empty();
        }
        // The log before the file: a file without its log would be an older one.
        for part in PARTS.iter().rev() {
            shift(&beside(with, part), &beside(path, part))?;
        }
        let _nobody_needs_it = fs::remove_file(beside(with, ".lock"));
        sync_parents(path)?;
        Ok(moved.then_some(aside))
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    name.into()
}

/// Rename, if it is there.
fn shift(from: &Path, to: &Path) -> Result<bool, ChainError> {
    match fs::rename(from, to) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(ChainError::Io { path: from.to_owned(), why: e.to_string() }),
    }
}
