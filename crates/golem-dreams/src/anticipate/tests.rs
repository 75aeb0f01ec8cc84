//! Every rule of anticipation.

use super::{AnticipationRules, AnticipationScene, anticipate, runs, score, worst};
use crate::replay::LivedEpisode;
use crate::replay::kit::{HOUR, lived, plain, seen};
use golem_core::door::{ForkFailure, ForkFrom, ForkRan};
use golem_core::happening::Happening;
use golem_core::{ProtocolState, Regime, Usdc, VirtualTime};
use golem_grimoire::causal::Graph;
use golem_grimoire::{Episode, Marks};
use proptest::prelude::*;

/// From, to, lag, weight, how sure, hours since it fired.
type EdgeRow<'a> = (&'a str, &'a str, u32, f64, u16, Option<u64>);

/// A graph with these edges.
fn graph(edges: &[EdgeRow<'_>]) -> Graph {
    let edges: Vec<String> = edges
        .iter()
        .map(|(from, to, lag, weight, sure, fired)| {
            let last = fired.map_or("null".to_owned(), |h| (seen().now.0 - h * HOUR).to_string());
            format!(
                r#""{from}>{to}@{lag}": {{"id": "{from}>{to}@{lag}", "from": "{from}", "to": "{to}", "lag": {lag},
                "weight": {weight:?}, "confidence_bp": {sure}, "held": 3, "failed": 0, "failed_in_a_row": 0, "fired": 1,
                "last_fired": {last}, "created": 1, "invalidated": null, "judged": 1}}"#
            )
        })
        .collect();
    serde_json::from_str(&format!(r#"{{"edges": {{{}}}, "candidates": [], "usual": []}}"#, edges.join(","))).unwrap()
}

const GAS: &str = "market.gas_gwei";
const PRICE: &str = "market.price";
const SPREAD: &str = "market.volatility";
const VOLUME: &str = "market.volume";
const PROTOCOL: &str = "market.protocol";

/// Weathers one after the other, so many ticks apart, with returns and volatility in usual deviations.
fn weathers(apart: u64, list: &[(Regime, f32, f32)]) -> Vec<(Episode, Marks)> {
    let one = |(at, (regime, drift, spread)): (usize, &(Regime, f32, f32))| {
        let mut episode =
            Episode { regime: *regime, age: VirtualTime(at as u64 * apart * 40_000), ..plain(at as u64 + 1) };
        (episode.situation.0[5], episode.situation.0[6]) = (*drift, *spread);
        (episode, Marks::default())
    };
    list.iter().enumerate().map(one).collect()
}

fn scene<'a>(
    rules: &'a AnticipationRules,
    episodes: &'a [LivedEpisode<'a>],
    graph: &'a Graph,
) -> AnticipationScene<'a> {
    AnticipationScene {
        rules,
        episodes,
        graph,
        regime: Regime::RangeBound,
        now: seen().now,
        market_volatility: Some(0.0095),
        holds: true,
    }
}

const CALM: (Regime, f32, f32) = (Regime::RangeBound, 0.0, 0.0);
const UP: (Regime, f32, f32) = (Regime::TrendingUp, 2.0, 0.0);
const WILD: (Regime, f32, f32) = (Regime::Volatile, 0.0, 2.0);

#[test]
fn the_numbers_are_as_written() {
    let rules = AnticipationRules::default();
    assert_eq!(rules.horizon_ticks, 20);
    let table = [
        (rules.quiet_h, 24.0),
        (rules.fires, 2.0),
        (rules.volatility_deviation, 0.5),
        (rules.gas_deviation, 0.1),
        (rules.attention_below, 0.99),
    ];
    assert!(table.iter().all(|(is, want)| (is - want).abs() < 1e-12));
}

