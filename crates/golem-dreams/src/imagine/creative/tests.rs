//! Creative work by rules.

use super::*;
use crate::imagine::samples::{acted, buy, watched};
use golem_core::{Regime, Strand, Usdc};
use golem_grimoire::{EpisodeId, RuleAction};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn element(when: &str, then: Option<&str>, action: Option<RuleAction>, episode: u64) -> CreativeElement {
    CreativeElement {
        text: format!("lesson {episode}"),
        when: Some(when.to_owned()),
        then: then.map(|then| (then.to_owned(), 90)),
        action,
        episodes: vec![EpisodeId(episode)],
    }
}

#[test]
fn modes_go_by_phase() {
    use BehavioralPhase as P;
    use CreativeMode as M;
    let table = [
        (P::Thriving, vec![M::Transformational, M::Exploratory, M::Transformational]),
        (P::Stable, vec![M::Exploratory, M::Combinational, M::Exploratory]),
        (P::Conservation, vec![M::Combinational, M::Exploratory, M::Combinational]),
        (P::Declining, vec![M::Combinational; 3]),
        (P::Terminal, vec![]),
    ];
    for (phase, modes) in table {
        assert_eq!(CreativeMode::sessions(phase, 3), modes, "{phase}");
    }
    assert!(CreativeMode::sessions(P::Thriving, 0).is_empty());
}

#[test]
fn creative_work_is_warm_and_analysis_is_cool() {
    for (creative, wished, given) in [
        (true, 0.7, 0.8),
        (true, 0.9, 0.9),
        (true, 1.4, 1.0),
        (false, 0.7, 0.5),
        (false, 0.1, 0.3),
        (true, f64::NAN, 0.8),
    ] {
        assert!((temperature(creative, wished) - given).abs() < 1e-6, "{creative} {wished}");
    }
}

#[test]
fn a_combination_has_one_condition_and_the_others_action() {
    let gas = element("market.gas_ratio > 2.0", None, None, 1);
    let half = Some(RuleAction::Risk { factor: 0.5 });
    let fall = element("market.volatility_ratio > 2.0", Some("market.return_90 < 0.0"), half.clone(), 2);
    let (dice, params) = (Dice::open(3, Strand::Mind), ImaginationParams::default());
    let made = combine(&[gas.clone(), fall.clone()], &dice, 1, 0, &params).unwrap();
    assert_eq!(
        (made.claim.when.as_str(), made.claim.then.as_str()),
        ("market.gas_ratio > 2.0", "market.return_90 < 0.0")
    );
    assert_eq!((made.action, made.said.seed_episodes), (half, vec![EpisodeId(1), EpisodeId(2)]));
    assert!((made.said.confidence - 0.2).abs() < 1e-12 && made.said.text.contains("lesson 1"));
    // A thing alone combines with nothing, and what is true by its own form is no combination.
    assert_eq!(combine(&[fall], &dice, 1, 0, &params), None);
    assert_eq!(combine(&[], &dice, 1, 0, &params), None);
    let own = element("market.gas_ratio > 3.0", Some("market.gas_ratio > 1.5"), None, 3);
    assert_eq!(combine(&[gas.clone(), own], &dice, 1, 0, &params), None);
    let greedy =
        element("market.hour > 3.0", Some("market.return_90 > 0.0"), Some(RuleAction::Risk { factor: 1.5 }), 4);
    let made = (0..9).find_map(|t| combine(&[gas.clone(), greedy.clone()], &dice, t, 0, &params)).unwrap();
    assert_eq!(made.action, None, "no combination takes more risk");
}

#[test]
fn combinations_are_drawn() {
    let all: Vec<CreativeElement> = (2..12)
        .map(|i| element(&format!("market.gas_ratio > {i}.0"), Some(&format!("market.return_90 > 0.00{i}")), None, i))
        .collect();
    let (dice, params) = (Dice::open(3, Strand::Mind), ImaginationParams::default());
    let drawn: BTreeSet<_> = (0..40).filter_map(|t| combine(&all, &dice, t, 0, &params)).map(|h| h.claim).collect();
    assert!(drawn.len() > 20);
    assert_eq!(combine(&all, &dice, 5, 0, &params), combine(&all, &dice, 5, 0, &params));
}

#[test]
fn an_assumption_turned_round_begins_at_a_tenth_and_does_nothing() {
    let believed = element("market.gas_ratio > 2.0", Some("market.return_90 < 0.0"), Some(RuleAction::StandAside), 1);
    let made = transform(&believed, &ImaginationParams::default()).unwrap();
    assert_eq!((made.claim.then.as_str(), made.action), ("!(market.return_90 < 0.0)", None));
    assert!((made.said.confidence - 0.1).abs() < 1e-12);
    assert_eq!(transform(&element("market.gas_ratio > 2.0", None, None, 1), &ImaginationParams::default()), None);
}

