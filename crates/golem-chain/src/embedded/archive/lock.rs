//! One process owns a chain at a time: a second one is turned away before it touches anything.

use crate::embedded::ChainError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// The right to write a chain, held until it is dropped.
#[derive(Debug)]
pub(super) struct ArchiveLock(File);

impl ArchiveLock {
    /// Take it, or say who has it.
    pub fn take(chain: &Path) -> Result<Self, ChainError> {
        let mut name = chain.as_os_str().to_owned();
        name.push(".lock");
        let io = |why: std::io::Error| ChainError::Io { path: name.clone().into(), why: why.to_string() };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&name).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The pid is a courtesy: without it the refusal stands all the same.
                let _untold = file.read_to_string(&mut text);
                return Err(ChainError::Locked { path: chain.to_owned(), pid: text.trim().parse().ok() });
            }
            Err(TryLockError::Error(why)) => return Err(io(why)),
        }
        // On a full disk the number does not fit; the lock holds without it.
        let _untold =
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Self(file))
    }
}

impl Drop for ArchiveLock {
    /// Said aloud: a child process that was just forked may still have the file open.
    fn drop(&mut self) {
        let _gone_anyway = self.0.unlock();
    }
}
