//! The stone beside a golem's file: set when its death is on record, and never taken away. Dead is final, and the file
//! alone could not say so: an older one may be put back, or a snapshot restored.

use crate::dir::GolemDir;
use crate::durable;
use crate::error::Error;
use golem_core::Tick;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Set the stone, unless it stands already.
pub(crate) fn set(dir: &GolemDir, tick: Tick) -> Result<(), Error> {
    if read(dir)?.is_some() {
        return Ok(());
    }
    durable::replace(&dir.tombstone(), format!("{tick}\n").as_bytes())
}

/// Set the stone of the golem in `dir` whose file says that it is dead: whoever reveals its secret does this first.
///
/// # Errors
/// When it cannot be written; then nothing may be revealed.
pub fn set_tombstone(dir: &Path, died_at: Tick) -> Result<(), Error> {
    set(&GolemDir::existing(dir)?, died_at)
}

/// The turn on the stone; none while none stands. One that cannot be read is damage, not absence.
pub(crate) fn read(dir: &GolemDir) -> Result<Option<Tick>, Error> {
    match fs::read_to_string(dir.tombstone()) {
        Ok(text) => match text.trim().parse() {
            Ok(tick) => Ok(Some(Tick(tick))),
            Err(_) => Err(Error::damaged(&dir.tombstone(), "expected the turn of its death")),
        },
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io(&dir.tombstone(), "read", &e)),
    }
}

/// Refuse a file that ends before the death that is on record.
pub(crate) fn refuse_before_death(dir: &GolemDir, file_ends: Tick) -> Result<(), Error> {
    match read(dir)? {
        Some(tick) if file_ends < tick => Err(Error::Dead { path: dir.db(), tick }),
        _ => Ok(()),
    }
}
