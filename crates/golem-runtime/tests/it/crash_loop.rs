//! Panics and crash loops: the turn is not committed, and whoever crashes again and again comes back without hands.

use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::fact::Envelope;
use golem_core::{Tick, Timestamp};
use golem_life::Being;
use golem_runtime::*;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Ear {
    pub facts: Arc<Mutex<Vec<u64>>>,
    pub notices: Arc<Mutex<Vec<Notice>>>,
}

impl Listener<ToyFact> for Ear {
    fn wants(&self) -> bool {
        true
    }
    fn fact(&mut self, fact: &Envelope<ToyFact>) {
        self.facts.lock().unwrap().push(fact.seq.0);
    }
    fn notice(&mut self, notice: &Notice) {
        self.notices.lock().unwrap().push(notice.clone());
    }
}

impl Ear {
    pub fn around(&self, pace: Pace) -> Around<ToyFact> {
        Around { listener: Some(Box::new(self.clone())), ..around(pace) }
    }
}

#[test]
fn a_panic_costs_the_turn_and_no_more() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let ear = Ear::default();
    let nature = Nature { panics_at: Some(42), ..Nature::default() };
    let open = |ear: &Ear| -> ToyRunner {
        Runner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), ear.around(Pace::Max)).unwrap()
    };
    for _ in 0..2 {
        let mut runner = open(&ear);
        let error = runner.run(turns(100)).unwrap_err();
        assert!(
            matches!(&error, Error::Panicked { tick: Tick(42), message, .. } if message == "told to panic"),
            "{error}"
        );
        assert!(matches!(runner.run(turns(1)), Err(Error::Broken)));
        assert!(matches!(runner.close(), Err(Error::Broken)));
    }
    assert_eq!(Reader::open(tmp.path()).unwrap().tip().unwrap().0, Tick(41), "the turns before it are kept");
    assert!(ear.notices.lock().unwrap().iter().any(|n| matches!(n, Notice::Panicked { tick: Tick(42), .. })));
    assert!(ear.facts.lock().unwrap().is_sorted(), "told in order, and not told twice");

    let cured = Nature::default();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &cured, Walk::new(), InProcess(Paper), around(Pace::Max)).unwrap();
    runner.run(turns(59)).unwrap();
    assert_eq!(runner.head(), head_after(100, &cured));
}

#[test]
fn ten_crashes_in_five_minutes_are_a_loop() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let at = |s: i64| Timestamp(NOW.0 + s);
    let start = |s: i64| Store::open(tmp.path(), OpenOptions::default(), at(s)).unwrap();
    for n in 0..10 {
        let store = start(n * 20);
        assert!(!store.start().safe_mode, "start {n}");
        drop(store);
    }
    let eleventh = start(200);
    let report = eleventh.start();
    assert_eq!((report.unclean, report.safe_mode, report.backoff_ms), (10, true, 1_000));
    drop(eleventh);
    let twelfth = start(201);
    assert_eq!(twelfth.start().backoff_ms, 2_000);
    drop(twelfth);
    // The wall went back an hour, and ahead again: nearness counts, whichever way it jumps.
    assert_eq!(start(201 - 3_600).start().unclean, 0);
    // Long after, it is forgotten.
    assert!(!start(10_000).start().safe_mode);
}

#[test]
fn clean_stops_are_no_crashes() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    for _ in 0..30 {
        let store = store(tmp.path());
        assert_eq!(store.start().unclean, 0);
        store.close().unwrap();
    }
}

#[test]
fn safe_mode_observes_and_acts_not() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    for _ in 0..10 {
        drop(store(tmp.path()));
    }
    let ear = Ear::default();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), ear.around(Pace::Max)).unwrap();
    assert!(runner.is_safe_mode());
    assert!(ear.notices.lock().unwrap().contains(&Notice::SafeMode { unclean: 10, backoff_ms: 1_000 }));
    assert!(
        matches!(runner.advance(1).unwrap(), Progress::Due(_)) && runner.being().tick() == Tick(0),
        "it waits first"
    );
    runner.run(turns(100)).unwrap();
    assert_eq!(runner.being().tick(), Tick(100), "it lives on");
    assert_eq!(runner.being().status().asset, 0, "and buys nothing");
    runner.close().unwrap();
    let reader = Reader::open(tmp.path()).unwrap();
    assert!(reader.facts(None, Some("toy.bought"), 10).unwrap().is_empty());
    assert!(replayed(tmp.path(), &nature).ok);
}

#[test]
fn safe_mode_lets_risk_be_reduced_is_shown_and_ends() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature { sells: true, ..Nature::default() };
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(60)).unwrap();
    let held = runner.being().status().asset;
    assert!(held > 50);
    // Killed ten times before it got to a turn.
    drop(runner);
    for _ in 0..11 {
        drop(store(tmp.path()));
    }
    let shown = || Reader::open(tmp.path()).unwrap().is_safe_mode().unwrap();
    let ear = Ear::default();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &nature, Walk::new(), InProcess(Paper), ear.around(Pace::Max)).unwrap();
    assert!(runner.is_safe_mode() && shown());
    runner.run(turns(40)).unwrap();
    assert!(runner.is_safe_mode() && shown());
    assert!(runner.being().status().asset < held, "it sells");
    let left = SAFE_TURNS - 40;
    runner.run(turns(left)).unwrap();
    assert_eq!(runner.being().status().asset, 0, "and buys nothing");
    runner.run(turns(100)).unwrap();
    assert!(!runner.is_safe_mode() && !shown());
    assert!(ear.notices.lock().unwrap().contains(&Notice::SafeModeOver { tick: Tick(60 + SAFE_TURNS) }));
    let bought = Reader::open(tmp.path()).unwrap().last_facts(Some("toy.bought"), 1).unwrap();
    assert!(bought[0].tick.0 > 60 + SAFE_TURNS, "it buys again");
    drop(runner);
    assert!(!store(tmp.path()).start().safe_mode, "a start that committed turns was no crash");
    let notes: Vec<String> = Reader::open(tmp.path()).unwrap().notes().unwrap().into_iter().map(|n| n.what).collect();
    assert!(notes.iter().any(|n| n.starts_with("safe mode after")) && notes.contains(&"safe mode is over".into()));
    assert!(replayed(tmp.path(), &nature).ok);
}

#[test]
fn facts_are_told_once_they_are_on_disk() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let ear = Ear::default();
    let mut runner: ToyRunner =
        Runner::open(store(tmp.path()), &Nature::default(), Walk::new(), InProcess(Paper), ear.around(Pace::Max))
            .unwrap();
    runner.advance(50).unwrap();
    assert!(ear.facts.lock().unwrap().is_empty(), "not before");
    runner.run(turns(1)).unwrap();
    let heard = ear.facts.lock().unwrap().clone();
    assert_eq!(heard, (1..=heard.len() as u64).collect::<Vec<_>>(), "all, in order, series included");
    assert!(heard.len() > 51);
}
