//! Many golems in one process: each as if alone.

use crate::toy::*;
use golem_core::door::{InProcess, NoModels};
use golem_life::{Being, LifeStanding};
use golem_runtime::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn member(dir: &Path, seed: u64, nature: &Nature, clock: &Arc<VirtualClock>, stop: &StopFlag) -> Box<dyn Member> {
    if !dir.exists() {
        create(dir, &origin(seed)).unwrap();
    }
    let around = Around {
        clock: Arc::<VirtualClock>::clone(clock),
        stop: stop.clone(),
        options: Options { pace: Pace::Max, ..Options::default() },
        listener: None,
        models: Box::new(NoModels),
    };
    Box::new(Runner::<Toy, _, _>::open(store(dir), nature, Walk::new(), InProcess(Paper), around).unwrap())
}

#[test]
fn each_lives_as_if_alone_and_fails_alone() {
    let tmp = tempfile::tempdir().unwrap();
    let (clock, stop) = (Arc::new(VirtualClock::default()), StopFlag::default());
    let nature = |n: u64| Nature { dies_at: 600 + n * 37, panics_at: (n == 5).then_some(300), ..Nature::default() };
    let members = (0..12).map(|n| member(&tmp.path().join(format!("g{n}")), n, &nature(n), &clock, &stop)).collect();
    let clock: Arc<dyn Clock> = clock;
    let ends = run_fleet(members, 3, Arc::clone(&clock), stop);
    for (n, end) in ends.iter().enumerate() {
        let dir = tmp.path().join(format!("g{n}"));
        if n == 5 {
            assert!(matches!(end, Err(Error::Panicked { .. })), "{end:?}");
            continue;
        }
        assert!(matches!(end, Ok(WhyBack::Died)), "{n}: {end:?}");
        let alone = tempfile::tempdir().unwrap();
        create(alone.path(), &origin(n as u64)).unwrap();
        let mut runner = open(alone.path(), &nature(n as u64), Pace::Max);
        runner.run(Until::default()).unwrap();
        assert_eq!(verify_chain(&dir).unwrap().head, runner.head(), "{n}");
        assert_eq!(diff(&dir, alone.path()).unwrap(), None);
    }
}

#[test]
fn a_raised_flag_closes_all_of_them_cleanly() {
    let tmp = tempfile::tempdir().unwrap();
    let (clock, stop) = (Arc::new(VirtualClock::default()), StopFlag::default());
    let members =
        (0..4).map(|n| member(&tmp.path().join(format!("g{n}")), n, &Nature::default(), &clock, &stop)).collect();
    let ringer = stop.clone();
    let bell = std::thread::spawn(move || {
        // Wall time only so that they get anywhere; the test holds however far that is.
        ringer.wait_for(std::time::Duration::from_millis(50));
        ringer.raise();
    });
    let clock: Arc<dyn Clock> = clock;
    let ends = run_fleet(members, 2, clock, stop);
    bell.join().unwrap();
    assert!(ends.iter().all(|e| matches!(e, Ok(WhyBack::Stopped))), "{ends:?}");
    for n in 0..4 {
        let store = store(&tmp.path().join(format!("g{n}")));
        assert_eq!(store.start().unclean, 0);
    }
}

#[test]
fn paused_golems_hold_up_nobody() {
    let tmp = tempfile::tempdir().unwrap();
    let (clock, stop) = (Arc::new(VirtualClock::default()), StopFlag::default());
    let dirs = [tmp.path().join("a"), tmp.path().join("b")];
    let nature = Nature { dies_at: 2_000, ..Nature::default() };
    let members = dirs.iter().map(|d| member(d, 1, &nature, &clock, &stop)).collect();
    Inbox::open(&dirs[0]).unwrap().put("p", &golem_life::Ask::Pause, NOW).unwrap();
    let (dir, ringer) = (dirs[1].clone(), stop.clone());
    let bell = std::thread::spawn(move || {
        while Reader::open(&dir).unwrap().status().unwrap().is_none_or(|s| s.standing != LifeStanding::Dead) {
            std::thread::yield_now();
        }
        ringer.raise();
    });
    let clock: Arc<dyn Clock> = clock;
    let ends = run_fleet(members, 1, clock, stop);
    bell.join().unwrap();
    assert!(matches!(ends[0], Ok(WhyBack::Stopped)) && matches!(ends[1], Ok(WhyBack::Died)), "{ends:?}");
}

