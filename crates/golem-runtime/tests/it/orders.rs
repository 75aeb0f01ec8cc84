//! Orders and replies across processes: idempotent, bounded, taken once, answered in the same transaction.

use crate::toy::*;
use golem_core::door::InProcess;
use golem_core::{Tick, Usdc};
use golem_life::{Ask, Being, LifeStanding};
use golem_runtime::*;
use std::time::Duration;

fn tell(text: &str) -> Ask {
    Ask::Tell { text: text.into() }
}

#[test]
fn the_same_key_is_the_same_order() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut inbox = Inbox::open(tmp.path()).unwrap();
    let first = inbox.put("a", &tell("hi"), NOW).unwrap();
    assert_eq!(Inbox::open(tmp.path()).unwrap().put("a", &tell("hi"), NOW).unwrap(), first);
    let other = inbox.put("a", &tell("ho"), NOW).unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Owner, "{other}");
    let second = inbox.put("b", &Ask::Feed { amount: Usdc(5) }, NOW).unwrap();
    assert!(second > first);

    let nature = Nature::default();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.run(turns(3)).unwrap();
    let reader = Reader::open(tmp.path()).unwrap();
    assert_eq!(reader.taken_at(first).unwrap(), Some(Tick(1)));
    assert_eq!(reader.reply(first).unwrap().unwrap().text, "heard hi");
    assert_eq!(wait_reply(tmp.path(), second, Duration::ZERO).unwrap().unwrap().text, "thanks");
    assert_eq!(wait_reply(tmp.path(), second + 1, Duration::ZERO).unwrap(), None);

    // Put again after it was taken: still the same order, and not taken again.
    assert_eq!(inbox.put("a", &tell("hi"), NOW).unwrap(), first);
    let head = runner.head();
    drop(runner);
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    assert_eq!(runner.head(), head);
    runner.run(turns(3)).unwrap();
    assert_eq!(reader.facts(None, Some("toy.heard"), 10).unwrap().len(), 1);
    runner.close().unwrap();
    assert!(replayed(tmp.path(), &nature).ok);
}

#[test]
fn a_crash_before_the_commit_gives_orders_back() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let id = Inbox::open(tmp.path()).unwrap().put("a", &tell("hi"), NOW).unwrap();
    let nature = Nature::default();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    runner.advance(5).unwrap();
    drop(runner);
    let reader = Reader::open(tmp.path()).unwrap();
    assert_eq!((reader.taken_at(id).unwrap(), reader.reply(id).unwrap()), (None, None));
    open(tmp.path(), &nature, Pace::Max).run(turns(5)).unwrap();
    assert_eq!(reader.taken_at(id).unwrap(), Some(Tick(1)));
}

#[test]
fn a_turn_takes_64_and_the_next_one_the_rest() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut inbox = Inbox::open(tmp.path()).unwrap();
    let ids: Vec<u64> = (0..130).map(|n| inbox.put(&format!("k{n}"), &tell("x"), NOW).unwrap()).collect();
    open(tmp.path(), &Nature::default(), Pace::Max).run(turns(5)).unwrap();
    let reader = Reader::open(tmp.path()).unwrap();
    let taken = |n: usize| reader.taken_at(ids[n]).unwrap().unwrap();
    assert_eq!((taken(0), taken(63), taken(64), taken(127), taken(128)), (Tick(1), Tick(1), Tick(2), Tick(2), Tick(3)));
}

#[test]
fn what_is_too_much_is_refused() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let mut inbox = Inbox::open(tmp.path()).unwrap();
    assert!(inbox.put("long", &tell(&"x".repeat(MAX_TEXT_BYTES)), NOW).is_ok());
    for (key, ask) in [
        ("longer", tell(&"x".repeat(MAX_TEXT_BYTES + 1))),
        ("", tell("x")),
        (&*"k".repeat(201), tell("x")),
        ("kill", Ask::Kill { reason: "ü".repeat(MAX_TEXT_BYTES) }),
    ] {
        let said = inbox.put(key, &ask, NOW).unwrap_err();
        assert!(said.kind() == ErrorKind::Owner && said.to_string().contains("hint"), "{said}");
    }
    let full = (0..=MAX_WAITING).find_map(|n| inbox.put(&format!("n{n}"), &Ask::Resume, NOW).err());
    assert!(full.unwrap().to_string().contains("1024 orders are waiting"));
}

#[test]
fn a_paused_golem_takes_no_turn_before_an_order() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let mut inbox = Inbox::open(tmp.path()).unwrap();
    inbox.put("p", &Ask::Pause, NOW).unwrap();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    assert_eq!(runner.run(turns(100)).unwrap(), WhyBack::Paused);
    assert_eq!(runner.being().tick(), Tick(1));
    assert_eq!(runner.run(turns(100)).unwrap(), WhyBack::Paused);
    assert_eq!(runner.being().tick(), Tick(1));
    inbox.put("t", &tell("still there?"), NOW).unwrap();
    assert_eq!(runner.run(turns(100)).unwrap(), WhyBack::Paused);
    assert_eq!(
        (runner.being().tick(), runner.being().standing()),
        (Tick(2), LifeStanding::Paused),
        "it answered and rests"
    );
    runner.close().unwrap();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    assert_eq!(runner.run(turns(100)).unwrap(), WhyBack::Paused, "also after a restart");
    inbox.put("r", &Ask::Resume, NOW).unwrap();
    assert_eq!(runner.run(turns(100)).unwrap(), WhyBack::TurnsDone);
    assert_eq!(runner.being().tick(), Tick(102));
    runner.close().unwrap();
    assert!(replayed(tmp.path(), &nature).ok);
}

