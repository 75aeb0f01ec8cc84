//! What a golem leaves by itself: marks of what it tells, and a grave that is dug once, after its last word.

use crate::kit::{Golem, Relay};
use golem_clade::kin::{GraveLetter, KinLetter, KinWord};
use golem_clade::library::WorldCalendar;
use golem_core::{Hash, Regime, Tick, Timestamp, VirtualTime};
use golem_ferry::{Ferry, FerryFile, FerryPassenger, GraveSaid, RelayVisit, crossed_once};
use golem_wallet::CladeKey;
use std::time::{Duration, Instant};
use styx_wire::{FieldScope, PheromoneDeposit, PheromoneLayer, Scent, ScentKey, SenseQuery, StainMark};

fn smelt(golem: &Golem, owner: &CladeKey, port: u16) -> Vec<Scent> {
    let query = SenseQuery { scope: FieldScope::Clade, layer: None, domain: None };
    RelayVisit::of(golem.passenger(owner, port)).sense(query).unwrap()
}

pub fn said() -> GraveSaid {
    let mark = |domain: &str| StainMark {
        class: "economic".parse().unwrap(),
        domain: domain.parse().unwrap(),
        regime: Regime::Volatile,
        severity: 800,
    };
    GraveSaid {
        generation: 2,
        tick: Tick(99),
        at: VirtualTime(99 * 40_000),
        testament: Hash::of(b"testament"),
        marks: vec![mark("price_direction"), mark("gas_condition")],
        letter: GraveLetter {
            name: "a".to_owned(),
            cause: "economic".to_owned(),
            vitality: 7,
            calendar: WorldCalendar::Outside,
            at: Timestamp(1_800),
            blood: Vec::new(),
        },
    }
}

#[test]
fn what_it_tells_is_smelt_by_its_siblings_and_by_no_stranger() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let [owner, stranger] = ["ours", "theirs"].map(|name| CladeKey::at(&dir.path().join(name)).unwrap());
    let [a, b, eve] = ["a", "b", "eve"].map(|name| Golem::born(dir.path(), name));
    (0..3).for_each(|n| a.tells(n));
    let cry = golem_life::Word { text: "help".to_owned(), died: false, at: Timestamp(1_500) };
    a.says("peer", "2/peer/0", &serde_json::to_string(&cry).unwrap());
    let shift =
        KinLetter { at: Timestamp(1_500), word: KinWord::Regime { was: Regime::RangeBound, is: Regime::Volatile } };
    a.says("alert", "2/alert/0", &shift.text());
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    let found = smelt(&b, &owner, relay.port);
    // Three insights of one field are one mark, a change of the weather another, and a cry is none.
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((found[1].key.layer, found[1].key.regime), (PheromoneLayer::Threat, Regime::Volatile));
    assert_eq!((found[0].key.layer, found[0].key.class.as_str()), (PheromoneLayer::Wisdom, "market.shock"));
    assert_eq!((found[0].confirmations, (700..=800).contains(&found[0].intensity)), (0, true), "{found:?}");
    b.tells(9);
    crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(smelt(&a, &owner, relay.port)[0].confirmations, 1, "a sibling that found the same confirms it");
    assert_eq!(smelt(&eve, &stranger, relay.port), []);
}

/// What everybody may know of a golem is for its owner to say, and for the relay to have a place for; its siblings know it either way.
#[test]
fn everybody_smells_what_its_owner_wants_known_and_nothing_else() {
    for (has_a_place, publishes) in [(true, true), (true, false), (false, true)] {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("relay");
        let relay = if has_a_place { Relay::for_everybody(&place) } else { Relay::begin(&place) };
        let [owner, stranger] = ["ours", "theirs"].map(|name| CladeKey::at(&dir.path().join(name)).unwrap());
        let [mut a, b, eve] = ["a", "b", "eve"].map(|name| Golem::born(dir.path(), name));
        a.warns(0);
        a.tells(1);
        a.grave = Some(said());
        let passenger = FerryPassenger { publishes, ..a.passenger(&owner, relay.port) };
        crossed_once(passenger, |_| {}).unwrap();
        let grave = a.kept().0.grave().unwrap().expect("it is dug").0;
        assert_eq!(grave.words.public, publishes);
        assert_eq!(
            smelt(&b, &owner, relay.port).len(),
            6,
            "a threat, something worth knowing, and two places of blood"
        );
        let query = SenseQuery { scope: FieldScope::Public, layer: None, domain: None };
        let everybody = RelayVisit::of(eve.passenger(&stranger, relay.port)).sense(query);
        match (has_a_place, publishes) {
            (true, true) => {
                let found = everybody.unwrap();
                assert_eq!(found.iter().map(|s| s.key.layer).collect::<Vec<_>>(), [PheromoneLayer::Threat]);
                assert_eq!(found[0].intensity % 100, 0, "in tenths: {found:?}");
            }
            (true, false) => assert_eq!(everybody.unwrap(), []),
            (false, _) => assert!(everybody.is_err()),
        }
    }
}

