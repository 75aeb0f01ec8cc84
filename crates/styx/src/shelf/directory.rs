//! Pieces as files: a folder for each owner, written beside, synchronised and renamed.

use super::{ChunkShelf, whole};
use crate::store::StoreFault;
use golem_core::{Hash, OwnerId};
use std::fs::{File, create_dir_all, read, remove_file, rename};
use std::io::{self, ErrorKind, Write};
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

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

impl DirectoryShelf {
    /// Use a directory, made if need be.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(root: &Path) -> Result<Self, StoreFault> {
        let new: Vec<&Path> = root.ancestors().take_while(|at| !at.as_os_str().is_empty() && !at.is_dir()).collect();
        create_dir_all(root).map_err(|e| fault(root, &e))?;
        for above in new.iter().filter_map(|at| at.parent()) {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            sync(above).map_err(|e| fault(above, &e))?;
        }
        Ok(Self { root: root.to_owned(), next: AtomicU64::new(0) })
    }
    fn place(&self, owner: OwnerId, name: Hash) -> (PathBuf, PathBuf) {
        let name = name.to_string();
        let folder = self.root.join(owner.to_string()).join(&name[..2]);
        let file = folder.join(&name[2..]);
        (folder, file)
    }

    /// Put a piece where it belongs, and write down each folder in the one above it: what is acknowledged is there after a power cut, also
    /// where somebody else has just made the folder, or put the same piece.
    fn put_lasting(
        &self,
        owner: OwnerId,
        name: Hash,
        bytes: &[u8],
        mut sync: impl FnMut(&Path) -> io::Result<()>,
    ) -> Result<(), StoreFault> {
        let (folder, file) = self.place(owner, name);
        if self.get(owner, name)?.is_none() {
            create_dir_all(&folder).map_err(|e| fault(&folder, &e))?;
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            let beside = folder.join(format!(".{}.{n}", std::process::id()));
            let written = File::create(&beside)
                .and_then(|mut to| to.write_all(bytes).and_then(|()| to.sync_all()))
                .and_then(|()| rename(&beside, &file));
            written.map_err(|e| {
                // Half a file is in nobody's way, but takes room.
                let _left = remove_file(&beside);
                fault(&file, &e)
            })?;
        }
        for at in folder.ancestors().take_while(|at| at.starts_with(&self.root)) {
            sync(at).map_err(|e| fault(at, &e))?;
        }
        Ok(())
    }
}

impl ChunkShelf for DirectoryShelf {
    fn put(&self, owner: OwnerId, name: Hash, bytes: &[u8]) -> Result<(), StoreFault> {
        self.put_lasting(owner, name, bytes, sync)
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
    fn what_is_acknowledged_is_written_down_up_to_the_shelf_also_when_it_was_there_already() {
        let tmp = tempfile::tempdir().unwrap();
        let root = tmp.path().join("a/shelf");
        let shelf = DirectoryShelf::open(&root).unwrap();
        let (owner, name) = (OwnerId([7; 20]), Hash::of(b"piece"));
        let (folder, _) = shelf.place(owner, name);
        for _ in 0..2 {
            let mut told = Vec::new();
            let put = shelf.put_lasting(owner, name, b"piece", |at| {
                told.push(at.to_owned());
                Ok(())
            });
            put.unwrap();
            assert_eq!(told, [folder.clone(), folder.parent().unwrap().to_owned(), root.clone()]);
        }
        let lost = shelf.put_lasting(owner, name, b"piece", |_| Err(io::Error::other("the disk is gone")));
        assert!(lost.is_err(), "what is not written down is not acknowledged");
        let file = tmp.path().join("file");
        std::fs::write(&file, b"").unwrap();
        assert!(DirectoryShelf::open(&file).is_err(), "a file is no shelf");
    }
}
