//! The sweep: the process is killed, or the disk fails, at every mutating system call in turn. After each the golem comes
//! back, every effect has happened once, and the finished life is the same. Needs `strace`.

use crate::toy::*;
use golem_core::door::{EffectKey, Hands, KeyedHands, Reconciled};
use golem_core::intent::Holdings;
use golem_core::{Hash, Intent, Preview, Receipt, Tick};
use golem_runtime::*;
use std::fs::{self, OpenOptions as FileOptions};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const DIR: &str = "BARDO_SWEEP_DIR";
const LIFE: u64 = 8;
const KILL: &str = "signal=SIGKILL";

/// A world outside that remembers effects in a file, one line each.
struct Ledger(PathBuf);

impl Ledger {
    fn lines(&self) -> Vec<(EffectKey, Receipt)> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines()
            .map(|l| l.split_once(' ').unwrap())
            .map(|(k, r)| (k.parse().unwrap(), serde_json::from_str(r).unwrap()))
            .collect()
    }
}

impl Hands<()> for Ledger {
    fn is_external(&self) -> bool {
        true
    }
    fn preview(&mut self, wishes: &[Intent], _: &Holdings) -> Vec<Preview> {
        foreseen(wishes)
    }
    fn act(&mut self, _: Tick, _: &Preview, (): ()) -> Receipt {
        unreachable!("external hands are called by key")
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        unreachable!("what happened outside is not done again")
    }
}

impl KeyedHands<()> for Ledger {
    fn act_keyed(&mut self, key: EffectKey, _: Tick, preview: &Preview, (): ()) -> Reconciled {
        let receipt = fill(preview);
        let line = format!("{key} {}\n", serde_json::to_string(&receipt).unwrap());
        let mut file = FileOptions::new().append(true).create(true).open(&self.0).unwrap();
        file.write_all(line.as_bytes()).unwrap();
        Reconciled::Settled(Box::new(receipt))
    }
    fn reconcile(&mut self, key: EffectKey, _: &Preview) -> Reconciled {
        let found = self.lines().into_iter().find(|(k, _)| *k == key);
        found.map_or(Reconciled::NeverSent, |(_, r)| Reconciled::Settled(Box::new(r)))
    }
}

fn nature() -> Nature {
    Nature { dies_at: LIFE, buys_one_in: 2, ..Nature::default() }
}

fn live(dir: &Path) -> Result<Hash, Error> {
    let store = Store::open(dir, OpenOptions::default(), NOW)?;
    let hands = Ledger(dir.join("ledger"));
    let mut runner: Runner<Toy, Walk, Ledger> = Runner::open(store, &nature(), Walk::new(), hands, around(Pace::Real))?;
    runner.run(Until::default())?;
    let head = runner.head();
    runner.close()?;
    Ok(head)
}

/// What runs under strace: this test in a process of its own.
#[test]
#[ignore = "run by the sweep in a process of its own"]
fn child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let said = match live(Path::new(&dir)) {
        Ok(_) => "lived".to_owned(),
        Err(e) => format!("error {:?}: {e}", e.kind()),
    };
    fs::write(Path::new(&dir).join("said"), said).unwrap();
}

/// What a fault did.
struct Hit {
    /// The call as it was traced, with the file that it was for; empty when the process was killed before that was told.
    call: String,
    /// What the child said of itself; nothing when it was killed.
    said: String,
}

impl Hit {
    /// The index of the log: scratch, which the next start makes anew.
    fn is_index(&self) -> bool {
        self.call.contains("golem.db-shm>")
    }
}