#[test]
fn the_regime_goes_on_or_turns_into_each_that_was_lived() {
    let (rules, none) = (AnticipationRules::default(), Graph::new());
    // Calm is followed by calm, up, calm, wild, wild: five times in all.
    let past = weathers(20, &[CALM, CALM, UP, CALM, CALM, WILD, CALM, WILD, (Regime::Unknown, 0.0, 0.0)]);
    let past = lived(&past);
    let paths = anticipate(&scene(&rules, &past, &none));
    let said: Vec<(&str, f64)> =
        paths.iter().map(|p| (p.trajectory.hypothesis.as_str(), p.trajectory.confidence)).collect();
    let want = [
        ("range_bound weather goes on for 20 ticks", 3.0 / 8.0),
        ("range_bound weather turns into volatile weather for 20 ticks", 3.0 / 8.0),
        ("range_bound weather turns into trending_up weather for 20 ticks", 2.0 / 8.0),
    ];
    assert_eq!(said.len(), 3, "{said:?}");
    for ((hypothesis, confidence), (words, chance)) in said.iter().zip(want) {
        assert_eq!(*hypothesis, words);
        assert!((confidence - chance).abs() < 1e-12, "{hypothesis}: {confidence}");
    }
    assert!(paths.iter().all(|p| p.run.steps == 20 && p.run.from == ForkFrom::Present && p.run.acts.is_empty()));
    // Where nothing is held there is nothing to lose; where nothing was lived, only the present goes on.
    assert_eq!(anticipate(&AnticipationScene { holds: false, ..scene(&rules, &past, &none) }), Vec::new());
    assert_eq!(anticipate(&scene(&rules, &[], &none)).len(), 1);
}

#[test]
fn what_follows_is_what_was_a_horizon_later() {
    let (rules, none) = (AnticipationRules::default(), Graph::new());
    let chances = |apart| {
        let past = weathers(apart, &[CALM, UP, CALM, UP, CALM, UP]);
        anticipate(&scene(&rules, &lived(&past), &none))[0].trajectory.confidence
    };
    // Ten ticks apart, twenty ticks on it is calm again: (2 + 1) / (2 + 2), against (0 + 1) / (3 + 2).
    assert!((chances(10) - 0.75).abs() < 1e-12 && (chances(20) - 0.2).abs() < 1e-12);
}

#[test]
fn each_regime_behaves_as_it_did() {
    let (rules, none) = (AnticipationRules::default(), Graph::new());
    let past = weathers(20, &[CALM, UP, WILD]);
    let paths = anticipate(&scene(&rules, &lived(&past), &none));
    let weather = |word: &str| -> Vec<Happening> {
        let path = paths.iter().find(|p| p.trajectory.hypothesis.contains(word)).unwrap();
        assert!(path.run.is_sound() && path.run.weather.iter().all(|e| e.at_tick == 0 && e.for_ticks == 20));
        path.run.weather.iter().map(|e| e.what).collect()
    };
    // 95 basis points in 90 ticks are 10 in a tick: a swing of 45 in twenty.
    let calm = Happening::Chop { amplitude_bps: 45, period_ticks: 20 };
    assert_eq!(weather("goes on"), [calm]);
    // Twice 95 basis points in 90 ticks, 24 times a day: e^0.456.
    assert_eq!(weather("trending_up"), [Happening::Drift { bps_per_day: 5_777 }, calm]);
    // Two usual deviations of half a logarithm each.
    assert_eq!(weather("volatile"), [Happening::Chop { amplitude_bps: 122, period_ticks: 20 }]);
    let up = paths.iter().find(|p| p.trajectory.hypothesis.contains("trending_up")).unwrap();
    let expected = (0.0095f64 * 2.0 * 20.0 / 90.0).exp();
    assert!((up.trajectory.terminal_state.price_factor - expected).abs() < 1e-4);
    assert_eq!(up.trajectory.terminal_state.ticks, 20);
}