#[test]
fn a_waiting_golem_hears_another_process() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    Inbox::open(tmp.path()).unwrap().put("p", &Ask::Pause, NOW).unwrap();
    let mut runner = open(tmp.path(), &nature, Pace::Max);
    let dir = tmp.path().to_owned();
    let owner = std::thread::spawn(move || {
        let mut inbox = Inbox::open(&dir).unwrap();
        let id = inbox.put("k", &Ask::Kill { reason: "enough".into() }, NOW).unwrap();
        wait_reply(&dir, id, Duration::from_secs(30)).unwrap().unwrap().text
    });
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    runner.close().unwrap();
    assert_eq!(owner.join().unwrap(), "dying: enough");
}

#[test]
fn the_kill_switch_is_one_order() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    let nature = Nature::default();
    let mut runner = open(tmp.path(), &nature, Pace::Real);
    runner.run(turns(5)).unwrap();
    std::fs::write(tmp.path().join("kill-switch"), "").unwrap();
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    assert_eq!(runner.being().tick(), Tick(6));
    runner.close().unwrap();
    let mut runner = open(tmp.path(), &nature, Pace::Real);
    assert_eq!(runner.run(Until::default()).unwrap(), WhyBack::Died);
    runner.close().unwrap();
    let count: i64 = rusqlite::Connection::open(tmp.path().join("golem.db"))
        .unwrap()
        .query_row("SELECT count(*) FROM inbox WHERE body LIKE '%kill-switch%'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 1);
    assert!(replayed(tmp.path(), &nature).ok);
}

#[test]
fn a_kill_switch_reaches_a_paused_golem() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    Inbox::open(tmp.path()).unwrap().put("p", &Ask::Pause, NOW).unwrap();
    let mut runner = open(tmp.path(), &Nature::default(), Pace::Max);
    assert_eq!(runner.run(turns(9)).unwrap(), WhyBack::Paused);
    std::fs::write(tmp.path().join("kill-switch"), "").unwrap();
    assert_eq!(runner.run(turns(9)).unwrap(), WhyBack::Died);
}

#[test]
fn letters_are_settled_once_and_for_all() {
    let tmp = tempfile::tempdir().unwrap();
    newborn(tmp.path());
    Inbox::open(tmp.path()).unwrap().put("a", &tell("hi"), NOW).unwrap();
    open(tmp.path(), &Nature::default(), Pace::Max).run(turns(2)).unwrap();
    assert!(Outbox::open(tmp.path()).unwrap().open_letters(None, 10).unwrap().is_empty(), "a reply needs no delivery");
}

#[test]
fn an_order_that_rots_in_the_inbox_is_not_obeyed() {
    for (rot, told) in [
        ("UPDATE inbox SET body = replace(body, '7', '9') WHERE id = 3", "order 3: its sum does not fit"),
        ("UPDATE inbox SET key = 'another' WHERE id = 3", "order 3: its sum does not fit"),
        ("UPDATE inbox SET taken_tick = NULL WHERE id = 1", "not known which orders were taken"),
        ("UPDATE inbox SET taken_tick = NULL WHERE id = 2", "not known which orders were taken"),
        ("UPDATE inbox SET taken_tick = 5 WHERE id = 3", "not known which orders were taken"),
        ("DELETE FROM inbox WHERE id = 2", "order 2 is gone"),
        ("DELETE FROM inbox WHERE id = 3", "1 order missing"),
    ] {
        let tmp = tempfile::tempdir().unwrap();
        newborn(tmp.path());
        let mut inbox = Inbox::open(tmp.path()).unwrap();
        inbox.put("a", &Ask::Feed { amount: Usdc(5) }, NOW).unwrap();
        inbox.put("b", &Ask::Feed { amount: Usdc(6) }, NOW).unwrap();
        let mut runner = open(tmp.path(), &Nature::default(), Pace::Max);
        runner.run(turns(5)).unwrap();
        runner.close().unwrap();
        inbox.put("c", &Ask::Feed { amount: Usdc(7) }, NOW).unwrap();
        drop(inbox);
        let db = rusqlite::Connection::open(tmp.path().join("golem.db")).unwrap();
        assert_eq!(db.execute(rot, []).unwrap(), 1, "{rot}");
        drop(db);
        let around = around(Pace::Max);
        let said = Store::open(tmp.path(), OpenOptions::default(), NOW)
            .and_then(|store| ToyRunner::open(store, &Nature::default(), Walk::new(), InProcess(Paper), around))
            .and_then(|mut runner| runner.run(turns(1)))
            .unwrap_err()
            .to_string();
        assert!(said.contains(told), "{rot}: {said}");
    }
}
