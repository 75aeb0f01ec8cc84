//! What the curator lets go, when, and what comes back.

use crate::curator::study::Study;
use crate::kit::{DAY, about, body, days};
use golem_core::{Elapsed, Regime, VirtualTime};
use golem_grimoire::curator::MemoryRoom;
use golem_grimoire::decay::ARCHIVE_LEVEL;
use golem_grimoire::relevance::WeatherWeights;
use golem_grimoire::{DecayClass, EntryBody, EntryId, EntryKind, EntryStatus, Provenance, WarningSeverity};

#[test]
fn three_cycles_below_the_level_lead_to_the_archive_and_one_above_starts_again() {
    let mut r = Study::new();
    let id = r.put(EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, "Fading away.") }, 900);
    assert!(r.shelf.entry(id).is_some_and(|e| e.effective(r.now) < ARCHIVE_LEVEL));
    r.cycle();
    r.cycle();
    r.shelf.stand(id, |s| s.confidence_bp = 2_000);
    r.cycle();
    r.shelf.stand(id, |s| s.confidence_bp = 900);
    assert_eq!((r.cycle().archived, r.cycle().archived), (0, 0));
    let last = r.cycle();
    assert_eq!((last.archived, last.pruned_share), (1, 1.0));
    assert!(matches!(r.status(id), Some(EntryStatus::Archived(_))));
}

#[test]
fn the_share_pruned_counts_lost_confidence_and_nothing_else() {
    let mut r = Study::new();
    for n in 0..8 {
        r.put(body(EntryKind::Insight, &format!("Lesson number {n}.")), 7_000);
    }
    let low = r.put(EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, "Fading away.") }, 900);
    r.shelf.stand(low, |s| s.low_cycles = 2);
    let expiring = EntryBody { time_to_live: Some(Elapsed(0)), ..body(EntryKind::Warning, "Gone by now.") };
    r.put(expiring, 7_000);
    let report = r.cycle();
    assert_eq!((report.archived, report.expired), (1, 1));
    assert!((report.pruned_share - 0.1).abs() < 1e-12, "{report:?}");
}

#[test]
fn burning_takes_contradictions_or_thirty_days_in_the_archive() {
    let mut r = Study::new();
    let worthless = r.put(body(EntryKind::Insight, "Often wrong."), 199);
    r.shelf.stand(worthless, |s| s.contradicted = 5);
    let merely_low = r.put(body(EntryKind::Insight, "Never contradicted."), 199);
    let stored =
        r.put(EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, "Put away.") }, 9_000);
    let (now, before) = (r.now, r.shelf.in_use().count());
    r.shelf.stand(stored, |s| s.status = EntryStatus::Archived(now));
    let report = r.cycle();
    assert_eq!((report.burnt, report.burnt_in_use), (1, 1));
    assert!((report.pruned_share - 1.0 / (before as f64 - 1.0)).abs() < 1e-12);
    assert!(r.shelf.ashes().contains_key(&worthless) && r.status(merely_low).is_some());
    r.now = VirtualTime(now.0 + 30 * DAY - 1);
    r.cycle();
    assert!(r.status(stored).is_some());
    r.now = VirtualTime(now.0 + 30 * DAY);
    r.cycle();
    assert!(r.status(stored).is_none(), "the floor protects from neither");
}

#[test]
fn a_warning_holds_for_its_time_since_it_was_last_confirmed() {
    let mut r = Study::new();
    let warning = EntryBody {
        time_to_live: Some(Elapsed(3 * DAY)),
        severity: Some(WarningSeverity::Low),
        ..body(EntryKind::Warning, "Mind the gap.")
    };
    let id = r.put(warning, 7_000);
    let begun = r.now;
    r.now = begun.after(Elapsed(2 * DAY));
    let confirmed = r.now;
    r.shelf.stand(id, |s| s.last_validated = confirmed);
    r.now = begun.after(Elapsed(4 * DAY));
    r.cycle();
    assert_eq!(r.status(id), Some(EntryStatus::Active));
    r.now = begun.after(Elapsed(5 * DAY));
    assert_eq!(r.cycle().expired, 1);
}

