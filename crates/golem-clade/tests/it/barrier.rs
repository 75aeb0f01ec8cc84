//! What is left of a confidence on the other side.

use crate::kit::{body, claiming, days, golem, proven, standing};
use golem_clade::barrier::{Boundary, Crossings, inherited_confidence};
use golem_core::VirtualTime;
use golem_grimoire::admission::initial_confidence_bp;
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryStatus, Provenance, Standing};
use proptest::prelude::*;

/// Handed from golem 1 to golem 2 and on, for so many deaths.
fn through_deaths(mut c: Crossings, deaths: u8) -> Crossings {
    for from in 1..=deaths {
        c = c.cross(Boundary::Death, golem(from), golem(from + 1)).expect("whoever has it hands it over");
    }
    c
}

#[test]
fn five_generations_without_a_validation_leave_exactly_the_fifth_power() {
    for bp in [9_900, 9_500, 7_000, 4_321, 137, 1, 0] {
        for g in 0..=5u8 {
            let left = through_deaths(Crossings::learnt_by(golem(1), bp), g).confidence_bp();
            let exact = inherited_confidence(f64::from(bp) / 10_000.0, u32::from(g));
            assert!(
                (f64::from(left) / 10_000.0 - exact).abs() <= 0.5e-4 + 1e-12,
                "{bp} after {g}: {left}, not {exact}"
            );
        }
    }
    // 0.85 at every birth on top of itself would leave 0.087.
    let fifth = through_deaths(Crossings::learnt_by(golem(1), 9_900), 5).confidence_bp();
    assert_eq!(fifth, 4_393);
    assert!((inherited_confidence(1.0, 5) - 0.443_705_312_5).abs() < 1e-12);
    assert!((inherited_confidence(1.0, 1) - 0.85).abs() < 1e-15 && (inherited_confidence(1.0, 0) - 1.0).abs() < 1e-15);
}

#[test]
fn a_hop_leaves_four_fifths_and_a_death_eighty_five_hundredths() {
    let c = Crossings::learnt_by(golem(1), 8_000);
    let hopped = c.cross(Boundary::Hop, golem(1), golem(2)).expect("it is its own");
    assert_eq!(hopped.confidence_bp(), 6_400);
    let died = hopped.cross(Boundary::Death, golem(2), golem(3)).expect("it has it");
    assert_eq!(died.confidence_bp(), 5_440);
}

#[test]
fn the_same_crossing_is_paid_once() {
    let c = Crossings::learnt_by(golem(1), 8_000);
    let once = c.cross(Boundary::Death, golem(1), golem(2)).expect("it is its own");
    let again = once.cross(Boundary::Death, golem(1), golem(2)).expect("it is there already");
    assert_eq!(once, again);
    assert_eq!(again.confidence_bp(), 6_800);
    assert!(once.cross(Boundary::Death, golem(1), golem(3)).is_err(), "the dead cannot give it away twice");
}

#[test]
fn what_a_life_validates_begins_anew_and_counts_as_survived() {
    let told = |validated, own_validation, contradicted, bp| {
        let body = EntryBody {
            provenance: Provenance::Testament,
            ..claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0")
        };
        Entry::new(body, Standing { validated, own_validation, contradicted, ..standing(EntryStatus::Candidate, bp) })
    };
    let arrived = through_deaths(Crossings::learnt_by(golem(1), 8_000), 2);
    let table = [
        // Validated here: it stands by that, and this life counts once it is over.
        (told(4, true, 0, 9_100), 9_100, 1),
        // Nothing happened: one more generation off, none survived.
        (told(0, false, 0, 5_780), 5_780, 0),
        // Luck that proved nothing is no validation.
        (told(1, false, 0, 6_780), 5_780, 0),
        // Refuted: as little as reality left.
        (told(0, false, 2, 2_780), 2_780, 0),
    ];
    for (entry, here, survived) in table {
        let judged = arrived.judged(&entry);
        assert_eq!((judged.confidence_bp(), judged.survived_by_now()), (here, survived), "{:?}", entry.standing);
        let next = judged.cross(Boundary::Death, golem(3), golem(4)).expect("it has it");
        assert_eq!((next.survived, next.validated_here), (survived, false));
        let exact = inherited_confidence(f64::from(judged.judged_bp) / 10_000.0, judged.generations + 1);
        assert!((f64::from(next.confidence_bp()) / 10_000.0 - exact).abs() <= 0.5e-4 + 1e-12);
    }
}

#[test]
fn a_source_is_trusted_as_far_as_it_goes_until_the_recipient_has_seen_it() {
    let table = [
        (Provenance::Clade, 0.4),
        (Provenance::Testament, 0.4),
        (Provenance::Replicant, 0.3),
        (Provenance::Marketplace, 0.3),
        (Provenance::SelfGenerated, 0.9),
    ];
    for (provenance, most) in table {
        let entry = |own_validation| {
            let body = EntryBody { provenance, ..body(EntryKind::Insight, "Something.") };
            let standing = Standing { own_validation, ..standing(EntryStatus::Candidate, 9_000) };
            Entry::new(body, standing)
        };
        assert!((entry(false).effective(VirtualTime(0)) - most).abs() < 1e-12, "{provenance:?}");
        assert!((entry(true).effective(VirtualTime(0)) - 0.9).abs() < 1e-12, "{provenance:?} once it was validated");
    }
    assert_eq!(initial_confidence_bp(Provenance::SelfGenerated), 7_000);
}

#[test]
fn a_boundary_for_each_way() {
    for (provenance, boundary) in [
        (Provenance::SelfGenerated, None),
        (Provenance::Owner, None),
        (Provenance::Dream, None),
        (Provenance::Testament, Some(Boundary::Death)),
        (Provenance::Clade, Some(Boundary::Hop)),
        (Provenance::Replicant, Some(Boundary::Hop)),
        (Provenance::Marketplace, Some(Boundary::Hop)),
    ] {
        assert_eq!(Boundary::of(provenance), boundary, "{provenance:?}");
    }
    // Own knowledge is judged by its own standing.
    let own = proven(body(EntryKind::Insight, "Mine."), 8_800);
    assert_eq!(Crossings::learnt_by(golem(1), 100).judged(&own).confidence_bp(), 8_800);
    assert!((own.effective(days(0)) - 0.88).abs() < 1e-12);
}

proptest! {
    #[test]
    fn no_number_breaks_it(original: f64, generation: u32, bp: u16, generations: u32, hops: u32) {
        let left = inherited_confidence(original, generation);
        prop_assert!((0.0..=1.0).contains(&left), "{left}");
        let c = Crossings { generations, hops, ..Crossings::learnt_by(golem(1), bp) };
        let next = c.cross(Boundary::Death, golem(1), golem(2)).expect("it is its own");
        prop_assert!(next.confidence_bp() <= c.confidence_bp() && c.confidence_bp() <= 9_900);
    }
}
