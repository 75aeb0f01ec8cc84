//! One golem that became two, and a golem whose key became another: everything that either says is heard, once, and its owner is told.

use crate::kit::{Golem, Relay};
use golem_ferry::{Ferry, FerryFile, crossed_once};
use golem_wallet::CladeKey;
use std::path::Path;
use std::time::{Duration, Instant};

fn owner(home: &Path) -> CladeKey {
    CladeKey::at(&home.join("clade").join("owner.key")).unwrap()
}

fn notices(golem: &Golem) -> String {
    golem.kept().0.notices(20).unwrap().into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("; ")
}

/// A folder is copied to another machine, and both are run: by turns, each telling in between what the other does not know of.
#[test]
fn what_either_of_two_copies_says_is_heard_once() {
    // How much the first and the second say before each goes across, three times by turns.
    for (first, second) in [(1, 1), (2, 1), (1, 3), (3, 2)] {
        let dir = tempfile::tempdir().unwrap();
        let relay = Relay::begin(&dir.path().join("relay"));
        let owner = owner(dir.path());
        let (a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
        a.tells(0);
        crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
        let twin = a.copied(&dir.path().join("elsewhere"));
        let mut said = 1;
        for _ in 0..3 {
            for (golem, n) in [(&a, first), (&twin, second)] {
                for _ in 0..n {
                    golem.tells(said);
                    said += 1;
                }
            }
            for golem in [&a, &twin] {
                crossed_once(golem.passenger(&owner, relay.port), |_| {}).unwrap();
                // What was signed again goes with the next visit at the latest.
                crossed_once(golem.passenger(&owner, relay.port), |_| {}).unwrap();
            }
        }
        crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
        assert_eq!(b.inbox().len(), said, "{first} and {second}");
        for golem in [&a, &twin] {
            assert_eq!(golem.kept().0.waiting().unwrap(), 0, "{first} and {second}: {}", notices(golem));
        }
        assert!(notices(&twin).contains("copy of"), "{first} and {second}: {}", notices(&twin));
    }
}

/// What a copy signed before it knew of the other has a place that the other's words have taken: it is signed again, and heard once.
#[test]
fn what_was_signed_for_a_place_that_is_taken_is_signed_again() {
    // How much the copy has signed, and how much the other has told meanwhile: as far, further, not as far.
    for (signed, told) in [(1, 1), (1, 2), (2, 1)] {
        let dir = tempfile::tempdir().unwrap();
        let relay = Relay::begin(&dir.path().join("relay"));
        let owner = owner(dir.path());
        let (a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
        a.tells(0);
        crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
        let twin = a.copied(&dir.path().join("elsewhere"));
        (1..=signed).for_each(|n| twin.tells(n));
        // Signed, and kept by nobody: this relay acknowledges nothing.
        let deaf = crate::lying::relay(Some(a.kept().1.head), Vec::new());
        crossed_once(twin.passenger(&owner, deaf), |_| {}).unwrap();
        assert_eq!(twin.kept().0.waiting().unwrap(), signed as u64);
        (1..=told).for_each(|n| a.tells(10 + n));
        crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
        for _ in 0..2 {
            crossed_once(twin.passenger(&owner, relay.port), |_| {}).unwrap();
        }
        assert_eq!(twin.kept().0.waiting().unwrap(), 0, "{signed} and {told}: {}", notices(&twin));
        assert!(notices(&twin).contains("copy of this golem"), "{signed} and {told}: {}", notices(&twin));
        crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
        assert_eq!(b.inbox().len(), 1 + signed + told, "{signed} and {told}");
    }
}

#[test]
fn two_copies_at_the_same_time_tell_their_owner_and_get_on() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = owner(dir.path());
    let (a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    let twin = a.copied(&dir.path().join("elsewhere"));
    let _lines =
        [&a, &twin, &b].map(|golem| Ferry::begin(vec![golem.passenger(&owner, relay.port)], |_, _| {}).unwrap());
    a.tells(0);
    twin.tells(1);
    b.hears(2);
    let until = Instant::now() + Duration::from_secs(40);
    while !(notices(&a) + &notices(&twin)).contains("copy of this golem") {
        assert!(Instant::now() < until, "{} {}", notices(&a), notices(&twin));
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_golem_whose_key_is_another_says_what_it_had_to_say() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = owner(dir.path());
    let (mut a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    a.tells(0);
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    // Made, and kept by nobody: this relay acknowledges nothing.
    let deaf = crate::lying::relay(None, Vec::new());
    a.tells(1);
    crossed_once(a.passenger(&owner, deaf), |_| {}).unwrap();
    assert!(a.kept().0.waiting().unwrap() > 0);
    let before = a.passenger(&owner, relay.port).certificate.words.origin;
    a.line = Some([42; 32]);
    assert_ne!(a.passenger(&owner, relay.port).certificate.words.origin, before);
    a.tells(2);
    let state = crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(a.kept().0.waiting().unwrap(), 0);
    assert!(state.head.seq >= 2);
    crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
    let said: std::collections::BTreeSet<String> = b.inbox().iter().map(|(_, ask)| format!("{ask:?}")).collect();
    assert_eq!(said.len(), 3, "all of it");
    // Another owner's siblings cannot open what was sealed for these.
    a.tells(3);
    crossed_once(a.passenger(&owner, deaf), |_| {}).unwrap();
    assert!(a.kept().0.waiting().unwrap() > 0);
    let theirs = CladeKey::at(&dir.path().join("theirs.key")).unwrap();
    let words = a.passenger(&theirs, relay.port).certificate.words;
    let (file, state) = FerryFile::open(&a.dir, words.owner, words.origin).unwrap();
    assert_eq!((file.waiting().unwrap(), state.head.seq, state.siblings.len()), (0, 0, 0));
}
