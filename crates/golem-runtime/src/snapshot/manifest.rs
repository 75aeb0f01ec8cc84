//! The manifest of a snapshot: which golem, which moment, which chunks. `snapshots/<tick>.json`.

use super::SnapshotMoment;
use super::chunks::CHUNK_BYTES;
use crate::durable;
use crate::error::Error;
use golem_core::{GolemId, Hash, Tick, Timestamp, VirtualTime};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;

/// What a snapshot consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    pub golem: GolemId,
    /// After which turn.
    pub tick: Tick,
    #[serde(rename = "age_ms")]
    pub age: VirtualTime,
    /// When, for people.
    pub at: Timestamp,
    /// The chain's head.
    pub head: Hash,
    /// Bytes of the file.
    pub length: u64,
    /// Bytes of every chunk but the last.
    pub chunk_bytes: u32,
    /// The chunks in order.
    pub chunks: Vec<Hash>,
    /// Over all of the above.
    sum: Hash,
}

impl Manifest {
    pub(crate) fn new(moment: &SnapshotMoment, length: u64, chunks: Vec<Hash>) -> Self {
        let &SnapshotMoment { golem, tick, age, at, head } = moment;
        let chunk_bytes = CHUNK_BYTES as u32;
        let mut new =
            Self { format: FORMAT, golem, tick, age, at, head, length, chunk_bytes, chunks, sum: Hash::default() };
        new.sum = new.summed();
        new
    }

    fn summed(&self) -> Hash {
        let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 snapshot manifest");
        hasher.update(&self.format.to_le_bytes()).update(&self.golem.0).update(&self.tick.0.to_le_bytes());
        hasher.update(&self.age.0.to_le_bytes()).update(&self.at.0.to_le_bytes()).update(&self.head.0);
        hasher.update(&self.length.to_le_bytes()).update(&self.chunk_bytes.to_le_bytes());
        self.chunks.iter().for_each(|c| {
            hasher.update(&c.0);
        });
        Hash(*hasher.finalize().as_bytes())
    }

    /// Write it under its name. A long life's is a quarter of a megabyte as text, which is never whole in memory.
    pub(crate) fn place(&self, path: &Path) -> Result<(), Error> {
        durable::place_by(path, |file| serde_json::to_writer(file, self).map_err(Into::into))
    }

    /// Read one; it must be whole.
    ///
    /// # Errors
    /// [`Error::Damaged`] when it is not what was written.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => Error::NoGolem { path: path.to_owned() },
            _ => Error::io(path, "read", &e),
        })?;
        let found: Self = serde_json::from_reader(BufReader::new(file)).map_err(|e| match e.classify() {
            Category::Io => Error::io(path, "read", &e.into()),
            _ => Error::damaged(path, e.to_string()),
        })?;
        // The sum first: a rotten number of the format is damage, and no newer program's.
        if found.sum != found.summed() {
            return Err(Error::damaged(path, "the manifest's sum does not fit"));
        }
        if found.format != FORMAT {
            return Err(Error::Newer { path: path.to_owned(), found: found.format.into(), known: FORMAT.into() });
        }
        Ok(found)
    }
}

/// Whatever is in a directory of snapshots; nothing when there is no directory.
pub(super) fn listed(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(vec![]),
        Err(e) => return Err(Error::io(dir, "list", &e)),
    };
    entries.map(|entry| entry.map(|e| e.path()).map_err(|e| Error::io(dir, "list", &e))).collect()
}

/// The manifests in a directory of snapshots by turn; none when there is no directory.
pub(crate) fn files(dir: &Path) -> Result<Vec<(Tick, PathBuf)>, Error> {
    let mut found = Vec::new();
    for path in listed(dir)? {
        let tick = path.file_name().and_then(|n| n.to_str()?.strip_suffix(".json")?.parse().ok());
        found.extend(tick.map(|tick| (Tick(tick), path)));
    }
    found.sort();
    Ok(found)
}

/// The snapshots of the golem in `dir`, oldest first, with the path of each manifest. One that cannot be read stands in
/// the way of no other: it is left out here, and named by [`super::verify_snapshots`].
///
/// # Errors
/// When the directory itself cannot be read.
pub fn list(dir: &Path) -> Result<Vec<(PathBuf, Manifest)>, Error> {
    let dir = crate::dir::GolemDir::existing(dir)?.snapshots();
    Ok(files(&dir)?.into_iter().filter_map(|(_, path)| Some((path.clone(), Manifest::read(&path).ok()?))).collect())
}

/// Manifests that could be read: where, and of which moment. All that they refer to would be megabytes.
pub(crate) struct ReadManifests {
    pub(crate) all: Vec<(PathBuf, Tick, VirtualTime)>,
    /// Whether there is none that could not be.
    pub(crate) complete: bool,
}

/// The readable manifests; a damaged one is renamed, so that it is neither counted on nor lost, and what it referred to is
/// not kept for its sake. One that cannot be read for another reason stays where it is.
pub(crate) fn readable(dir: &Path) -> Result<ReadManifests, Error> {
    let mut found = ReadManifests { all: Vec::new(), complete: true };
    for (_, path) in files(dir)? {
        match Manifest::read(&path) {
            Ok(manifest) => found.all.push((path, manifest.tick, manifest.age)),
            Err(Error::Damaged { .. }) => {
                let aside = path.with_extension("json.damaged");
                fs::rename(&path, &aside).map_err(|e| Error::io(&path, "move aside", &e))?;
            }
            Err(_) => found.complete = false,
        }
    }
    Ok(found)
}
