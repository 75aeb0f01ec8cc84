//! Living, stopping, crashing and coming back: the finished chain is the same.

use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::{Hash, Seq, Tick};
use golem_life::Being;
use golem_runtime::*;
use proptest::prelude::*;

#[test]
fn a_life_is_written_and_comes_back() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature { dies_at: 2_345, ..Nature::default() };
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    assert_eq!(runner.run(turns(2_000)).unwrap(), WhyBack::TurnsDone);
    let head = runner.head();
    runner.close().unwrap();
    assert!(replayed(tmp.path(), &nature).ok);

    let mut runner = open(tmp.path(), &nature, Pace::Max);
    assert_eq!((runner.head(), runner.being().tick()), (head, Tick(2_000)));
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    let last = runner.head();
    runner.close().unwrap();

    // Dead stays dead.
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    assert_eq!((runner.head(), runner.turns()), (last, 0));
    runner.close().unwrap();

    let report = replayed(tmp.path(), &nature);
    assert_eq!((report.ok, report.ticks, report.head), (true, 2_345, last), "{report:?}");
    let chain = verify_chain(tmp.path()).unwrap();
    assert_eq!((chain.ticks, chain.head, chain.damage), (2_345, last, None));

    let reader = Reader::open(tmp.path()).unwrap();
    assert_eq!(reader.tip().unwrap(), (Tick(2_345), last));
    let status = reader.status().unwrap().unwrap();
    assert_eq!((status.tick, status.standing), (Tick(2_345), golem_life::LifeStanding::Dead));
    assert!(status.body.contains("\"tick\":2345"));
    let series = reader.series(Tick(0), 1_000).unwrap();
    assert_eq!(series.len(), 2_345 / 90 + 1, "one per 90 turns and the last");
    assert_eq!(series[0].tick, Tick(90));
    let facts = reader.facts(None, None, 10_000).unwrap();
    assert!(facts.len() > 200 && facts.iter().all(|f| f.name == "toy.bought"), "the series is not stored fact by fact");
    assert_eq!(reader.facts(Some(facts[9].seq), None, 3).unwrap(), facts[10..13]);
    assert_eq!(reader.last_facts(Some("toy.bought"), 2).unwrap(), facts[facts.len() - 2..]);
    assert!(reader.facts(Some(Seq(u64::MAX)), None, 3).unwrap().is_empty());
    let again = reader.origin().unwrap();
    assert_eq!((again.birth, again.settings_given), (origin(1).birth, origin(1).settings_given));
    assert!(!format!("{:?}", reader.origin().unwrap()).contains("signing"));
}

#[test]
fn grouping_never_shows_in_the_chain() {
    let nature = Nature::default();
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut one_by_one = open(tmp.path(), &nature, Pace::Real);
    one_by_one.run(turns(1_203)).unwrap();
    assert_eq!(one_by_one.head(), head_after(1_203, &nature));
}

#[test]
fn a_world_that_ends_ends_the_run_and_not_the_life() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let world = Walk { ends: Some(golem_core::VirtualTime(INTERVAL.0 * 50)), ..Walk::new() };
    let nature = Nature::default();
    for _ in 0..2 {
        let mut runner: ToyRunner =
            Runner::open(store(tmp.path()), &nature, world.clone(), InProcess(Paper), around(Pace::Max)).unwrap();
        assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::WorldEnded);
        assert_eq!(runner.being().tick(), Tick(50));
        runner.close().unwrap();
    }
}

#[test]
fn a_stop_loses_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let around = around(Pace::Max);
    let stop = around.stop.clone();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), around).unwrap();
    for some in [5, 10] {
        // More to do; when, the machine's own clock says.
        assert!(matches!(runner.advance(some).unwrap(), Progress::Due(_)));
    }
    stop.raise();
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Stopped);
    assert_eq!(Reader::open(tmp.path()).unwrap().tip().unwrap().0, Tick(15), "on disk before it came back");
    runner.close().unwrap();
}

#[test]
fn a_checkpoint_that_does_not_fit_is_left_aside() {
    let nature = Nature::default();
    for spoil in [
        "UPDATE checkpoint SET format = 99",
        "UPDATE checkpoint SET state = x'00'",
        "UPDATE state_pieces SET bytes = x'00'",
        "UPDATE state_pieces SET n = 1; INSERT INTO state_pieces VALUES (0, x'00')",
        "INSERT INTO state_pieces VALUES (1, x'00')",
        "DELETE FROM state_pieces",
        "UPDATE checkpoint SET world = x'00'",
        "UPDATE checkpoint SET head = zeroblob(32)",
        "UPDATE checkpoint SET tick = 1999",
        "DELETE FROM checkpoint",
    ] {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let mut runner = open(tmp.path(), &nature, Pace::Max);
        runner.run(turns(2_500)).unwrap();
        runner.close().unwrap();
        rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap().execute_batch(spoil).unwrap();
        let mut runner = open(tmp.path(), &nature, Pace::Max);
        runner.run(turns(500)).unwrap();
        assert_eq!(runner.head(), head_after(3_000, &nature), "{spoil}");
    }
}

