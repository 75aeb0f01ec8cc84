//! The cache: one file with the checked creation code, held against a pinned hash whenever it is read.

use super::packages::ContractPiece;
use super::{Contracts, ContractsError};
use alloy_primitives::Bytes;
use golem_core::Hash;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Hash over the contracts as they are kept. The packages are pinned, so this is too.
const CONTENT: &str = "50e1274247b80ca36dab8ab6b7603ecf76f43ef1e2ac5df0d9e478759e26d6bd";

/// The cached file.
const FILE: &str = "contracts.bin";

/// What is cached.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum CacheStatus {
    /// All of it, unharmed.
    Ready {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// Nothing.
    Absent {
        /// Where it would be.
        path: PathBuf,
    },
    /// Something else than was written.
    Damaged {
        /// The file.
        path: PathBuf,
    },
}

/// What is cached in a folder.
#[must_use]
pub fn status(cache_dir: &Path) -> CacheStatus {
    let path = file(cache_dir);
    match load(cache_dir) {
        Ok(_) => {
            let bytes = std::fs::metadata(&path).map_or(0, |m| m.len());
            CacheStatus::Ready { path, bytes }
        }
        Err(ContractsError::Absent(_)) => CacheStatus::Absent { path },
        Err(_) => CacheStatus::Damaged { path },
    }
}

/// The cached contracts.
///
/// # Errors
/// When nothing is cached, or it is damaged.
pub fn load(cache_dir: &Path) -> Result<Contracts, ContractsError> {
    let code: Vec<Vec<u8>> = read(cache_dir, FILE, CONTENT)?;
    if code.len() != ContractPiece::ALL.len() {
        return Err(ContractsError::Damaged(file(cache_dir)));
    }
    Ok(Contracts { code: code.into_iter().map(Bytes::from).collect() })
}

/// Keep contracts: the file is there whole or not at all.
pub(super) fn keep(cache_dir: &Path, contracts: &Contracts) -> Result<(), ContractsError> {
    let code: Vec<&[u8]> = contracts.code.iter().map(AsRef::as_ref).collect();
    write(cache_dir, FILE, CONTENT, &code)
}

/// What a cached file holds, if it is the one with this hash.
pub(super) fn read<T: DeserializeOwned>(cache_dir: &Path, name: &str, content: &str) -> Result<T, ContractsError> {
    let path = cache_dir.join(name);
    let bytes = std::fs::read(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => ContractsError::Absent(cache_dir.to_owned()),
        _ => ContractsError::io(&path)(e),
    })?;
    if Hash::of(&bytes).to_string() != content {
        return Err(ContractsError::Damaged(path));
    }
    postcard::from_bytes(&bytes).map_err(|_| ContractsError::Damaged(path))
}

/// Write a cached file, which must have this hash.
pub(super) fn write(cache_dir: &Path, name: &str, content: &str, held: &impl Serialize) -> Result<(), ContractsError> {
    let path = cache_dir.join(name);
    let bytes = postcard::to_stdvec(held).map_err(|e| ContractsError::io(&path)(std::io::Error::other(e)))?;
    if Hash::of(&bytes).to_string() != content {
        let why = format!("hash over all of it is {}, expected {content}", Hash::of(&bytes));
        return Err(ContractsError::WrongCode { piece: "the cache".to_owned(), why });
    }
    let draft = cache_dir.join(format!(".{name}.{}", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut f = std::fs::File::create(&draft)?;
        f.write_all(&bytes)?;
        f.sync_all()?;
        std::fs::rename(&draft, &path)
    };
    write().map_err(ContractsError::io(&path))
}

fn file(cache_dir: &Path) -> PathBuf {
    cache_dir.join(FILE)
}
