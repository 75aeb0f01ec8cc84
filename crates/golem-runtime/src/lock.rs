//! The lock file: a second process is turned away before it touches anything.
//!
//! A lock file can be unlinked under its holder, so this is only the polite half; the fencing epoch inside the database
//! is what keeps two processes from writing.

use crate::dir::GolemDir;
use crate::error::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;

/// The right to run a golem, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    /// Said aloud: a child process that was just forked still has the file open, and closing ours alone would leave it
    /// locked until the child is under way.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Take it, or say who has it.
    ///
    /// # Errors
    /// [`Error::Locked`] when another process holds it, [`Error::NotWritable`] where no file can be made.
    pub fn take(dir: &GolemDir) -> Result<Self, Error> {
        let path = dir.lock();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|e| Error::io(&path, "open the lock", &e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The pid is a courtesy: without it the refusal stands all the same.
                let _ = file.read_to_string(&mut text);
                return Err(Error::Locked { path, pid: text.trim().parse().ok() });
            }
            Err(TryLockError::Error(e)) => return Err(Error::io(&path, "lock", &e)),
        }
        // On a full disk the number does not fit; the lock holds without it.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { file })
    }

    /// Who runs this golem right now, if anyone does: `Some(None)` means someone who did not tell.
    #[must_use]
    pub fn holder(dir: &GolemDir) -> Option<Option<u32>> {
        let mut file = File::open(dir.lock()).ok()?;
        // A shared lock is refused only while a writer holds the exclusive one.
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                Some(text.trim().parse().ok())
            }
            _ => None,
        }
    }
}
