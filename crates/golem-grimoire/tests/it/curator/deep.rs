//! What is marked for dreams, and what the deep cycle finds: contradictions, duplicates, failing domains, beliefs that
//! the record refutes.

use crate::curator::study::Study;
use crate::kit::{body, claiming};
use golem_core::VirtualTime;
use golem_core::observed::Field;
use golem_grimoire::admission::{Near, Neighbours, NoNeighbours};
use golem_grimoire::{EntryBody, EntryId, EntryKind, EntryStatus, Provenance, Went};
use golem_mortality::Domain;

#[test]
fn surprise_regret_and_contradiction_are_marked_for_dreams_eight_at_a_time() {
    let mut r = Study::new();
    let dull = r.live(|e| e.surprise = 2.9);
    let surprising = r.live(|e| e.surprise = 3.0);
    let regretted = r.live(|e| e.surprise = 0.0);
    let turned = r.live(|e| e.went = Went::Positive);
    let broken = r.live(|e| e.surprise = f32::NAN);
    r.shelf.mark(regretted, |m| m.regret_bps = Some(50.0));
    r.shelf.mark(turned, |m| m.outcome_bps = Some(-3.0));
    assert_eq!(r.cycle().tagged, 3);
    let marked = |r: &Study, id| r.shelf.marks(id).is_some_and(|m| m.dream_priority);
    let got = [dull, surprising, regretted, turned, broken].map(|id| marked(&r, id));
    assert_eq!(got, [false, true, true, true, false]);
    for n in 0..12 {
        r.live(|e| e.surprise = 4.0 + n as f32);
    }
    assert_eq!((r.cycle().tagged, r.cycle().tagged), (8, 4), "the most surprising first");
}

