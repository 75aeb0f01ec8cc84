//! Files that hold secrets: read only when nobody else can reach them, written whole or not at all, never overwritten.
//!
//! The directory is opened first and the file inside of it, so that nothing can be exchanged between check and use.

use crate::error::{Error, Exposed};
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::fs::{DirBuilder, File};
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Read a private file of at most so many bytes.
pub(crate) fn read(path: &Path, most: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
    let name = path.file_name().ok_or_else(|| Error::exposed(path, Exposed::NotAFile))?;
    let dir = open_dir(parent(path))?;
    // Without NONBLOCK a pipe put in the file's place would hold us for ever.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&dir, name, flags, Mode::empty()).map_err(|e| match e {
        Errno::LOOP => Error::exposed(path, Exposed::Symlink),
        e => Error::io("open", path, e),
    })?;
    let found = stat(&file, path)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(Error::exposed(path, Exposed::NotAFile));
    }
    if found.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Error::exposed(path, Exposed::NotOurs));
    }
    if found.st_mode & 0o077 != 0 {
        return Err(Error::exposed(path, Exposed::ToOthers));
    }
    // One byte more than allowed, so that too much is seen; made large enough at once, so that nothing is left behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(most + 1));
    File::from(file).take(most as u64 + 1).read_to_end(&mut bytes).map_err(|e| Error::io("read", path, e))?;
    if bytes.len() > most { Err(Error::exposed(path, Exposed::TooLarge)) } else { Ok(bytes) }
}

/// Write a private file that does not exist yet; its directory is made where it is missing.
pub(crate) fn place(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let dir = parent(path);
    // Before anything is made: a refusal leaves no trace.
    outside_git(&nearest_existing(dir)?)?;
    make_dir(dir)?;
    let held = open_dir(dir)?;
    let mut file = tempfile::Builder::new()
        .prefix(".half")
        .permissions(std::fs::Permissions::from_mode(0o600))
        .tempfile_in(dir)
        .map_err(|e| Error::io("write in", dir, e))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(|e| Error::io("write", path, e))?;
    file.persist_noclobber(path).map_err(|e| match e.error.kind() {
        std::io::ErrorKind::AlreadyExists => Error::Exists(path.to_owned()),
        _ => Error::io("write", path, e.error),
    })?;
    rustix::fs::fsync(&held).map_err(|e| Error::io("sync", dir, e))
}

/// Make a directory where it is missing, and those above it, so that each of them lasts: a key whose address was shown must not go
/// with a directory that a power cut takes back.
fn make_dir(dir: &Path) -> Result<(), Error> {
    let above = parent(dir);
    if dir.is_dir() || above == dir {
        return Ok(());
    }
    make_dir(above)?;
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(e) if !dir.is_dir() => return Err(Error::io("make", dir, e)),
        _ => {}
    }
    File::open(above).and_then(|held| held.sync_all()).map_err(|e| Error::io("sync", above, e))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

fn nearest_existing(dir: &Path) -> Result<PathBuf, Error> {
    let mut at = std::path::absolute(dir).map_err(|e| Error::io("find", dir, e))?;
    while !at.exists() && at.pop() {}
    Ok(at)
}

/// A directory in which a secret may lie. It may not itself be a link; further up, links are the owner's own affair.
fn open_dir(dir: &Path) -> Result<OwnedFd, Error> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = rustix::fs::open(dir, flags, Mode::empty()).map_err(|e| {
        let link = dir.symlink_metadata().is_ok_and(|m| m.is_symlink());
        if link { Error::exposed(dir, Exposed::Symlink) } else { Error::io("open", dir, e) }
    })?;
    let found = stat(&held, dir)?;
    let (me, sticky) = (rustix::process::geteuid().as_raw(), found.st_mode & 0o1000 != 0);
    if found.st_uid != me && found.st_uid != 0 {
        return Err(Error::exposed(dir, Exposed::NotOurs));
    }
    if found.st_mode & 0o022 != 0 && !sticky {
        return Err(Error::exposed(dir, Exposed::WritableDirectory));
    }
    outside_git(dir)?;
    Ok(held)
}

fn outside_git(dir: &Path) -> Result<(), Error> {
    let real = dir.canonicalize().map_err(|e| Error::io("find", dir, e))?;
    match real.ancestors().find(|up| up.join(".git").symlink_metadata().is_ok()) {
        Some(_) => Err(Error::exposed(dir, Exposed::InGit)),
        None => Ok(()),
    }
}

fn stat(of: impl AsFd, path: &Path) -> Result<Stat, Error> {
    rustix::fs::fstat(of).map_err(|e| Error::io("look at", path, e))
}