#[test]
fn what_a_regime_drives_comes_on_top() {
    let rules = AnticipationRules::default();
    let past = weathers(20, &[CALM, WILD]);
    let past = lived(&past);
    let graph = graph(&[(SPREAD, GAS, 5, 3.0, 9_000, Some(1)), (SPREAD, PRICE, 1, 3.0, 8_000, Some(1))]);
    let paths = anticipate(&scene(&rules, &past, &graph));
    assert_eq!(paths.len(), 2, "no edge was quiet");
    let wild = &paths[1];
    let gas: Vec<_> = wild.run.weather.iter().filter(|e| matches!(e.what, Happening::Gas { .. })).collect();
    assert_eq!((gas[0].at_tick, gas[0].for_ticks), (5, 15));
    assert!(matches!(gas[0].what, Happening::Gas { factor } if (factor - 0.3f64.exp()).abs() < 1e-9));
    assert!(!wild.run.weather.iter().any(|e| matches!(e.what, Happening::Shock { .. })), "the price is the regime's");
    let step = &wild.trajectory.steps[0];
    assert_eq!(step.causal_edge_id, "market.volatility>market.gas_gwei@5");
    assert_eq!(step.predicted_state_delta, "market.gas_gwei +3.00 usual deviations after 5 ticks");
    assert!((step.hop_confidence - 0.9).abs() < 1e-12);
}

#[test]
fn the_surest_quiet_edge_fires_and_passes_it_on() {
    let rules = AnticipationRules::default();
    let graph = graph(&[
        // Surer, but fired an hour ago.
        (VOLUME, SPREAD, 2, 1.0, 9_900, Some(1)),
        (GAS, VOLUME, 7, -0.5, 9_000, Some(25)),
        // A surer edge out of the same source that fired lately is not the one that fires.
        (GAS, PRICE, 1, 1.0, 9_800, Some(2)),
        (SPREAD, PRICE, 3, 2.0, 8_000, Some(1)),
        // Back to where it began: no cascade goes in circles.
        (PRICE, GAS, 1, 1.0, 9_000, Some(1)),
        (PRICE, PROTOCOL, 4, -1.0, 7_000, Some(1)),
    ]);
    let paths = anticipate(&scene(&rules, &[], &graph));
    assert_eq!(paths.len(), 2);
    let path = &paths[1];
    let expected = [
        ("market.gas_gwei>market.volume@7", "market.volume -1.00 usual deviations after 7 ticks", 0.9),
        ("market.volume>market.volatility@2", "market.volatility -1.00 usual deviations after 9 ticks", 0.99),
        ("market.volatility>market.price@3", "market.price -2.00 usual deviations after 12 ticks", 0.8),
    ];
    for (step, (id, delta, sure)) in path.trajectory.steps.iter().zip(expected) {
        assert_eq!((step.causal_edge_id.as_str(), step.predicted_state_delta.as_str()), (id, delta));
        assert!((step.hop_confidence - sure).abs() < 1e-12);
    }
    assert_eq!(path.trajectory.steps.len(), 3, "where it would go round it ends");
    assert!((path.trajectory.confidence - 0.9 * 0.99 * 0.8).abs() < 1e-9);
    assert_eq!(path.run.steps, 12 + 20);
    let happens: Vec<(u64, u64, &str)> =
        path.run.weather.iter().map(|e| (e.at_tick, e.for_ticks, e.what.name())).collect();
    assert_eq!(happens, [(0, 32, "gas"), (9, 23, "chop"), (12, 20, "shock")], "nobody can make volume");
    let Happening::Gas { factor } = path.run.weather[0].what else { panic!() };
    assert!((factor - 0.2f64.exp()).abs() < 1e-9, "two deviations of a tenth");
    assert_eq!(path.run.weather[2].what, Happening::Shock { bps: -20, over_ticks: 1, reverts: false });
    assert!((path.trajectory.terminal_state.price_factor - 0.998).abs() < 2e-3);
    let all_fired = AnticipationScene { now: VirtualTime(seen().now.0 - 2 * HOUR), ..scene(&rules, &[], &graph) };
    assert_eq!(anticipate(&all_fired).len(), 1, "within a day is not quiet");
}

#[test]
fn a_price_fires_downward_and_trouble_is_trouble() {
    let rules = AnticipationRules::default();
    let graph = graph(&[(PRICE, PROTOCOL, 4, -1.0, 7_000, None)]);
    let paths = anticipate(&scene(&rules, &[], &graph));
    let what: Vec<Happening> = paths[1].run.weather.iter().map(|e| e.what).collect();
    let trouble = Happening::Protocol { state: ProtocolState::Degraded };
    assert_eq!(what, [Happening::Shock { bps: -20, over_ticks: 1, reverts: false }, trouble]);
    assert!(paths[1].trajectory.hypothesis.starts_with("market.price moves by -2.0 usual deviations"));
}

