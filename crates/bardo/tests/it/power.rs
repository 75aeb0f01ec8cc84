//! Power cuts: every write of a run is recorded with its data and its place among the syncs, and states that a disk may be
//! left in are made from the record: what was synced is there, of the rest anything may be there, torn or not. From each of
//! them the life goes on as if nothing had happened, on paper and with an embedded chain beside it.

#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use crate::chain_faults::VICTIM;
use crate::kit;

use kit::{Home, copy_into, count};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What lived before, is recorded, and is lived in all.
const PAPER: [u64; 3] = [5, 16, 29];
/// From birth: the chain begins in the recorded turns, and the golem acts in them and afterwards.
const EMBEDDED: [u64; 3] = [0, 20, 30];

/// The golem of the tests of chain faults buys more often here.
const OFTEN: &[&str] = &[
    "--set",
    "policy.cooldown_ticks=3",
    "--set",
    "policy.eth_dca.every_ticks=8",
    "--set",
    "policy.eth_dca.amount_usdc=\"4\"",
];

/// One thing that was done to the disk.
#[derive(Debug, Clone)]
enum Op {
    Make { file: usize, path: PathBuf },
    Write { file: usize, at: usize, bytes: Vec<u8> },
    Cut { file: usize, length: usize },
    Rename { from: PathBuf, to: PathBuf },
    Remove { path: PathBuf },
    SyncFile { file: usize },
    SyncDir { dir: PathBuf },
}

impl Op {
    /// The directory in which it changes a name, if it does.
    fn names_in(&self) -> Option<&Path> {
        match self {
            Self::Make { path, .. } | Self::Remove { path } | Self::Rename { to: path, .. } => path.parent(),
            _ => None,
        }
    }
    fn syncs(&self) -> bool {
        matches!(self, Self::SyncFile { .. } | Self::SyncDir { .. })
    }
}

/// Paths are those below the home.
#[derive(Default)]
struct Record {
    ops: Vec<Op>,
    /// Which file a name stands for, at this point of the record.
    names: BTreeMap<PathBuf, usize>,
    /// Where the next plain write to a file goes.
    offsets: BTreeMap<usize, usize>,
    /// The names when it began.
    at_first: BTreeMap<PathBuf, usize>,
    /// What each file held then.
    begun: Vec<Vec<u8>>,
}

fn has_strace() -> bool {
    let has = std::env::var_os("BARDO_SKIP_STRACE").is_none();
    if !has {
        eprintln!("skipped: strace is missing");
    }
    has
}

#[test]
fn from_every_state_that_a_power_cut_may_leave_the_life_goes_on() {
    if !has_strace() {
        return;
    }
    let home = Home::new();
    home.create("cut", 21, &[]);
    let [lived, turns, until] = PAPER;
    home.live("cut", Some(lived));
    let want = with(&home, &read_home(home.path())).live("cut", Some(until - lived));
    let record = recorded(&home, turns);
    let syncs = record.ops.iter().filter(|op| op.syncs()).count();
    assert!(syncs > 20 && record.ops.len() > 80, "{syncs} syncs among {} operations", record.ops.len());
    let cases = count(24, 400);
    for n in 0..cases {
        let cut = record.spread(n, cases);
        let left = with(&home, &record.left_by(cut, Some(n)));
        let said = left.bardo(&["golem", "verify", "cut", "--json"]);
        assert_eq!(said.code, 0, "state {n}, cut after operation {cut}: {said:?}");
        let ticks = said.json()["ticks"].as_u64().unwrap();
        let said = go_on(&left, until - ticks);
        assert_eq!(said.code, 0, "state {n}, cut after operation {cut}: {said:?}");
        assert_eq!(said.json()["hash"], want["hash"], "state {n}, cut after operation {cut}");
    }
}