#[test]
fn of_two_that_contradict_the_clearly_proven_stays_and_otherwise_neither() {
    for (lead, expected) in [(3, [Some(true), Some(false)]), (2, [Some(false), Some(false)])] {
        let mut r = Study::new();
        let right = r.put(claiming("market.gas_ratio > 2.0", "market.return_15 > 0.0"), 8_000);
        let wrong = r.put(claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0"), 8_000);
        r.shelf.stand(right, |s| (s.validated, s.own_validation) = (lead, true));
        let report = r.deep(&NoNeighbours);
        assert_eq!(report.contradictions, 1);
        let in_use = [right, wrong].map(|id| r.shelf.entry(id).map(|e| e.is_in_use()));
        assert_eq!(in_use, expected, "a lead of {lead}");
    }
}

#[test]
fn duplicates_merge_into_the_better_proven_with_all_evidence() {
    let mut r = Study::new();
    let old = r.put(body(EntryKind::Insight, "Gas is cheap on Sundays."), 6_000);
    let twin = r.put(EntryBody { learnt_at: r.now, ..body(EntryKind::Insight, "gas is cheap on  sundays.") }, 7_000);
    r.shelf.stand(old, |s| (s.validated, s.uses) = (2, 3));
    r.shelf.stand(twin, |s| (s.validated, s.contradicted, s.uses) = (1, 1, 4));
    let report = r.deep(&NoNeighbours);
    assert_eq!(report.merged, 1);
    let s = &r.shelf.entry(old).expect("stays").standing;
    assert_eq!((s.validated, s.contradicted, s.uses, s.confidence_bp), (3, 1, 7, 7_000));
    assert!(matches!(r.status(twin), Some(EntryStatus::Archived(_))));
}

/// Finds one entry near everything.
struct Like(EntryId);
impl Neighbours for Like {
    fn nearest(&self, _: &EntryBody) -> Option<Near> {
        Some(Near { id: self.0, cosine: 0.93 })
    }
}

#[test]
fn near_words_merge_only_where_nothing_that_can_be_checked_differs() {
    let mut r = Study::new();
    let now = r.now;
    let known = r.put(EntryBody { learnt_at: now, ..body(EntryKind::Insight, "Gas is cheap on Sundays.") }, 7_000);
    r.put(EntryBody { learnt_at: now, ..body(EntryKind::Insight, "On Sundays gas is cheap.") }, 7_000);
    let claims =
        r.put(EntryBody { learnt_at: now, ..claiming("market.gas_ratio > 2.0", "market.return_15 > 0.0") }, 7_000);
    let kind = r.put(EntryBody { learnt_at: now, ..body(EntryKind::StrategyFragment, "Trade on Sundays.") }, 7_000);
    assert_eq!(r.deep(&Like(known)).merged, 1);
    assert!([claims, kind].iter().all(|id| r.status(*id) == Some(EntryStatus::Active)));
}

#[test]
fn a_failing_domain_takes_its_unproven_entries_along() {
    let mut r = Study::new();
    let gas = |text: &str| EntryBody { domain: Some(Domain::GasCondition), ..body(EntryKind::Insight, text) };
    let weak = r.put(gas("Weak."), 3_900);
    let strong = r.put(gas("Strong."), 8_000);
    let elsewhere = r.put(body(EntryKind::Insight, "Elsewhere."), 3_900);
    r.fitness[Domain::GasCondition.index()] = Some(0.11);
    assert_eq!(r.deep(&NoNeighbours).failed_with_domain, 0);
    r.fitness[Domain::GasCondition.index()] = Some(0.09);
    assert_eq!(r.deep(&NoNeighbours).failed_with_domain, 1);
    assert!(matches!(r.status(weak), Some(EntryStatus::Archived(_))));
    assert!([strong, elsewhere].iter().all(|id| r.status(*id) == Some(EntryStatus::Active)));
}

/// Gas is high for a while in every hundred ticks; fees follow twenty ticks later, returns do not care.
fn where_fees_follow_gas() -> Study {
    let mut r = Study::new();
    for tick in 0..2_000_u64 {
        let phase = tick % 100;
        let mut s = golem_core::observed::Snapshot::new();
        let high = |on: bool| if on { 3.0 } else { 1.0 };
        s.set_number(Field::MarketGasRatio, high(phase < 16)).expect("a number");
        s.set_number(Field::MarketFeeYieldRatio, high((20..36).contains(&phase))).expect("a number");
        s.set_number(Field::MarketVolumeRatio, high(!(20..36).contains(&phase))).expect("a number");
        r.series.push(VirtualTime(tick * 40_000), &s);
    }
    r
}

#[test]
fn the_record_proves_nothing_of_what_others_say_nor_of_a_hunch() {
    let says = || claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0");
    for (body, stands) in [
        (says(), (7_500, true)),
        (EntryBody { provenance: Provenance::Clade, ..says() }, (6_900, false)),
        (EntryBody { tags: vec!["found:residual".into()], ..says() }, (6_900, false)),
    ] {
        let mut r = where_fees_follow_gas();
        let id = r.put(body, 6_500);
        r.shelf.stand(id, |s| s.status = EntryStatus::Candidate);
        assert_eq!(r.deep(&NoNeighbours).confirmed, 1);
        let s = &r.shelf.entry(id).expect("there").standing;
        assert_eq!((s.confidence_bp, s.own_validation), stands);
    }
}

#[test]
fn beliefs_that_nobody_watches_are_held_against_the_record() {
    let mut r = where_fees_follow_gas();
    let right = r.put(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0"), 5_000);
    let wrong = r.put(claiming("market.gas_ratio > 2.0", "market.volume_ratio > 2.0"), 5_000);
    let report = r.deep(&NoNeighbours);
    assert_eq!((report.confirmed, report.refuted), (1, 1), "{report:?}");
    let bp = |id| r.shelf.entry(id).map(|e| e.standing.confidence_bp);
    assert_eq!((bp(right), bp(wrong)), (Some(6_000), Some(3_500)));
}