#[test]
fn fitness_is_what_was_executed() {
    let (rules, none) = (AnticipationRules::default(), Graph::new());
    let past = weathers(20, &[CALM, UP, WILD]);
    let past = lived(&past);
    let paths = anticipate(&scene(&rules, &past, &none));
    assert_eq!(runs(&paths).len(), 3);
    assert!(paths.iter().all(|p| (p.trajectory.strategy_fitness - 1.0).abs() < 1e-12));
    let ran = |before, after, prices| {
        Ok(ForkRan { acted: Vec::new(), before: Usdc(before), after: Usdc(after), lowest: Usdc(0), prices, steps: 19 })
    };
    let scored = score(&paths, &[ran(200, 190, [10.0, 9.0]), Err(ForkFailure::Stuck), ran(0, 5, [0.0, 9.0])]);
    assert_eq!(scored.len(), 2, "what could not be run is left out");
    assert!((scored[0].strategy_fitness - 0.95).abs() < 1e-12 && scored[0].needs_attention(&rules));
    assert!((scored[0].terminal_state.price_factor - 0.9).abs() < 1e-12);
    assert_eq!((scored[0].terminal_state.ticks, &scored[0].hypothesis), (19, &paths[0].trajectory.hypothesis));
    assert!((scored[1].strategy_fitness - 1.0).abs() < 1e-12 && !scored[1].needs_attention(&rules));
    assert!(scored[1].terminal_state.price_factor.is_finite());
    for (fitness, hurts) in [(0.99, false), (0.989, true)] {
        let mut one = scored[0].clone();
        one.strategy_fitness = fitness;
        assert_eq!(one.needs_attention(&rules), hurts);
    }
    let way = |fitness: f64, confidence: f64| {
        let mut one = scored[0].clone();
        (one.strategy_fitness, one.confidence) = (fitness, confidence);
        one
    };
    for (ways, place) in [
        (vec![way(1.1, 0.9), way(0.995, 0.9)], None),
        (vec![way(0.9, 0.2), way(0.95, 0.9), way(0.5, 0.01)], Some(1)),
        (vec![way(0.9, 0.5), way(0.9, 0.5)], Some(0)),
    ] {
        assert!(worst(&ways, &rules).zip(place).is_none_or(|(worst, at)| std::ptr::eq(worst, &ways[at])));
        assert_eq!(worst(&ways, &rules).is_some(), place.is_some());
    }
}

proptest! {
    #[test]
    fn every_run_is_sound(
        list in prop::collection::vec((0usize..5, prop::num::f32::ANY, prop::num::f32::ANY), 0..30),
        apart in 0u64..60, volatility in prop::option::of(prop::num::f64::ANY), weight in -1e9f64..1e9,
        lag in 0u32..3_000, regime in 0usize..5,
    ) {
        let rules = AnticipationRules::default();
        let list: Vec<_> = list.into_iter().map(|(r, drift, spread)| (Regime::ALL[r], drift, spread)).collect();
        let past = weathers(apart, &list);
        let past = lived(&past);
        let graph = graph(&[
            (GAS, PRICE, lag, weight, 9_000, None),
            (PRICE, SPREAD, lag, weight, 8_000, None),
            (SPREAD, PROTOCOL, 1, weight, 8_000, None),
        ]);
        let here = AnticipationScene {
            market_volatility: volatility, regime: Regime::ALL[regime], ..scene(&rules, &past, &graph)
        };
        let paths = anticipate(&here);
        let regimes = &paths[..paths.len() - 1];
        let whole: f64 = regimes.iter().map(|p| p.trajectory.confidence).sum();
        prop_assert!((whole - 1.0).abs() < 1e-9, "{whole}");
        for path in &paths {
            prop_assert!(path.run.is_sound(), "{:?}", path.run);
            prop_assert!(path.trajectory.terminal_state.price_factor.is_finite());
            prop_assert!((0.0..=1.0).contains(&path.trajectory.confidence));
            prop_assert!(path.trajectory.steps.len() <= 5);
        }
    }
}
