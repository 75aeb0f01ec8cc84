//! Owners, golems, stores and clocks for tests.

use ed25519_dalek::SigningKey;
use golem_core::VirtualTime;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use styx::clock::SetTime;
use styx::desk::RelayDesk;
use styx::shelf::{DirectoryShelf, ModelShelf};
use styx::store::{ModelStore, RelayStore, SqliteStore, StoreIdentity};
use styx_wire::*;

#[path = "../../../styx-wire/tests/it/owner.rs"]
mod owner;
pub use owner::*;

pub const DAY: u64 = 86_400_000;
/// When tests begin: a Wednesday of 2026.
pub const BEGIN: u64 = 1_790_000_000_000;

pub fn owner(n: u8) -> Owner {
    owner_until(n, 4_000_000_000)
}

pub fn word(text: &str) -> FieldWord {
    text.parse().unwrap()
}

/// A golem that goes on with its chain.
pub struct Teller {
    pub owner: Arc<Owner>,
    pub key: SigningKey,
    pub head: ChainHead,
}

impl Teller {
    pub fn new(owner: &Arc<Owner>, key: SigningKey) -> Self {
        let head = ChainHead::root(owner.id, OriginKey::of(&key));
        Self { owner: Arc::clone(owner), key, head }
    }
    pub fn origin(&self) -> OriginKey {
        OriginKey::of(&self.key)
    }
    pub fn tell(&mut self, kind: DeltaKind, body: &[u8]) -> SignedDelta {
        let entropy = *blake3::Hasher::new().update(&self.head.id.0).update(body).finalize().as_bytes();
        let sealed = self.owner.group.public().seal(body, &entropy);
        let delta = SignedDelta::next(&self.key, self.owner.id, self.head, kind, VirtualTime(self.head.seq), sealed);
        self.head = delta.reached();
        delta
    }
}

pub fn identity(n: u8) -> StoreIdentity {
    StoreIdentity { log: LogId([n; 16]), secret: [n; 32] }
}

/// A store that goes with whatever it lies in.
pub struct Tried {
    pub name: &'static str,
    pub store: Arc<dyn RelayStore>,
    pub dir: Option<tempfile::TempDir>,
}

/// Every store there is, empty.
pub fn stores() -> Vec<Tried> {
    let model: Arc<dyn RelayStore> = Arc::new(ModelStore::new(identity(1)));
    let mut all = vec![Tried { name: "model", store: model, dir: None }, sqlite()];
    all.extend(elsewhere());
    all
}

pub fn sqlite() -> Tried {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&dir.path().join("styx.db"), identity(1)).unwrap());
    Tried { name: "sqlite", store, dir: Some(dir) }
}

#[cfg(not(feature = "postgres"))]
fn elsewhere() -> Option<Tried> {
    None
}

/// A schema of its own, where a server was named; said loudly where none was.
#[cfg(feature = "postgres")]
#[allow(clippy::print_stderr)]
pub fn elsewhere() -> Option<Tried> {
    use std::sync::atomic::AtomicU32;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let Ok(url) = std::env::var("STYX_TEST_POSTGRES") else {
        eprintln!("SKIPPED: PostgreSQL was not asked for (STYX_TEST_POSTGRES; see tools/styx-servers)");
        return None;
    };
    let schema = format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst));
    let store = Arc::new(styx::store::PostgresStore::open(&url, &schema, identity(1)).unwrap());
    Some(Tried { name: "postgres", store, dir: None })
}

/// A desk over a store, at a time that can be set.
pub fn desk(tried: &Tried) -> (RelayDesk, Arc<SetTime>) {
    let clock = Arc::new(SetTime::default());
    clock.0.store(BEGIN, Ordering::SeqCst);
    let shelf: Arc<dyn styx::shelf::ChunkShelf> = match &tried.dir {
        Some(dir) => Arc::new(DirectoryShelf::open(&dir.path().join("pieces")).unwrap()),
        None => Arc::new(ModelShelf::default()),
    };
    let store = Arc::clone(&tried.store);
    let limits = RelayLimits::default();
    (
        RelayDesk {
            store,
            shelf,
            clock: Arc::<SetTime>::clone(&clock),
            limits,
            public: true,
            owners: None,
            newcomers: Arc::default(),
        },
        clock,
    )
}
