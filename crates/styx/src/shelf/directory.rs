//! Pieces as files: a folder for each owner, written beside, synchronised and renamed.

use super::{ChunkShelf, whole};
use crate::store::StoreFault;
use golem_core::{Hash, OwnerId};
use std::fs::{File, create_dir_all, read, remove_file, rename};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory.
#[derive(Debug)]
pub struct DirectoryShelf {
    root: PathBuf,
    next: AtomicU64,
}

fn fault(path: &Path, why: &std::io::Error) -> StoreFault {
    StoreFault(format!("{}: {why}", path.display()))
}

impl DirectoryShelf {
    /// Use a directory, made if need be.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(root: &Path) -> Result<Self, StoreFault> {
        create_dir_all(root).map_err(|e| fault(root, &e))?;
        Ok(Self { root: root.to_owned(), next: AtomicU64::new(0) })
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
        create_dir_all(&folder).map_err(|e| fault(&folder, &e))?;
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!(".{}.{n}", std::process::id()));
        let written = File::create(&beside)
            .and_then(|mut to| to.write_all(bytes).and_then(|()| to.sync_all()))
            .and_then(|()| rename(&beside, &file))
            .and_then(|()| File::open(&folder)?.sync_all());
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
