//! What the curator makes of episodes: insights, warnings, claims, links, fragments and questions.

use crate::curator::study::Study;
use crate::kit::{DAY, about, buy, claim, did, sell};
use golem_core::observed::Field;
use golem_core::{Elapsed, Regime};
use golem_grimoire::curator::SeenEdge;
use golem_grimoire::series::MinedClaim;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::{EntryKind, EntryStatus, Episode, Importance, WarningSeverity, Went};
use golem_mortality::Domain;

#[test]
fn three_actions_of_a_kind_in_one_weather_become_an_insight_and_two_do_not() {
    let mut r = Study::new();
    r.act(Regime::Volatile, Went::Negative);
    r.act(Regime::Volatile, Went::Negative);
    r.act(Regime::RangeBound, Went::Negative);
    assert_eq!(r.cycle().distilled.insights, 0);
    r.act(Regime::Volatile, Went::Negative);
    let report = r.cycle();
    // It is on trial until something makes use of it.
    assert_eq!((report.distilled.insights, report.promoted), (1, 0));
    let id = r.shelf.in_use().find(|e| e.body.kind == EntryKind::Insight).expect("learnt").id;
    r.shelf.stand(id, |s| s.uses = 1);
    assert_eq!(r.cycle().promoted, 1);
    let insight = &r.of(EntryKind::Insight)[0];
    assert_eq!((insight.regime, insight.domain), (Some(Regime::Volatile), Some(Domain::ActionOutcome)));
    assert_eq!(insight.text, "To buy in volatile weather tends to go badly.");
    assert_eq!(insight.episodes.len(), 3);
    let left: Vec<bool> = r.shelf.episodes().map(|(_, m)| m.consolidated).collect();
    assert_eq!(left, [true, true, false, true], "the one in other weather waits for more");
}

#[test]
fn mixed_experience_teaches_nothing_yet() {
    let mut r = Study::new();
    for went in [Went::Positive, Went::Negative, Went::Positive, Went::Negative] {
        r.act(Regime::Volatile, went);
    }
    assert_eq!(r.cycle().distilled.insights, 0);
}

#[test]
fn what_is_known_of_the_outcome_counts_more_than_how_it_looked() {
    let mut r = Study::new();
    for _ in 0..3 {
        let id = r.act(Regime::Volatile, Went::Positive);
        r.shelf.mark(id, |m| m.outcome_bps = Some(-20.0));
    }
    r.cycle();
    assert_eq!(r.of(EntryKind::Insight)[0].text, "To buy in volatile weather tends to go badly.");
}

#[test]
fn new_evidence_moves_the_insight_and_makes_no_second_one() {
    let mut r = Study::new();
    let three = |r: &mut Study, went| {
        for _ in 0..3 {
            r.act(Regime::Volatile, went);
        }
    };
    three(&mut r, Went::Positive);
    r.cycle();
    three(&mut r, Went::Positive);
    let report = r.cycle();
    assert_eq!((report.distilled.insights, report.distilled.upvotes), (0, 1));
    let confidence = |r: &Study| r.shelf.in_use().map(|e| e.standing.confidence_bp).next();
    assert_eq!(confidence(&r), Some(8_000));
    three(&mut r, Went::Negative);
    let report = r.cycle();
    assert_eq!((report.distilled.insights, report.distilled.downvotes), (0, 1), "argued with before it is replaced");
    assert_eq!(confidence(&r), Some(6_500));
    // Enough of that, and the opposite is learnt.
    for _ in 0..2 {
        three(&mut r, Went::Negative);
        r.cycle();
    }
    let texts: Vec<String> = r.of(EntryKind::Insight).into_iter().map(|b| b.text).collect();
    assert!(texts.iter().any(|t| t.ends_with("badly.")), "{texts:?}");
}

#[test]
fn a_grave_loss_warns_at_once_with_severity_and_time() {
    // Loss, importance, surprise; severity and days it holds.
    let table = [
        (-400.0, Importance::Notable, 0.0, Some((WarningSeverity::High, 14))),
        (-150.0, Importance::Notable, 0.0, Some((WarningSeverity::Medium, 7))),
        (-20.0, Importance::Critical, 0.0, Some((WarningSeverity::Medium, 7))),
        (-20.0, Importance::Emergency, 0.0, Some((WarningSeverity::High, 14))),
        (-20.0, Importance::Routine, 5.0, Some((WarningSeverity::Low, 3))),
        (-20.0, Importance::Routine, 1.0, None),
        (400.0, Importance::Critical, 5.0, None),
    ];
    for (bps, importance, surprise, expected) in table {
        let mut r = Study::new();
        let id = r.act(Regime::Volatile, Went::Negative);
        let now = r.now;
        r.shelf = Shelf::default();
        r.live(|e| {
            *e =
                Episode { importance, surprise, regime: Regime::Volatile, ..did(id.0, now, buy(), 1, 0, Went::Neutral) }
        });
        r.shelf.mark(id, |m| m.outcome_bps = Some(bps));
        let report = r.cycle();
        let warning = r.shelf.in_use().find(|e| e.body.kind == EntryKind::Warning);
        let got = warning.map(|e| (e.body.severity, e.body.time_to_live));
        assert_eq!(got, expected.map(|(s, d)| (Some(s), Some(Elapsed(d * DAY)))), "{bps} {importance:?} {surprise}");
        assert_eq!(report.distilled.warnings, u32::from(expected.is_some()));
        // It is warned of once, although the episode still waits for others of its kind.
        assert_eq!(r.cycle().distilled.upvotes, 0);
    }
}

