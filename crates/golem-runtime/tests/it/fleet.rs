//! Many golems in one process: each as if alone.

use crate::toy::*;
use golem_core::door::{InProcess, NoModels};
use golem_life::{Being, Standing};
use golem_runtime::*;
use std::path::Path;
use std::sync::Arc;

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
        assert!(matches!(end, Ok(Why::Died)), "{n}: {end:?}");
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
    assert!(ends.iter().all(|e| matches!(e, Ok(Why::Stopped))), "{ends:?}");
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
        while Reader::open(&dir).unwrap().status().unwrap().is_none_or(|s| s.standing != Standing::Dead) {
            std::thread::yield_now();
        }
        ringer.raise();
    });
    let clock: Arc<dyn Clock> = clock;
    let ends = run_fleet(members, 1, clock, stop);
    bell.join().unwrap();
    assert!(matches!(ends[0], Ok(Why::Stopped)) && matches!(ends[1], Ok(Why::Died)), "{ends:?}");
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
        m.advance(200).unwrap();
    }
    let each = rss().saturating_sub(before) / 50;
    // 1,000 of them must stay below 2 GB with their lives in them; the file's share of that is well below 1 MB.
    assert!(each < 1 << 20, "{each} bytes each");
    let toy = Toy::born(&Nature::default(), &golem_core::Secret::from_seed(1));
    assert!(toy.save().len() < 200);
}