#[test]
fn open_files_are_raised_to_what_is_allowed() {
    let allowed = raise_open_files();
    assert!(allowed.is_none_or(|n| n >= 1_024), "{allowed:?}");
    assert_eq!(raise_open_files(), allowed);
}

#[test]
fn small_golems_stay_small() {
    let tmp = tempfile::tempdir().unwrap();
    let _ = raise_open_files();
    let (clock, stop) = (Arc::new(VirtualClock::default()), StopFlag::default());
    let rss = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4_096
    };
    let before = rss();
    let mut members: Vec<_> =
        (0..50).map(|n| member(&tmp.path().join(format!("g{n}")), n, &Nature::default(), &clock, &stop)).collect();
    for m in &mut members {
        m.advance(200, u64::MAX).unwrap();
    }
    let each = rss().saturating_sub(before) / 50;
    // 1,000 of them must stay below 2 GB with their lives in them; the file's share of that is well below 1 MB.
    assert!(each < 1 << 20, "{each} bytes each");
    let toy = Toy::born(&Nature::default(), &golem_core::Secret::from_seed(1));
    assert!(toy.save().len() < 200);
}

/// Stands for a golem that lives flat out, on a clock that its own work moves: a turn takes 70 µs, a commit 500.
struct Busy {
    clock: Arc<WorkClock>,
    stop: StopFlag,
    commits: Arc<Mutex<Vec<u64>>>,
}

#[derive(Default)]
struct WorkClock(std::sync::atomic::AtomicU64);

impl WorkClock {
    fn work(&self, micros: u64) -> u64 {
        self.0.fetch_add(micros, std::sync::atomic::Ordering::SeqCst) + micros
    }
}

impl Clock for WorkClock {
    fn now(&self) -> golem_core::Timestamp {
        NOW
    }
    fn monotonic_ms(&self) -> u64 {
        self.work(0) / 1_000
    }
    fn wait_until(&self, at_ms: u64, _: &StopFlag) {
        self.work((at_ms * 1_000).saturating_sub(self.work(0)));
    }
}

impl Member for Busy {
    fn advance(&mut self, at_most: u64, until_ms: u64) -> Result<Progress, Error> {
        for n in 0..at_most {
            if n > 0 && self.clock.monotonic_ms() >= until_ms {
                break;
            }
            self.clock.work(70);
        }
        self.commits.lock().unwrap().push(self.clock.work(500) / 1_000);
        if self.clock.monotonic_ms() > 5_000 {
            self.stop.raise();
        }
        let stopped = self.stop.is_raised();
        Ok(if stopped { Progress::Ended(WhyBack::Stopped) } else { Progress::Due(self.clock.monotonic_ms()) })
    }
    fn close(self: Box<Self>) -> Result<(), Error> {
        Ok(())
    }
}

#[test]
fn two_hundred_golems_commit_at_their_cadence() {
    // One thread does the work of all: a slice that does not shrink with the fleet would leave seconds between commits. Of
    // two hundred the commits alone take the tenth of a second that one golem waits, and nobody lives for less than the
    // millisecond that the clock can tell, of which half is over when it begins: 200 times 0.5 ms and 0.5 to 0.7 ms.
    let (clock, stop) = (Arc::new(WorkClock::default()), StopFlag::default());
    for (golems, apart_ms) in [(1, 110), (20, 130), (200, 240)] {
        let commits: Vec<_> = (0..golems).map(|_| Arc::default()).collect();
        clock.0.store(0, std::sync::atomic::Ordering::SeqCst);
        let stop = if golems == 1 { stop.clone() } else { StopFlag::default() };
        let member = |commits: &Arc<Mutex<Vec<u64>>>| {
            Box::new(Busy { clock: clock.clone(), stop: stop.clone(), commits: commits.clone() }) as Box<dyn Member>
        };
        let ends = run_fleet(commits.iter().map(member).collect(), 1, clock.clone(), stop.clone());
        assert!(ends.iter().all(|e| matches!(e, Ok(WhyBack::Stopped))));
        for commits in &commits {
            let times = commits.lock().unwrap().clone();
            let worst = times.windows(2).map(|w| w[1] - w[0]).max().unwrap();
            assert!(times.len() > 10 && worst <= apart_ms, "{golems} golems: {worst} ms between two commits");
        }
    }
}

