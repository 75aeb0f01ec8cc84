//! What episodes have in common.

use super::super::forward::ForwardResponse;
use super::super::kit::{act, bought};
use super::super::patterns::{PatternFound, find, planned};
use super::super::rules::ReplayRules;
use super::pairs;
use golem_core::observed::Expression;
use golem_core::{Asset, Intent, Regime, Timestamp, Usdc};
use golem_grimoire::admission::hollow;
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::{Episode, EpisodeId, Marks};
use std::collections::BTreeSet;

fn ended(id: u64, intent: Intent, regime: Regime, hour: i64, bps: f32) -> (Episode, Marks) {
    let deed = Some(EpisodeDeed { intent, ..bought() });
    let episode = Episode { deed, regime, at: Timestamp(86_400 * 20_000 + hour * 3_600), ..act(id, 1, 0) };
    (episode, Marks { outcome_bps: Some(bps), replays: 1, ..Marks::default() })
}

/// Purchases: in calm weather with these ends, elsewhere with those; their hours are spread alike.
fn purchases(calm: &[f32], wild: &[f32]) -> Vec<(Episode, Marks)> {
    let buy = bought().intent;
    let of = |regime, ends: &[f32], from: u64| -> Vec<_> {
        let hour = |at: usize| [1, 7, 13, 19][at % 4];
        ends.iter().enumerate().map(|(at, bps)| ended(from + at as u64, buy, regime, hour(at), *bps)).collect()
    };
    let mut all = of(Regime::RangeBound, calm, 1);
    all.extend(of(Regime::Volatile, wild, 100));
    all
}

fn found(all: &[(Episode, Marks)]) -> Vec<PatternFound> {
    find(&ReplayRules::default(), &pairs(all), &BTreeSet::new())
}

const GOOD: [f32; 5] = [8.0, 9.0, 10.0, 11.0, 12.0];
const FLAT: [f32; 6] = [-1.0, 1.0, -2.0, 2.0, -1.0, 1.0];

