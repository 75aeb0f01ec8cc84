//! How much a relay on this machine carries: durable deltas per second, from telling to hearing, memory of idle connections.
//!
//! `styx_load deltas GOLEMS EACH BATCH`, `styx_load latency GOLEMS ROUNDS`, `styx_load fleet GOLEMS ROUNDS`, `styx_load idle CONNECTIONS`,
//! `styx_load beside EACH ROUNDS` (with a bare redis and a bare nats-server, where they are installed). The relay is a process of its own, on
//! SQLite in a fresh directory, or on PostgreSQL where STYX_TEST_POSTGRES names one.
#![allow(dead_code, clippy::print_stdout)]

#[path = "../../tests/it/client.rs"]
mod client;
#[path = "../../tests/it/kit.rs"]
mod kit;
mod others;

use client::Client;
use kit::{Teller, identity, owner};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use styx::RelayAddress;
use styx::clock::WallTime;
use styx::desk::RelayDesk;
use styx::shelf::ModelShelf;
use styx::store::{RelayStore, SqliteStore};
use styx_wire::frame::{decode, encode};
use styx_wire::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedSender;
use tokio_tungstenite::MaybeTlsStream;

fn roomy() -> RelayLimits {
    let rate = BucketRate { per_hour: 1 << 40, burst: 1 << 30 };
    RelayLimits {
        frames: rate,
        bytes: rate,
        knowledge: rate,
        warnings: rate,
        owner_entries: rate,
        connections: 20_000,
        connections_per_address: 20_000,
        connections_per_owner: 20_000,
        golems_per_owner: 20_000,
        strangers: 20_000,
        silence_ms: 3_600_000,
        owner_log_bytes: 1 << 40,
        ..RelayLimits::default()
    }
}

fn store(dir: &str) -> Arc<dyn RelayStore> {
    #[cfg(feature = "postgres")]
    if let Ok(url) = std::env::var("STYX_TEST_POSTGRES") {
        let schema = format!("load{}", std::process::id());
        return Arc::new(styx::store::PostgresStore::open(&url, &schema, identity(1)).unwrap());
    }
    Arc::new(SqliteStore::open(&std::path::Path::new(dir).join("styx.db"), identity(1)).unwrap())
}

fn relay(dir: &str) {
    let shelf = Arc::new(ModelShelf::default());
    let desk = RelayDesk {
        store: store(dir),
        shelf,
        clock: Arc::new(WallTime),
        limits: roomy(),
        public: false,
        owners: None,
        newcomers: Arc::default(),
    };
    let server = styx::start(desk, RelayAddress::loopback()).unwrap();
    println!("RELAY {}", server.address());
    std::thread::sleep(Duration::from_secs(86_400));
}

/// A process with its address and its directory; gone when it is dropped.
struct Server(Child, SocketAddr, tempfile::TempDir);

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

impl Server {
    fn relay() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["relay", &dir.path().display().to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self(child, line.trim().trim_start_matches("RELAY ").parse().unwrap(), dir)
    }
    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
    }
    /// Seconds of processor time, of the server and of this process.
    fn used(&self) -> (f64, f64) {
        (used(&self.0.id().to_string()), used("self"))
    }
}

fn used(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let numbers: Vec<i64> =
        stat.rsplit(')').next().unwrap().split_whitespace().filter_map(|w| w.parse().ok()).collect();
    (numbers[10] + numbers[11]) as f64 / 100.0
}

/// The middle one, and one of a hundred, in milliseconds.
fn percentiles(mut took: Vec<Duration>) -> (f64, f64) {
    took.sort();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    (at(0.5), at(0.99))
}

fn key(n: usize) -> ed25519_dalek::SigningKey {
    ed25519_dalek::SigningKey::from_bytes(blake3::hash(&n.to_le_bytes()).as_bytes())
}

/// Golems of so many owners; none of another round.
fn tellers(n: usize, owners: usize, round: usize) -> Vec<Teller> {
    let owners: Vec<_> = (0..owners).map(|o| Arc::new(owner((round * 8 + o) as u8 + 1))).collect();
    (0..n).map(|i| Teller::new(&owners[i % owners.len()], key(round * 100_000 + i))).collect()
}

