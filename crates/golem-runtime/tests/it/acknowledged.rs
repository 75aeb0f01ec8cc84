//! What a person or a chain was told of does not vanish: a file that ends before it is refused, with what is missing.

use crate::effects::{Dies, Outside, Wallet};
use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::{Tick, Usdc};
use golem_life::{Ask, Being};
use golem_runtime::*;
use std::fs;
use std::path::Path;
use std::time::Duration;

const FILES: [&str; 3] = ["golem.db", "golem.db-wal", "golem.db-shm"];

/// As if the machine had stopped: the files as they lie on the disk, the log beside the file.
fn copy_of(dir: &Path, files: &[&str]) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    put_back(dir, copy.path(), files);
    copy
}

fn put_back(from: &Path, to: &Path, files: &[&str]) {
    for name in files {
        let _absent = fs::remove_file(to.join(name));
        let _absent = fs::copy(from.join(name), to.join(name));
    }
}

/// A life at real speed that was never closed: all of it stands in the log.
fn unclosed(dir: &Path, n: u64) -> ToyRunner {
    newborn(dir);
    let mut runner = open(dir, &Nature::default(), Pace::Real);
    runner.run(turns(n)).unwrap();
    runner
}

fn refused(dir: &Path) -> String {
    let error = Store::open(dir, OpenOptions::default(), NOW).unwrap_err();
    assert!(matches!(error, Error::RolledBack { .. }), "{error}");
    error.to_string()
}

#[test]
fn a_damaged_log_hides_no_turn_that_was_known() {
    let tmp = tempfile::tempdir().unwrap();
    let runner = unclosed(tmp.path(), 40);
    let head = runner.head();
    let log = fs::read(tmp.path().join("golem.db-wal")).unwrap();
    for n in 0..70 {
        let crashed = copy_of(tmp.path(), &["golem.db", "epoch"]);
        let mut bad = log.clone();
        let at = n * (log.len() / 70) + 13;
        bad[at] ^= 0x10;
        fs::write(crashed.path().join("golem.db-wal"), &bad).unwrap();
        let report = verify_chain(crashed.path()).unwrap();
        let damage = report.damage.unwrap_or_else(|| panic!("byte {at}: whole at turn {}", report.ticks));
        assert!(damage.what.contains("missing"), "byte {at}: {}", damage.what);
        assert!(!health(crashed.path()).unwrap().ok);
        let said = refused(crashed.path());
        let missing = 40 - report.ticks;
        let told = if missing == 1 { "1 turn missing".to_owned() } else { format!("{missing} turns missing") };
        assert!(said.contains(&told) || missing == 0 && said.contains("missing"), "byte {at}: {said}");
        assert_eq!(fs::read(crashed.path().join("golem.db-wal")).unwrap(), bad, "the log is left as it was found");
        assert!(matches!(Inbox::open(crashed.path()), Err(Error::RolledBack { .. })), "and takes no orders");
        assert_eq!(fs::read(crashed.path().join("golem.db-wal")).unwrap(), bad);
    }
    // The owner may go on all the same; it is noted, and the life comes out as it was.
    let crashed = copy_of(tmp.path(), &["golem.db", "epoch"]);
    let accepted = OpenOptions { accept_rollback: true, ..OpenOptions::default() };
    let store = Store::open(crashed.path(), accepted, NOW).unwrap();
    let around = around(Pace::Real);
    let mut again: ToyRunner = Runner::open(store, &Nature::default(), Walk::new(), InProcess(Paper), around).unwrap();
    let left = 40 - again.being().tick().0;
    again.run(turns(left)).unwrap();
    assert_eq!(again.head(), head);
    again.close().unwrap();
    assert_eq!(verify_chain(crashed.path()).unwrap().damage, None);
    drop(runner);
}

#[test]
fn a_whole_log_is_never_refused() {
    let tmp = tempfile::tempdir().unwrap();
    let mut runner = unclosed(tmp.path(), 3);
    for n in 4..30 {
        runner.run(turns(1)).unwrap();
        let crashed = copy_of(tmp.path(), &["golem.db", "golem.db-wal", "epoch"]);
        assert_eq!(verify_chain(crashed.path()).unwrap().damage, None, "turn {n}");
        assert_eq!(store(crashed.path()).lived().unwrap(), Tick(n));
    }
}

