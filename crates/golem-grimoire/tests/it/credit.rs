//! What an outcome does to what was used; what micro-consolidation does between cycles; what counts as junk.

use crate::kit;

use golem_core::{Regime, VirtualTime};
use golem_grimoire::change::Change;
use golem_grimoire::credit::{Credits, MOST_OPEN, TurnedOut, Used, retrieved};
use golem_grimoire::junk::junk;
use golem_grimoire::micro::Micro;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{EntryBody, EntryId, EntryKind, EntryStatus, Episode, EpisodeId, Situation, Went};
use kit::{about, active, body, buy, claiming, days, did, sell};

fn with(confidence_bp: u16) -> (Shelf, EntryId) {
    let mut shelf = Shelf::default();
    let entry = active(claiming("market.gas_ratio > 2.0", "market.return_15 < 0.0"), confidence_bp);
    let id = entry.id;
    shelf.add(entry);
    (shelf, id)
}

fn used(id: EntryId, retrieved: bool) -> Used {
    Used { entries: vec![id], retrieved: if retrieved { vec![id] } else { vec![] } }
}

#[test]
fn an_outcome_moves_what_was_used_by_whole_steps() {
    // Confidence before, how it turned out, whether it was retrieved; confidence, validated, contradicted, strength after.
    let table = [
        (5_000, TurnedOut::Well, true, (6_000, 1, 0, 2.0)),
        (5_000, TurnedOut::Well, false, (6_000, 1, 0, 1.0)),
        (9_500, TurnedOut::Well, true, (9_900, 1, 0, 2.0)),
        (5_000, TurnedOut::Badly, true, (3_500, 0, 1, 1.0)),
        (1_000, TurnedOut::Badly, false, (0, 0, 1, 1.0)),
        (5_000, TurnedOut::Unclear, true, (5_000, 0, 0, 1.0)),
    ];
    for (before, turned, was_retrieved, (bp, validated, contradicted, strength)) in table {
        let (mut shelf, id) = with(before);
        let mut credits = Credits::default();
        credits.open(&mut shelf, 1, used(id, was_retrieved));
        let moved = credits.settle(&mut shelf, 1, turned, days(2));
        let s = shelf.entry(id).expect("there").standing.clone();
        assert_eq!(
            (s.confidence_bp, s.validated, s.contradicted, s.uses),
            (bp, validated, contradicted, 1),
            "{turned:?}"
        );
        assert!((s.strength - strength).abs() < 1e-6);
        let well = turned == TurnedOut::Well;
        assert_eq!((s.own_validation, s.last_validated), (well, if well { days(2) } else { days(0) }));
        assert_eq!(moved.is_empty(), turned == TurnedOut::Unclear);
        assert!(credits.settle(&mut shelf, 1, TurnedOut::Well, days(3)).is_empty(), "credit is given once");
    }
}

#[test]
fn strength_stops_at_eight() {
    let (mut shelf, id) = with(5_000);
    let mut credits = Credits::default();
    for n in 0..20 {
        credits.open(&mut shelf, n, used(id, true));
        credits.settle(&mut shelf, n, TurnedOut::Well, days(1));
    }
    assert!((shelf.entry(id).expect("there").standing.strength - 8.0).abs() < 1e-6);
}

#[test]
fn waiting_decisions_are_bounded_and_the_oldest_is_forgotten() {
    let (mut shelf, id) = with(5_000);
    let mut credits = Credits::default();
    for n in 0..MOST_OPEN as u64 + 10 {
        credits.open(&mut shelf, n, used(id, false));
    }
    credits.open(&mut shelf, 9_999, Used::default());
    assert_eq!(credits.waiting(), MOST_OPEN);
    assert!(credits.settle(&mut shelf, 0, TurnedOut::Well, days(1)).is_empty());
    assert_eq!(credits.settle(&mut shelf, 10, TurnedOut::Well, days(1)), [id]);
}

fn facing(x: f32, y: f32) -> Situation {
    let mut s = Situation::default();
    (s.0[0], s.0[1]) = (x, y);
    s
}

fn lived(shelf: &mut Shelf, situation: Situation, went: Went) -> EpisodeId {
    let id = shelf.next_episode();
    shelf.record(Episode { situation, ..did(id.0, days(1), buy(), 1, 0, went) });
    id
}

fn insight(shelf: &mut Shelf, confidence_bp: u16) -> EntryId {
    let entry = active(
        EntryBody { prototype: Some(facing(1.0, 0.0)), ..about("buy", Regime::RangeBound, true) },
        confidence_bp,
    );
    let id = entry.id;
    shelf.add(entry);
    id
}