async fn deltas(relay: &Server, golems: usize, each: usize, batch: usize) -> f64 {
    let at = relay.1;
    let mut running = Vec::new();
    for mut teller in tellers(golems, golems.min(8), 0) {
        let told: Vec<SignedDelta> = (0..each).map(|_| teller.tell(DeltaKind::Insight, &[7; 400])).collect();
        running.push((Client::of(at, &teller).await, told));
    }
    let (begun, before) = (Instant::now(), relay.used());
    let tasks: Vec<_> = running
        .into_iter()
        .map(|(mut client, told)| {
            tokio::spawn(async move {
                for part in told.chunks(batch) {
                    let receipts = client.push(part.to_vec()).await;
                    assert!(receipts.iter().all(|r| matches!(r, DeltaReceipt::Kept { .. })));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let took = begun.elapsed().as_secs_f64();
    let (all, after) = (golems * each, relay.used());
    let of_relay = (after.0 - before.0) / all as f64 * 1e6;
    println!(
        "{all} durable deltas of {golems} golems, {batch} at a time: {:.0} per second; {of_relay:.0} us of the relay's processor each",
        all as f64 / took
    );
    all as f64 / took
}

/// How long a golem lets the relay wait for how far it has read, unless it has read much: it says so with its pulse.
const TAKE: Duration = Duration::from_secs(60);

/// The frames of a socket, read as plainly as the lines of the others are: hearing takes its time from the processors that the relay has
/// here, and by a library for sockets it took more of it than telling did.
struct FrameReader {
    stream: TcpStream,
    got: Vec<u8>,
}

/// Where the first frame begins and ends that is there whole. From a relay come neither masks nor parts.
fn whole(got: &[u8]) -> Option<(usize, usize)> {
    let (head, rest) = got.split_first_chunk::<2>()?;
    assert_eq!(head[0], 0x82, "a frame of data");
    let (from, length) = match head[1] {
        127 => (10, u64::from_be_bytes(*rest.first_chunk()?) as usize),
        126 => (4, u16::from_be_bytes(*rest.first_chunk()?).into()),
        short => (2, short.into()),
    };
    (from + length <= got.len()).then_some((from, from + length))
}

impl FrameReader {
    /// Whoever has begun to follow; nothing has come for it since it was welcomed.
    fn of(client: Client) -> Self {
        let MaybeTlsStream::Plain(stream) = client.socket.into_inner() else { panic!("a relay of this machine") };
        Self { stream, got: Vec::with_capacity(4_096) }
    }
    /// The next frame; none when the relay is gone.
    async fn next(&mut self) -> Option<RelayFrame> {
        loop {
            if let Some((from, upto)) = whole(&self.got) {
                let frame = decode(&self.got[from..upto]).unwrap();
                self.got.drain(..upto);
                return Some(frame);
            }
            if self.stream.read_buf(&mut self.got).await.ok()? == 0 {
                return None;
            }
        }
    }
    /// Say something short.
    async fn say(&mut self, frame: &GolemFrame) {
        let body = encode(frame);
        let length = u8::try_from(body.len()).ok().filter(|length| *length < 126).unwrap();
        let _gone = self.stream.write_all(&[&[0x82, 0x80 | length, 0, 0, 0, 0], &body[..]].concat()).await;
    }
}

/// Says when it first hears of something, and takes what is in the log, as a golem's ferry does.
async fn listen(at: SocketAddr, golem: &Teller, tell: &UnboundedSender<Instant>) {
    let mut client = Client::of(at, golem).await;
    client.follow(0).await;
    let (mut reader, tell) = (FrameReader::of(client), tell.clone());
    tokio::spawn(async move {
        let (mut heard, mut read, mut took) = (0, 0, 0);
        let mut due = None;
        while let Some(frame) = reader.next().await {
            let news = match frame {
                RelayFrame::Urgent(logged) => logged.position,
                RelayFrame::Deltas { deltas, upto } => {
                    (read, due) = (upto, due.or(Some(Instant::now() + TAKE)));
                    deltas.last().map_or(0, |logged| logged.position)
                }
                _ => 0,
            };
            if news > heard {
                heard = news;
                let _nobody_counts = tell.send(Instant::now());
            }
            if read >= took + 64 || due.is_some_and(|due| due <= Instant::now()) {
                (took, due) = (read, None);
                reader.say(&GolemFrame::Took { upto: read }).await;
            }
        }
    });
}

/// So many golems are there, ten of each owner; one after the other an owner's tenth warns its nine siblings.
async fn fleet(relay: &Server, golems: usize, rounds: usize) {
    const FAMILY: usize = 10;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let mut warners = Vec::new();
    for family in 0..golems / FAMILY {
        let one = Arc::new(owner(u8::try_from(family + 1).expect("at most 2,550 golems")));
        let mut all: Vec<_> = (0..FAMILY).map(|n| Teller::new(&one, key(family * FAMILY + n))).collect();
        let teller = all.pop().unwrap();
        for sibling in &all {
            listen(relay.1, sibling, &tell).await;
        }
        warners.push((Client::of(relay.1, &teller).await, teller));
    }
    let (mut took, before) = (Vec::new(), relay.used());
    for n in 0..rounds {
        let of = n % warners.len();
        let (client, teller) = &mut warners[of];
        let warning = teller.tell(DeltaKind::Warning, b"the pool is drained");
        let begun = Instant::now();
        client.push(vec![warning]).await;
        for _ in 1..FAMILY {
            took.push(told.recv().await.unwrap().duration_since(begun));
        }
    }
    let ((p50, p99), after) = (percentiles(took), relay.used());
    println!(
        "{golems} golems of {} owners, a warning to nine siblings, durable first: p50 {p50:.1} ms, p99 {p99:.1} ms; {:.0} us of the relay's processor for each that heard",
        golems / FAMILY,
        (after.0 - before.0) / (rounds * (FAMILY - 1)) as f64 * 1e6,
    );
}

async fn latency(relay: &Server, golems: usize, rounds: usize, round: usize) -> (f64, f64) {
    let mut all = tellers(golems + 1, 1, round);
    let mut teller = all.pop().unwrap();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    for sibling in &all {
        listen(relay.1, sibling, &tell).await;
    }
    let mut client = Client::of(relay.1, &teller).await;
    let mut took = Vec::new();
    let before = relay.used();
    for _ in 0..rounds {
        let warning = teller.tell(DeltaKind::Warning, b"the pool is drained");
        let begun = Instant::now();
        client.push(vec![warning]).await;
        for _ in 0..golems {
            took.push(told.recv().await.unwrap().duration_since(begun));
        }
        // Until the log, in which it comes again, has been read too.
        tokio::time::sleep(Duration::from_millis(20 + golems as u64 / 5)).await;
    }
    let (p50, p99) = percentiles(took);
    let (after, n) = (relay.used(), (rounds * golems) as f64);
    println!(
        "a warning to {golems} siblings, durable first: p50 {p50:.1} ms, p99 {p99:.1} ms; {:.0} us of the relay's processor for each that heard, {:.0} us of theirs",
        (after.0 - before.0) / n * 1e6,
        (after.1 - before.1) / n * 1e6
    );
    (p50, p99)
}

async fn idle(relay: &Server, n: usize) {
    let before = relay.resident();
    let mut here = Vec::with_capacity(n);
    for teller in tellers(n, 8, 0) {
        here.push(Client::of(relay.1, &teller).await);
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let each = (relay.resident().saturating_sub(before)) as f64 / n as f64;
    println!("{n} idle connections: {each:.0} bytes each (resident, the relay's process)");
}

/// The same with others, in one run.
async fn beside(relay: &Server, each: usize, rounds: usize) {
    let (redis, nats) = (others::redis(), others::nats());
    let missing = || println!("  (not installed)");
    println!("durable, 16 golems, 32 at a time:");
    println!("  styx   {:.0} per second", deltas(relay, 16, each, 32).await);
    match &redis {
        Some(at) => println!(
            "  redis  {:.0} per second (XADD, synchronised always)",
            others::redis_kept(at.1, 16, each, 32).await
        ),
        None => missing(),
    }
    match &nats {
        Some(at) => println!(
            "  nats   {:.0} per second (JetStream, not synchronised)",
            others::nats_kept(at.1, 16, each, 32).await
        ),
        None => missing(),
    }
    for golems in [100, 1_000] {
        fleet(&Server::relay(), golems, rounds).await;
    }
    for (round, golems) in [1, 10, 100, 1_000].into_iter().enumerate() {
        let rounds = rounds.min(20_000 / golems).max(20);
        println!("one to {golems}:");
        latency(relay, golems, rounds, round + 1).await;
        for (name, server, is_nats) in [("redis", &redis, false), ("nats", &nats, true)] {
            if let Some(server) = server {
                let (p50, p99) = others::heard(server.1, is_nats, golems, rounds).await;
                println!("  {name}: p50 {p50:.1} ms, p99 {p99:.1} ms (nothing is kept)");
            }
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let n = |i: usize, default: usize| words.get(i).and_then(|w| w.parse().ok()).unwrap_or(default);
    let what = words.first().map_or("deltas", String::as_str);
    if what == "relay" {
        return relay(&words[1]);
    }
    let relay = Server::relay();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match what {
        "latency" => drop(runtime.block_on(latency(&relay, n(1, 100), n(2, 50), 0))),
        "fleet" => runtime.block_on(fleet(&relay, n(1, 1_000), n(2, 200))),
        "idle" => runtime.block_on(idle(&relay, n(1, 1_000))),
        "beside" => runtime.block_on(beside(&relay, n(1, 1_000), n(2, 200))),
        _ => drop(runtime.block_on(deltas(&relay, n(1, 16), n(2, 1_000), n(3, 32)))),
    }
}
