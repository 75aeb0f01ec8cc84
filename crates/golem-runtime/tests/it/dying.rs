//! Dead is final: dying resumes after a crash, no older state is brought back, and letters are not heard before their time.

use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::{Tick, Timestamp, VirtualTime};
use golem_life::{Ask, Being, LifeStanding};
use golem_runtime::*;
use std::path::Path;

fn dying() -> Nature {
    Nature { dies_at: 700, dying_turns: 3, ..Nature::default() }
}

#[test]
fn a_crash_while_dying_resumes_and_comes_to_the_same_end() {
    let whole = tempfile::tempdir().unwrap();
    newborn(whole.path());
    let mut runner = open(whole.path(), &dying(), Pace::Max);
    assert_eq!(runner.run(turns(10_000)).unwrap(), WhyBack::Died);
    let (end, head) = (runner.being().tick(), runner.head());
    assert_eq!(end, Tick(703), "three more turns after death was recorded");
    for crash_at in [700, 701, 702] {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let mut runner = open(tmp.path(), &dying(), Pace::Max);
        runner.run(turns(crash_at)).unwrap();
        assert_eq!(runner.being().standing(), LifeStanding::Dying);
        let shown = Reader::open(tmp.path()).unwrap().status().unwrap().unwrap();
        assert_eq!((shown.tick.0, shown.standing), (crash_at, LifeStanding::Dying), "every turn of dying is on disk");
        // Dropping it without a word is a crash.
        drop(runner);
        let mut runner = open(tmp.path(), &dying(), Pace::Max);
        assert_eq!(runner.run(turns(10_000)).unwrap(), WhyBack::Died);
        assert_eq!((runner.being().tick(), runner.head()), (end, head), "crashed at {crash_at}");
        assert!(replayed(tmp.path(), &dying()).ok);
    }
}

#[test]
fn a_world_that_has_ended_keeps_nobody_from_dying() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    // The walk ends with the turn in which death is recorded.
    let world = Walk { ends: Some(VirtualTime(700 * 40_000)), ..Walk::new() };
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &dying(), world, InProcess(Paper), around(Pace::Max)).unwrap();
    assert_eq!(runner.run(turns(10_000)).unwrap(), WhyBack::Died);
    assert_eq!(runner.being().tick(), Tick(703));
}

/// A golem that took its snapshots at real speed and died.
fn died(dir: &Path, nature: &Nature, n: u64) -> Vec<(std::path::PathBuf, Manifest)> {
    newborn(dir);
    let mut runner = open(dir, nature, Pace::Real);
    runner.run(turns(n)).unwrap();
    runner.close().unwrap();
    list_snapshots(dir).unwrap()
}

#[test]
fn no_older_state_of_the_dead_is_brought_back() {
    for lived in [700, 10_000] {
        let tmp = tempfile::tempdir().unwrap();
        let list = died(tmp.path(), &dying(), lived);
        let (path, manifest) = &list[0];
        assert_eq!(manifest.tick, Tick(540));
        let refuse = |what: &str| {
            let said = restore_snapshot(tmp.path(), path, NOW).unwrap_err();
            assert!(matches!(said, Error::Dead { tick: Tick(700), .. }), "{what}: {said}");
            let said = said.to_string();
            assert!(said.contains("dead is final") && said.contains("hint:") && said.contains("successor"), "{said}");
        };
        refuse("the golem lies there");
        // Without its file, and with a file that cannot be read: the stone is a witness of its own.
        let db = tmp.path().join("golem.db");
        let whole = std::fs::read(&db).unwrap();
        std::fs::write(&db, b"not a golem any more").unwrap();
        refuse("its file is broken");
        std::fs::remove_file(&db).unwrap();
        refuse("its file is gone");
        std::fs::write(&db, whole).unwrap();
        // Nor is an older file that somebody put back lived on.
        let older = tempfile::tempdir().unwrap();
        newborn(older.path());
        let mut runner = open(older.path(), &Nature::default(), Pace::Max);
        runner.run(turns(600)).unwrap();
        runner.close().unwrap();
        std::fs::copy(older.path().join("golem.db"), &db).unwrap();
        let opened = Store::open(tmp.path(), OpenOptions { accept_rollback: true, ..Default::default() }, NOW);
        assert!(matches!(opened, Err(Error::Dead { .. })), "{:?}", opened.map(|s| s.lived().unwrap()));
    }
}

#[test]
fn the_living_are_restored_as_before() {
    let tmp = tempfile::tempdir().unwrap();
    let list = died(tmp.path(), &Nature::default(), 1_200);
    assert_eq!(restore_snapshot(tmp.path(), &list[0].0, NOW).unwrap().tick, Tick(540));
}

fn letter(at: u64, died: bool) -> Ask {
    // The toy is born at 1,700,000,000 and takes a turn every forty seconds.
    Ask::Peer { from: "eve".into(), text: format!("at {at}"), died, at: Timestamp(1_700_000_000 + 40 * at as i64) }
}

#[test]
fn a_letter_is_heard_at_its_time_and_not_before() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut inbox = Inbox::open(tmp.path()).unwrap();
    for (key, ask) in [("late", letter(1_500, true)), ("soon", letter(40, false)), ("now", letter(0, false))] {
        inbox.put(key, &ask, NOW).unwrap();
    }
    inbox.put("order", &Ask::Tell { text: "an order does not wait".into() }, NOW).unwrap();
    let mut runner = open(tmp.path(), &Nature::default(), Pace::Max);
    runner.run(turns(1_499)).unwrap();
    let taken = || {
        let sql = "SELECT key, taken_tick FROM inbox ORDER BY id";
        let conn = rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap();
        let mut rows = conn.prepare(sql).unwrap();
        let all = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<i64>>(1)?))).unwrap();
        all.map(Result::unwrap).map(|(_, tick)| tick).collect::<Vec<_>>()
    };
    assert_eq!(taken(), [None, Some(40), Some(1), Some(1)]);
    // It was away for a while, and still nobody has died.
    drop(runner);
    let mut runner = open(tmp.path(), &Nature::default(), Pace::Max);
    runner.run(turns(2)).unwrap();
    assert_eq!(taken(), [Some(1_500), Some(40), Some(1), Some(1)]);
    assert!(replayed(tmp.path(), &Nature::default()).ok);
}
