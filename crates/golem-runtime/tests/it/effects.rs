//! Effects on the world: on disk before they happen, and never twice.

use crate::toy::*;
use golem_core::door::{EffectKey, Hands, InProcess, KeyedHands, Reconciled, World};
use golem_core::intent::Holdings;
use golem_core::{Intent, Preview, RawObservation, Receipt, Tick, Timestamp, VirtualTime};
use golem_life::Being;
use golem_runtime::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A chain outside of the process: it remembers what was sent under which key.
#[derive(Clone, Default)]
pub(crate) struct Outside {
    pub(crate) done: Arc<Mutex<BTreeMap<EffectKey, Receipt>>>,
    sent: Arc<Mutex<u64>>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Dies {
    Never,
    BeforeSending(u64),
    AfterSending(u64),
    LeavesItOpen(u64),
    /// Lives, and does not hear the answer in time.
    AnswersLate(u64),
}

pub(crate) struct Wallet {
    pub(crate) outside: Outside,
    pub(crate) dies: Dies,
    pub(crate) dir: PathBuf,
    pub(crate) unknown: bool,
}

impl Hands<()> for Wallet {
    fn is_external(&self) -> bool {
        true
    }
    fn preview(&mut self, wishes: &[Intent], _: &Holdings) -> Vec<Preview> {
        foreseen(wishes)
    }
    fn act(&mut self, _: Tick, _: &Preview, (): ()) -> Receipt {
        panic!("external hands are called by key")
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        panic!("what happened outside is not done again")
    }
}

impl KeyedHands<()> for Wallet {
    fn act_keyed(&mut self, key: EffectKey, _: Tick, preview: &Preview, (): ()) -> Reconciled {
        // I1: the intent is durable before the effect, seen from another connection.
        let letters = Outbox::open(&self.dir).unwrap().open_letters(None, 10).unwrap();
        assert!(
            letters.iter().any(|l| l.key == key.to_string() && l.kind == "intent"),
            "{key} acts before it is on disk"
        );
        let note = std::fs::read_to_string(self.dir.join("epoch")).unwrap();
        assert!(
            note.contains(&format!(" open {} ", key.tick)),
            "{key} acts before it is noted beside the file: {note}"
        );
        let n = self.outside.done.lock().unwrap().len() as u64;
        assert!(self.dies != Dies::BeforeSending(n), "killed before sending");
        *self.outside.sent.lock().unwrap() += 1;
        let receipt = fill(preview);
        let before = self.outside.done.lock().unwrap().insert(key, receipt.clone());
        assert!(before.is_none(), "{key} was sent twice");
        assert!(!matches!(self.dies, Dies::AfterSending(m) | Dies::LeavesItOpen(m) if m == n), "killed after sending");
        if self.dies == Dies::AnswersLate(n) {
            self.dies = Dies::Never;
            return Reconciled::Unknown;
        }
        Reconciled::Settled(Box::new(receipt))
    }
    fn reconcile(&mut self, key: EffectKey, _: &Preview) -> Reconciled {
        if self.unknown {
            return Reconciled::Unknown;
        }
        let done = self.outside.done.lock().unwrap();
        done.get(&key).map_or(Reconciled::NeverSent, |r| Reconciled::Settled(Box::new(r.clone())))
    }
}

fn open_with(dir: &Path, outside: &Outside, dies: Dies, unknown: bool) -> Runner<Toy, Walk, Wallet> {
    let wallet = Wallet { outside: outside.clone(), dies, dir: dir.to_owned(), unknown };
    Runner::open(store(dir), &Nature::default(), Walk::new(), wallet, around(Pace::Max)).unwrap()
}

#[test]
fn a_kill_between_intent_and_receipt_is_reconciled_once() {
    let expected = head_after(60, &Nature::default());
    for nth in 0..4 {
        for dies in [Dies::BeforeSending(nth), Dies::AfterSending(nth), Dies::LeavesItOpen(nth)] {
            let tmp = tempfile::tempdir().unwrap();
            newborn(tmp.path());
            let outside = Outside::default();
            let mut runner = open_with(tmp.path(), &outside, dies, false);
            let killed = runner.run(turns(60)).unwrap_err();
            assert!(matches!(killed, Error::Panicked { place: "the hands", .. }), "{killed}");
            assert!(matches!(runner.run(turns(1)), Err(Error::Broken)));
            drop(runner);
            let open_turn = Reader::open(tmp.path()).unwrap().tip().unwrap().0.next();

            if let Dies::LeavesItOpen(_) = dies {
                // The world does not know yet: no turn is taken, however often it is tried.
                let mut runner = open_with(tmp.path(), &outside, Dies::Never, true);
                for _ in 0..3 {
                    let why = runner.run(turns(60)).unwrap();
                    assert_eq!(why, WhyBack::Unreconciled { key: EffectKey::new(open_turn, 0) });
                }
                assert_eq!(runner.being().tick().next(), open_turn);
                runner.close().unwrap();
            }
            let mut runner = open_with(tmp.path(), &outside, Dies::Never, false);
            runner.run(turns(60 - (open_turn.0 - 1))).unwrap();
            assert_eq!(runner.being().tick(), Tick(60));
            assert_eq!(runner.head(), expected, "{dies:?}");
            runner.close().unwrap();
            let done = outside.done.lock().unwrap().len() as u64;
            assert_eq!(*outside.sent.lock().unwrap(), done, "every effect was sent once: {dies:?}");
            assert!(Outbox::open(tmp.path()).unwrap().open_letters(None, 10).unwrap().is_empty());
            assert!(replayed(tmp.path(), &Nature::default()).ok);
        }
    }
}

/// Takes the golem over as soon as it hears anything, which is after a commit and before the effect that follows it.
struct Thief(PathBuf);

impl Listener<ToyFact> for Thief {
    fn wants(&self) -> bool {
        true
    }
    fn fact(&mut self, _: &golem_core::Envelope<ToyFact>) {
        if std::fs::remove_file(self.0.join("lock")).is_ok() {
            drop(store(&self.0));
            std::fs::remove_file(self.0.join("lock")).unwrap();
        }
    }
}

#[test]
fn who_was_superseded_between_commit_and_effect_does_not_act() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let outside = Outside::default();
    let wallet = Wallet { outside: outside.clone(), dies: Dies::Never, dir: tmp.path().to_owned(), unknown: false };
    let around = Around { listener: Some(Box::new(Thief(tmp.path().to_owned()))), ..around(Pace::Max) };
    let mut runner: Runner<Toy, _, _> =
        Runner::open(store(tmp.path()), &Nature::default(), Walk::new(), wallet, around).unwrap();
    let error = runner.run(turns(60)).unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
    assert_eq!(*outside.sent.lock().unwrap(), 0);
    drop(runner);
    // Whoever took it over finds the open turn and carries it out, once.
    let mut runner = open_with(tmp.path(), &outside, Dies::Never, false);
    runner.run(turns(60 - runner.being().tick().0)).unwrap();
    assert_eq!(runner.head(), head_after(60, &Nature::default()));
    assert_eq!(*outside.sent.lock().unwrap(), outside.done.lock().unwrap().len() as u64);
}

