//! What attackers cost the honest: from telling to being kept and to being heard, without and with them, in one run.
//!
//! `styx_attack [SECONDS]`. The relay is a process of its own with the limits that everybody has, on SQLite in a fresh directory. Attackers are
//! another process, behind everybody else in the queue for the processor, with four addresses for each kind: forged, replayed, malformed,
//! nested, oversize, dripping, silent, flooding with warnings, pulses and questions, deaf, and such that only knock.
#![allow(dead_code, clippy::print_stdout)]

#[path = "../tests/it/client.rs"]
mod client;
#[path = "../tests/it/kit.rs"]
mod kit;

use client::{Client, hear, say};
use futures_util::SinkExt;
use golem_core::VirtualTime;
use kit::{Owner, Teller, identity, owner};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use styx::desk::RelayDesk;
use styx::shelf::ModelShelf;
use styx::store::SqliteStore;
use styx::{RelayAddress, SOCKET_PATH};
use styx_wire::*;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

/// Honest owners, each with two that tell and one that hears.
const OWNERS: u8 = 16;
/// How often each of them tells something.
const EVERY: Duration = Duration::from_millis(200);

fn relay(dir: &str) {
    let store = Arc::new(SqliteStore::open(&std::path::Path::new(dir).join("styx.db"), identity(1)).unwrap());
    let desk = RelayDesk::new(store, Arc::new(ModelShelf::default()));
    let server = styx::start(desk, RelayAddress::loopback()).unwrap();
    println!("RELAY {}", server.address());
    std::thread::sleep(Duration::from_secs(86_400));
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

impl Running {
    /// Seconds of processor time, and bytes in memory.
    fn used(&self) -> (f64, u64) {
        let read = |what: &str| std::fs::read_to_string(format!("/proc/{}/{what}", self.0.id())).unwrap();
        let (stat, status) = (read("stat"), read("status"));
        let ticks: Vec<i64> =
            stat.rsplit(')').next().unwrap().split_whitespace().filter_map(|w| w.parse().ok()).collect();
        let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
        // From the state on, which is no number: user and system time are the eleventh and twelfth.
        (
            (ticks[10] + ticks[11]) as f64 / 100.0,
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024,
        )
    }
}

fn key(n: u64) -> ed25519_dalek::SigningKey {
    ed25519_dalek::SigningKey::from_bytes(blake3::hash(&n.to_le_bytes()).as_bytes())
}

/// The honest tell something now and then; how long until it was kept, and until it was heard.
async fn tell(at: SocketAddr, phase: u64, rounds: u32) -> (Vec<Duration>, Vec<Duration>) {
    let (mut telling, mut hearing) = (Vec::new(), Vec::new());
    for n in 0..OWNERS {
        let one = Arc::new(owner(n + 1));
        let (told, mut tells) = tokio::sync::mpsc::unbounded_channel::<(golem_core::Hash, Instant)>();
        let mut ears = Client::of(at, &Teller::new(&one, key(9_000 + u64::from(n)))).await;
        ears.follow(ears.welcome.head).await;
        hearing.push(tokio::spawn(async move {
            let (mut begun, mut took) = (std::collections::BTreeMap::new(), Vec::new());
            while took.len() < 2 * rounds as usize {
                let Some(frame) = hear(&mut ears.socket).await else { break };
                let RelayFrame::Deltas { deltas, upto } = frame else { continue };
                let now = Instant::now();
                while let Ok((id, at)) = tells.try_recv() {
                    begun.insert(id, at);
                }
                took.extend(
                    deltas.iter().filter_map(|d| begun.get(&d.delta.head.id())).map(|at| now.duration_since(*at)),
                );
                say(&mut ears.socket, &GolemFrame::Took { upto }).await;
            }
            took
        }));
        for m in 0..2_u64 {
            // New golems in each phase: none has used its purse.
            let mut teller = Teller::new(&one, key(phase * 1_000 + u64::from(n) * 2 + m));
            let told = told.clone();
            telling.push(tokio::spawn(async move {
                let mut client = Client::of(at, &teller).await;
                tokio::time::sleep(EVERY / (2 * u32::from(OWNERS)) * (u32::from(n) * 2 + m as u32)).await;
                let mut took = Vec::new();
                for round in 0..rounds {
                    let delta = teller.tell(DeltaKind::Insight, &round.to_le_bytes());
                    let begun = Instant::now();
                    let _over = told.send((delta.head.id(), begun));
                    let receipts = client.push(vec![delta]).await;
                    assert!(matches!(receipts[..], [DeltaReceipt::Kept { .. }]), "{receipts:?}");
                    took.push(begun.elapsed());
                    tokio::time::sleep(EVERY.saturating_sub(begun.elapsed())).await;
                }
                took
            }));
        }
    }
    let (mut kept, mut heard) = (Vec::new(), Vec::new());
    for task in telling {
        kept.extend(task.await.unwrap());
    }
    for task in hearing {
        heard.extend(task.await.unwrap());
    }
    (kept, heard)
}

/// Attackers' own line, from an address of their own.
async fn knock(at: SocketAddr, from: Ipv4Addr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.bind((from, 0).into()).ok()?;
    socket.connect(at).await.ok()
}

type Line = WebSocketStream<TcpStream>;

async fn dial(at: SocketAddr, from: Ipv4Addr) -> Option<Line> {
    let stream = knock(at, from).await?;
    let opening = client_async(format!("ws://{at}{SOCKET_PATH}"), stream);
    Some(tokio::time::timeout(Duration::from_secs(5), opening).await.ok()?.ok()?.0)
}

async fn greet(
    at: SocketAddr,
    from: Ipv4Addr,
    certificate: OwnerCertificate,
    key: &ed25519_dalek::SigningKey,
) -> Option<(Line, bool)> {
    let mut socket = dial(at, from).await?;
    let RelayFrame::Challenge(challenge) = hear(&mut socket).await? else { return None };
    let hello = Hello::answer(key, certificate, &challenge, &at.to_string());
    say(&mut socket, &GolemFrame::Hello(Box::new(hello))).await;
    let entered = matches!(hear(&mut socket).await, Some(RelayFrame::Welcome(_)));
    Some((socket, entered))
}

const KINDS: [&str; 12] = [
    "forged",
    "forged deltas",
    "replayed",
    "malformed",
    "nested",
    "oversize",
    "dripping",
    "silent",
    "warnings",
    "pulses",
    "questions",
    "deaf",
];

/// One attacker, once.
async fn strike(kind: &str, at: SocketAddr, from: Ipv4Addr, evil: &Arc<Owner>, n: u64) -> Option<()> {
    let mut teller = Teller::new(evil, key(50_000 + n));
    let certificate = evil.certify(&teller.key);
    let many = |teller: &mut Teller, kind| (0..64).map(|i| teller.tell(kind, &[i; 700])).collect::<Vec<SignedDelta>>();
    if kind == "dripping" {
        let mut stream = knock(at, from).await?;
        for byte in format!("GET {SOCKET_PATH} HTTP/1.1\r\nhost: {at}\r\nx-drip: {}", "x".repeat(400)).into_bytes() {
            stream.write_all(&[byte]).await.ok()?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        return Some(());
    }
    if kind == "silent" {
        let mut socket = dial(at, from).await?;
        while hear(&mut socket).await.is_some() {}
        return Some(());
    }
    if kind == "forged" {
        let forged = OwnerCertificate { signature: owner(99).sign(&certificate.words.signing_hash()), ..certificate };
        greet(at, from, forged, &teller.key).await?;
        return Some(());
    }
    let (mut socket, true) = greet(at, from, certificate, &teller.key).await? else { return None };
    match kind {
        "forged deltas" => {
            let mut bad = many(&mut teller, DeltaKind::Insight);
            bad.iter_mut().for_each(|d| d.signature = d.signature.with_bit_turned(7));
            while say(&mut socket, &GolemFrame::Push(bad.clone())).await && hear(&mut socket).await.is_some() {}
        }
        "replayed" => {
            let told = many(&mut teller, DeltaKind::Insight);
            while say(&mut socket, &GolemFrame::Push(told.clone())).await && hear(&mut socket).await.is_some() {}
        }
        "malformed" => {
            let _cut = socket.send(Message::Binary(vec![1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f].into())).await;
            hear(&mut socket).await;
        }
        "nested" => {
            let _cut = socket.send(Message::Text("[".repeat(60_000).into())).await;
            hear(&mut socket).await;
        }
        "oversize" => {
            let _cut = socket.send(Message::Binary(vec![1; 1 << 20].into())).await;
            hear(&mut socket).await;
        }
        "warnings" => {
            let told = many(&mut teller, DeltaKind::Warning);
            while say(&mut socket, &GolemFrame::Push(told.clone())).await {}
        }
        "pulses" => {
            for count in 0.. {
                let words = PulseWords {
                    owner: evil.id,
                    origin: teller.origin(),
                    count: n * 1_000_000 + count,
                    tick: 1,
                    at: VirtualTime(1),
                    phase: kit::word("thriving"),
                    vitality: 900,
                    terms: PulseTerms::Mortal,
                    dreaming: false,
                    chain: ChainHead::root(evil.id, teller.origin()),
                };
                if !say(&mut socket, &GolemFrame::Pulse(SignedPulse::of(&teller.key, words))).await {
                    break;
                }
            }
        }
        "questions" => while say(&mut socket, &GolemFrame::Siblings { from: 0 }).await {},
        // It is told everything, and reads nothing.
        _ => {
            say(&mut socket, &GolemFrame::Follow { after: 0 }).await;
            tokio::time::sleep(Duration::from_secs(30)).await;
        }
    }
    Some(())
}

/// All kinds at once, until the end of the process.
async fn attack(at: SocketAddr) {
    let strikes: Arc<[AtomicU64; KINDS.len()]> = Arc::default();
    for (i, kind) in KINDS.into_iter().enumerate() {
        for j in 0..4_u8 {
            let strikes = Arc::clone(&strikes);
            let evil = Arc::new(owner(100 + i as u8));
            tokio::spawn(async move {
                let from = Ipv4Addr::new(127, 0, 1 + i as u8, 1 + j);
                for n in 0.. {
                    let struck = strike(kind, at, from, &evil, u64::from(j) * 1_000 + n % 200).await;
                    strikes[i].fetch_add(1, Ordering::Relaxed);
                    if struck.is_none() {
                        // It is not even let to knock: it tries again, as fast as this machine lets it try.
                        tokio::time::sleep(Duration::from_millis(2)).await;
                    }
                }
            });
        }
    }
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let all: Vec<String> =
            KINDS.iter().zip(&*strikes).map(|(kind, n)| format!("{kind} {}", n.load(Ordering::Relaxed))).collect();
        println!("STRIKES {}", all.join(", "));
    }
}

fn words(name: &str, mut took: Vec<Duration>) -> (String, f64) {
    took.sort();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    (format!("{name} p50 {:.1} ms, p99 {:.1} ms ({} of them)", at(0.5), at(0.99), took.len()), at(0.99))
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match args.first().map(String::as_str) {
        Some("relay") => return relay(&args[1]),
        Some("attack") => return runtime.block_on(attack(args[1].parse().unwrap())),
        _ => {}
    }
    let seconds: u32 = args.first().and_then(|w| w.parse().ok()).unwrap_or(15);
    // A golem tells at most a hundred things in an hour.
    let rounds = (seconds * 5).min(95);
    let (exe, dir) = (std::env::current_exe().unwrap(), tempfile::tempdir().unwrap());
    let mut child = Command::new(&exe).arg("relay").arg(dir.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let relay = Running(child);
    let at: SocketAddr = line.trim().trim_start_matches("RELAY ").parse().unwrap();
    let before = relay.used();
    let calm = runtime.block_on(tell(at, 1, rounds));
    let between = relay.used();
    let mut attackers = Command::new("nice");
    attackers.args(["-n", "19"]).arg(&exe).args(["attack", &at.to_string()]).stdout(Stdio::piped());
    let mut attackers = Running(attackers.spawn().unwrap());
    std::thread::sleep(Duration::from_secs(2));
    let attacked = runtime.block_on(tell(at, 2, rounds));
    let after = relay.used();
    let mut struck = String::new();
    let mut out = attackers.0.stdout.take().unwrap();
    drop(attackers);
    let _all = out.read_to_string(&mut struck);
    let report = |name: &str, took: (Vec<Duration>, Vec<Duration>)| {
        let ((kept, kept_p99), (heard, heard_p99)) = (words("kept", took.0), words("heard by a sibling", took.1));
        println!("{name}: {kept}; {heard}");
        (kept_p99, heard_p99)
    };
    let (calm, attacked) = (report("unattacked", calm), report("attacked", attacked));
    println!("p99 under attack: {:.2} times (kept), {:.2} times (heard)", attacked.0 / calm.0, attacked.1 / calm.1);
    println!(
        "strikes: {}",
        struck.lines().rev().find(|l| l.starts_with("STRIKES")).unwrap_or("none").trim_start_matches("STRIKES ")
    );
    println!(
        "the relay: {:.1} s of processor unattacked, {:.1} s attacked; at most {} MB",
        between.0 - before.0,
        after.0 - between.0,
        after.1 >> 20
    );
    let mut stream = std::net::TcpStream::connect(at).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    let figures: Vec<&str> = page.lines().filter(|l| l.starts_with("styx_") && !l.ends_with(" 0")).collect();
    println!("{}", figures.join(", "));
}