#[test]
fn what_nobody_asked_for_in_thirty_days_goes_and_questions_stay() {
    let mut r = Study::new();
    let structural = |text: &str| EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, text) };
    let idle = r.put(structural("Nobody ever asked."), 7_000);
    let asked = r.put(structural("Somebody asked."), 7_000);
    let question = r.put(EntryBody { is_question: true, ..structural("Why is the sky blue?") }, 7_000);
    for id in [idle, question] {
        r.shelf.stand(id, |s| s.uses = 0);
    }
    r.now = days(30);
    assert_eq!(r.cycle().idle, 1);
    assert!(matches!(r.status(idle), Some(EntryStatus::Archived(_))));
    assert_eq!((r.status(asked), r.status(question)), (Some(EntryStatus::Active), Some(EntryStatus::Active)));
}

#[test]
fn beyond_the_room_the_least_trusted_goes() {
    let mut r = Study::with(MemoryRoom { active: 10, candidates: 3, quarantined: 2, archived: 4 });
    let structural =
        |text: String| EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, &text) };
    let ids: Vec<EntryId> =
        (0..14).map(|n| r.put(structural(format!("Lesson number {n}.")), 6_000 + n * 100)).collect();
    assert_eq!(r.cycle().evicted, 4);
    let left: Vec<bool> = ids.iter().map(|id| r.status(*id) == Some(EntryStatus::Active)).collect();
    assert_eq!(left.iter().position(|kept| *kept), Some(4), "the four least trusted went: {left:?}");
    // Candidates cannot push out what is in use, however many there are.
    for n in 0..10 {
        let id =
            r.put(EntryBody { provenance: Provenance::Clade, ..structural(format!("Hearsay number {n}.")) }, 9_000);
        r.shelf.stand(id, |s| s.status = EntryStatus::Candidate);
    }
    let report = r.cycle();
    assert_eq!((r.shelf.active().count(), report.candidates, report.in_archive), (10, 3, 4));
    assert_eq!(report.burnt, 7, "and what the archive cannot hold is gone for good");
}

#[test]
fn an_entry_comes_back_with_its_weather_once_for_each_change() {
    let mut r = Study::new();
    r.weather = WeatherWeights::settled(Regime::RangeBound);
    let id = r.put(about("buy", Regime::Volatile, true), 7_000);
    let other = r.put(about("sell", Regime::TrendingUp, true), 7_000);
    let wrong = r.put(about("add", Regime::Volatile, true), 7_000);
    let (archived, now) = (EntryStatus::Archived(r.now), r.now);
    for id in [id, other, wrong] {
        r.shelf.stand(id, |s| s.status = archived);
    }
    r.shelf.stand(wrong, |s| s.contradicted = 3);
    assert_eq!(r.cycle().returned, 0, "another weather");
    let turned = |at: VirtualTime, now| WeatherWeights::changing(Regime::RangeBound, Regime::Volatile, at, now);
    r.weather = turned(VirtualTime(now.0 - 1), r.now);
    assert_eq!(r.cycle().returned, 0, "it was archived in this very weather");
    r.weather = turned(r.now, r.now);
    assert_eq!(r.cycle().returned, 1);
    assert_eq!(r.status(id), Some(EntryStatus::Candidate));
    let again = EntryStatus::Archived(r.now.after(Elapsed(1)));
    r.shelf.stand(id, |s| s.status = again);
    assert_eq!(r.cycle().returned, 0, "once for each change");
}

#[test]
fn what_lost_its_confidence_to_contradictions_does_not_come_back_with_the_weather() {
    let mut r = Study::new();
    let id = r.put(about("buy", Regime::Volatile, true), 2_900);
    let archived = EntryStatus::Archived(r.now);
    r.shelf.stand(id, |s| s.status = archived);
    r.now = r.now.after(Elapsed(DAY));
    r.weather = WeatherWeights::changing(Regime::RangeBound, Regime::Volatile, r.now, r.now);
    assert_eq!(r.cycle().returned, 0);
}

#[test]
fn what_is_kept_aside_and_never_resolved_goes_to_the_archive() {
    let mut r = Study::new();
    let id = r.put(body(EntryKind::Insight, "An odd idea."), 7_000);
    let aside = EntryStatus::Quarantined(r.now);
    r.shelf.stand(id, |s| s.status = aside);
    r.cycle();
    assert_eq!(r.status(id), Some(aside));
    r.now = r.now.after(Elapsed(14 * DAY));
    r.cycle();
    assert!(matches!(r.status(id), Some(EntryStatus::Archived(_))));
}