/// Run the child; `None` when there is no strace, otherwise what the fault hit, if it came to pass.
fn traced(dir: &Path, inject: &str) -> Option<Option<Hit>> {
    let name = inject.split(':').next().unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let run = Command::new("strace")
        .args(["-f", "-y", "-qq", "-o"])
        .arg(log.path())
        .args(["-e", &format!("trace={name}"), "-e", &format!("inject={inject}")])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "sweep::child", "--ignored"])
        .env(DIR, dir)
        .output();
    let Ok(output) = run else {
        assert!(std::env::var_os("CI").is_none(), "CI has strace; nothing may be skipped there");
        eprintln!("skipped: no strace");
        return None;
    };
    let killed = output.status.signal() == Some(9);
    let told = fs::read_to_string(log.path()).unwrap();
    let call = told.lines().find(|line| line.contains("INJECTED")).map(str::to_owned);
    let said = fs::read_to_string(dir.join("said")).unwrap_or_default();
    Some(call.or_else(|| killed.then(String::new)).map(|call| Hit { call, said }))
}

/// Inject at every n-th call until a run gets through untouched; returns how many were hit.
fn sweep(call: &str, fault: &str, step: usize, check: impl Fn(&Path, &Hit)) -> usize {
    for (hit, n) in (1..).step_by(step).enumerate() {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let Some(struck) = traced(tmp.path(), &format!("{call}:{fault}:when={n}")) else { return usize::MAX };
        let Some(struck) = struck else { return hit };
        check(tmp.path(), &struck);
        let head = live(tmp.path()).unwrap_or_else(|e| panic!("{call} {n}: {e}"));
        // Whoever lived on with a full disk took no new risk, so that life differs from a whole one.
        let cautious = fault != KILL && struck.said == "lived";
        assert!(cautious || head == head_of_a_whole_life(), "{call} {n}");
        let keys: Vec<String> = Ledger(tmp.path().join("ledger")).lines().iter().map(|(k, _)| k.to_string()).collect();
        let mut once = keys.clone();
        once.dedup();
        assert_eq!(keys, once, "{call} {n}: an effect happened twice");
        assert!(replayed(tmp.path(), &nature()).ok, "{call} {n}");
    }
    unreachable!()
}

fn head_of_a_whole_life() -> Hash {
    static HEAD: std::sync::OnceLock<Hash> = std::sync::OnceLock::new();
    *HEAD.get_or_init(|| {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        live(tmp.path()).unwrap()
    })
}

#[test]
fn killed_at_every_write() {
    for (call, step, least) in
        [("pwrite64", 4, 10), ("fsync", 1, 15), ("rename", 1, 1), ("write", 1, 2), ("unlink", 1, 1)]
    {
        let hits = sweep(call, KILL, step, |_, _| {});
        assert!(hits >= least, "{call} was hit {hits} times only");
    }
}

#[test]
fn a_failing_disk_is_fatal() {
    for (call, step) in [("fsync", 1), ("pwrite64", 5)] {
        let passed_over = std::cell::Cell::new(0);
        let hits = sweep(call, "error=EIO", step, |dir, hit| {
            if hit.said.starts_with("error World") {
                return;
            }
            assert_eq!(hit.said, "lived", "{}", hit.call);
            // SQLite passes over a failed sync of the directory in which it made its log (we sync it again ourselves).
            // Nothing else may go unnoticed but what is scratch.
            let made_log = hit.call.contains(&format!("<{}>)", dir.display()));
            passed_over.set(passed_over.get() + usize::from(made_log));
            assert!(made_log || hit.is_index(), "went unnoticed: {}", hit.call);
        });
        assert!(hits >= 10, "{call} was hit {hits} times only");
        assert!(passed_over.get() <= 1, "{} syncs of the directory went unnoticed", passed_over.get());
    }
}

#[test]
fn a_full_disk_at_any_write_is_survived() {
    // One failure is what the ballast is for: the run that meets it lives on. Of the index of the log SQLite does not say
    // whether it was full or failed: where there is room after all it counts as failed, and the next start lives on.
    let hits = sweep("pwrite64", "error=ENOSPC", 5, |_, hit| {
        assert!(
            hit.said == "lived" || hit.is_index() && hit.said.starts_with("error World"),
            "{}: {}",
            hit.call,
            hit.said
        );
    });
    assert!(hits >= 10, "{hits}");
}