#[test]
fn the_second_loss_of_a_kind_reminds_and_a_graver_one_replaces() {
    let mut r = Study::new();
    let lose = |r: &mut Study, bps: f32| {
        let id = r.act(Regime::Volatile, Went::Negative);
        r.shelf.mark(id, |m| m.outcome_bps = Some(bps));
        r.cycle()
    };
    assert_eq!(lose(&mut r, -150.0).distilled.warnings, 1);
    let again = lose(&mut r, -120.0);
    assert_eq!((again.distilled.warnings, again.distilled.upvotes), (0, 1));
    lose(&mut r, -500.0);
    let severities: Vec<_> = r.of(EntryKind::Warning).into_iter().map(|b| b.severity).collect();
    assert_eq!(severities, [Some(WarningSeverity::High)]);
}

#[test]
fn mined_claims_are_staged_and_never_believed_at_once() {
    let mut r = Study::new();
    r.mined = vec![MinedClaim {
        claim: claim("market.gas_ratio > 2.0", "market.fee_yield_ratio > 2.0", 20),
        hits: 18,
        n: 20,
        base_rate: 0.2,
        lift: 4.5,
        p_value: 0.001,
    }];
    assert_eq!(r.cycle().distilled.staged, 1);
    assert_eq!(r.shelf.entries().count(), 0);
    let p = r.staging.proposals().next().expect("staged");
    assert_eq!((p.base_rate_bp, p.confidence_bp, p.utility_bp), (2_000, 2_500, 7_000));
    assert_eq!(p.change.body().and_then(|b| b.domain), Some(Domain::YieldTrend));
    assert_eq!(r.cycle().distilled.staged, 0, "it is staged already");
}

#[test]
fn edges_become_links_while_they_hold() {
    let mut r = Study::new();
    let edge = |holds| SeenEdge {
        id: "gas_ratio>fee_yield_ratio@20".to_owned(),
        cause: Field::MarketGasRatio,
        effect: Field::MarketFeeYieldRatio,
        lag_ticks: 20,
        rises: true,
        evidence: 9,
        holds,
    };
    r.edges = vec![edge(true)];
    assert_eq!(r.cycle().distilled.links, 1);
    let link = r.of(EntryKind::CausalLink).remove(0);
    assert_eq!(link.text, "When market.gas_ratio rises, market.fee_yield_ratio rises 20 ticks later.");
    assert_eq!(r.cycle().distilled.upvotes, 0, "the same day says nothing new");
    r.now = r.now.after(Elapsed(DAY));
    assert_eq!(r.cycle().distilled.upvotes, 1);
    r.edges = vec![edge(false)];
    r.cycle();
    assert!(r.of(EntryKind::CausalLink).is_empty());
    let old = r.shelf.entries().next().expect("kept as history");
    assert!(matches!(old.standing.status, EntryStatus::Archived(_)) && old.standing.true_until.is_some());
    r.edges = vec![edge(true)];
    r.cycle();
    assert_eq!(r.of(EntryKind::CausalLink).len(), 1, "the same entry came back");
    assert_eq!(r.shelf.entries().count(), 1);
}

#[test]
fn three_closed_trades_of_a_kind_become_a_strategy_fragment() {
    let mut r = Study::new();
    let trade = |r: &mut Study, n: u64, profit: i64| {
        for (intent, realised) in [(buy(), 0), (sell(), profit)] {
            let (id, now) = (r.shelf.next_episode(), r.now);
            r.live(|e| *e = did(id.0, now, intent, n, realised, Went::Neutral));
        }
    };
    for n in 1..=3 {
        trade(&mut r, n, 2_000_000);
    }
    assert_eq!(r.cycle().distilled.fragments, 0, "the third may still be open");
    trade(&mut r, 4, -1);
    assert_eq!(r.cycle().distilled.fragments, 1);
    let fragment = r.of(EntryKind::StrategyFragment).remove(0);
    assert_eq!(fragment.text, "Enter by buy in range_bound weather and leave by sell in range_bound weather.");
    assert!(fragment.tags.contains(&"profit_micro:6000000".to_owned()), "{:?}", fragment.tags);
    // Each trade is counted once: three losing ones weigh against it.
    for n in 5..=8 {
        trade(&mut r, n, -1_000_000);
    }
    let report = r.cycle();
    assert_eq!((report.distilled.fragments, report.distilled.downvotes), (0, 1));
}

#[test]
fn questions_are_asked_where_forecasts_lose_and_closed_when_they_win() {
    let mut r = Study::new();
    r.fitness[Domain::GasCondition.index()] = Some(0.20);
    r.fitness[Domain::PriceDirection.index()] = Some(0.27);
    let report = r.cycle();
    assert_eq!((report.distilled.questions, report.questions), (1, 1));
    let question = r.shelf.active().next().expect("open").clone();
    assert!(question.body.is_question && question.body.domain == Some(Domain::GasCondition), "{question:?}");
    assert_eq!(r.cycle().distilled.questions, 0, "asked once");
    // As long as it is open it does not fade.
    for _ in 0..60 {
        r.now = r.now.after(Elapsed(DAY));
        r.cycle();
    }
    assert_eq!(r.status(question.id), Some(EntryStatus::Active));
    r.fitness[Domain::GasCondition.index()] = Some(0.55);
    assert_eq!(r.cycle().distilled.answered, 1);
    assert_eq!(r.shelf.active().count(), 0);
}

#[test]
fn a_weather_lived_in_without_a_lesson_is_a_gap() {
    let mut r = Study::new();
    for _ in 0..20 {
        r.live(|e| e.regime = Regime::TrendingDown);
    }
    r.cycle();
    let texts: Vec<String> = r.shelf.active().map(|e| e.body.text.clone()).collect();
    assert_eq!(texts, ["What works in trending_down weather?"]);
    r.put(about("buy", Regime::TrendingDown, false), 7_000);
    assert_eq!(r.cycle().distilled.answered, 1);
}
