//! Clocks that jump, stall and run late.

use crate::crash_loop::Ear;
use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::{Tick, Timestamp};
use golem_life::Being;
use golem_runtime::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};

/// A clock that does what the test says: time passes only by waiting, and by jumps.
#[derive(Default)]
struct Scripted {
    wall: AtomicI64,
    mono: AtomicU64,
    /// Added to the next wait, as if the machine had slept.
    stall: AtomicU64,
    /// Passes at every look, as if everything were slow.
    slow: AtomicU64,
}

impl Clock for Scripted {
    fn now(&self) -> Timestamp {
        Timestamp(self.wall.load(SeqCst))
    }
    fn monotonic_ms(&self) -> u64 {
        self.mono.fetch_add(self.slow.load(SeqCst), SeqCst)
    }
    fn wait_until(&self, at_ms: u64, _: &StopFlag) {
        let before = self.mono.load(SeqCst);
        let after = at_ms.max(before) + self.stall.swap(0, SeqCst);
        self.mono.store(after, SeqCst);
        self.wall.fetch_add(((after - before) / 1_000) as i64, SeqCst);
    }
}

fn real(dir: &std::path::Path, clock: &Arc<Scripted>, ear: &Ear) -> ToyRunner {
    let around = Around {
        options: Options { pace: Pace::Real, shown: None, ..Options::default() },
        clock: Arc::<Scripted>::clone(clock),
        ..ear.around(Pace::Real)
    };
    Runner::open(store(dir), &Nature::default(), Walk::new(), InProcess(Paper), around).unwrap()
}

#[test]
fn the_wall_may_jump_and_only_the_shown_time_changes() {
    let jumps = [0, 3_600, -3_600, 10 * 365 * 86_400, -20 * 365 * 86_400, 1];
    let mut seen = Vec::new();
    for jumps in [&[0; 6][..], &jumps] {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let clock = Arc::new(Scripted { wall: AtomicI64::new(NOW.0), ..Scripted::default() });
        let mut runner = real(tmp.path(), &clock, &Ear::default());
        let mut shown = Vec::new();
        for jump in jumps {
            clock.wall.fetch_add(*jump, SeqCst);
            runner.run(turns(10)).unwrap();
            shown.push(Reader::open(tmp.path()).unwrap().status().unwrap().unwrap().at);
        }
        let status = runner.being().status();
        seen.push((clock.mono.load(SeqCst), status.tick, status.capital, runner.being().next_age(), shown));
        runner.close().unwrap();
        assert!(replayed(tmp.path(), &Nature::default()).ok);
    }
    let (calm, wild) = (seen[0].clone(), seen[1].clone());
    assert_eq!((calm.0, calm.1, calm.2, calm.3), (wild.0, wild.1, wild.2, wild.3));
    assert_ne!(calm.4, wild.4, "the shown times differ");
}

#[test]
fn a_stall_is_one_turn_and_not_a_burst() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let clock = Arc::new(Scripted::default());
    let ear = Ear::default();
    let mut runner = real(tmp.path(), &clock, &ear);
    runner.run(turns(3)).unwrap();
    assert_eq!(clock.mono.load(SeqCst), 80_000, "the first at once, then one per interval");
    // Ten minutes pass while it waits for the next turn.
    clock.stall.store(600_000, SeqCst);
    runner.run(turns(1)).unwrap();
    let woke = clock.mono.load(SeqCst);
    assert_eq!(woke, 720_000);
    assert_eq!(runner.advance(1_000).unwrap(), Progress::Due(woke + 40_000), "nothing is owed");
    assert_eq!(runner.being().tick(), Tick(4));
    let slept = Notice::DeadlineMissed { tick: Tick(4), late_ms: 600_000 };
    assert!(ear.notices.lock().unwrap().contains(&slept));
    runner.run(turns(2)).unwrap();
    assert_eq!(clock.mono.load(SeqCst), woke + 80_000, "the interval is kept again");
}

#[test]
fn a_late_turn_is_reported() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let clock = Arc::new(Scripted { slow: AtomicU64::new(30_000), ..Scripted::default() });
    let ear = Ear::default();
    let mut runner = real(tmp.path(), &clock, &ear);
    runner.run(turns(3)).unwrap();
    let late = ear.notices.lock().unwrap().iter().filter(|n| matches!(n, Notice::DeadlineMissed { .. })).count();
    assert!(late > 0, "{:?}", ear.notices.lock().unwrap());
    assert_eq!(runner.being().tick(), Tick(3));
}

#[test]
fn a_pace_between_waits_in_between() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let clock = Arc::new(Scripted::default());
    let around = Around {
        options: Options { pace: Pace::Times(60.0), ..Options::default() },
        clock: Arc::<Scripted>::clone(&clock),
        ..around(Pace::Max)
    };
    let nature = Nature::default();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), around).unwrap();
    runner.run(turns(91)).unwrap();
    assert_eq!(clock.mono.load(SeqCst), 60_001, "an hour in a minute, without drift");
    assert_eq!(runner.head(), head_after(91, &nature), "the shown time is the world's");
}

#[test]
fn flat_out_the_state_is_saved_once_a_second_and_what_came_since_is_lived_again() {
    let (tmp, clock, nature) = (tempfile::tempdir().unwrap(), Arc::<Scripted>::default(), Nature::default());
    newborn(tmp.path());
    let begun = || -> ToyRunner {
        let around = Around { clock: Arc::<Scripted>::clone(&clock), ..around(Pace::Max) };
        Runner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), around).unwrap()
    };
    let saved = || -> u64 {
        let file = rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap();
        file.query_row("SELECT tick FROM checkpoint", [], |row| row.get::<_, i64>(0)).unwrap() as u64
    };
    let mut runner = begun();
    runner.run(turns(1_200)).unwrap();
    assert_eq!(saved(), 1_200, "the first is never put off");
    runner.run(turns(2_000)).unwrap();
    assert_eq!((saved(), runner.being().tick()), (1_200, Tick(3_200)), "no time has passed");
    // Everything is on disk all the same: whoever crashes now comes back to the last turn.
    drop(runner);
    let mut runner = begun();
    assert_eq!((runner.being().tick(), runner.head()), (Tick(3_200), head_after(3_200, &nature)));
    clock.mono.fetch_add(1_000, SeqCst);
    runner.run(turns(10)).unwrap();
    assert_eq!(saved(), 3_201, "the next commit saves it");
    // However fast it is: a tail is bounded.
    runner.run(turns(33_000)).unwrap();
    assert!(saved() > 3_201 + 32_000, "{}", saved());
    runner.run(turns(5)).unwrap();
    runner.close().unwrap();
    assert_eq!(saved(), 36_215, "who stops leaves no tail");
}
