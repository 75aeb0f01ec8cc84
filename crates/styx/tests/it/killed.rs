//! A relay that is killed at any moment, under load, over a network that repeats, delays and reorders: every acknowledged delta takes
//! effect once at every sibling.
//!
//! The relay is this test program again, told by its environment to be one. A slice runs here; `BARDO_LONG=1` kills 500 times.

use crate::client::{hear, say};
use crate::kit::{Owner, Teller, golem, identity, owner};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use styx::clock::WallTime;
use styx::desk::RelayDesk;
use styx::shelf::DirectoryShelf;
use styx::store::{RelayStore, SqliteStore};
use styx::{RelayAddress, SOCKET_PATH};
use styx_wire::reader::TakenDelta;
use styx_wire::*;
use tokio_tungstenite::connect_async;

const BE_A_RELAY: &str = "STYX_TEST_BE_A_RELAY";
const SIBLINGS: usize = 3;

fn roomy() -> RelayLimits {
    let rate = BucketRate { per_hour: 1 << 40, burst: 1 << 30 };
    RelayLimits {
        frames: rate,
        bytes: rate,
        knowledge: rate,
        warnings: rate,
        owner_entries: rate,
        ..RelayLimits::default()
    }
}

fn open(place: &str) -> Arc<dyn RelayStore> {
    #[cfg(feature = "postgres")]
    if let Some((url, schema)) = place.strip_prefix("postgres:").and_then(|rest| rest.split_once('|')) {
        return Arc::new(styx::store::PostgresStore::open(url, schema, identity(1)).unwrap());
    }
    Arc::new(SqliteStore::open(&Path::new(place).join("styx.db"), identity(1)).unwrap())
}

