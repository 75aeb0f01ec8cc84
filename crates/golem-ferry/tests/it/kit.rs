//! Golems on disk, an owner, and a relay that can be started, stopped and lose its disk.

use ed25519_dalek::SigningKey;
use golem_clade::kin::{KinLetter, KinWord};
use golem_clade::library::{Archetype, EquipParcel, EquipTarget, WorldCalendar};
use golem_clade::provenance::{Lineage, Passport, TravellingEntry};
use golem_clade::world_time::LifeClock;
use golem_core::birth::Identity;
use golem_core::{Hash, Name, Secret, Tick, Timestamp, Usdc, VirtualTime};
use golem_ferry::{BackupTaken, FerryFile, FerryPassenger, FerryState, GraveSaid, LivingSigns, PassengerSigns};
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::standing::Support;
use golem_grimoire::{Claim, Entry, EntryBody, EntryKind, EntryOrigin, EntryStatus, Provenance, Standing};
use golem_life::Ask;
use golem_runtime::Origin;
use golem_wallet::{CertifiedGolem, CladeKey};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use styx::desk::RelayDesk;
use styx::shelf::DirectoryShelf;
use styx::store::{SqliteStore, StoreIdentity};
use styx::{RelayAddress, RelayServer, start};
use styx_wire::{LogId, OriginKey, OwnerCertificate, PulseTerms};

/// A relay whose disk outlives it.
pub struct Relay {
    dir: PathBuf,
    server: Option<RelayServer>,
    pub port: u16,
    tls: Option<(Vec<u8>, Vec<u8>)>,
    /// By which it is dialled besides.
    names: Vec<String>,
    /// Whether it has a layer for everybody.
    public: bool,
}