#[test]
fn a_grave_is_dug_once_after_the_last_word_and_nothing_is_said_from_it() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = CladeKey::at(&dir.path().join("owner.key")).unwrap();
    let (mut a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    a.tells(0);
    a.grave = Some(said());
    // A relay that acknowledges nothing: its words wait, and so does the grave.
    crossed_once(a.passenger(&owner, crate::lying::relay(None, Vec::new())), |_| {}).unwrap();
    assert!(a.kept().0.grave().unwrap().is_none(), "first its words");
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    let (grave, told) = a.kept().0.grave().unwrap().expect("it is dug");
    assert!(told);
    assert_eq!((grave.words.last.seq, a.kept().1.head.seq), (grave.words.last.seq.max(1), grave.words.last.seq));
    let clear = owner.group(1).open(&grave.private.0).expect("sealed to its siblings");
    assert_eq!(GraveLetter::read(&clear).unwrap(), said().letter);
    let layers = |found: Vec<Scent>| found.iter().filter(|s| s.key.class.as_str() == "economic").count();
    assert_eq!(layers(smelt(&b, &owner, relay.port)), 4, "two places, of threat and of wisdom");
    // Again, with another certificate: the same grave.
    let later = FerryPassenger { certificate: a.certified(&owner, 2_000), ..a.passenger(&owner, relay.port) };
    a.tells(1);
    let state = crossed_once(later, |_| {}).unwrap();
    assert_eq!(state.head, grave.words.last, "the dead say nothing");
    assert_eq!(a.kept().0.grave().unwrap(), Some((grave, true)));
    crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(b.inbox().len(), 1);
}

#[test]
fn the_dead_say_nothing_on_the_line_that_buried_them() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = CladeKey::at(&dir.path().join("owner.key")).unwrap();
    let mut a = Golem::born(dir.path(), "a");
    a.tells(0);
    a.grave = Some(said());
    let ferry = Ferry::begin(vec![a.passenger(&owner, relay.port)], |_, _| {}).unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    let told = || FerryFile::look(&a.dir).unwrap().is_some_and(|(file, _)| file.grave().unwrap().is_some_and(|g| g.1));
    while !told() {
        assert!(Instant::now() < until, "it is buried");
        std::thread::sleep(Duration::from_millis(20));
    }
    a.tells(1);
    std::thread::sleep(Duration::from_secs(1));
    drop(ferry);
    let (file, state) = a.kept();
    assert_eq!(state.head, file.grave().unwrap().unwrap().0.words.last);
}

#[test]
fn who_is_born_while_others_are_on_their_way_joins_them() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = CladeKey::at(&dir.path().join("owner.key")).unwrap();
    let (a, heir) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "heir"));
    let ferry = Ferry::begin(vec![a.passenger(&owner, relay.port)], |_, _| {}).unwrap();
    a.tells(0);
    ferry.join(heir.passenger(&owner, relay.port));
    heir.hears(1);
    heir.tells(1);
    a.hears(1);
    let begun = Instant::now();
    drop(ferry);
    assert!(begun.elapsed() < Duration::from_secs(8));
}

/// What lies in a golem's inbox of this kind.
fn heard(golem: &Golem, kind: &str) -> Vec<(golem_core::GolemId, KinWord)> {
    let words = golem.inbox().into_iter().filter_map(|(_, ask)| match ask {
        golem_life::Ask::Kin { from, letter, .. } => Some((from, KinLetter::read(&letter).unwrap().word)),
        _ => None,
    });
    words.filter(|(_, word)| word.name() == kind).collect()
}

