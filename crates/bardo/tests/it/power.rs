//! Power cuts: every write of a run is recorded with its data and its place among the syncs, and states that a disk may be
//! left in are made from the record: what was synced is there, of the rest anything may be there, torn or not. From each of
//! them the life goes on as if nothing had happened.

use crate::kit;

use kit::{Home, count};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TURNS: u64 = 16;
const AFTER: u64 = 24;

/// One thing that was done to the disk.
#[derive(Debug, Clone)]
enum Op {
    Make { file: usize, path: PathBuf },
    Write { file: usize, at: usize, bytes: Vec<u8> },
    Cut { file: usize, length: usize },
    Rename { from: PathBuf, to: PathBuf },
    Remove { path: PathBuf },
    SyncFile { file: usize },
    SyncDir,
}

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

#[test]
fn from_every_state_that_a_power_cut_may_leave_the_life_goes_on() {
    if std::env::var_os("BARDO_SKIP_STRACE").is_some() {
        eprintln!("skipped: strace is missing");
        return;
    }
    let home = Home::new();
    let dir = home.create("cut", 21, &[]);
    home.live("cut", Some(5));
    let want = {
        let copy = Home::new();
        let to = copy.path().join(dir.strip_prefix(home.path()).unwrap());
        lay_out(&to, &read_dir(&dir));
        copy.live("cut", Some(AFTER))["hash"].as_str().unwrap().to_owned()
    };
    let record = recorded(&home, &dir);
    let syncs = record.ops.iter().filter(|op| matches!(op, Op::SyncFile { .. } | Op::SyncDir)).count();
    assert!(syncs > 20 && record.ops.len() > 80, "{syncs} syncs among {} operations", record.ops.len());
    let cases = count(24, 400);
    for n in 0..cases {
        let cut = (n * record.ops.len()) / cases + dice(n, 0) % (record.ops.len() / cases).max(1);
        let left = Home::new();
        let to = left.path().join(dir.strip_prefix(home.path()).unwrap());
        lay_out(&to, &record.left_by(cut.min(record.ops.len()), n));
        let said = left.bardo(&["golem", "verify", "cut", "--json"]);
        assert_eq!(said.code, 0, "state {n}, cut after operation {cut}: {said:?}");
        let ticks = said.json()["ticks"].as_u64().unwrap();
        let more = (5 + AFTER - ticks).to_string();
        let said = left.bardo(&["golem", "run", "cut", "--speed", "max", "-q", "--json", "--ticks", &more]);
        assert_eq!(said.code, 0, "state {n}, cut after operation {cut}: {said:?}");
        assert_eq!(said.json()["hash"], want.as_str(), "state {n}, cut after operation {cut}");
    }
}

fn dice(n: usize, of: u32) -> usize {
    golem_core::Dice::open(78, golem_core::Strand::World).bits(n as u64, of) as usize
}

fn read_dir(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_file());
    let own = |p: PathBuf| (PathBuf::from(p.file_name().unwrap()), fs::read(&p).unwrap());
    // The index of the log is scratch, and what takes up room only says nothing.
    files.map(own).filter(|(p, _)| is_kept(p)).collect()
}

fn is_kept(name: &Path) -> bool {
    let name = name.to_string_lossy();
    !name.ends_with("-shm") && !name.starts_with("ballast") && name != "lock" && !name.starts_with("snapshots")
}

fn lay_out(dir: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    fs::create_dir_all(dir).unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(dir.join(name), bytes).unwrap());
}

/// Run the golem for some turns, each a commit of its own, and record what it does to its directory.
fn recorded(home: &Home, dir: &Path) -> Record {
    let mut record = Record::default();
    for (name, bytes) in read_dir(dir) {
        record.names.insert(name, record.begun.len());
        record.begun.push(bytes);
    }
    record.at_first = record.names.clone();
    let log = home.path().join("strace.log");
    let turns = TURNS.to_string();
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
        record.add(&whole, dir);
    }
    record
}

impl Record {
    fn add(&mut self, call: &str, dir: &Path) {
        let Some((name, rest)) = call.split_once('(') else { return };
        if call.rsplit_once(" = ").is_none_or(|(_, result)| result.starts_with('-')) {
            return;
        }
        let within = |hex: &str| {
            let path = String::from_utf8_lossy(&unhex(hex)).into_owned();
            Path::new(&path).strip_prefix(dir).ok().filter(|p| is_kept(p)).map(Path::to_owned)
        };
        match name {
            "openat" => {
                let Some(path) = call.rsplit_once('<').and_then(|(_, p)| within(p.trim_end_matches('>'))) else {
                    return;
                };
                if path.as_os_str().is_empty() {
                    return;
                }
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
                if path.as_os_str().is_empty() {
                    return self.ops.push(Op::SyncDir);
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
                let paths: Vec<Option<PathBuf>> = rest.split('"').skip(1).step_by(2).map(within).collect();
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

    /// A state that a power cut after so many operations may leave.
    fn left_by(&self, cut: usize, n: usize) -> BTreeMap<PathBuf, Vec<u8>> {
        let done = &self.ops[..cut];
        // Names last in the order in which they were made: up to the last sync of the directory, and some of those after.
        let synced = done.iter().rposition(|op| matches!(op, Op::SyncDir)).unwrap_or(0);
        let loose: Vec<usize> = (synced..cut)
            .filter(|k| matches!(done[*k], Op::Make { .. } | Op::Rename { .. } | Op::Remove { .. }))
            .collect();
        let kept = dice(n, 1) % (loose.len() + 1);
        let names_until = loose.get(kept).copied().unwrap_or(cut);
        let mut names = self.at_first.clone();
        for op in &done[..names_until] {
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
        let content = |file: usize| self.content(file, cut, n);
        names.into_iter().map(|(path, file)| (path, content(file))).collect()
    }

    /// What a file holds: all that was synced, and of the rest what chance leaves of it.
    fn content(&self, file: usize, cut: usize, n: usize) -> Vec<u8> {
        let done = &self.ops[..cut];
        let synced = done.iter().rposition(|op| matches!(op, Op::SyncFile { file: f } if *f == file)).unwrap_or(0);
        let mut bytes = self.begun[file].clone();
        for (k, op) in done.iter().enumerate() {
            let fate = if k < synced { 0 } else { dice(n * 100_003 + k, 2) % 4 };
            match op {
                Op::Write { file: f, at, bytes: new } if *f == file => {
                    // There, there, lost, or torn between two sectors.
                    let length = match fate {
                        0 | 1 => new.len(),
                        2 => 0,
                        _ => (dice(n * 100_003 + k, 3) % (new.len() + 1)) / 512 * 512,
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
