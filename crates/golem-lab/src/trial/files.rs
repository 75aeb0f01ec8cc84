//! Files of the trial: written as a whole or not at all, and read to the last line that was finished.

use super::error::TrialError;
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Lines that end: one that was cut off in the middle is none.
#[must_use]
pub(super) fn lines_of(text: &str) -> Vec<String> {
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    text[..whole].lines().map(str::to_owned).collect()
}

/// Write a file as a whole or not at all.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), TrialError> {
    let half = path.with_extension("half");
    // On disk before it takes the name of hours of lives: also where the power fails.
    let write = || {
        let mut file = fs::File::create(&half)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&half, path)
    };
    write().map_err(TrialError::io(path))
}

pub(super) fn pretty(what: &impl Serialize) -> String {
    serde_json::to_string_pretty(what).unwrap_or_else(|why| unreachable!("plain data: {why}")) + "\n"
}