#[test]
fn a_program_that_decides_differently_is_refused() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(1_500)).unwrap();
    drop(runner);
    let twisted = Nature { twist_at: Some(700), ..nature.clone() };
    let report = replayed(tmp.path(), &twisted);
    assert_eq!((report.ok, report.ticks), (false, 699));
    assert_eq!(report.first_difference.unwrap().tick, Tick(700));
    let refused = Runner::<Toy, _, _>::open(
        store(tmp.path()),
        &Nature { twist_at: Some(1_400), ..nature },
        Walk::new(),
        InProcess(Paper),
        around(Pace::Max),
    );
    // There is one checkpoint, at the end of the only group, so the tail is empty and nothing is noticed at resume; a
    // crash within a tail is. Both are right: what is relived is compared, what is restored is digested.
    assert!(refused.is_ok());
}

#[test]
fn the_tail_is_compared_at_resume() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let mut runner = open(tmp.path(), &nature, Pace::Real);
    runner.run(turns(300)).unwrap();
    drop(runner);
    let nature = Nature { twist_at: Some(200), ..nature };
    let error = Runner::<Toy, _, _>::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), around(Pace::Max))
        .err()
        .unwrap();
    assert!(matches!(error, Error::Diverged { tick: Tick(200), .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Bug);
}

#[test]
fn two_lives_part_where_they_part() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let nature = Nature::default();
    for (dir, nature) in [(&a, &nature), (&b, &Nature { twist_at: Some(321), ..nature.clone() })] {
        newborn(dir.path());
        open(dir.path(), nature, Pace::Max).run(turns(400)).unwrap();
    }
    let difference = diff(a.path(), b.path()).unwrap().unwrap();
    assert_eq!(difference.tick, Tick(321));
    assert!(difference.what.starts_with("intents"), "{}", difference.what);
    assert_eq!(diff(a.path(), a.path()).unwrap(), None);
    open(a.path(), &nature, Pace::Max).run(turns(5)).unwrap();
    let c = tempfile::tempdir().unwrap();
    newborn(c.path());
    open(c.path(), &nature, Pace::Max).run(turns(400)).unwrap();
    assert_eq!(diff(a.path(), c.path()).unwrap().unwrap().tick, Tick(401));
}

#[derive(Debug, Clone, Copy)]
enum Cut {
    Crash,
    Stop,
}

fn cuts() -> impl Strategy<Value = Vec<(u64, bool, Cut)>> {
    let cut = prop_oneof![Just(Cut::Crash), Just(Cut::Stop)];
    prop::collection::vec((1u64..700, any::<bool>(), cut), 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    /// Whatever way a life is cut up, at real speed or in groups, its finished chain is the same.
    #[test]
    fn crashes_never_show(cuts in cuts()) {
        let nature = Nature { dies_at: 2_222, ..Nature::default() };
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        for (n, real, cut) in cuts {
            let mut runner = open(tmp.path(), &nature, if real { Pace::Real } else { Pace::Max });
            match cut {
                // Turns in memory are lost: `advance` does not flush.
                Cut::Crash => drop(runner.advance(n).map(|_| ())),
                Cut::Stop => {
                    runner.run(turns(n)).unwrap();
                    runner.close().unwrap();
                }
            }
        }
        let mut runner = open(tmp.path(), &nature, Pace::Max);
        prop_assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
        prop_assert_eq!(runner.head(), uninterrupted());
        runner.close().unwrap();
        prop_assert!(replayed(tmp.path(), &nature).ok);
    }
}

fn uninterrupted() -> Hash {
    static HEAD: std::sync::OnceLock<Hash> = std::sync::OnceLock::new();
    *HEAD.get_or_init(|| head_after(u64::MAX, &Nature { dies_at: 2_222, ..Nature::default() }))
}

#[test]
fn killed_while_the_log_is_moved_into_the_file() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), around(Pace::Max)).unwrap();
    runner.run(turns(300)).unwrap();
    let head = runner.head();
    // As a killed process leaves it: the file and its log, copied while both are in use.
    let left = tempfile::tempdir().unwrap();
    for name in ["golem.db", "golem.db-wal", "epoch"] {
        std::fs::copy(tmp.path().join(name), left.path().join(name)).unwrap();
    }
    drop(runner);
    let db = left.path().join("golem.db");
    assert!(std::fs::metadata(left.path().join("golem.db-wal")).unwrap().len() > 0);
    // The first page, with the new length of the file, was written before the pages that make it that long.
    let mut bytes = std::fs::read(&db).unwrap();
    let pages = u32::from_be_bytes(bytes[28..32].try_into().unwrap());
    bytes[28..32].copy_from_slice(&(pages + 40).to_be_bytes());
    std::fs::write(&db, bytes).unwrap();
    let (tick, found) = Reader::open(left.path()).unwrap().tip().unwrap();
    assert_eq!((tick, found), (Tick(300), head));
    let mut runner: ToyRunner =
        Runner::open(store(left.path()), &nature, Walk::new(), InProcess(Paper), around(Pace::Max)).unwrap();
    runner.run(turns(1)).unwrap();
    runner.close().unwrap();
}
