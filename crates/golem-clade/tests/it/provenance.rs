//! Where knowledge came from: lines, passports, validators.

use crate::kit::{body, claiming, clock, days, golem, line, passport, proven, travelling};
use golem_clade::barrier::{Boundary, Crossings};
use golem_clade::provenance::{
    Forgery, Lineage, Passport, PassportBook, TravelledValidation, ValidationWord, distinct_validators,
};
use golem_core::{Hash, Timestamp};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{EntryBody, EntryKind, EntryOrigin, Provenance};

#[test]
fn a_line_agrees_with_itself_or_not() {
    assert!(line(0).is_sound() && line(3).is_sound());
    let broken = [
        Lineage { generation: 2, ..line(3) },
        Lineage { id: golem(9), ..line(3) },
        Lineage { golem: golem(2), ..line(3) },
        Lineage { ancestors: vec![golem(1), golem(1), golem(3)], ..line(3) },
        Lineage { id: golem(9), ..line(0) },
    ];
    assert!(broken.iter().all(|l| !l.is_sound()));
    assert!(line(2).has(golem(1)) && line(2).has(golem(3)) && !line(2).has(golem(4)));
}

#[test]
fn every_forgery_has_its_name() {
    let from = line(2);
    let entry = proven(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"), 8_000);
    let honest = Passport::own(&entry, &from, clock());
    let closed = clock().at(days(9));
    assert_eq!(honest.forgery(&entry.body, &from, closed), None);
    let old = |c: Crossings| Passport { crossings: Crossings { carrier: from.golem, ..c }, ..passport(c) };
    let inherited = old(Crossings { generations: 2, ..Crossings::learnt_by(golem(1), 9_000) });
    assert_eq!(inherited.forgery(&entry.body, &from, closed), None);
    let blood = EntryBody { is_bloodstain: true, ..entry.body.clone() };
    let bleeding = Passport { blood: Some(golem(2)), root: blood.hash(), ..honest.clone() };
    assert_eq!(bleeding.forgery(&blood, &from, closed), None);
    let of = |generation| EntryOrigin { golem: golem(1), generation };
    let crossed = |c| Passport { crossings: c, ..inherited.clone() };
    let table = [
        (crossed(Crossings { carrier: golem(1), ..inherited.crossings }), Forgery::Carrier),
        (Passport { learnt_by: of(3), ..inherited.clone() }, Forgery::Generation),
        (crossed(Crossings { survived: 4, ..inherited.crossings }), Forgery::Crossings),
        (crossed(Crossings { generations: 3, ..inherited.crossings }), Forgery::Crossings),
        (Passport { crossings: Crossings { survived: 1, ..honest.crossings }, ..honest.clone() }, Forgery::Crossings),
        (crossed(Crossings { judged_bp: 10_000, ..inherited.crossings }), Forgery::Confidence),
        (Passport { blood: Some(golem(1)), ..honest.clone() }, Forgery::Blood),
        (
            Passport {
                times: golem_clade::world_time::WorldTimes { learnt: Timestamp(closed.0 + 1), ..honest.times },
                ..honest.clone()
            },
            Forgery::Time,
        ),
        (Passport { root: Hash([1; 32]), ..honest.clone() }, Forgery::Root),
    ];
    for (passport, how) in table {
        assert_eq!(passport.forgery(&entry.body, &from, closed), Some(how));
    }
    assert_eq!(Passport { blood: None, ..bleeding.clone() }.forgery(&blood, &from, closed), Some(Forgery::Blood));
    assert_eq!(Passport { blood: Some(golem(8)), ..bleeding }.forgery(&blood, &from, closed), Some(Forgery::Blood));
    assert_eq!(honest.forgery(&entry.body, &Lineage { id: golem(7), ..from }, closed), Some(Forgery::Lineage));
}

#[test]
fn many_words_of_one_golem_are_one_word() {
    let said = |n, word| TravelledValidation { entry: Hash([1; 32]), validator: golem(n), word };
    let (yes, no) = (ValidationWord::Confirmed, ValidationWord::Contradicted);
    let all = [said(1, yes), said(1, yes), said(2, yes), said(3, no), said(4, yes), said(4, no)];
    assert_eq!(distinct_validators(&all, Hash([1; 32]), yes), 2, "golem 4 said both");
    assert_eq!(distinct_validators(&all, Hash([1; 32]), no), 1);
    assert_eq!(distinct_validators(&all, Hash([2; 32]), yes), 0);
}

#[test]
fn a_root_stays_the_same_through_all_lives_and_blood_is_no_heritage_of_everything() {
    let entry = proven(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 1.5"), 8_000);
    let first = travelling(&entry, &line(0));
    assert_eq!((first.passport.root, first.passport.blood), (entry.hash, None));
    let there = Passport {
        crossings: first.passport.crossings.cross(Boundary::Death, golem(1), golem(2)).expect("it is its own"),
        ..first.passport.clone()
    };
    let body = EntryBody { provenance: Provenance::Testament, learnt_at: days(3), ..entry.body.clone() };
    let inherited = proven(body, 9_000);
    assert_ne!(inherited.hash, entry.hash, "another body");
    let (mut book, mut shelf) = (PassportBook::default(), Shelf::default());
    assert!(shelf.add(inherited.clone()));
    book.accept(inherited.id, there.clone());
    book.accept(inherited.id, first.passport.clone());
    assert_eq!(book.arrived(inherited.id), Some(&there), "an entry arrives once");
    let now = book.present(&inherited, &shelf, &line(1), clock());
    assert_eq!((now.root, now.blood, now.learnt_by), (entry.hash, None, first.passport.learnt_by));
    assert_eq!((now.crossings.survived_by_now(), now.times.learnt), (2, first.passport.times.learnt));
    let own = proven(self::body(EntryKind::Insight, "Mine."), 7_000);
    assert_eq!(book.present(&own, &shelf, &line(1), clock()).learnt_by, EntryOrigin { golem: golem(2), generation: 1 });
    let died = proven(EntryBody { is_bloodstain: true, ..self::body(EntryKind::Warning, "This killed me.") }, 7_000);
    assert_eq!(book.present(&died, &shelf, &line(1), clock()).blood, Some(golem(2)));
    // Found out again by the heir itself: the same knowledge, earned again.
    let again = proven(EntryBody { learnt_at: days(9), ..entry.body.clone() }, 7_500);
    let earned = book.present(&again, &shelf, &line(1), clock());
    assert_eq!((earned.root, earned.crossings.survived_by_now(), earned.crossings.judged_bp), (entry.hash, 2, 7_500));
    book.retain(|id| id != inherited.id);
    assert_eq!(book.iter().count(), 0);
}
