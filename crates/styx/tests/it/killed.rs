//! A relay that is killed at any moment, under load, over a network that repeats, delays and reorders: every acknowledged delta takes
//! effect once at every sibling.
//!
//! The relay is this test program again, told by its environment to be one. A slice runs here; `BARDO_LONG=1` kills 500 times.

use crate::kit::{identity, owner};
use crate::sibling::{Alarm, Dice, Quiet, SIBLINGS, Sibling, once_each};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use styx::clock::WallTime;
use styx::desk::RelayDesk;
use styx::shelf::DirectoryShelf;
use styx::store::{RelayStore, SqliteStore};
use styx::{RelayAddress, SOCKET_PATH};
use styx_wire::{BucketRate, RelayLimits};
use tokio::time::timeout;
use tokio_tungstenite::connect_async;

const BE_A_RELAY: &str = "STYX_TEST_BE_A_RELAY";

pub fn roomy() -> RelayLimits {
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

type Where = Arc<Mutex<Vec<SocketAddr>>>;

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
                let deadline = Instant::now() + Duration::from_secs(120 + 10 * kills as u64);
                runtime.block_on(async {
                    loop {
                        let at = {
                            let here = here.lock().unwrap();
                            here[sibling.dice.roll(here.len() as u64) as usize]
                        };
                        let dialled = timeout(sibling.patience, connect_async(format!("ws://{at}{SOCKET_PATH}"))).await;
                        if let Ok(Ok((socket, _))) = dialled
                            && sibling.live(socket, &at.to_string(), &quiet).await.is_some()
                        {
                            break;
                        }
                        assert!(Instant::now() < deadline, "it does not come to rest: {}", sibling.shown());
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
    let told = once_each(&golems);
    assert!(told > kills, "{told} told under {kills} kills");
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
