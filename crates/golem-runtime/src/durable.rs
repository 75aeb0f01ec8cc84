//! Files that are either wholly there or not there at all, also after a power cut.

use crate::error::Error;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Write beside, sync, rename. The directory is synced by the caller when it has renamed all it wants to.
pub(crate) fn place(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    place_by(path, |file| file.write_all(bytes))
}

/// The same of what is told bit by bit, so that it is never whole in memory.
pub(crate) fn place_by(
    path: &Path,
    tell: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), Error> {
    let beside = path.with_extension("tmp");
    let fail = |e| {
        // Half a file helps nobody; that it could not be removed changes nothing about the first error.
        let _ = fs::remove_file(&beside);
        Error::io(path, "write", &e)
    };
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(fail)?;
    let mut file = BufWriter::new(file);
    tell(&mut file).and_then(|()| file.flush()).and_then(|()| file.get_ref().sync_all()).map_err(fail)?;
    fs::rename(&beside, path).map_err(fail)
}

/// [`place`] for a single file.
///
/// # Errors
/// What the disk said.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    place(path, bytes)?;
    sync_parent(path)
}

/// A directory that is there, with all above it, also after a power cut: a file in a directory that nobody synced is gone
/// with the directory. What is made is for its owner alone; what is there stays as its owner wants it.
///
/// # Errors
/// What the disk said.
pub fn make_dir(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        make_dir(above)?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists || !path.is_dir() => {
            Err(Error::io(path, "make the directory", &e))
        }
        _ => sync_parent(path),
    }
}

/// Make what was made, renamed or removed under this name last.
pub(crate) fn sync_parent(path: &Path) -> Result<(), Error> {
    match path.parent() {
        Some(above) if above.as_os_str().is_empty() => sync_dir(Path::new(".")),
        Some(above) => sync_dir(above),
        None => Ok(()),
    }
}

/// Make renames in a directory last.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Error> {
    File::open(dir).and_then(|d| d.sync_all()).map_err(|e| Error::io(dir, "sync", &e))
}
