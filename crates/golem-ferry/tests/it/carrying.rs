//! What is said by one is heard by the others, once.

use crate::kit::{Golem, Relay};
use golem_clade::kin::{KinLetter, KinWord};
use golem_core::Timestamp;
use golem_ferry::{Ferry, RelayVisit, crossed_once, restored};
use golem_grimoire::EntryKind;
use golem_life::Ask;
use golem_wallet::CladeKey;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn ferry(golem: &Golem, owner: &CladeKey, port: u16) -> Ferry {
    Ferry::begin(vec![golem.passenger(owner, port)], |_, _| {}).unwrap()
}

fn word(text: &str, died: bool) -> String {
    serde_json::to_string(&golem_life::Word { text: text.to_owned(), died, at: Timestamp(1_500) }).unwrap()
}

#[test]
fn siblings_hear_each_other_within_a_second_and_strangers_hear_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let (ours, theirs) = (dir.path().join("ours"), dir.path().join("theirs"));
    let owner = CladeKey::at(&ours.join("clade").join("owner.key")).unwrap();
    let stranger = CladeKey::at(&theirs.join("clade").join("owner.key")).unwrap();
    let (a, b, eve) = (Golem::born(&ours, "a"), Golem::born(&ours, "b"), Golem::born(&theirs, "eve"));
    let _lines = [ferry(&a, &owner, relay.port), ferry(&b, &owner, relay.port), ferry(&eve, &stranger, relay.port)];
    a.tells(0);
    b.hears(1);
    let begun = Instant::now();
    a.says("peer", "2/peer/0", &word("help", false));
    let heard = b.hears(2);
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    let (key, Ask::Kin { from, letter, at }) = &heard[0] else { panic!("{heard:?}") };
    assert!(key.starts_with("kin/") && key.ends_with("/1"), "{key}");
    assert_eq!((*from, *at), (a.id(), Timestamp(1_500)));
    let KinWord::Entry { parcel } = KinLetter::read(letter).unwrap().word else { panic!("{letter}") };
    assert_eq!(parcel.entry.passport.learnt_by.golem, a.id(), "with where it is from");
    // A cry has the name that the courier gives it: whoever carries it also, it is one order.
    let said = Ask::Peer { from: "a".into(), text: "help".into(), died: false, at: Timestamp(1_500) };
    assert_eq!(heard[1], (format!("{}/2/peer/0", a.id()), said));
    // A warning, too, behind much else.
    (1..20).for_each(|n| a.tells(n));
    let begun = Instant::now();
    a.warns(20);
    let warned = |(_, ask): &(String, Ask)| {
        let Ask::Kin { letter, .. } = ask else { return false };
        let KinWord::Entry { parcel } = KinLetter::read(letter).unwrap().word else { panic!("{letter}") };
        parcel.entry.entry.body.kind == EntryKind::Warning
    };
    while !b.inbox().iter().any(warned) {
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!((a.inbox().len(), eve.inbox().len()), (0, 0), "neither oneself nor strangers");
    assert_eq!(b.kept().1.siblings.len(), 1);
    assert_eq!(eve.kept().1.siblings.len(), 0);
}

/// The relay dies and comes back, and loses its disk; golems come and go: in the end everybody has everything once.
#[test]
fn what_breaks_on_the_way_loses_nothing_and_doubles_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut relay = Relay::begin(&dir.path().join("relay"));
    let home = dir.path().join("home");
    let owner = CladeKey::at(&home.join("clade").join("owner.key")).unwrap();
    let (a, b) = (Golem::born(&home, "a"), Golem::born(&home, "b"));
    let (mut line, _other) = (Some(ferry(&a, &owner, relay.port)), ferry(&b, &owner, relay.port));
    let mut told = 0;
    for round in 0..6 {
        for _ in 0..5 {
            a.tells(told);
            told += 1;
        }
        match round {
            0 | 3 => {
                relay.stop();
                relay.start(1);
            }
            1 => {
                line = None;
                line.replace(ferry(&a, &owner, relay.port));
            }
            4 => {
                relay.stop();
                relay.start(2);
            }
            _ => {}
        }
        b.hears(if round == 4 { told - 5 } else { 0 });
    }
    let heard = b.hears(told);
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(b.inbox().len(), told, "nothing twice");
    let said: BTreeSet<String> = heard
        .iter()
        .map(|(_, ask)| match ask {
            Ask::Kin { letter, .. } => letter.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(said.len(), told);
    drop(line);
    assert_eq!(a.kept().0.waiting().unwrap(), 0, "everything is kept by the relay");
    let notices: Vec<String> = b.kept().0.notices(9).unwrap().into_iter().map(|(_, text)| text).collect();
    assert!(notices.iter().any(|text| text.contains("another store")), "{notices:?}");
}

#[test]
fn a_relay_that_is_away_keeps_nobody_waiting_and_who_was_away_catches_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut relay = Relay::begin(&dir.path().join("relay"));
    let home = dir.path().join("home");
    let owner = CladeKey::at(&home.join("clade").join("owner.key")).unwrap();
    let (a, b) = (Golem::born(&home, "a"), Golem::born(&home, "b"));
    relay.stop();
    for n in 0..3 {
        a.tells(n);
    }
    let begun = Instant::now();
    drop(ferry(&a, &owner, relay.port));
    assert!(begun.elapsed() < Duration::from_secs(4), "a farewell to nobody is short: {:?}", begun.elapsed());
    assert!(crossed_once(b.passenger(&owner, relay.port), |_| {}).is_err());
    relay.start(1);
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    let state = crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!((b.inbox().len(), state.queue.waiting()), (3, 0));
    crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(b.inbox().len(), 3, "once");
}