#[test]
fn an_act_that_ends_otherwise_in_one_weather() {
    let got = found(&purchases(&GOOD, &FLAT));
    assert_eq!(got.len(), 1, "{got:?}");
    assert_eq!(got[0].text, "To buy in range_bound weather went well: +10.0 bps in the mean of 5.");
    assert_eq!(got[0].episodes.iter().map(|id| id.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!((got[0].mean_bps - 10.0).abs() < 1e-9);
    let claim = got[0].claim.as_ref().unwrap();
    assert_eq!(
        (claim.when.as_str(), claim.then.as_str()),
        ("market.regime == \"range_bound\"", "market.return_90 > 0.0")
    );
    assert_eq!((claim.after_ticks, claim.unless.as_ref()), (90, None));
}

#[test]
fn what_is_no_pattern() {
    for (name, calm, wild) in [
        ("four of them", &GOOD[..4], &FLAT[..]),
        ("four others", &GOOD[..], &FLAT[..4]),
        ("two of six on the other side", &[30.0, 31.0, 32.0, 29.0, -1.0, -1.0], &FLAT),
        ("no further than chance", &[1.0, 1.0, 1.0, 30.0, 60.0], &[-30.0, 25.0, -10.0, 12.0, 3.0, -9.0]),
        ("a difference of nothing", &[0.9, 0.9, 0.9, 0.9, 0.9], &[0.0, 0.01, -0.01, 0.0, 0.01, -0.01]),
        ("less good than the rest", &[1.0, 1.1, 1.2, 0.9, 1.0], &[50.0, 51.0, 52.0, 50.0, 51.0, 52.0]),
    ] {
        let got = found(&purchases(calm, wild));
        let calm: Vec<_> = got.iter().filter(|p| p.text.contains("range_bound")).collect();
        assert!(calm.is_empty(), "{name}: {calm:?}");
    }
    let agreed = purchases(&[30.0, 31.0, 32.0, 29.0, 30.0, 31.0, -1.0, -1.0], &FLAT);
    assert_eq!(found(&agreed).len(), 1, "six of eight agree");
}

#[test]
fn only_what_was_replayed_counts() {
    let mut all = purchases(&GOOD, &FLAT);
    all[0].1.replays = 0;
    assert_eq!(found(&all), Vec::new());
    let now = BTreeSet::from([EpisodeId(1)]);
    assert_eq!(find(&ReplayRules::default(), &pairs(&all), &now).len(), 1, "also in this cycle");
    for unknown in [None, Some(f32::NAN), Some(f32::INFINITY)] {
        all[0].1.outcome_bps = unknown;
        assert_eq!(find(&ReplayRules::default(), &pairs(&all), &now), Vec::new());
    }
}

/// Every kind of act, well or badly, by weather and by hour.
fn every_pattern() -> Vec<(&'static str, PatternFound)> {
    let (pay, give, tolerance_bps) = (Usdc::whole(10), Asset(3), 50);
    let intents = [
        Intent::Hold,
        Intent::Buy { pay, min_out: Asset(1) },
        Intent::Sell { give, min_out: Usdc(1) },
        Intent::Add { pay, give, width_bps: 100, tolerance_bps },
        Intent::Remove { share_bps: 10_000, tolerance_bps },
        Intent::Collect,
        Intent::Rebalance { width_bps: 100, tolerance_bps },
    ];
    let mut out = Vec::new();
    for intent in intents {
        for sign in [1.0, -1.0] {
            for regime in Regime::ALL {
                let rest = if regime == Regime::Volatile { Regime::RangeBound } else { Regime::Volatile };
                let here = (0..8).map(|n| ended(n + 1, intent, regime, (n as i64) * 3, sign * (20.0 + n as f32)));
                let there = (0..8).map(|n| ended(n + 50, intent, rest, (n as i64) * 3, FLAT[n as usize % 6]));
                out.extend(found(&here.chain(there).collect::<Vec<_>>()).into_iter().map(|p| (intent.name(), p)));
            }
            for quarter in 0..4 {
                let here =
                    (0..8).map(|n| ended(n + 1, intent, Regime::ALL[n as usize % 5], quarter * 6 + 5, sign * 20.0));
                let hour = (quarter * 6 + 6) % 24;
                let there =
                    (0..8).map(|n| ended(n + 50, intent, Regime::ALL[n as usize % 5], hour, FLAT[n as usize % 6]));
                out.extend(found(&here.chain(there).collect::<Vec<_>>()).into_iter().map(|p| (intent.name(), p)));
            }
        }
    }
    out
}

#[test]
fn claims_can_be_checked_and_are_about_the_world() {
    let all = every_pattern();
    assert_eq!(all.len(), 7 * 2 * (5 + 4));
    let mut claims = BTreeSet::new();
    for (action, pattern) in &all {
        let well = pattern.mean_bps > 0.0;
        let Some(claim) = &pattern.claim else {
            let unnamed = pattern.text.contains("unknown");
            assert!(unnamed || matches!(*action, "hold" | "collect"), "{}", pattern.text);
            continue;
        };
        let compiles = Expression::compile(&claim.when).is_ok() && Expression::compile(&claim.then).is_ok();
        assert!(compiles && hollow(claim).is_none(), "{claim:?}");
        let then = match (*action, well) {
            ("buy", true) | ("sell", false) => "market.return_90 > 0.0",
            ("buy", false) | ("sell", true) => "market.return_90 < 0.0",
            ("add" | "rebalance", true) | ("remove", false) => "market.fee_yield_ratio > 1.0",
            _ => "market.fee_yield_ratio < 1.0",
        };
        assert_eq!(claim.then, then, "{}", pattern.text);
        claims.insert(claim.when.clone());
    }
    // Four regimes and four quarters; each quarter ends an hour after its last.
    assert_eq!(claims.len(), 8, "{claims:?}");
    assert!(claims.contains("market.hour >= 18.0 && market.hour < 24.0"));
    assert!(all.iter().any(|(_, p)| p.text.contains("from 6 to 12 o'clock UTC")));
}

#[test]
fn evidence_is_the_latest_and_patterns_are_the_clearest() {
    let many: Vec<f32> = (0..40).map(|n| 20.0 + (n % 3) as f32).collect();
    let got = found(&purchases(&many, &FLAT));
    assert_eq!(got[0].episodes.iter().map(|id| id.0).collect::<Vec<_>>(), (25..=40).collect::<Vec<_>>());
    let mut all = Vec::new();
    for (kind, intent) in [bought().intent, Intent::Collect, Intent::Hold].into_iter().enumerate() {
        for (r, regime) in Regime::ALL.into_iter().enumerate() {
            let sign = [30.0, -30.0, 60.0, -60.0, 90.0][r];
            let id = |n: usize| (kind * 1_000 + r * 10 + n + 1) as u64;
            all.extend((0..8).map(|n| ended(id(n), intent, regime, n as i64 * 3, sign + n as f32)));
        }
    }
    all.sort_by_key(|(e, _)| e.id);
    assert_eq!(found(&all).len(), 8, "no more than eight");
}

#[test]
fn what_paid_before_and_pays_on_a_copy_is_as_good_as_a_pattern() {
    let response = |intent: Intent, expected_bps| ForwardResponse {
        action: intent.name(),
        intent: Some(intent),
        expected_bps,
        episodes: vec![EpisodeId(9), EpisodeId(4)],
    };
    let calm = Regime::RangeBound;
    let got = planned(&response(bought().intent, 12.0), calm, 3.0).unwrap();
    assert_eq!(got.claim.as_ref().map(|c| c.then.as_str()), Some("market.return_90 > 0.0"));
    assert_eq!((got.episodes, got.mean_bps), (vec![EpisodeId(4), EpisodeId(9)], 3.0));
    for (why, intent, regime, before, now) in [
        ("it costs on the copy", bought().intent, calm, 12.0, -3.0),
        ("it is nothing on the copy", bought().intent, calm, 12.0, 0.9),
        ("it cost before", bought().intent, calm, -12.0, 3.0),
        ("it says nothing of the market", Intent::Collect, calm, 12.0, 3.0),
        ("nobody can name the weather", bought().intent, Regime::Unknown, 12.0, 3.0),
    ] {
        assert_eq!(planned(&response(intent, before), regime, now), None, "{why}");
    }
}
