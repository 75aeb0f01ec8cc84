//! Chunks: pieces of 64 KiB under the name of their hash. One in memory at a time.

use crate::durable::{self, sync_dir};
use crate::error::Error;
use golem_core::Hash;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes of a chunk; the last one of a file may be shorter.
pub(crate) const CHUNK_BYTES: usize = 64 << 10;

pub(crate) struct Stored {
    pub(crate) hashes: Vec<Hash>,
    pub(crate) length: u64,
    pub(crate) new: usize,
}

/// Where the chunks lie.
pub(crate) fn dir(snapshots: &Path) -> PathBuf {
    snapshots.join("chunks")
}

fn shelf(dir: &Path, hash: &Hash) -> PathBuf {
    dir.join(&hash.to_string()[..2])
}

/// Where a chunk lies.
pub(crate) fn path(dir: &Path, hash: &Hash) -> PathBuf {
    shelf(dir, hash).join(hash.to_string())
}

/// Store the chunks of a file that are not there yet. All of them are durable when this returns.
pub(crate) fn store(file: &Path, dir: &Path) -> Result<Stored, Error> {
    let mut source = File::open(file).map_err(|e| Error::io(file, "open", &e))?;
    let length = source.metadata().map_err(|e| Error::io(file, "look at", &e))?.len();
    let count = usize::try_from(length.div_ceil(CHUNK_BYTES as u64)).unwrap_or_default();
    let mut stored = Stored { hashes: Vec::with_capacity(count), length: 0, new: 0 };
    let mut touched = BTreeSet::new();
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    loop {
        chunk.clear();
        let limit = CHUNK_BYTES as u64;
        source.by_ref().take(limit).read_to_end(&mut chunk).map_err(|e| Error::io(file, "read", &e))?;
        if chunk.is_empty() {
            break;
        }
        let hash = Hash::of(&chunk);
        let place = path(dir, &hash);
        if !holds(&place, &chunk) {
            let shelf = shelf(dir, &hash);
            if touched.insert(shelf.clone()) {
                fs::create_dir_all(&shelf).map_err(|e| Error::io(&shelf, "make the directory", &e))?;
            }
            durable::place(&place, &chunk)?;
            stored.new += 1;
        }
        stored.length += chunk.len() as u64;
        stored.hashes.push(hash);
    }
    touched.iter().try_for_each(|shelf| sync_dir(shelf))?;
    sync_dir(dir)?;
    Ok(stored)
}

/// Whether a chunk is there as it should be. One that has rotted is not counted on but written again, which mends the older
/// snapshots that refer to it too.
fn holds(place: &Path, chunk: &[u8]) -> bool {
    fs::metadata(place).is_ok_and(|m| m.len() == chunk.len() as u64)
        && fs::read(place).is_ok_and(|found| found == chunk)
}

/// A chunk whose bytes are what its name says.
pub(crate) fn load(dir: &Path, hash: &Hash) -> Result<Vec<u8>, Error> {
    let path = path(dir, hash);
    let mut bytes = Vec::with_capacity(CHUNK_BYTES);
    let read = File::open(&path).and_then(|f| f.take(CHUNK_BYTES as u64 + 1).read_to_end(&mut bytes));
    match read {
        Err(e) if e.kind() == ErrorKind::NotFound => Err(Error::damaged(&path, "the chunk is missing")),
        // A part of the disk that cannot be read is damage to this snapshot, and to no other.
        Err(e) => Err(Error::damaged(&path, format!("the chunk cannot be read: {e}"))),
        Ok(_) if Hash::of(&bytes) != *hash => Err(Error::damaged(&path, "the chunk does not fit its hash")),
        Ok(_) => Ok(bytes),
    }
}

/// Which chunks are referred to, by eight bytes of their hashes: all manifests of a long life at once are megabytes, and what they refer to
/// is nearly the same. Where two begin alike, one stays that could go.
#[derive(Debug, Default)]
pub(crate) struct ChunksWanted(Vec<[u8; 8]>);

impl ChunksWanted {
    pub(crate) fn add(&mut self, chunks: &[Hash]) {
        self.0.extend(chunks.iter().map(Hash::short));
        self.0.sort_unstable();
        self.0.dedup();
    }
    /// Whether one of that hash may be asked for.
    pub(crate) fn holds(&self, hash: &Hash) -> bool {
        self.0.binary_search(&hash.short()).is_ok()
    }
}

/// Remove what nobody refers to, leftovers of interrupted writes included.
pub(crate) fn collect(dir: &Path, wanted: &ChunksWanted) -> Result<usize, Error> {
    let mut removed = 0;
    for shelf in entries(dir)? {
        for chunk in entries(&shelf)? {
            let name = chunk.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let keep = name.parse::<Hash>().is_ok_and(|hash| wanted.holds(&hash));
            if !keep {
                fs::remove_file(&chunk).map_err(|e| Error::io(&chunk, "remove", &e))?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = || fs::read_dir(dir)?.map(|entry| entry.map(|e| e.path())).collect::<std::io::Result<Vec<_>>>();
    read().map_err(|e| Error::io(dir, "list", &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_referred_to_is_told_by_eight_bytes_and_once() {
        let [a, b, c] = ["a", "b", "c"].map(|words| Hash::of(words.as_bytes()));
        let mut like_a = a;
        like_a.0[31] ^= 1;
        let mut wanted = ChunksWanted::default();
        wanted.add(&[b, a, b]);
        wanted.add(&[a]);
        assert_eq!(wanted.0.len(), 2, "a manifest more costs nothing where it refers to the same");
        assert!([a, b, like_a].iter().all(|hash| wanted.holds(hash)) && !wanted.holds(&c));
    }
}