/// The golem's file, its note, and the chain's file are synced in an order of their own: whatever a power cut leaves of all
/// three goes on as the life that was certain, on the chain that was certain, or is refused with a reason.
#[test]
fn from_every_state_of_a_golem_and_its_chain_the_life_goes_on_upon_it() {
    let (Some(home), true) = (Home::with_contracts(), has_strace()) else { return };
    home.create("cut", 6301, &[VICTIM, OFTEN].concat());
    let [lived, turns, until] = EMBEDDED;
    let calm = with(&home, &read_home(home.path()));
    let want = calm.live("cut", Some(until - lived));
    let happened = Happened::on(calm.path());
    let record = recorded(&home, turns);
    let acted = Happened::on(home.path()).effects.len();
    assert!(acted >= 3 && happened.effects.len() > acted, "it acts before and after: {acted} {:?}", happened.effects);
    let syncs: Vec<usize> = (0..record.ops.len()).filter(|k| record.ops[*k].syncs()).collect();
    assert!(syncs.len() > 40 && record.ops.len() > 500, "{} syncs among {}", syncs.len(), record.ops.len());
    let (cases, mut refused) = (count(16, 400), Vec::new());
    for n in 0..cases {
        // Half of them right before or after a sync, where one file knows of what the other may not have yet.
        let cut = match n % 2 {
            0 => record.spread(n, cases),
            _ => syncs[dice(n, 8) % syncs.len()] + dice(n, 9) % 2,
        };
        let what = format!("state {n}, cut after operation {cut} of {}", record.ops.len());
        let certain = Certain::of(with(&home, &record.left_by(cut, None)).path());
        let left = with(&home, &record.left_by(cut, Some(n)));
        let checked = left.bardo(&["golem", "verify", "cut", "--json"]);
        let ticks = if checked.code == 0 { checked.json()["ticks"].as_u64().unwrap() } else { 0 };
        assert!(checked.code != 0 || ticks >= certain.tick, "{what}: turn {ticks}, and {certain:?} was certain");
        let said = go_on(&left, until - ticks);
        if said.code != 0 {
            assert!([1, 2].contains(&said.code) && said.err.contains("hint"), "{what}: without a reason: {said:?}");
            assert!(!said.err.contains("panicked"), "{what}: {said:?}");
            refused.push(format!("{what}: {}", said.err));
            continue;
        }
        assert_eq!(checked.code, 0, "{what}: it runs on what does not verify: {checked:?}");
        assert_eq!(said.json()["hash"], want["hash"], "{what}: another life");
        // The same chain, and not another one that was begun in its place; everything happened on it, and once.
        assert!(certain.stands_in(left.path()), "{what}: {certain:?} is not what the chain goes on from");
        assert!(Happened::on(left.path()) == happened, "{what}: something else happened on the chain");
        let report = left.json(&["golem", "verify", "cut"]);
        assert_eq!(report["ok"], true, "{what}: {report:#}");
    }
    // Each file is synced before another knows of it, so that a power cut alone needs no person to mend it.
    assert!(refused.len() * 100 <= cases, "{} of {cases} were refused: {refused:#?}", refused.len());
}

/// What was on disk for certain when the power went: somebody may have been told of it.
#[derive(Debug)]
struct Certain {
    tick: u64,
    /// How often the chain was written, and the name of its head then.
    head: Option<(i64, Vec<u8>)>,
}

impl Certain {
    fn of(home: &Path) -> Self {
        let golem = fs::read_dir(home.join("golems")).unwrap().next().unwrap().unwrap().path();
        let db = Connection::open(golem.join("golem.db")).unwrap();
        let tick = db.query_row("SELECT coalesce(max(last_tick), 0) FROM journal", [], |row| row.get::<_, i64>(0));
        let last = "SELECT writes, name FROM heads ORDER BY writes DESC LIMIT 1";
        let head = chain_of(home).and_then(|db| db.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))).ok());
        Self { tick: tick.unwrap().cast_unsigned(), head }
    }
    /// Whether the chain that is there goes on from the one that was.
    fn stands_in(&self, home: &Path) -> bool {
        let Some((writes, name)) = &self.head else { return true };
        let find = "SELECT name FROM heads WHERE writes = ?1";
        let found = chain_of(home).and_then(|db| db.query_row(find, [writes], |row| row.get::<_, Vec<u8>>(0)).ok());
        found.as_ref() == Some(name)
    }
}

/// What happened on a chain: the keys of effects, and every transaction with its block.
#[derive(PartialEq)]
struct Happened {
    effects: Vec<String>,
    sent: Vec<(i64, i64, Vec<u8>)>,
}

impl Happened {
    fn on(home: &Path) -> Self {
        let db = chain_of(home).expect("a chain");
        let mut effects = db.prepare("SELECT key FROM effects WHERE substr(key, 1, 1) = x'65' ORDER BY key").unwrap();
        let effects = effects.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap().map(Result::unwrap);
        let effects = effects.map(|key| String::from_utf8_lossy(&key).into_owned()).collect();
        let mut sent = db.prepare("SELECT seq, block, data FROM transactions ORDER BY seq").unwrap();
        let sent = sent.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        Self { effects, sent: sent.map(Result::unwrap).collect() }
    }
}

/// The chain's file, where there is one.
fn chain_of(home: &Path) -> Option<Connection> {
    let path = home.join("chains/home/chain.db");
    path.exists().then(|| Connection::open(path).unwrap())
}

fn go_on(home: &Home, turns: u64) -> kit::Said {
    let turns = turns.to_string();
    home.bardo(&["golem", "run", "cut", "--speed", "max", "-q", "--json", "--ticks", &turns])
}

fn dice(n: usize, of: u32) -> usize {
    golem_core::Dice::open(78, golem_core::Strand::World).bits(n as u64, of) as usize
}