#[test]
fn an_answered_order_does_not_vanish() {
    let tmp = tempfile::tempdir().unwrap();
    let mut runner = unclosed(tmp.path(), 10);
    let before = copy_of(tmp.path(), &FILES);
    let id = Inbox::open(tmp.path()).unwrap().put("k", &Ask::Feed { amount: Usdc(7) }, NOW).unwrap();
    // Answered already when it lies in the inbox: the owner was told that it waits.
    let put = copy_of(tmp.path(), &["epoch"]);
    put_back(before.path(), put.path(), &FILES);
    let said = refused(put.path());
    assert!(said.contains("1 order missing"), "{said}");
    runner.run(turns(1)).unwrap();
    assert_eq!(wait_reply(tmp.path(), id, Duration::ZERO).unwrap().unwrap().text, "thanks");
    let fed = copy_of(tmp.path(), &["epoch"]);
    put_back(before.path(), fed.path(), &FILES);
    let said = refused(fed.path());
    assert!(said.contains("1 turn and 1 order missing"), "{said}");
    assert!(verify_chain(fed.path()).unwrap().damage.unwrap().what.contains("1 turn and 1 order missing"));
    drop(runner);
}

#[test]
fn an_order_put_before_the_first_turn_does_not_vanish() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let before = copy_of(tmp.path(), &FILES);
    Inbox::open(tmp.path()).unwrap().put("k", &Ask::Feed { amount: Usdc(7) }, NOW).unwrap();
    put_back(before.path(), tmp.path(), &FILES);
    assert!(refused(tmp.path()).contains("1 order missing"));
}

#[test]
fn an_older_file_of_the_same_start_is_noticed() {
    let tmp = tempfile::tempdir().unwrap();
    let mut runner = unclosed(tmp.path(), 10);
    let before = copy_of(tmp.path(), &FILES);
    runner.run(turns(10)).unwrap();
    drop(runner);
    put_back(before.path(), tmp.path(), &FILES);
    assert!(refused(tmp.path()).contains("10 turns missing"));
    // Another life of the same length is not the one that is known.
    let other = tempfile::tempdir().unwrap();
    newborn(other.path());
    Inbox::open(other.path()).unwrap().put("k", &Ask::Tell { text: "hello".into() }, NOW).unwrap();
    let mut runner = open(other.path(), &Nature::default(), Pace::Real);
    runner.run(turns(20)).unwrap();
    put_back(other.path(), tmp.path(), &FILES);
    assert!(refused(tmp.path()).contains("turn 20 as it was missing"));
    drop(runner);
}

/// A clock that only the test moves.
#[derive(Default)]
struct ByHand(std::sync::atomic::AtomicU64);

impl ByHand {
    fn set(&self, ms: u64) {
        self.0.store(ms, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Clock for ByHand {
    fn now(&self) -> golem_core::Timestamp {
        NOW
    }
    fn monotonic_ms(&self) -> u64 {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
    fn wait_until(&self, at_ms: u64, _: &StopFlag) {
        self.set(at_ms.max(self.monotonic_ms()));
    }
}

#[test]
fn a_life_that_tells_nobody_is_noted_every_two_seconds() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let clock = std::sync::Arc::new(ByHand::default());
    let around = Around { clock: clock.clone(), ..around(Pace::Max) };
    let nature = Nature::default();
    let mut runner = ToyRunner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), around).unwrap();
    let noted = || fs::read_to_string(tmp.path().join("epoch")).unwrap();
    let at_start = noted();
    for (ms, turn) in [(0, 1), (1_000, 2), (1_999, 3)] {
        clock.set(ms);
        runner.run(turns(1)).unwrap();
        assert_eq!((noted(), runner.being().tick().0), (at_start.clone(), turn), "too early at {ms} ms");
    }
    let mut before = at_start;
    for (ms, turn) in [(2_000, 4), (4_000, 5), (9_999, 6)] {
        clock.set(ms);
        runner.run(turns(1)).unwrap();
        let now = noted();
        assert!(now != before && now.contains(&format!("turn {turn} ")), "at {ms} ms: {now}");
        before = now;
    }
}

#[test]
fn flat_out_the_note_is_written_every_few_seconds_and_not_at_every_commit() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = open(tmp.path(), &Nature::default(), Pace::Max);
    let noted = || fs::read(tmp.path().join("epoch")).unwrap();
    let (at_start, begun) = (noted(), std::time::Instant::now());
    for _ in 0..6 {
        runner.run(turns(5)).unwrap();
    }
    // A machine that took seconds over this has had its note.
    if begun.elapsed() < Duration::from_secs(1) {
        assert_eq!(noted(), at_start, "nobody outside knows of these turns yet");
    }
    let id = Inbox::open(tmp.path()).unwrap().put("k", &Ask::Pause, NOW).unwrap();
    runner.run(turns(1)).unwrap();
    assert_ne!(noted(), at_start);
    let text = String::from_utf8(noted()).unwrap();
    assert!(text.contains("turn 31 ") && text.contains(&format!("orders {id} ")), "{text}");
}

