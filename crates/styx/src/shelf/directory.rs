//! Pieces as files: a folder for each owner, written beside, synchronised and renamed.

use super::{ChunkShelf, whole};
use crate::store::StoreFault;
use golem_core::{Hash, OwnerId};
use std::fs::{File, create_dir, read, remove_dir, remove_file, rename};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A directory.
#[derive(Debug)]
pub struct DirectoryShelf {
    root: PathBuf,
    next: AtomicU64,
    /// One makes folders at a time: what is there has been written down.
    makes: Mutex<()>,
}

fn fault(path: &Path, why: &std::io::Error) -> StoreFault {
    StoreFault(format!("{}: {why}", path.display()))
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// A folder with all above it. Whatever is made is told to the folder above it, and that one synchronised: a folder that nobody wrote
/// down is gone after a power cut, with all that was put into it.
fn make(folder: &Path, sync: &mut impl FnMut(&Path) -> io::Result<()>) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
    above.map_or(Ok(()), |above| make(above, sync))?;
    match create_dir(folder) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(e),
        _ => above.map_or(Ok(()), sync).inspect_err(|_| drop(remove_dir(folder))),
    }
}

impl DirectoryShelf {
    /// Use a directory, made if need be.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(root: &Path) -> Result<Self, StoreFault> {
        make(root, &mut sync).map_err(|e| fault(root, &e))?;
        Ok(Self { root: root.to_owned(), next: AtomicU64::new(0), makes: Mutex::default() })
    }
    fn place(&self, owner: OwnerId, name: Hash) -> (PathBuf, PathBuf) {
        let name = name.to_string();
        let folder = self.root.join(owner.to_string()).join(&name[..2]);
        let file = folder.join(&name[2..]);
        (folder, file)
    }
}

impl ChunkShelf for DirectoryShelf {
    fn put(&self, owner: OwnerId, name: Hash, bytes: &[u8]) -> Result<(), StoreFault> {
        let (folder, file) = self.place(owner, name);
        if self.get(owner, name)?.is_some() {
            return Ok(());
        }
        let alone = self.makes.lock().unwrap_or_else(PoisonError::into_inner);
        make(&folder, &mut sync).map_err(|e| fault(&folder, &e))?;
        drop(alone);
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!(".{}.{n}", std::process::id()));
        let written = File::create(&beside)
            .and_then(|mut to| to.write_all(bytes).and_then(|()| to.sync_all()))
            .and_then(|()| rename(&beside, &file))
            .and_then(|()| sync(&folder));
        written.map_err(|e| {
            // Half a file is in nobody's way, but takes room.
            let _left = remove_file(&beside);
            fault(&file, &e)
        })
    }
    fn get(&self, owner: OwnerId, name: Hash) -> Result<Option<Vec<u8>>, StoreFault> {
        let (_, file) = self.place(owner, name);
        match read(&file) {
            Ok(bytes) => Ok(whole(name, bytes)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(fault(&file, &e)),
        }
    }
    fn remove(&self, owner: OwnerId, name: Hash) -> Result<(), StoreFault> {
        let (_, file) = self.place(owner, name);
        match remove_file(&file) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(fault(&file, &e)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_folder_is_made_is_written_down_in_the_one_above_it() {
        let tmp = tempfile::tempdir().unwrap();
        let synced = |folder: &str| {
            let mut told = Vec::new();
            make(&tmp.path().join(folder), &mut |of| {
                told.push(of.strip_prefix(tmp.path()).unwrap().display().to_string());
                Ok(())
            })
            .unwrap();
            told
        };
        assert_eq!(synced("owner/ab"), ["", "owner"]);
        assert_eq!(synced("owner/cd"), ["owner"]);
        assert!(synced("owner/cd").is_empty());
        let refused = make(&tmp.path().join("new"), &mut |_| Err(io::Error::other("the disk is gone")));
        assert!(refused.is_err() && !tmp.path().join("new").exists(), "a folder that is not written down is none");
    }
}