/// Not a test: the relay that others kill.
#[test]
fn be_a_relay() {
    let Ok(place) = std::env::var(BE_A_RELAY) else { return };
    let shelf = Arc::new(DirectoryShelf::open(&std::env::temp_dir()).unwrap());
    let desk = RelayDesk {
        store: open(&place),
        shelf,
        clock: Arc::new(WallTime),
        limits: roomy(),
        public: false,
        owners: None,
        newcomers: Arc::default(),
    };
    let shared = place.starts_with("postgres:");
    let hints = std::env::var("STYX_TEST_NATS").ok().filter(|_| shared && cfg!(feature = "nats"));
    let server = styx::start(desk, RelayAddress { shared, hints, ..RelayAddress::loopback() }).unwrap();
    println!("RELAY {}", server.address());
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

struct Killable(Child);

impl Drop for Killable {
    fn drop(&mut self) {
        // SIGKILL: nothing of it runs on.
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

fn spawn(place: &str) -> (Killable, SocketAddr) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::be_a_relay", "--nocapture"])
        .env(BE_A_RELAY, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let child = Killable(child);
    let line = out.lines().map_while(Result::ok).find_map(|l| l.split_once("RELAY ").map(|(_, at)| at.to_owned()));
    (child, line.expect("the relay says where it is").parse().unwrap())
}

/// Chance that can be run again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A golem with what it keeps through everything: its outbox, its reader, its cursor, and what took effect.
struct Sibling {
    teller: Teller,
    outbox: VecDeque<SignedDelta>,
    acknowledged: BTreeSet<golem_core::Hash>,
    reader: ChainReader,
    cursor: u64,
    effects: BTreeMap<golem_core::Hash, usize>,
    dice: Dice,
    drained: bool,
}

/// Whether telling is over, and how many have sent everything since.
#[derive(Default)]
struct Quiet {
    over: AtomicBool,
    drained: AtomicUsize,
    /// Somebody found a fault: the others need not wait.
    failed: AtomicBool,
}

struct Alarm(Arc<Quiet>);

impl Drop for Alarm {
    fn drop(&mut self) {
        self.0.failed.fetch_or(std::thread::panicking(), SeqCst);
    }
}

type Where = Arc<Mutex<Vec<SocketAddr>>>;

impl Sibling {
    fn new(owner: &Arc<Owner>, n: u8) -> Self {
        let teller = Teller::new(owner, golem(n));
        let mut reader = ChainReader::new(owner.id, teller.origin());
        for other in 0..SIBLINGS as u8 {
            reader.certified(&owner.certify(&golem(50 + other)), 2_000, 1 << 40).unwrap();
        }
        Self {
            teller,
            outbox: VecDeque::new(),
            acknowledged: BTreeSet::new(),
            reader,
            cursor: 0,
            effects: BTreeMap::new(),
            dice: Dice(u64::from(n)),
            drained: false,
        }
    }

    fn take(&mut self, delta: &SignedDelta) {
        if self.reader.take(delta).unwrap() == TakenDelta::New {
            *self.effects.entry(delta.head.id()).or_default() += 1;
        }
    }

    /// One connection, until it is cut: by the relay's death, or by this side's whim.
    /// When it is over, it sends the rest, and reads on until all have sent theirs and nothing comes any more.
    async fn live(&mut self, at: SocketAddr, quiet: &Quiet) -> Option<()> {
        let mut socket = connect_async(format!("ws://{at}{SOCKET_PATH}")).await.ok()?.0;
        let RelayFrame::Challenge(challenge) = hear(&mut socket).await? else { return None };
        let certificate = self.teller.owner.certify(&self.teller.key);
        let hello = Hello::answer(&self.teller.key, certificate, &challenge, &at.to_string());
        say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
        let RelayFrame::Welcome(welcome) = hear(&mut socket).await? else { return None };
        assert_eq!(self.reader.welcomed(welcome.log, welcome.head), None, "an honest relay never goes back");
        say(&mut socket, &GolemFrame::Follow { after: self.cursor }).await;
        let mut waiting = false;
        let mut rounds = 0;
        loop {
            assert!(!quiet.failed.load(SeqCst), "a sibling found a fault");
            let telling = !quiet.over.load(SeqCst);
            if !telling && self.outbox.is_empty() && !self.drained {
                self.drained = true;
                quiet.drained.fetch_add(1, SeqCst);
            }
            if !waiting {
                if telling && self.outbox.len() < 40 {
                    for _ in 0..1 + self.dice.roll(4) {
                        let kind = if self.dice.roll(5) == 0 { DeltaKind::Warning } else { DeltaKind::Insight };
                        let body = self.dice.0.to_le_bytes();
                        let delta = self.teller.tell(kind, &body);
                        self.outbox.push_back(delta);
                    }
                }
                // Some of what was sent before again, and now and then in the wrong order: refused, and sent again.
                let n = 1 + self.dice.roll(12) as usize;
                let mut batch: Vec<SignedDelta> = self.outbox.iter().take(n).cloned().collect();
                if self.dice.roll(6) == 0 {
                    batch.reverse();
                }
                if let Some(first) = batch.first().cloned().filter(|_| self.dice.roll(4) == 0) {
                    batch.push(first);
                }
                if !batch.is_empty() {
                    say(&mut socket, &GolemFrame::Push(batch)).await;
                    waiting = true;
                }
            }
            let all_sent = quiet.drained.load(SeqCst) == SIBLINGS;
            let patience = if all_sent { 1_500 } else { 50 };
            let heard = tokio::time::timeout(Duration::from_millis(patience), hear(&mut socket)).await;
            match heard {
                Err(_) if all_sent => return Some(()),
                Err(_) => {}
                Ok(None) => return None,
                Ok(Some(RelayFrame::Ack(receipts))) => {
                    waiting = false;
                    for receipt in receipts {
                        if let DeltaReceipt::Kept { id, .. } = receipt {
                            self.acknowledged.insert(id);
                            self.outbox.retain(|delta| delta.head.id() != id);
                        }
                    }
                }
                Ok(Some(RelayFrame::Urgent(logged))) => self.take(&logged.delta),
                Ok(Some(RelayFrame::Deltas { deltas, upto })) => {
                    deltas.iter().for_each(|logged| self.take(&logged.delta));
                    self.reader.shown(upto);
                    // The acknowledgement of what was read may be late, or never come.
                    if self.dice.roll(3) > 0 {
                        self.cursor = upto;
                        say(&mut socket, &GolemFrame::Took { upto }).await;
                    }
                }
                Ok(Some(RelayFrame::Refuse(_))) => return None,
                Ok(Some(other)) => panic!("{other:?}"),
            }
            rounds += 1;
            if telling && rounds > 20 && self.dice.roll(60) == 0 {
                let _cut = socket.close(None).await;
                return None;
            }
        }
    }
}

fn campaign(place: &str, relays: usize, kills: usize) -> String {
    let one = Arc::new(owner(1));
    let mut running: Vec<(Killable, SocketAddr)> = (0..relays).map(|_| spawn(place)).collect();
    let here: Where = Arc::new(Mutex::new(running.iter().map(|(_, at)| *at).collect()));
    let quiet = Arc::new(Quiet::default());
    let golems: Vec<_> = (0..SIBLINGS as u8)
        .map(|n| {
            let (one, here, quiet) = (Arc::clone(&one), Arc::clone(&here), Arc::clone(&quiet));
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let _alarm = Alarm(Arc::clone(&quiet));
                let mut sibling = Sibling::new(&one, 50 + n);
                let deadline = Instant::now() + Duration::from_secs(3_600);
                runtime.block_on(async {
                    loop {
                        let at = {
                            let here = here.lock().unwrap();
                            here[sibling.dice.roll(here.len() as u64) as usize]
                        };
                        if sibling.live(at, &quiet).await.is_some() {
                            break;
                        }
                        assert!(Instant::now() < deadline, "it does not come to rest");
                        tokio::time::sleep(Duration::from_millis(sibling.dice.roll(20))).await;
                    }
                });
                sibling
            })
        })
        .collect();
    let mut dice = Dice(7);
    for _ in 0..kills {
        assert!(!quiet.failed.load(SeqCst), "a sibling found a fault");
        std::thread::sleep(Duration::from_millis(20 + dice.roll(230)));
        let victim = dice.roll(relays as u64) as usize;
        drop(running.remove(victim));
        running.push(spawn(place));
        *here.lock().unwrap() = running.iter().map(|(_, at)| *at).collect();
    }
    std::thread::sleep(Duration::from_millis(300));
    quiet.over.store(true, SeqCst);
    let golems: Vec<Sibling> = golems.into_iter().map(|g| g.join().unwrap()).collect();
    let told: usize = golems.iter().map(|g| g.acknowledged.len()).sum();
    assert!(told > kills, "{told} told under {kills} kills");
    for (i, teller) in golems.iter().enumerate() {
        assert_eq!(teller.acknowledged.len() as u64, teller.teller.head.seq, "everything was acknowledged in the end");
        for reader in golems.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, g)| g) {
            for id in &teller.acknowledged {
                assert_eq!(reader.effects.get(id), Some(&1), "acknowledged, and not once at a sibling");
            }
        }
    }
    for golem in &golems {
        assert_eq!(golem.reader.missing(), [], "no hole in any chain");
        let others: usize = told - golem.acknowledged.len();
        assert_eq!(golem.effects.len(), others, "and nothing that was not told");
    }
    format!("{told} deltas, {kills} kills, {relays} relays: each once at every sibling")
}

fn kills(slice: usize) -> usize {
    if std::env::var_os("BARDO_LONG").is_some() { 500 } else { slice }
}

#[test]
fn every_acknowledged_delta_takes_effect_once_whenever_the_relay_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    println!("{}", campaign(&dir.path().display().to_string(), 1, kills(12)));
}

/// Two relays on one database: one is killed, its golems go on at the other.
#[cfg(feature = "postgres")]
#[test]
fn two_relays_on_one_database_stand_in_for_each_other() {
    let Ok(url) = std::env::var("STYX_TEST_POSTGRES") else {
        eprintln!("SKIPPED: PostgreSQL was not asked for (STYX_TEST_POSTGRES; see tools/styx-servers)");
        return;
    };
    println!("{}", campaign(&format!("postgres:{url}|k{}", std::process::id()), 2, kills(12)));
}