#[test]
fn what_a_death_taught_is_heard_from_its_grave_once_and_from_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let [owner, stranger] = ["ours", "theirs"].map(|name| CladeKey::at(&dir.path().join(name)).unwrap());
    let (mut a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    let eve = Golem::born(dir.path(), "eve");
    // The living say that something was paid for with a life: no letter of theirs may be that.
    let forged = KinLetter { at: Timestamp(1_500), word: KinWord::Blood { parcel: Box::new(a.stained(1)) } };
    a.says("kin", "1/kin/9", &forged.text());
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(a.kept().1.head.seq, 0, "it is not told");
    // Of what lies in the grave one was another's, and one has no blood on it.
    let blood = vec![a.stained(0), eve.stained(3), a.parcel(4)];
    a.grave = Some(GraveSaid { letter: GraveLetter { blood, ..said().letter }, ..said() });
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    for _ in 0..2 {
        crossed_once(b.passenger(&owner, relay.port), |_| {}).unwrap();
        crossed_once(eve.passenger(&stranger, relay.port), |_| {}).unwrap();
    }
    let found = heard(&b, "blood");
    let [(from, KinWord::Blood { parcel })] = &found[..] else { panic!("{found:?}") };
    assert_eq!((*from, parcel.passport().blood), (a.id(), Some(a.id())));
    assert_eq!(heard(&eve, "blood"), [], "graves are an owner's");
    assert!(b.kept().0.has_heard_grave(a.certified(&owner, 1_000).words.origin).unwrap());
}

#[test]
fn who_hears_of_a_death_visits_the_grave() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = CladeKey::at(&dir.path().join("owner.key")).unwrap();
    let (mut a, b) = (Golem::born(dir.path(), "a"), Golem::born(dir.path(), "b"));
    let pulse = Duration::from_millis(300);
    let waiting = FerryPassenger { pulse_every: pulse, ..b.passenger(&owner, relay.port) };
    let _ferry = Ferry::begin(vec![waiting], |_, _| {}).unwrap();
    let last = golem_life::Word { text: "it was the gas".to_owned(), died: true, at: Timestamp(1_800) };
    a.says("peer", "9/peer/0", &serde_json::to_string(&last).unwrap());
    a.grave = Some(GraveSaid { letter: GraveLetter { blood: vec![a.stained(0)], ..said().letter }, ..said() });
    crossed_once(a.passenger(&owner, relay.port), |_| {}).unwrap();
    b.hears(2);
    assert_eq!(heard(&b, "blood").len(), 1);
}

#[test]
fn a_threat_that_several_have_marked_is_smelt_once_each_time_that_it_is_confirmed() {
    let dir = tempfile::tempdir().unwrap();
    let relay = Relay::begin(&dir.path().join("relay"));
    let owner = CladeKey::at(&dir.path().join("owner.key")).unwrap();
    let all = ["a", "b", "c"].map(|name| Golem::born(dir.path(), name));
    let key = |layer, class: &str| ScentKey {
        layer,
        class: class.parse().unwrap(),
        domain: "gas_condition".parse().unwrap(),
        regime: Regime::Volatile,
    };
    let marks = |golem: &Golem, layer, class: &str| {
        let mark = PheromoneDeposit { scope: FieldScope::Clade, key: key(layer, class), intensity: 900 };
        RelayVisit::of(golem.passenger(&owner, relay.port)).deposit(mark).unwrap();
    };
    let [a, b, c] = &all;
    for golem in [a, b] {
        marks(golem, PheromoneLayer::Threat, "gas_spike");
        marks(golem, PheromoneLayer::Wisdom, "gas_spike");
    }
    marks(a, PheromoneLayer::Threat, "oracle");
    for _ in 0..2 {
        crossed_once(c.passenger(&owner, relay.port), |_| {}).unwrap();
    }
    let found = heard(c, "scent");
    let [(from, KinWord::Scent { field, intensity: 850..=900, confirmations: 1 })] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((*from, field.as_str()), (c.id(), "gas_condition/gas_spike"), "whose it was is told to nobody");
    marks(c, PheromoneLayer::Threat, "gas_spike");
    crossed_once(c.passenger(&owner, relay.port), |_| {}).unwrap();
    assert_eq!(heard(c, "scent").len(), 2, "it was confirmed again");
}
