//! Ballast: a file that only takes up room, given up once when the disk is full so that the golem can still die.

use crate::dir::GolemDir;
use crate::error::Error;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

/// How much room is kept.
pub const BALLAST_BYTES: u64 = 4 << 20;

/// Whether the room is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ballast {
    /// It is there.
    Kept,
    /// It is not, since there was no room for it or since it was given up.
    Gone,
}

/// Make sure that it is there, when there is room for it and as much again. A disk that fails here fails elsewhere too.
pub(crate) fn keep(dir: &GolemDir) -> Result<Ballast, Error> {
    let path = dir.ballast();
    // Blocks, not length: a sparse file keeps no room.
    if fs::metadata(&path).is_ok_and(|m| m.len() == BALLAST_BYTES && m.blocks() * 512 >= BALLAST_BYTES) {
        return Ok(Ballast::Kept);
    }
    let room = statvfs(dir.path()).map_or(0, |v| v.f_bavail.saturating_mul(v.f_frsize));
    if room < 2 * BALLAST_BYTES {
        return Ok(Ballast::Gone);
    }
    let Err(e) = fill(&path) else { return Ok(Ballast::Kept) };
    let _ = fs::remove_file(&path);
    match Error::io(&path, "write the ballast", &e) {
        Error::DiskFull { .. } => Ok(Ballast::Gone),
        other => Err(other),
    }
}

/// Give it up. True when that made room.
pub(crate) fn release(dir: &GolemDir) -> bool {
    fs::remove_file(dir.ballast()).is_ok()
}

fn fill(path: &std::path::Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    if fallocate(&file, FallocateFlags::empty(), 0, BALLAST_BYTES).is_err() {
        let zeros = [0; 1 << 16];
        for _ in 0..BALLAST_BYTES / zeros.len() as u64 {
            file.write_all(&zeros)?;
        }
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_up_room_and_goes_once() {
        let tmp = tempfile::tempdir().unwrap();
        let dir = GolemDir::existing(tmp.path()).unwrap();
        assert_eq!(keep(&dir).unwrap(), Ballast::Kept);
        assert!(fs::metadata(dir.ballast()).unwrap().blocks() * 512 >= BALLAST_BYTES);
        assert!(release(&dir) && !release(&dir));
        fs::File::create(dir.ballast()).unwrap().set_len(BALLAST_BYTES).unwrap();
        assert_eq!(keep(&dir).unwrap(), Ballast::Kept, "a sparse one is filled");
        assert!(fs::metadata(dir.ballast()).unwrap().blocks() * 512 >= BALLAST_BYTES);
    }
}
