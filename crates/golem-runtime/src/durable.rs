//! Files that are either wholly there or not there at all, also after a power cut.

use crate::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Write beside, sync, rename. The directory is synced by the caller when it has renamed all it wants to.
pub(crate) fn place(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let beside = path.with_extension("tmp");
    let fail = |e| {
        // Half a file helps nobody; that it could not be removed changes nothing about the first error.
        let _ = fs::remove_file(&beside);
        Error::io(path, "write", &e)
    };
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(fail)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(fail)?;
    fs::rename(&beside, path).map_err(fail)
}

/// [`place`] for a single file.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    place(path, bytes)?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// Make renames in a directory last.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Error> {
    File::open(dir).and_then(|d| d.sync_all()).map_err(|e| Error::io(dir, "sync", &e))
}