/// What was signed and is not kept would hold up a warning behind it: no more is signed than the relay grants, and the rest waits in the outbox.
#[test]
fn nothing_is_signed_that_would_not_be_kept() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = CladeKey::at(&dir.path().join("owner.key")).unwrap();
    let (a, granted) = (Golem::born(dir.path(), "a"), styx_wire::RelayLimits::default().knowledge.burst);
    (0..granted as usize + 20).for_each(|n| a.tells(n));
    for _ in 0..2 {
        let state = crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
        // A second or two fill no purse, and neither does coming again.
        assert!((granted..granted + 2).contains(&state.head.seq), "{}", state.head.seq);
        assert_eq!(a.kept().0.waiting().unwrap(), 0);
    }
}

#[test]
fn one_golem_has_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = CladeKey::at(&dir.path().join("clade").join("owner.key")).unwrap();
    let a = Golem::born(dir.path(), "a");
    let _line = ferry(&a, &owner, relay.port);
    std::thread::sleep(Duration::from_millis(300));
    let second = crossed_once(a.passenger(&owner, relay.port), |_| {});
    assert!(second.unwrap_err().to_string().contains("another process"));
}

#[test]
fn a_newcomer_bootstraps_from_the_newest_backup_after_everybody_else_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let home = dir.path().join("home");
    let owner = CladeKey::at(&home.join("clade").join("owner.key")).unwrap();
    let mut a = Golem::born(&home, "a");
    a.backup = (0..20).map(|n| a.believes(n)).collect::<Vec<_>>().join("\n").into_bytes();
    a.tick.store(450, Ordering::SeqCst);
    let state = crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(state.backed_up.map(|tick| tick.0), Some(450));
    std::fs::remove_dir_all(&a.dir).unwrap();
    let heir = Golem::born(&home, "heir");
    crossed_once(heir.passenger(&owner, relay.port), |_| {}).unwrap();
    let handed = heir.inbox();
    assert_eq!(handed.len(), 20);
    let dated = |ask: &Ask| matches!(ask, Ask::Kin { from, at: Timestamp(1_000), .. } if *from == a.id());
    assert!(handed.iter().all(|(key, ask)| key.starts_with("archive/") && dated(ask)), "{handed:?}");
    // The same by hand, with every proof; a stranger finds nothing.
    let visit = RelayVisit::of(heir.passenger(&owner, relay.port));
    let found = visit.archives().unwrap();
    assert_eq!((found.len(), found[0].manifest.words.tick), (1, 450));
    let pieces = visit.pieces(&found[0]).unwrap();
    assert_eq!(restored(&found[0], owner.owner(), &owner.group(1), &pieces, 0).unwrap().parcels().len(), 20);
    assert!(restored(&found[0], owner.owner(), &owner.group(2), &pieces, 0).is_err(), "sealed to the group");
    assert!(restored(&found[0], owner.owner(), &owner.group(1), &pieces, u64::MAX).is_err(), "over");
    let stranger = CladeKey::at(&dir.path().join("theirs").join("owner.key")).unwrap();
    let eve = Golem::born(&dir.path().join("theirs"), "eve");
    assert!(RelayVisit::of(eve.passenger(&stranger, relay.port)).archives().unwrap().is_empty());
}