impl Relay {
    pub fn begin(dir: &Path) -> Self {
        Self::with_tls(dir, None)
    }
    /// Chain and key, as PEM.
    pub fn with_tls(dir: &Path, tls: Option<(Vec<u8>, Vec<u8>)>) -> Self {
        let mut relay = Self { dir: dir.to_owned(), server: None, port: 0, tls, names: Vec::new(), public: false };
        relay.start(1);
        relay
    }
    /// With a layer for everybody.
    pub fn for_everybody(dir: &Path) -> Self {
        let mut relay = Self { dir: dir.to_owned(), server: None, port: 0, tls: None, names: Vec::new(), public: true };
        relay.start(1);
        relay
    }
    /// Dialled at another port, by whatever stands before it.
    pub fn behind(dir: &Path, port: u16) -> Self {
        let names = vec![format!("127.0.0.1:{port}")];
        let mut relay = Self { dir: dir.to_owned(), server: None, port: 0, tls: None, names, public: false };
        relay.start(1);
        relay
    }
    /// Come back at the same port; with another number, without what was on its disk.
    pub fn start(&mut self, log: u8) {
        let (dir, identity) =
            (self.dir.join(log.to_string()), StoreIdentity { log: LogId([log; 16]), secret: [log; 32] });
        std::fs::create_dir_all(&dir).unwrap();
        let store = Arc::new(SqliteStore::open(&dir.join("styx.db"), identity).unwrap());
        let shelf = Arc::new(DirectoryShelf::open(&dir.join("pieces")).unwrap());
        let listen = std::net::SocketAddr::from(([127, 0, 0, 1], self.port));
        let address =
            RelayAddress { listen, tls: self.tls.clone(), names: self.names.clone(), ..RelayAddress::loopback() };
        let until = Instant::now() + Duration::from_secs(10);
        let server = loop {
            let desk = RelayDesk::new(Arc::<SqliteStore>::clone(&store), Arc::<DirectoryShelf>::clone(&shelf));
            match start(RelayDesk { public: self.public, ..desk }, address.clone()) {
                Ok(server) => break server,
                Err(why) => assert!(Instant::now() < until, "{why}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        self.port = server.address().port();
        self.server = Some(server);
    }
    pub fn stop(&mut self) {
        self.server.take().unwrap().stop();
    }
}

/// How a golem of these tests is.
struct Signs(Arc<AtomicU64>, Vec<u8>, Option<GraveSaid>);

impl PassengerSigns for Signs {
    fn living(&self) -> Option<LivingSigns> {
        let tick = Tick(self.0.load(Ordering::SeqCst));
        let (at, phase) = (VirtualTime(tick.0 * 40_000), "thriving".to_owned());
        Some(LivingSigns {
            tick,
            at,
            phase,
            vitality: 800,
            terms: PulseTerms::Mortal,
            dreaming: false,
            dead: self.2.is_some(),
        })
    }
    fn backup(&self) -> Option<BackupTaken> {
        let tick = Tick(self.0.load(Ordering::SeqCst));
        Some(BackupTaken { tick, at: VirtualTime(tick.0 * 40_000), clear: self.1.clone() })
    }
    fn grave(&self) -> Option<GraveSaid> {
        self.2.clone()
    }
}

/// A golem on disk.
pub struct Golem {
    pub dir: PathBuf,
    origin: Origin,
    pub tick: Arc<AtomicU64>,
    pub backup: Vec<u8>,
    /// What it speaks with, where that is not what it was born with.
    pub line: Option<[u8; 32]>,
    /// Where it is dead.
    pub grave: Option<GraveSaid>,
}

impl Golem {
    pub fn born(home: &Path, name: &str) -> Self {
        let golem = Self::found(home, name);
        golem_runtime::make_dir(&home.join("golems")).unwrap();
        golem_runtime::create(&golem.dir, &golem.origin).unwrap();
        golem
    }
    /// One that was born here before.
    pub fn found(home: &Path, name: &str) -> Self {
        let seed = u64::from(name.as_bytes()[0]);
        let (secret, signing) = (Secret::from_seed(seed), SigningKey::from_bytes(&Hash::of(name.as_bytes()).0));
        let name: Name = name.parse().unwrap();
        let public_key = Hash(signing.verifying_key().to_bytes());
        let identity = Identity { name: &name, public_key, commitment: secret.commitment() };
        let origin = Origin {
            birth: identity.first_ancestor(true, Timestamp(1_000), Usdc::whole(50), Hash::of(b"{}")),
            settings_given: String::new(),
            settings_resolved: String::new(),
            secret,
            signing_key: signing.to_bytes(),
            inheritance: None,
        };
        let dir = home.join("golems").join(origin.birth.id.to_string());
        Self { dir, origin, tick: Arc::new(AtomicU64::new(1)), backup: Vec::new(), line: None, grave: None }
    }
    /// Its whole folder, elsewhere.
    pub fn copied(&self, to: &Path) -> Self {
        let dir = to.join("golems").join(self.origin.birth.id.to_string());
        std::fs::create_dir_all(&dir).unwrap();
        for file in std::fs::read_dir(&self.dir).unwrap().map(Result::unwrap) {
            if file.file_type().unwrap().is_file() {
                std::fs::copy(file.path(), dir.join(file.file_name())).unwrap();
            }
        }
        Self {
            dir,
            origin: self.origin.clone(),
            tick: Arc::clone(&self.tick),
            backup: self.backup.clone(),
            line: self.line,
            grave: self.grave.clone(),
        }
    }
    pub fn id(&self) -> golem_core::GolemId {
        self.origin.birth.id
    }
    fn key(&self) -> SigningKey {
        SigningKey::from_bytes(&self.line.unwrap_or(self.origin.signing_key))
    }
    pub fn certified(&self, owner: &CladeKey, issued_s: u64) -> OwnerCertificate {
        let (golem, origin) = (self.id(), OriginKey::of(&self.key()));
        owner.certify(&CertifiedGolem { golem, origin, epoch: 1, issued_s, expires_s: 4_000_000_000 }).unwrap()
    }
    pub fn passenger(&self, owner: &CladeKey, port: u16) -> FerryPassenger {
        FerryPassenger {
            dir: self.dir.clone(),
            name: self.origin.birth.name.clone(),
            key: self.key(),
            certificate: self.certified(owner, 1_000),
            group: owner.group(1),
            reader: EquipTarget {
                golem: self.id(),
                archetype: Archetype::named("lp"),
                calendar: WorldCalendar::Outside,
                born: Timestamp(1_000),
            },
            hears: true,
            relay: format!("ws://127.0.0.1:{port}").parse().unwrap(),
            backup_every: Some(200),
            backup_ttl_s: 86_400,
            publishes: false,
            pulse_every: golem_ferry::PULSE,
            signs: Box::new(Signs(Arc::clone(&self.tick), self.backup.clone(), self.grave.clone())),
        }
    }
    fn conn(&self) -> Connection {
        let conn = Connection::open(self.dir.join("golem.db")).unwrap();
        conn.busy_timeout(Duration::from_secs(5)).unwrap();
        conn
    }
    /// As a turn would leave it in the outbox.
    pub fn says(&self, kind: &str, key: &str, body: &str) {
        let sql = "INSERT INTO outbox(key, tick, kind, body, state) VALUES (?1, 1, ?2, ?3, 'pending')";
        self.conn().execute(sql, (key, kind, body)).unwrap();
    }
    pub fn believes(&self, n: usize) -> String {
        golem_core::plain::json(&self.parcel(n))
    }
    pub fn parcel(&self, n: usize) -> EquipParcel {
        self.packed(n, EntryKind::Insight, false)
    }
    /// The same, marked by its death.
    pub fn stained(&self, n: usize) -> EquipParcel {
        self.packed(n, EntryKind::Insight, true)
    }
    fn packed(&self, n: usize, kind: EntryKind, is_bloodstain: bool) -> EquipParcel {
        let (birth, clock) = (&self.origin.birth, LifeClock { zero: Timestamp(1_000) });
        let origin = EntryOrigin { golem: birth.id, generation: 0 };
        let claim = Claim {
            when: format!("market.gas_ratio > {n}.5"),
            then: "market.shock > 1.0".to_owned(),
            unless: None,
            after_ticks: 20,
        };
        let body = EntryBody::own(kind, format!("Gas bursts, case {n}."), origin, VirtualTime(0));
        let standing = Standing::first(EntryStatus::Active, 8_000, Support::default(), VirtualTime(0));
        let entry = Entry::new(EntryBody { claim: Some(claim), is_bloodstain, ..body }, standing);
        let lineage = Lineage::of(birth, None);
        let passport = Passport::own(&entry, &lineage, clock);
        let foreign = Foreign { body: entry.body, standing: entry.standing };
        EquipParcel {
            entry: TravellingEntry { entry: foreign, passport },
            channel: Provenance::Clade,
            from: Some((lineage, Timestamp(2_000))),
            validations: Vec::new(),
        }
    }
    pub fn tells(&self, n: usize) {
        let word = KinWord::Entry { parcel: Box::new(self.parcel(n)) };
        self.says("kin", &format!("1/kin/{n}"), &KinLetter { at: Timestamp(1_500), word }.text());
    }
    /// What does not wait for a batch.
    pub fn warns(&self, n: usize) {
        let word = KinWord::Entry { parcel: Box::new(self.packed(n, EntryKind::Warning, false)) };
        self.says("alert", &format!("1/alert/{n}"), &KinLetter { at: Timestamp(1_500), word }.text());
    }
    /// What lies in its inbox, by key.
    pub fn inbox(&self) -> Vec<(String, Ask)> {
        let conn = self.conn();
        let mut read = conn.prepare("SELECT key, body FROM inbox ORDER BY id").unwrap();
        let rows = read.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
        rows.map(|row| row.map(|(key, body)| (key, serde_json::from_str(&body).unwrap())).unwrap()).collect()
    }
    pub fn hears(&self, n: usize) -> Vec<(String, Ask)> {
        let until = Instant::now() + Duration::from_secs(30);
        while self.inbox().len() < n {
            assert!(Instant::now() < until, "{} of {n} were heard", self.inbox().len());
            std::thread::sleep(Duration::from_millis(10));
        }
        self.inbox()
    }
    pub fn kept(&self) -> (FerryFile, FerryState) {
        FerryFile::look(&self.dir).unwrap().expect("it has been on its way")
    }
}