/// A chain has seen what was sent: the note names the open turn before anything of it leaves, at every pace.
#[test]
fn an_effect_that_may_have_left_does_not_vanish() {
    for nth in 0..3 {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let (outside, clock) = (Outside::default(), std::sync::Arc::new(ByHand::default()));
        let begin = |dies: Dies| -> Runner<Toy, Walk, Wallet> {
            let wallet = Wallet { outside: outside.clone(), dies, dir: tmp.path().to_owned(), unknown: false };
            let around = Around { clock: clock.clone(), ..around(Pace::Max) };
            Runner::open(store(tmp.path()), &Nature::default(), Walk::new(), wallet, around).unwrap()
        };
        let mut runner = begin(Dies::AfterSending(nth));
        let (before, open) = loop {
            let before = copy_of(tmp.path(), &FILES);
            let open = runner.being().tick().0 + 1;
            match runner.run(turns(1)) {
                Ok(_) => assert!(open < 60, "it never acts"),
                Err(Error::Panicked { place: "the hands", .. }) => break (before, open),
                Err(e) => panic!("{e}"),
            }
        };
        drop(runner);
        assert_eq!(outside.done.lock().unwrap().len() as u64, nth + 1, "it has left");
        assert_eq!(clock.monotonic_ms(), 0, "nothing but the effect itself had this noted");
        let note = fs::read_to_string(tmp.path().join("epoch")).unwrap();
        assert!(note.contains(&format!("turn {} ", open - 1)) && note.contains(&format!("open {open} ")), "{note}");
        let after = copy_of(tmp.path(), &FILES);
        put_back(before.path(), tmp.path(), &FILES);
        let said = refused(tmp.path());
        let words = format!("the open turn {open}, whose effects may be out in the world,");
        assert!(said.contains(&words) && !said.contains("turns missing"), "{said}");
        assert!(verify_chain(tmp.path()).unwrap().damage.unwrap().what.contains(&words));
        assert!(matches!(Inbox::open(tmp.path()), Err(Error::RolledBack { .. })), "and takes no orders");
        // With the turn in it the file is whole: the chain is asked what came of it, and the life goes on.
        put_back(after.path(), tmp.path(), &FILES);
        assert_eq!(verify_chain(tmp.path()).unwrap().damage, None);
        let mut runner = begin(Dies::Never);
        runner.run(turns(1)).unwrap();
        assert_eq!(runner.being().tick().0, open, "the turn that was open");
        // What it lived until its next effect is noted with that; then the file from before is short of turns as well.
        while outside.done.lock().unwrap().len() as u64 == nth + 1 {
            runner.run(turns(1)).unwrap();
        }
        let (next, head) = (runner.being().tick().0, runner.head());
        drop(runner);
        let now = copy_of(tmp.path(), &FILES);
        put_back(after.path(), tmp.path(), &FILES);
        let said = refused(tmp.path());
        let missing = next - open;
        let turns = if missing == 1 { "1 turn".to_owned() } else { format!("{missing} turns") };
        assert!(said.contains(&format!("{turns} and the open turn {next}, whose effects")), "{said}");
        put_back(now.path(), tmp.path(), &FILES);
        let runner = begin(Dies::Never);
        assert_eq!((runner.being().tick().0, runner.head()), (next, head));
    }
}