/// The files of golems and chains, by their place in the home.
fn read_home(home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let list = |dir: &Path| -> Vec<PathBuf> {
        fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    };
    let dirs = ["golems", "chains"].into_iter().flat_map(|kind| list(&home.join(kind)));
    let files = dirs.flat_map(|dir| list(&dir)).filter(|path| path.is_file());
    let named = files.map(|path| (path.strip_prefix(home).unwrap().to_owned(), path));
    named.filter(|(name, _)| is_kept(name)).map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

/// Whether a path below a home is a file of a golem or a chain that says something: the index of a log is scratch, and what
/// takes up room only says nothing.
fn is_kept(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let [kind, _, name] = &parts[..] else { return false };
    let says = !name.ends_with("-shm") && !name.starts_with("ballast") && !name.ends_with("lock");
    ["golems", "chains"].contains(&&**kind) && says && !name.starts_with("snapshots")
}

/// A home with these files and the contracts of another, and nothing else.
fn with(home: &Home, files: &BTreeMap<PathBuf, Vec<u8>>) -> Home {
    let other = Home::new();
    let contracts = home.path().join("contracts");
    if contracts.exists() {
        copy_into(&contracts, &other.path().join("contracts"));
    }
    for (name, bytes) in files {
        let path = other.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    other
}

/// Run the golem for some turns, each a commit of its own, and record what it does to its directory and its chain's.
fn recorded(home: &Home, turns: u64) -> Record {
    let mut record = Record::default();
    for (name, bytes) in read_home(home.path()) {
        record.names.insert(name, record.begun.len());
        record.begun.push(bytes);
    }
    record.at_first = record.names.clone();
    let log = home.path().join("strace.log");
    let turns = turns.to_string();
    let status = Command::new("strace")
        .args(["-f", "-qq", "-y", "-xx", "-s", "1000000", "-o"])
        .arg(&log)
        .args(["-e", "trace=openat,pwrite64,write,ftruncate,fsync,fdatasync,rename,unlink"])
        .arg(env!("CARGO_BIN_EXE_bardo"))
        .args(["golem", "run", "cut", "--speed", "x800", "--quiet", "--ticks", &turns])
        .env("BARDO_HOME", home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .expect("strace starts");
    assert!(status.success());
    let mut open: BTreeMap<String, String> = BTreeMap::new();
    for line in fs::read_to_string(&log).unwrap().lines() {
        let Some((pid, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(begun) = call.strip_suffix(" <unfinished ...>") {
            open.insert(pid.to_owned(), begun.to_owned());
            continue;
        }
        let whole = match call.split_once(" resumed>") {
            Some((_, rest)) => open.remove(pid).unwrap_or_default() + rest,
            None => call.to_owned(),
        };
        record.add(&whole, home.path());
    }
    record
}

impl Record {
    fn add(&mut self, call: &str, home: &Path) {
        let Some((name, rest)) = call.split_once('(') else { return };
        if call.rsplit_once(" = ").is_none_or(|(_, result)| result.starts_with('-')) {
            return;
        }
        let within = |hex: &str| {
            let path = String::from_utf8_lossy(&unhex(hex)).into_owned();
            Path::new(&path).strip_prefix(home).ok().map(Path::to_owned)
        };
        let kept = |hex: &str| within(hex).filter(|path| is_kept(path));
        match name {
            "openat" => {
                let Some(path) = call.rsplit_once('<').and_then(|(_, p)| kept(p.trim_end_matches('>'))) else {
                    return;
                };
                let known = self.names.get(&path).copied();
                let file = known.unwrap_or_else(|| {
                    self.begun.push(Vec::new());
                    self.ops.push(Op::Make { file: self.begun.len() - 1, path: path.clone() });
                    self.names.insert(path, self.begun.len() - 1);
                    self.begun.len() - 1
                });
                self.offsets.insert(file, 0);
                if rest.contains("O_TRUNC") {
                    self.ops.push(Op::Cut { file, length: 0 });
                }
            }
            "pwrite64" | "write" | "ftruncate" | "fsync" | "fdatasync" => {
                let Some((path, rest)) = rest.split_once('<').and_then(|(_, r)| r.split_once('>')) else { return };
                let Some(path) = within(path) else { return };
                // A golem's or a chain's directory: other places of a home do not change meanwhile.
                if name.ends_with("sync") && path.iter().count() == 2 {
                    return self.ops.push(Op::SyncDir { dir: path });
                }
                // A file that was renamed is still known by its descriptor's path.
                let Some(file) = self.names.get(&path).copied() else { return };
                match name {
                    "ftruncate" => {
                        let length = rest.trim_start_matches(", ").split(')').next().unwrap().parse().unwrap();
                        self.ops.push(Op::Cut { file, length });
                    }
                    "fsync" | "fdatasync" => self.ops.push(Op::SyncFile { file }),
                    _ => {
                        let mut quoted = rest.splitn(3, '"');
                        let bytes = unhex(quoted.nth(1).unwrap());
                        let at = match name {
                            "write" => self.offsets.get(&file).copied().unwrap_or(0),
                            _ => {
                                let numbers = quoted.next().unwrap().split(')').next().unwrap();
                                numbers.rsplit_once(", ").unwrap().1.parse().unwrap()
                            }
                        };
                        self.offsets.insert(file, at + bytes.len());
                        self.ops.push(Op::Write { file, at, bytes });
                    }
                }
            }
            "rename" | "unlink" => {
                let paths: Vec<Option<PathBuf>> = rest.split('"').skip(1).step_by(2).map(kept).collect();
                match (name, &paths[..]) {
                    ("rename", [Some(from), Some(to)]) => {
                        if let Some(file) = self.names.remove(from) {
                            self.names.insert(to.clone(), file);
                            self.ops.push(Op::Rename { from: from.clone(), to: to.clone() });
                        }
                    }
                    ("unlink", [Some(path)]) if self.names.remove(path).is_some() => {
                        self.ops.push(Op::Remove { path: path.clone() });
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// A place to cut at: as many as there are cases, spread over the record.
    fn spread(&self, n: usize, cases: usize) -> usize {
        let cut = (n * self.ops.len()) / cases + dice(n, 0) % (self.ops.len() / cases).max(1);
        cut.min(self.ops.len())
    }

    /// A state that a power cut after so many operations may leave; without dice, the one in which nothing is left of what
    /// was not synced.
    fn left_by(&self, cut: usize, dice_of: Option<usize>) -> BTreeMap<PathBuf, Vec<u8>> {
        let done = &self.ops[..cut];
        let mut lost: BTreeSet<usize> = BTreeSet::new();
        let dirs: BTreeSet<&Path> = done.iter().filter_map(Op::names_in).collect();
        for (place, dir) in (0u32..).zip(dirs) {
            // Names last in the order in which they were made: up to the last sync of their directory, and some of those
            // after. What is certain has its name: a file that counts is synced after its name is.
            let synced = done.iter().rposition(|op| matches!(op, Op::SyncDir { dir: d } if d == dir)).unwrap_or(0);
            let loose: Vec<usize> = (synced..cut).filter(|k| done[*k].names_in() == Some(dir)).collect();
            let kept = dice_of.map_or(loose.len(), |n| dice(n, 1 + 9 * place) % (loose.len() + 1));
            lost.extend(&loose[kept..]);
        }
        let mut names = self.at_first.clone();
        for (_, op) in done.iter().enumerate().filter(|(k, _)| !lost.contains(k)) {
            match op {
                Op::Make { file, path } => drop(names.insert(path.clone(), *file)),
                Op::Rename { from, to } => {
                    if let Some(file) = names.remove(from) {
                        names.insert(to.clone(), file);
                    }
                }
                Op::Remove { path } => drop(names.remove(path)),
                _ => {}
            }
        }
        let content = |file: usize| self.content(file, cut, dice_of);
        names.into_iter().map(|(path, file)| (path, content(file))).collect()
    }

    /// What a file holds: all that was synced, and of the rest what chance leaves of it.
    fn content(&self, file: usize, cut: usize, dice_of: Option<usize>) -> Vec<u8> {
        let done = &self.ops[..cut];
        let synced = done.iter().rposition(|op| matches!(op, Op::SyncFile { file: f } if *f == file)).unwrap_or(0);
        let mut bytes = self.begun[file].clone();
        for (k, op) in done.iter().enumerate() {
            let roll = |of: u32| dice_of.map(|n| dice(n * 100_003 + k, of));
            let fate = if k < synced { 0 } else { roll(2).map_or(2, |roll| roll % 4) };
            match op {
                Op::Write { file: f, at, bytes: new } if *f == file => {
                    // There, there, lost, or torn between two sectors.
                    let length = match fate {
                        0 | 1 => new.len(),
                        2 => 0,
                        _ => (roll(3).unwrap_or(0) % (new.len() + 1)) / 512 * 512,
                    };
                    if length > 0 {
                        bytes.resize(bytes.len().max(at + length), 0);
                        bytes[*at..at + length].copy_from_slice(&new[..length]);
                    }
                }
                Op::Cut { file: f, length } if *f == file && fate < 2 => bytes.resize(*length, 0),
                _ => {}
            }
        }
        bytes
    }
}

fn unhex(text: &str) -> Vec<u8> {
    text.split("\\x").skip(1).map(|two| u8::from_str_radix(&two[..2], 16).unwrap()).collect()
}
