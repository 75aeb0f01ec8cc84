//! Where the pieces of archives lie: a directory, memory, or whatever `object_store` reaches.

mod directory;
#[cfg(feature = "s3")]
mod objects;

use crate::store::StoreFault;
use golem_core::{Hash, OwnerId};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

pub use directory::DirectoryShelf;
#[cfg(feature = "s3")]
pub use objects::ObjectShelf;

/// A shelf. A piece is named by its content, so putting it twice is putting it once. Durable on return.
pub trait ChunkShelf: Send + Sync + std::fmt::Debug {
    /// Put a piece.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn put(&self, owner: OwnerId, name: Hash, bytes: &[u8]) -> Result<(), StoreFault>;
    /// Take a look at a piece. None for one that is not there, or is not what its name says.
    ///
    /// # Errors
    /// When it cannot be read.
    fn get(&self, owner: OwnerId, name: Hash) -> Result<Option<Vec<u8>>, StoreFault>;
    /// Throw a piece away.
    ///
    /// # Errors
    /// When it cannot be.
    fn remove(&self, owner: OwnerId, name: Hash) -> Result<(), StoreFault>;
}

/// In memory.
#[derive(Debug, Default)]
pub struct ModelShelf(Mutex<BTreeMap<(OwnerId, Hash), Vec<u8>>>);

impl ChunkShelf for ModelShelf {
    fn put(&self, owner: OwnerId, name: Hash, bytes: &[u8]) -> Result<(), StoreFault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((owner, name), bytes.to_vec());
        Ok(())
    }
    fn get(&self, owner: OwnerId, name: Hash) -> Result<Option<Vec<u8>>, StoreFault> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(owner, name)).cloned())
    }
    fn remove(&self, owner: OwnerId, name: Hash) -> Result<(), StoreFault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&(owner, name));
        Ok(())
    }
}

/// The bytes, if they are what the name says.
fn whole(name: Hash, bytes: Vec<u8>) -> Option<Vec<u8>> {
    (Hash::of(&bytes) == name).then_some(bytes)
}