#[test]
fn hands_that_cannot_be_asked_leave_the_question_open() {
    let hold = Preview::refused(Intent::Hold, golem_core::intent::Refusal::NoMarket);
    assert_eq!(InProcess(External).reconcile(EffectKey::new(Tick(1), 0), &hold), Reconciled::Unknown);
    assert_eq!(InProcess(Paper).reconcile(EffectKey::new(Tick(1), 0), &hold), Reconciled::NeverSent);
}

struct External;
impl Hands<()> for External {
    fn is_external(&self) -> bool {
        true
    }
    fn preview(&mut self, wishes: &[Intent], _: &Holdings) -> Vec<Preview> {
        foreseen(wishes)
    }
    fn act(&mut self, _: Tick, preview: &Preview, (): ()) -> Receipt {
        fill(preview)
    }
    fn redo(&mut self, _: &Preview, _: &Receipt, _: &Holdings) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn an_answer_that_comes_late_is_waited_for_and_the_life_is_the_same() {
    let expected = head_after(60, &Nature::default());
    for nth in 0..3 {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let outside = Outside::default();
        let mut runner = open_with(tmp.path(), &outside, Dies::AnswersLate(nth), false);
        let why = runner.run(turns(60)).unwrap();
        assert!(matches!(why, WhyBack::Unreconciled { .. }), "{why:?}");
        // The same runner goes on once the world has answered.
        runner.run(turns(60 - runner.being().tick().0)).unwrap();
        assert_eq!(runner.head(), expected);
        runner.close().unwrap();
        assert_eq!(*outside.sent.lock().unwrap(), outside.done.lock().unwrap().len() as u64);
        assert!(replayed(tmp.path(), &Nature::default()).ok);
    }
}

#[test]
fn a_damaged_open_turn_is_an_error() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let outside = Outside::default();
    open_with(tmp.path(), &outside, Dies::AfterSending(0), false).run(turns(60)).unwrap_err();
    let conn = rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap();
    assert_eq!(conn.execute("UPDATE half SET body = CAST(body || x'00' AS BLOB)", []).unwrap(), 1);
    let error = Runner::<Toy, _, _>::open(
        store(tmp.path()),
        &Nature::default(),
        Walk::new(),
        InProcess(Paper),
        around(Pace::Max),
    )
    .err()
    .unwrap();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}

/// The same walk, as somebody else's present.
struct Live(Walk);

impl World for Live {
    fn observe(&mut self, age: VirtualTime) -> Option<RawObservation> {
        self.0.observe(age)
    }
    fn epoch(&self) -> Timestamp {
        self.0.epoch()
    }
    fn is_live(&self) -> bool {
        true
    }
    fn save(&self) -> Vec<u8> {
        self.0.save()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), String> {
        self.0.restore(saved)
    }
}

#[test]
fn a_live_world_that_answers_late_is_asked_again_within_the_same_run() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let outside = Outside::default();
    let wallet =
        Wallet { outside: outside.clone(), dies: Dies::AnswersLate(1), dir: tmp.path().to_owned(), unknown: false };
    let world = Live(Walk::new());
    let mut runner =
        Runner::<Toy, _, _>::open(store(tmp.path()), &Nature::default(), world, wallet, around(Pace::Max)).unwrap();
    assert_eq!(runner.run(turns(60)).unwrap(), WhyBack::TurnsDone);
    assert_eq!((runner.head(), runner.being().tick()), (head_after(60, &Nature::default()), Tick(60)));
    assert_eq!(*outside.sent.lock().unwrap(), outside.done.lock().unwrap().len() as u64);
}