#[test]
fn a_new_episode_that_matches_an_insight_makes_it_stronger_once() {
    let mut shelf = Shelf::default();
    let id = insight(&mut shelf, 7_000);
    let mut micro = Micro::default();
    micro.choose(&shelf);
    let strength = |shelf: &Shelf| shelf.entry(id).expect("there").standing.strength;
    lived(&mut shelf, facing(0.0, 1.0), Went::Positive);
    assert_eq!(micro.pass(&mut shelf, days(1)).matched, 0, "another situation");
    lived(&mut shelf, facing(1.0, 0.1), Went::Positive);
    assert_eq!(micro.pass(&mut shelf, days(1)).matched, 1);
    assert!((strength(&shelf) - 1.1).abs() < 1e-6);
    assert_eq!(micro.pass(&mut shelf, days(1)).matched, 0, "the same episode counts once");
    assert!((strength(&shelf) - 1.1).abs() < 1e-6);
}

#[test]
fn a_contradiction_of_a_sure_insight_is_marked_for_a_dream_and_moves_nothing_else() {
    for (confidence_bp, flagged) in [(7_000, 1), (4_000, 0)] {
        let mut shelf = Shelf::default();
        let id = insight(&mut shelf, confidence_bp);
        let mut micro = Micro::default();
        micro.choose(&shelf);
        shelf.take_changes();
        let bad = lived(&mut shelf, facing(1.0, 0.8), Went::Negative);
        let report = micro.pass(&mut shelf, days(0));
        assert_eq!((report.flagged, report.matched, report.unresolved), (flagged, 0, flagged == 1));
        assert_eq!(shelf.marks(bad).map(|m| m.dream_priority), Some(flagged == 1));
        let before = shelf.entry(id).expect("there").standing.clone();
        assert_eq!((before.confidence_bp, before.contradicted), (confidence_bp, 0));
        // Never the playbook, never a confidence, never a word.
        for change in shelf.take_changes() {
            assert!(matches!(change, Change::Episode { .. } | Change::Marked { .. }), "{change:?}");
        }
        // Once it has been dreamt about, nothing is unresolved.
        shelf.mark(bad, |m| m.replays = 1);
        assert!(!micro.pass(&mut shelf, days(0)).unresolved);
    }
}

#[test]
fn an_insight_about_one_action_is_not_contradicted_by_another() {
    let mut shelf = Shelf::default();
    insight(&mut shelf, 7_000);
    let mut micro = Micro::default();
    micro.choose(&shelf);
    let id = shelf.next_episode();
    shelf.record(Episode { situation: facing(1.0, 0.0), ..did(id.0, days(0), sell(), 1, 0, Went::Negative) });
    assert_eq!(micro.pass(&mut shelf, days(0)).flagged, 0);
}

#[test]
fn only_the_ten_insights_most_asked_for_are_looked_at() {
    let mut shelf = Shelf::default();
    let mut ids = Vec::new();
    for n in 0..12 {
        let text = format!("insight {n}");
        let entry = active(EntryBody { prototype: Some(facing(1.0, 0.0)), ..body(EntryKind::Insight, &text) }, 7_000);
        ids.push(entry.id);
        shelf.add(entry);
    }
    retrieved(&mut shelf, &ids[2..]);
    let mut micro = Micro::default();
    micro.choose(&shelf);
    lived(&mut shelf, facing(1.0, 0.0), Went::Positive);
    assert_eq!(micro.pass(&mut shelf, VirtualTime(0)).matched, 10);
    let stronger = |id: &&EntryId| shelf.entry(**id).is_some_and(|e| e.standing.strength > 1.0);
    assert_eq!(ids.iter().filter(stronger).copied().collect::<Vec<_>>(), ids[2..].to_vec());
}

#[test]
fn junk_is_counted_by_its_four_sorts_and_once_in_the_share() {
    let mut shelf = Shelf::default();
    let mut put = |text: &str, learnt: u64, bp: u16| {
        let entry = active(EntryBody { learnt_at: days(learnt), ..body(EntryKind::Insight, text) }, bp);
        let id = entry.id;
        assert!(shelf.add(entry));
        shelf.stand(id, |s| (s.last_validated, s.retrievals, s.uses) = (days(learnt), 1, 1));
        id
    };
    let now = days(40);
    put("fine", 39, 7_000);
    put("said twice", 38, 7_000);
    put("Said  twice", 39, 7_000);
    let shaken = put("shaken", 39, 7_000);
    // Born today, recalled often, and never of use.
    let idle = put("idle", 40, 7_000);
    let faded = put("faded", 39, 700);
    let question = put("why?", 1, 7_000);
    let archived = put("archived", 1, 100);
    shelf.stand(shaken, |s| s.contradicted = 1);
    shelf.stand(idle, |s| (s.uses, s.retrievals, s.contradicted) = (0, 99, 1));
    shelf.stand(faded, |s| s.strength = 1.0);
    shelf.stand(question, |s| (s.retrievals, s.last_validated) = (1, days(40)));
    shelf.stand(archived, |s| s.status = EntryStatus::Archived(days(20)));
    let report = junk(&shelf, now);
    assert_eq!((report.active, report.duplicates, report.contradicted, report.unused, report.faded), (7, 1, 2, 1, 1));
    assert_eq!(report.junk, 4, "one is both contradicted and unused");
    assert!((report.share() - 4.0 / 7.0).abs() < 1e-12);
    assert!(junk(&Shelf::default(), now).share() <= 0.0);
}
