//! A whole cycle, and a whole life of cycles.

use crate::curator::study::Study;
use crate::kit::{body, buy, claiming, did, sell};
use golem_core::Regime;
use golem_grimoire::admission::NoNeighbours;
use golem_grimoire::change::{Change, NamedTable};
use golem_grimoire::curator::Curator;
use golem_grimoire::relevance::WeatherWeights;
use golem_grimoire::{DecayClass, EntryBody, EntryId, EntryKind, Episode, Went};

#[test]
fn a_cycle_that_changes_nothing_writes_nothing() {
    let mut r = Study::new();
    for n in 0..20 {
        r.put(
            EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, &format!("Lesson {n}.")) },
            7_000,
        );
    }
    r.cycle();
    r.shelf.take_changes();
    r.cycle();
    let changes = r.shelf.take_changes();
    assert!(changes.is_empty(), "{changes:?}");
}

#[test]
fn a_cycle_writes_rows_of_memory_only_never_a_playbook() {
    let mut r = Study::new();
    let id = r.put(claiming("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0"), 7_500);
    r.shelf.stand(id, |s| (s.own_validation, s.validated) = (true, 6));
    assert!(!r.cycle().playbook.is_empty());
    assert!(!r.shelf.take_changes().iter().any(|c| matches!(c, Change::Row { table: NamedTable::Playbook, .. })));
}

#[test]
fn the_curators_state_reads_back_as_it_was() {
    let mut r = Study::new();
    for went in [Went::Positive, Went::Negative] {
        let id = r.act(Regime::Volatile, went);
        r.shelf.mark(id, |m| m.outcome_bps = Some(-200.0));
    }
    let (id, now) = (r.shelf.next_episode(), r.now);
    r.live(|e| *e = did(id.0, now, sell(), 2, 5, Went::Neutral));
    r.cycle();
    let bytes = postcard::to_stdvec(&r.curator).unwrap();
    assert_eq!(postcard::from_bytes::<Curator>(&bytes).unwrap(), r.curator);
    assert_ne!(r.curator, Curator::default());
}

#[test]
fn thirty_days_of_a_noisy_life_leave_bounded_memory_and_little_junk() {
    let mut r = Study::new();
    let mut chance = crate::kit::Chance(5);
    let regimes = [Regime::RangeBound, Regime::TrendingUp, Regime::TrendingDown, Regime::Volatile];
    let (mut regime, mut trade, mut worst) = (regimes[0], 1, 0.0_f64);
    for cycle in 0..30 * 86_400 / (50 * 40) {
        let now = r.now;
        if chance.unit() < 0.05 {
            let old = std::mem::replace(&mut regime, regimes[chance.below(4) as usize]);
            r.weather = WeatherWeights::changing(old, regime, now, now);
        }
        for _ in 0..16 {
            let good = chance.unit() < 0.5;
            let intent = if chance.unit() < 0.5 { buy() } else { sell() };
            trade += u64::from(chance.unit() < 0.3);
            let realised = (chance.unit() * 2e6) as i64 - 1_000_000;
            let went = if good { Went::Positive } else { Went::Negative };
            let (id, surprise) = (r.shelf.next_episode(), (chance.unit() * 5.0) as f32);
            r.live(|e| *e = Episode { regime, surprise, ..did(id.0, now, intent, trade, realised, went) });
            r.shelf.mark(id, |m| {
                m.outcome_bps = Some(if good { 10.0 } else { -10.0 } + (chance.unit() * 300.0 - 150.0) as f32)
            });
        }
        // Others talk, models write, and some of it is used.
        for n in 0..3 {
            let text = format!("Hearsay {} of cycle {cycle}, number {n}.", chance.below(400));
            let b = EntryBody { learnt_at: now, true_from: now, ..body(EntryKind::Insight, &text) };
            let b = EntryBody { tags: vec![format!("action:rumour{}", chance.below(300))], ..b };
            let seen = golem_grimoire::standing::Support { confirmed: 1, contradicted: 0 };
            golem_grimoire::admission::admit(&mut r.shelf, b, seen, &NoNeighbours, now);
        }
        let asked: Vec<EntryId> = r.shelf.in_use().map(|e| e.id).filter(|_| chance.unit() < 0.02).collect();
        golem_grimoire::credit::retrieved(&mut r.shelf, &asked);
        for id in asked {
            r.shelf.stand(id, |s| s.uses += 1);
        }
        let report = r.cycle();
        if cycle % 5 == 0 {
            r.deep(&NoNeighbours);
        }
        r.shelf.take_changes();
        assert!(report.junk.active <= 500 && report.candidates <= 250 && report.in_archive <= 2_000, "{report:?}");
        worst = worst.max(if cycle > 50 { report.junk.share() } else { 0.0 });
    }
    let end = golem_grimoire::junk::junk(&r.shelf, r.now);
    assert!(end.active >= 100, "{end:?}");
    assert!(end.share() <= 0.10, "{end:?}");
    assert!(worst <= 0.25, "{worst}");
}