#[test]
fn hindsight_says_what_the_moment_was_good_for() {
    let params = ImaginationParams::default();
    let told = |intent, bps: Option<f32>, return_15: f32, regime| {
        let (mut episode, mut marks) = acted(7, 100, regime, intent);
        marks.outcome_bps = bps;
        episode.situation.0[RETURN_15] = return_15;
        relabel(&episode, &marks, &params)
            .map(|h| (h.claim.when, h.claim.then, h.said.confidence, h.said.seed_episodes))
    };
    let sell = Intent::Sell { give: golem_core::Asset(5), min_out: Usdc(0) };
    let (calm, fall, rise) = ("market.regime == \"volatile\"", "market.return_90 < 0.0", "market.return_90 > 0.0");
    let table = [
        (buy(), 0.0, calm.to_owned(), fall),
        (sell, 0.0, calm.to_owned(), rise),
        (buy(), 1.0, format!("{calm} && market.return_15 > 0.0"), fall),
        (sell, -1.0, format!("{calm} && market.return_15 < 0.0"), rise),
        (buy(), 0.9, calm.to_owned(), fall),
    ];
    for (intent, return_15, when, then) in table {
        let (said_when, said_then, confidence, seeds) =
            told(intent, Some(-30.0), return_15, Regime::Volatile).expect("a loss");
        assert_eq!((said_when, said_then.as_str(), seeds), (when, then, vec![EpisodeId(7)]));
        assert!((confidence - 0.2).abs() < 1e-12);
    }
    for (intent, bps, regime) in [
        (buy(), Some(30.0), Regime::Volatile),
        (buy(), Some(-0.9), Regime::Volatile),
        (buy(), None, Regime::Volatile),
        (buy(), Some(f32::NAN), Regime::Volatile),
        (Intent::Collect, Some(-30.0), Regime::Volatile),
        (buy(), Some(-30.0), Regime::Unknown),
    ] {
        assert_eq!(told(intent, bps, 0.0, regime), None);
    }
    let (episode, marks) = watched(1, 1, Regime::Volatile);
    assert_eq!(relabel(&episode, &marks, &params), None);
}

#[test]
fn what_means_the_same_is_dropped() {
    let params = ImaginationParams::default();
    let made = |when: &str| transform(&element(when, Some("market.return_90 < 0.0"), None, 1), &params).unwrap();
    let batch = vec![made("market.gas_ratio > 2.0"), made("market.gas_ratio > 2.0"), made("market.gas_ratio > 3.0")];
    let alike = |at: f32| fresh(batch.clone(), &params, |text| if text.contains("3.0") { at } else { 0.0 }).len();
    assert_eq!((alike(0.85), alike(0.8501), alike(f32::NAN)), (2, 1, 2));
}

#[test]
fn elements_are_read_from_what_happened() {
    let (episode, mut marks) = acted(7, 100, Regime::TrendingUp, buy());
    let then = |marks: &golem_grimoire::Marks| {
        let element = CreativeElement::of_episode(&episode, marks);
        (element.then.map(|t| t.0), element.action)
    };
    assert_eq!(then(&marks), (None, None));
    marks.outcome_bps = Some(-9.0);
    assert_eq!(then(&marks), (Some("market.return_90 < 0.0".to_owned()), Some(RuleAction::StandAside)));
    marks.outcome_bps = Some(9.0);
    assert_eq!(then(&marks), (Some("market.return_90 > 0.0".to_owned()), None));
    marks.outcome_bps = Some(0.5);
    assert_eq!(then(&marks), (None, None));
    assert_eq!(CreativeElement::of_episode(&episode, &marks).when.unwrap(), "market.regime == \"trending_up\"");
}

proptest! {
    #[test]
    fn whatever_is_combined_takes_no_risk(
        words in prop::collection::vec(any::<(String, Option<String>, f64)>(), 0..6),
        tick in any::<u64>(), n in any::<u32>(),
    ) {
        let elements: Vec<CreativeElement> = words
            .iter()
            .map(|(when, then, factor)| {
                let action = Some(RuleAction::Risk { factor: *factor });
                element(when, then.as_deref(), action, 1)
            })
            .chain([element("market.gas_ratio > 2.0", Some("market.return_90 < 0.0"), None, 2)])
            .collect();
        let made = combine(&elements, &Dice::open(1, Strand::Mind), tick, n, &ImaginationParams::default());
        if let Some(RuleAction::Risk { factor }) = made.and_then(|h| h.action) {
            prop_assert!((0.0..=1.0).contains(&factor));
        }
    }
}
