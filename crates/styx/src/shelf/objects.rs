//! Pieces wherever `object_store` reaches: S3 and what speaks like it, or a directory by its URL.

use super::{ChunkShelf, whole};
use crate::store::StoreFault;
use golem_core::{Hash, OwnerId};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// A bucket, or what stands for one.
#[derive(Debug)]
pub struct ObjectShelf {
    store: Arc<dyn ObjectStore>,
    root: Path,
    runtime: Option<Runtime>,
}

impl From<Error> for StoreFault {
    fn from(why: Error) -> Self {
        Self(why.to_string())
    }
}

impl ObjectShelf {
    /// By a URL (`s3://bucket/folder`, `file:///folder`), with options as `object_store` names them (`aws_access_key_id`, `aws_endpoint`).
    ///
    /// # Errors
    /// When it names nothing that can be reached.
    pub fn open(url: &str, options: impl IntoIterator<Item = (String, String)>) -> Result<Self, StoreFault> {
        // One that was installed before stays.
        let _there = rustls::crypto::ring::default_provider().install_default();
        let system = |e: std::io::Error| StoreFault(e.to_string());
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().thread_name("styx objects").build();
        let runtime = runtime.map_err(system)?;
        let url = url::Url::parse(url).map_err(|e| StoreFault(format!("{url}: {e}")))?;
        let _here = runtime.enter();
        let (store, root) = object_store::parse_url_opts(&url, options)?;
        drop(_here);
        Ok(Self { store: store.into(), root, runtime: Some(runtime) })
    }

    fn place(&self, owner: OwnerId, name: Hash) -> Path {
        self.root.clone().join(owner.to_string()).join(name.to_string())
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<Result<T, Error>, StoreFault> {
        let runtime = self.runtime.as_ref().ok_or_else(|| StoreFault("the shelf is closed".to_owned()))?;
        Ok(runtime.block_on(work))
    }
}

impl Drop for ObjectShelf {
    fn drop(&mut self) {
        // Wherever the last hold on it is given up, nobody is kept waiting.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl ChunkShelf for ObjectShelf {
    fn put(&self, owner: OwnerId, name: Hash, bytes: &[u8]) -> Result<(), StoreFault> {
        let place = self.place(owner, name);
        self.wait(self.store.put(&place, PutPayload::from(bytes.to_vec())))??;
        Ok(())
    }
    fn get(&self, owner: OwnerId, name: Hash) -> Result<Option<Vec<u8>>, StoreFault> {
        let place = self.place(owner, name);
        match self.wait(async { self.store.get(&place).await?.bytes().await })? {
            Ok(bytes) => Ok(whole(name, bytes.to_vec())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(why) => Err(why.into()),
        }
    }
    fn remove(&self, owner: OwnerId, name: Hash) -> Result<(), StoreFault> {
        let place = self.place(owner, name);
        match self.wait(self.store.delete(&place))? {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(why) => Err(why.into()),
        }
    }
}
