//! What a world hands over is kept for good, once, whatever happens in between; and it is refused when it is damaged.

use crate::toy::*;
use golem_life::Being as _;
use golem_runtime::*;

/// Every stretch that is in the file.
fn kept(dir: &std::path::Path) -> Vec<(u64, Vec<u8>)> {
    let reader = Reader::open(dir).unwrap();
    let mut all = Vec::new();
    let mut place = u64::MAX >> 1;
    while let Some(row) = reader.past(place).unwrap() {
        place = row.place - 1;
        all.push((row.place, row.body));
    }
    all.reverse();
    all
}

#[test]
fn stretches_are_kept_once_through_stops_and_crashes() {
    let nature = Nature::default();
    let (whole, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    newborn(whole.path());
    newborn(broken.path());
    let mut runner = open(whole.path(), &nature, Pace::Max);
    runner.run(turns(5_000)).unwrap();
    runner.close().unwrap();
    for stop in [700, 1_300, 1_000, 2_000] {
        let mut runner = open(broken.path(), &nature, Pace::Max);
        runner.run(turns(stop)).unwrap();
        // Every other time without a word: what was not written is handed over again.
        if stop % 1_000 == 0 { runner.close().unwrap() } else { drop(runner) }
    }
    let mut runner = open(broken.path(), &nature, Pace::Max);
    let left = 5_000 - runner.being().tick().0;
    runner.run(turns(left)).unwrap();
    runner.close().unwrap();
    let rows = kept(whole.path());
    assert_eq!(rows.len(), 50);
    assert!(rows.iter().zip(1u64..).all(|((place, _), n)| *place == n * 100));
    assert_eq!(kept(broken.path()), rows);
}

#[test]
fn a_damaged_stretch_is_refused() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut runner = open(tmp.path(), &Nature::default(), Pace::Max);
    runner.run(turns(1_000)).unwrap();
    runner.close().unwrap();
    let conn = rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap();
    conn.execute("UPDATE past SET body = x'00' WHERE place = 300", []).unwrap();
    conn.execute("UPDATE past SET place = 550 WHERE place = 600", []).unwrap();
    let reader = Reader::open(tmp.path()).unwrap();
    assert!(reader.past(299).unwrap().is_some_and(|row| row.place == 200));
    assert!(reader.past(399).is_err() && reader.past(599).is_err());
    assert!(reader.past(99).unwrap().is_none());
}