/// When what was lived came to be on disk: a listener is told of facts once they are, all of a commit before the next turn.
struct Commits {
    clock: Arc<RealClock>,
    told_ms: Arc<Mutex<Vec<u64>>>,
    lived: bool,
}

impl Listener<ToyFact> for Commits {
    fn wants(&self) -> bool {
        true
    }
    fn turn_begins(&mut self, _: golem_core::Tick) {
        self.lived = true;
    }
    fn fact(&mut self, _: &golem_core::Envelope<ToyFact>) {
        if std::mem::take(&mut self.lived) {
            self.told_ms.lock().unwrap().push(self.clock.monotonic_ms());
        }
    }
}

/// Real golems on real files by the real clock: 40 of them, with `BARDO_LONG=1` two hundred. A disk takes as long as it
/// takes, so that the bound is ten times the cadence; whoever lived on past its slice would leave ten seconds.
#[test]
#[allow(clippy::print_stdout, reason = "the figure that is asked for")]
fn real_golems_commit_at_their_cadence_beside_each_other() {
    let golems = if std::env::var_os("BARDO_LONG").is_some() { 200 } else { 40 };
    let tmp = tempfile::tempdir().unwrap();
    let _ = raise_open_files();
    let (clock, stop) = (Arc::new(RealClock::default()), StopFlag::default());
    let told: Vec<Arc<Mutex<Vec<u64>>>> = (0..golems).map(|_| Arc::default()).collect();
    let member = |(n, told_ms): (usize, &Arc<Mutex<Vec<u64>>>)| -> Box<dyn Member> {
        let dir = tmp.path().join(format!("g{n}"));
        create(&dir, &origin(n as u64)).unwrap();
        let around = Around {
            clock: clock.clone(),
            stop: stop.clone(),
            options: Options { pace: Pace::Max, ..Options::default() },
            listener: Some(Box::new(Commits { clock: clock.clone(), told_ms: told_ms.clone(), lived: false })),
            models: Box::new(NoModels),
        };
        Box::new(
            Runner::<Toy, _, _>::open(store(&dir), &Nature::default(), Walk::new(), InProcess(Paper), around).unwrap(),
        )
    };
    let members = told.iter().enumerate().map(member).collect();
    let begun = clock.monotonic_ms();
    let ringer = stop.clone();
    let bell = std::thread::spawn(move || {
        ringer.wait_for(std::time::Duration::from_secs(3));
        ringer.raise();
    });
    let ends = run_fleet(members, 2, clock.clone(), stop);
    bell.join().unwrap();
    assert!(ends.iter().all(|e| matches!(e, Ok(WhyBack::Stopped))), "{ends:?}");
    let mut gaps: Vec<u64> = Vec::new();
    for (n, told) in told.iter().enumerate() {
        let times = [&[begun][..], &told.lock().unwrap()].concat();
        assert!(times.len() > 3, "golem {n} was hardly ever written down: {times:?}");
        gaps.extend(times.windows(2).map(|w| w[1] - w[0]));
    }
    gaps.sort_unstable();
    let (middle, worst) = (gaps[gaps.len() / 2], gaps[gaps.len() - 1]);
    println!("{golems} golems on two threads: {middle} ms between two commits in the middle, {worst} at most");
    assert!(worst <= 1_000, "{golems} golems: {worst} ms between two commits, {middle} in the middle");
}

#[test]
fn what_a_slice_lived_is_on_disk_when_the_slice_is_over() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = open(tmp.path(), &Nature::default(), Pace::Max);
    for n in 1..=3 {
        // A slice that is over at once still has its turn.
        assert!(matches!(runner.advance_until(1_000_000, 0).unwrap(), Progress::Due(_)));
        assert_eq!(runner.being().tick().0, n);
        assert_eq!(Reader::open(tmp.path()).unwrap().tip().unwrap().0.0, n, "killed between slices, nothing is lost");
    }
}
