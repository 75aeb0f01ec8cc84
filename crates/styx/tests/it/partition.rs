//! A network that is made up: links break in one direction or both, stand still and come back, the relay falls and gets up; from a seed,
//! so that what went wrong once goes wrong again. Every acknowledged delta takes effect once at every sibling.
//!
//! A slice runs here; `BARDO_LONG=1` runs 1,000 seeds, and `STYX_TEST_SEED=N` runs one.

use crate::killed::roomy;
use crate::kit::{BEGIN, Tried, identity, owner, sqlite};
use crate::sibling::{Dice, Quiet, SIBLINGS, Sibling, once_each};
use std::net::SocketAddr;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use styx::clock::RelayClock;
use styx::desk::RelayDesk;
use styx::shelf::ModelShelf;
use styx::store::{ModelStore, RelayStore};
use styx::{ConnectionSource, SOCKET_PATH};
use tokio::sync::watch;
use tokio_tungstenite::client_async;
use turmoil::net::{TcpListener, TcpStream};

const RELAY: &str = "relay";
const PORT: u16 = 7078;
/// When everything must be over, in the network's time.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time as the network has it.
#[derive(Debug)]
struct MadeUpTime;

impl RelayClock for MadeUpTime {
    fn now_ms(&self) -> u64 {
        BEGIN + turmoil::sim_elapsed().map_or(0, |since| since.as_millis() as u64)
    }
}

struct Doors(TcpListener);

impl ConnectionSource for Doors {
    type Stream = TcpStream;
    async fn next_connection(&self) -> std::io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }
}

async fn relay(store: Arc<dyn RelayStore>) -> turmoil::Result {
    let desk = RelayDesk {
        clock: Arc::new(MadeUpTime),
        limits: roomy(),
        ..RelayDesk::new(store, Arc::new(ModelShelf::default()))
    };
    let doors = Doors(TcpListener::bind(("0.0.0.0", PORT)).await?);
    let (_until_it_falls, stopping) = watch::channel(false);
    styx::serve_here(desk, vec![format!("{RELAY}:{PORT}")], doors, stopping).await;
    Ok(())
}

async fn live(mut sibling: Sibling, quiet: Arc<Quiet>, done: Arc<Mutex<Vec<Sibling>>>) -> turmoil::Result {
    loop {
        let dialling = async {
            let stream = TcpStream::connect((RELAY, PORT)).await.ok()?;
            let url = format!("ws://{RELAY}:{PORT}{SOCKET_PATH}");
            Some(client_async(url, stream).await.ok()?.0)
        };
        if let Ok(Some(socket)) = tokio::time::timeout(sibling.patience, dialling).await
            && sibling.live(socket, &format!("{RELAY}:{PORT}"), &quiet).await.is_some()
        {
            done.lock().unwrap().push(sibling);
            return Ok(());
        }
        assert!(turmoil::elapsed() < PATIENCE, "it does not come to rest: {}", sibling.shown());
        tokio::time::sleep(Duration::from_millis(5 + sibling.dice.roll(200))).await;
    }
}

/// What is mended later, and when.
enum Mend {
    Link(String),
    Release(String),
    Relay,
}

fn life(seed: u64) -> (usize, usize) {
    let tried = match seed % 10 {
        0 => sqlite(),
        _ => Tried { name: "model", store: Arc::new(ModelStore::new(identity(1))), dir: None },
    };
    let mut sim = turmoil::Builder::new()
        .rng_seed(seed)
        .enable_random_order()
        .tick_duration(Duration::from_millis(2))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(30))
        .simulation_duration(PATIENCE * 2)
        .tcp_capacity(1_024)
        .build();
    let store = Arc::clone(&tried.store);
    sim.host(RELAY, move || relay(Arc::clone(&store)));
    let (one, quiet, done) = (Arc::new(owner(1)), Arc::new(Quiet::default()), Arc::new(Mutex::new(Vec::new())));
    let name = |n: u64| format!("golem-{n}");
    for n in 0..SIBLINGS as u8 {
        let mut sibling = Sibling::new(&one, 50 + n);
        (sibling.dice, sibling.rarely) = (Dice(seed.wrapping_mul(31).wrapping_add(u64::from(n))), 6);
        sibling.patience = Duration::from_secs(2);
        sim.client(name(u64::from(n)), live(sibling, Arc::clone(&quiet), Arc::clone(&done)));
    }
    let mut dice = Dice(seed ^ 0x7061_7274);
    let (mut next, mut mends, mut faults) = (Duration::ZERO, Vec::new(), 0);
    let mends_due = |sim: &mut turmoil::Sim<'_>, mends: &mut Vec<(Duration, Mend)>, all: bool| {
        let now = sim.elapsed();
        mends.retain(|(at, mend)| {
            if *at > now && !all {
                return true;
            }
            match mend {
                Mend::Link(who) => sim.repair(RELAY, who.as_str()),
                Mend::Release(who) => sim.release(RELAY, who.as_str()),
                Mend::Relay => sim.bounce(RELAY),
            }
            false
        });
    };
    while sim.elapsed() < Duration::from_secs(8) {
        sim.step().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        mends_due(&mut sim, &mut mends, false);
        let now = sim.elapsed();
        if now < next {
            continue;
        }
        next = now + Duration::from_millis(100 + dice.roll(900));
        let until = now + Duration::from_millis(50 + dice.roll(2_500));
        let who = name(dice.roll(SIBLINGS as u64));
        faults += 1;
        match dice.roll(5) {
            0 => {
                sim.partition(RELAY, who.as_str());
                mends.push((until, Mend::Link(who)));
            }
            1 => {
                sim.partition_oneway(RELAY, who.as_str());
                mends.push((until, Mend::Link(who)));
            }
            2 => {
                sim.partition_oneway(who.as_str(), RELAY);
                mends.push((until, Mend::Link(who)));
            }
            3 => {
                sim.hold(RELAY, who.as_str());
                mends.push((until, Mend::Release(who)));
            }
            _ if mends.iter().any(|(_, mend)| matches!(mend, Mend::Relay)) => {}
            _ => {
                sim.crash(RELAY);
                mends.push((now + Duration::from_millis(20 + dice.roll(1_200)), Mend::Relay));
            }
        }
    }
    mends_due(&mut sim, &mut mends, true);
    quiet.over.store(true, SeqCst);
    while !sim.step().unwrap_or_else(|e| panic!("seed {seed}: it does not come to rest: {e}")) {}
    drop(sim);
    let golems = std::mem::take(&mut *done.lock().unwrap());
    assert_eq!(golems.len(), SIBLINGS, "seed {seed}");
    (once_each(&golems), faults)
}

#[test]
fn every_acknowledged_delta_takes_effect_once_however_the_network_breaks() {
    let one = std::env::var("STYX_TEST_SEED").ok().and_then(|n| n.parse::<u64>().ok());
    let seeds = match (one, std::env::var_os("BARDO_LONG")) {
        (Some(one), _) => one..one + 1,
        (None, Some(_)) => 0..1_000,
        (None, None) => 0..12,
    };
    let (mut told, mut faults, n) = (0, 0, seeds.end - seeds.start);
    for seed in seeds {
        // What a seed was is said by whoever fails in it.
        let found = std::panic::catch_unwind(|| life(seed)).unwrap_or_else(|_| panic!("STYX_TEST_SEED={seed}"));
        (told, faults) = (told + found.0, faults + found.1);
    }
    assert!(told as u64 > 20 * n, "{told} told in {n} networks");
    println!("{told} deltas, {faults} faults, {n} networks: each once at every sibling");
}
