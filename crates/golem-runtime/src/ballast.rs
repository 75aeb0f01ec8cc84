//! Ballast: files that only take up room, given up when the disk is full. One lets a golem live on without new risk; the
//! other is kept for its death, and no ordinary turn touches it.

use crate::dir::GolemDir;
use crate::error::Error;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// How much room is kept for living on.
pub const BALLAST_BYTES: u64 = 2 << 20;
/// How much room is kept for dying.
pub const LAST_BYTES: u64 = 2 << 20;

/// Whether the room is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ballast {
    /// It is there.
    Kept,
    /// It is not, since there was no room for it or since it was given up.
    Gone,
}

/// What is left to give up on a full disk, and for what.
#[derive(Debug)]
pub(crate) struct Room {
    dir: GolemDir,
    pub(crate) ballast: Ballast,
    dies: bool,
}

impl Room {
    pub(crate) fn of(dir: &GolemDir, dies: bool) -> Self {
        Self { dir: dir.clone(), ballast: Ballast::Kept, dies }
    }
    /// What is written from here on are last words: the room that is kept for them may be used.
    pub(crate) fn for_dying(&mut self) {
        self.dies = true;
    }
    /// Before anything is written: a golem that was just made has kept none yet. Whether it is enough is found out later.
    pub(crate) fn prepare(&self) -> Result<(), Error> {
        keep(&self.dir).map(drop)
    }
    /// Keep room again, when there is enough.
    pub(crate) fn keep(&mut self) -> Result<(), Error> {
        if self.ballast == Ballast::Kept {
            self.ballast = keep(&self.dir)?;
        }
        Ok(())
    }
    /// Try; on a full disk give up what may be given up and try once more.
    pub(crate) fn for_this<T>(&mut self, mut attempt: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
        let mut tried = attempt();
        if matches!(tried, Err(Error::DiskFull { .. })) && self.ballast == Ballast::Kept {
            self.ballast = Ballast::Gone;
            if release(&self.dir.ballast()) {
                tried = attempt();
            }
        }
        if matches!(tried, Err(Error::DiskFull { .. })) && self.dies && release(&self.dir.last_ballast()) {
            tried = attempt();
        }
        tried
    }
}

/// Give up the room that was kept for dying, for an order to die. True when that made room.
pub(crate) fn release_for_death(dir: &GolemDir) -> bool {
    release(&dir.last_ballast())
}

/// Whether all of it is there.
pub(crate) fn is_kept(dir: &GolemDir) -> bool {
    takes_up(&dir.ballast(), BALLAST_BYTES) && takes_up(&dir.last_ballast(), LAST_BYTES)
}

/// Make sure that it is there, what is kept for dying first. A disk that fails here fails elsewhere too.
fn keep(dir: &GolemDir) -> Result<Ballast, Error> {
    for (path, bytes) in [(dir.last_ballast(), LAST_BYTES), (dir.ballast(), BALLAST_BYTES)] {
        if !takes_up(&path, bytes) && keep_one(dir, &path, bytes)? == Ballast::Gone {
            return Ok(Ballast::Gone);
        }
    }
    Ok(Ballast::Kept)
}

/// When there is room for it and as much again.
fn keep_one(dir: &GolemDir, path: &Path, bytes: u64) -> Result<Ballast, Error> {
    // A file system that cannot be asked is failing, which is something else than full.
    let v = statvfs(dir.path()).map_err(|e| Error::io(dir.path(), "ask for its room", &e.into()))?;
    if v.f_bavail.saturating_mul(v.f_frsize) < 2 * bytes {
        return Ok(Ballast::Gone);
    }
    let Err(e) = fill(path, bytes) else { return Ok(Ballast::Kept) };
    let _ = fs::remove_file(path);
    match Error::io(path, "write the ballast", &e) {
        Error::DiskFull { .. } => Ok(Ballast::Gone),
        other => Err(other),
    }
}

/// Blocks, not length: a sparse file keeps no room.
fn takes_up(path: &Path, bytes: u64) -> bool {
    fs::metadata(path).is_ok_and(|m| m.len() == bytes && m.blocks() * 512 >= bytes)
}

fn release(path: &Path) -> bool {
    fs::remove_file(path).is_ok()
}

fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    if fallocate(&file, FallocateFlags::empty(), 0, bytes).is_err() {
        let zeros = [0; 1 << 16];
        for _ in 0..bytes / zeros.len() as u64 {
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
        assert!(is_kept(&dir));
        assert!(release(&dir.ballast()) && !release(&dir.ballast()));
        fs::File::create(dir.ballast()).unwrap().set_len(BALLAST_BYTES).unwrap();
        assert_eq!(keep(&dir).unwrap(), Ballast::Kept, "a sparse one is filled");
        assert!(is_kept(&dir));
    }

    #[test]
    fn only_the_dying_use_what_is_kept_for_death() {
        let tmp = tempfile::tempdir().unwrap();
        let dir = GolemDir::existing(tmp.path()).unwrap();
        keep(&dir).unwrap();
        let mut room = Room::of(&dir, false);
        let full = || Err::<(), _>(Error::DiskFull { path: dir.db() });
        for _ in 0..3 {
            assert!(room.for_this(full).is_err());
            assert!(!dir.ballast().exists() && dir.last_ballast().exists());
        }
        room.for_dying();
        assert!(room.for_this(full).is_err());
        assert!(!dir.last_ballast().exists());
    }
}
