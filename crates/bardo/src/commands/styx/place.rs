//! Where a relay keeps what it keeps, as its owner says it.

use crate::cli::StyxStoreArgs;
use crate::fail::Fail;
use crate::home::Home;
use std::fs::{File, TryLockError, create_dir_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use styx::shelf::{ChunkShelf, DirectoryShelf};
use styx::store::{RelayStore, SqliteStore, StoreFault, StoreIdentity};
use styx_wire::LogId;

/// A file, or a schema of a database.
pub enum StorePlace {
    File(PathBuf),
    Database { url: String, schema: String },
}

/// Held as long as a relay runs on a file.
pub struct HeldFile(Option<File>);

impl Drop for HeldFile {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _gone_with_the_process = file.unlock();
        }
    }
}

impl StorePlace {
    /// What was said, or the home's own.
    pub fn read(said: &StyxStoreArgs, home: &Home) -> Result<Self, Fail> {
        let Some(word) = said.store.as_deref() else { return Ok(Self::File(home.path().join("styx/relay.db"))) };
        let database = word.starts_with("postgres://") || word.starts_with("postgresql://");
        match word.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::File(PathBuf::from(path))),
            _ if database => Ok(Self::Database { url: word.to_owned(), schema: said.schema.clone() }),
            // The word may hold a password: it is not said again.
            _ => {
                Err(Fail::hint("--store names no store that is known", "sqlite:PATH, or postgres://USER@HOST/DATABASE"))
            }
        }
    }

    /// Whether other relays may write there.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Database { .. })
    }

    /// Without what nobody else should read.
    pub fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Database { schema, .. } => format!("schema {schema} of the database"),
        }
    }

    /// Whether somebody has kept something there: to look must not make it.
    pub fn is_there(&self) -> Result<(), Fail> {
        match self {
            Self::File(path) if !path.is_file() => Err(Fail::world_hint(
                format!("there is no relay's file at {}", path.display()),
                "bardo styx run makes it; --store names another",
            )),
            Self::File(_) | Self::Database { .. } => Ok(()),
        }
    }

    /// Open it.
    pub fn open(&self) -> Result<Arc<dyn RelayStore>, Fail> {
        let fresh = fresh()?;
        match self {
            Self::File(path) => Ok(Arc::new(SqliteStore::open(path, fresh).map_err(broken)?)),
            Self::Database { url, schema } => database(url, schema, fresh),
        }
    }
}

/// The store for a relay that runs: a file has one at a time.
pub fn store(place: &StorePlace) -> Result<(HeldFile, Arc<dyn RelayStore>), Fail> {
    let StorePlace::File(path) = place else { return Ok((HeldFile(None), place.open()?)) };
    let beside = path.with_extension("lock");
    let made = path.parent().map_or(Ok(()), create_dir_all).and_then(|()| File::create(&beside));
    let lock = made.map_err(|e| Fail::world(format!("{}: {e}", beside.display())))?;
    match lock.try_lock() {
        Ok(()) => Ok((HeldFile(Some(lock)), place.open()?)),
        Err(TryLockError::WouldBlock) => Err(Fail::refused_hint(
            format!("another relay runs on {}", path.display()),
            "stop it first, or give this one a file of its own: --store sqlite:PATH",
        )),
        Err(TryLockError::Error(e)) => Err(Fail::world(format!("{}: {e}", beside.display()))),
    }
}

#[cfg(feature = "styx-postgres")]
fn database(url: &str, schema: &str, fresh: StoreIdentity) -> Result<Arc<dyn RelayStore>, Fail> {
    let opened = styx::store::PostgresStore::open(url, schema, fresh);
    let hint = "the database must answer, and its user may make a schema in it (bardo styx run --help)";
    Ok(Arc::new(opened.map_err(|fault| Fail::world_hint(fault.to_string(), hint))?))
}

#[cfg(not(feature = "styx-postgres"))]
fn database(_url: &str, _schema: &str, _fresh: StoreIdentity) -> Result<Arc<dyn RelayStore>, Fail> {
    Err(without("PostgreSQL", "styx-postgres"))
}

/// Where the pieces of archives lie.
pub fn shelf(said: Option<&str>, home: &Home) -> Result<Arc<dyn ChunkShelf>, Fail> {
    match said {
        Some(url) if url.contains("://") => objects(url),
        Some("") => Err(Fail::hint("--archive names no place", "a directory, or s3://BUCKET/FOLDER")),
        Some(directory) => pieces(Path::new(directory)),
        None => pieces(&home.path().join("styx/archive")),
    }
}

fn pieces(directory: &Path) -> Result<Arc<dyn ChunkShelf>, Fail> {
    Ok(Arc::new(DirectoryShelf::open(directory).map_err(broken)?))
}

#[cfg(feature = "styx-s3")]
fn objects(url: &str) -> Result<Arc<dyn ChunkShelf>, Fail> {
    let aws = |(name, value): (String, String)| name.starts_with("AWS_").then(|| (name.to_lowercase(), value));
    let options =
        std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).filter_map(aws);
    let hint =
        "s3://BUCKET/FOLDER, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT as need be";
    let opened = styx::shelf::ObjectShelf::open(url, options).map_err(|fault| Fail::hint(fault.to_string(), hint))?;
    Ok(Arc::new(opened))
}

#[cfg(not(feature = "styx-s3"))]
fn objects(_url: &str) -> Result<Arc<dyn ChunkShelf>, Fail> {
    Err(without("object stores", "styx-s3"))
}

#[cfg(not(all(feature = "styx-postgres", feature = "styx-s3")))]
fn without(what: &str, feature: &str) -> Fail {
    Fail::hint(
        format!("this build knows nothing of {what}"),
        format!("build one that does: cargo build --release --features {feature}"),
    )
}

/// What a store is known by if it is made now.
fn fresh() -> Result<StoreIdentity, Fail> {
    let (mut log, mut secret) = ([0; 16], [0; 32]);
    getrandom::fill(&mut log).and_then(|()| getrandom::fill(&mut secret)).map_err(|e| Fail::world(e.to_string()))?;
    Ok(StoreIdentity { log: LogId(log), secret })
}

/// A store that failed.
pub fn broken(fault: StoreFault) -> Fail {
    Fail::world(fault.to_string())
}
