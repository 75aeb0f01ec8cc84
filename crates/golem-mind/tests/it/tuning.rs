//! The registry of parameters and what tuning may do: in range, a tenth at a time, nothing that contradicts.

use golem_core::Usdc;
use golem_mind::policy::{Parameter, Stride, TuneError, tune};
use golem_mind::{PolicyConfig, Template};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn all() -> impl Iterator<Item = (Template, &'static Parameter)> {
    Template::ALL.into_iter().flat_map(|t| t.parameters().iter().map(move |p| (t, p)))
}

#[test]
fn the_registry_agrees_with_the_defaults() {
    let config = PolicyConfig::default();
    assert_eq!(config.problems(), []);
    for (template, p) in all() {
        assert!((p.get(&config) - p.default).abs() < 1e-12, "{}: {} is not {}", p.key, p.get(&config), p.default);
        assert!(p.low < p.high && p.admits(p.default) && !p.what.is_empty(), "{}", p.key);
        assert_eq!(config.get(p.key), Some(p.get(&config)), "{template}");
        assert!(p.key.starts_with(&template.name().replace('-', "_")), "{} belongs to {template}", p.key);
    }
    let keys: BTreeSet<_> = all().map(|(_, p)| p.key).collect();
    assert_eq!(keys.len(), all().count(), "one key, one parameter");
    assert_eq!(config.get("lp_management.no_such"), None);
}

/// Every number of every table is in the registry: what can be written can be checked.
#[test]
fn nothing_is_left_out() {
    let written = serde_json::to_value(PolicyConfig::default()).unwrap();
    let mut missing = Vec::new();
    for (key, value) in written.as_object().unwrap() {
        let keys: Vec<String> = match value {
            serde_json::Value::Object(table) => table.keys().map(|k| format!("{key}.{k}")).collect(),
            _ => vec![key.clone()],
        };
        missing.extend(keys.into_iter().filter(|k| PolicyConfig::default().get(k).is_none()));
    }
    assert_eq!(missing, ["template"]);
}

#[test]
fn every_problem_is_named() {
    let mut bad = PolicyConfig { template: Template::EthDca, ..Default::default() };
    (bad.slippage_bps, bad.assumed_cost_bps, bad.most_cost_bps) = (0, -1.0, f64::NAN);
    (bad.gas_units, bad.min_trade_usdc, bad.cooldown_ticks) = (99_999_999, Usdc::whole(3), 0);
    (bad.unwind_turns, bad.unwind_pieces) = (1, 4);
    (bad.lp_management.max_exposure, bad.lp_management.full_yield) = (0.6, 0.0);
    (bad.trend_following.fast_hours, bad.trend_following.slow_hours) = (20, 20);
    (bad.eth_dca.dip_multiplier, bad.stable_yield.heat) = (0.5, 1.0);
    let problems = bad.problems();
    let keys: Vec<_> = problems.iter().map(|p| p.key.as_str()).collect();
    let expected = [
        "slippage_bps",
        "assumed_cost_bps",
        "most_cost_bps",
        "gas_units",
        "unwind_turns",
        "cooldown_ticks",
        "lp_management.max_exposure",
        "lp_management.full_yield",
        "eth_dca.dip_multiplier",
        "stable_yield.heat",
        "unwind_pieces",
        "trend_following.fast_hours",
        "eth_dca.amount_usdc",
    ];
    assert_eq!(keys, expected);
    assert_eq!(problems[6].message, "0.6 is out of range; it must lie between 0 and 0.5");
}

#[test]
fn a_change_goes_as_far_as_its_stride() {
    let mut config = PolicyConfig::default();
    // What is asked for, and what it becomes.
    for (key, asked, becomes) in [
        ("lp_management.max_liquidity", 0.31, 0.31),
        ("lp_management.max_liquidity", 0.8, 0.341),
        ("lp_management.risk_aversion", 1.0, 5.4),
        ("lp_management.max_exposure", 0.5, 0.5),
    ] {
        let got = tune(&mut config, key, asked, Stride::Tenth).unwrap();
        assert!((got - becomes).abs() < 1e-12 && config.get(key) == Some(got), "{key}: {got}");
    }
    assert_eq!(tune(&mut config, "lp_management.range_sigmas", 3.0, Stride::Whole), Ok(3.0), "the whole way");
    config.template = Template::EthDca;
    assert_eq!(tune(&mut config, "eth_dca.every_ticks", 5_000.0, Stride::Tenth), Ok(2_376.0));
    assert_eq!(tune(&mut config, "eth_dca.amount_usdc", 2.0, Stride::Tenth), Ok(1.1));
    assert_eq!(config.eth_dca.amount_usdc, Usdc(1_100_000), "money stays whole micro-USDC");
    config.eth_dca.every_ticks = 3;
    assert_eq!(tune(&mut config, "eth_dca.every_ticks", 30.0, Stride::Tenth), Ok(4.0), "a count moves by one at least");
}

#[test]
fn what_cannot_be_tuned_says_why_and_changes_nothing() {
    let mut config = PolicyConfig::default();
    config.lp_management.range_sigmas = 0.0;
    let before = config.clone();
    let mut refused = |key: &str, value: f64| tune(&mut config, key, value, Stride::Tenth).unwrap_err();
    assert!(matches!(refused("lp_management.band", 0.6), TuneError::Outside { .. }));
    assert!(matches!(refused("lp_management.band", f64::NAN), TuneError::Outside { .. }));
    assert!(matches!(refused("lp_management.band", f64::INFINITY), TuneError::Outside { .. }));
    assert!(matches!(refused("slippage_bps", 60.0), TuneError::Unknown { .. }), "safety is the owner's");
    assert!(matches!(refused("eth_dca.dip_share", 0.06), TuneError::Unknown { .. }), "not of this template");
    let off = refused("lp_management.range_sigmas", 2.0);
    assert_eq!(off.to_string(), "lp_management.range_sigmas is 0, which only its owner changes");
    assert_eq!(config, before);
    let mut trend = PolicyConfig { template: Template::TrendFollowing, ..Default::default() };
    (trend.trend_following.fast_hours, trend.trend_following.slow_hours) = (100, 101);
    let clash = tune(&mut trend, "trend_following.fast_hours", 105.0, Stride::Tenth).unwrap_err();
    assert_eq!(clash.to_string(), "trend_following.fast_hours: 105 must be below slow_hours, which is 101");
}

#[test]
fn a_table_may_say_as_little_as_it_likes_and_nothing_unknown() {
    let text = r#"{"template": "eth-dca", "eth_dca": {"amount_usdc": "2.50"}, "cooldown_ticks": 30}"#;
    let config: PolicyConfig = serde_json::from_str(text).unwrap();
    assert_eq!(
        (config.template, config.eth_dca.amount_usdc, config.cooldown_ticks),
        (Template::EthDca, Usdc(2_500_000), 30)
    );
    assert_eq!(config.eth_dca.every_ticks, 2_160);
    let again: PolicyConfig = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
    assert_eq!(again, config);
    for unknown in [r#"{"band": 0.1}"#, r#"{"eth_dca": {"amount": 1}}"#, r#"{"template": "yield"}"#] {
        assert!(serde_json::from_str::<PolicyConfig>(unknown).is_err(), "{unknown}");
    }
}

#[test]
fn templates_are_known_by_their_names() {
    for template in Template::ALL {
        assert_eq!(template.name().parse(), Ok(template));
        assert_eq!(serde_json::to_string(&template).unwrap(), format!("\"{template}\""));
    }
    let unknown = "yield".parse::<Template>().unwrap_err().to_string();
    assert!(unknown.contains("stable-yield") && unknown.contains("eth-dca"), "{unknown}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]
    /// However it is tuned, it stays sound, and no change goes further than its stride.
    #[test]
    fn tuning_never_leaves_the_range(
        template in prop::sample::select(&Template::ALL[..]),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0.0f64..1.0, any::<bool>(), any::<bool>()), 1..200),
    ) {
        let mut config = PolicyConfig { template, ..Default::default() };
        for (index, at, logarithmic, whole) in steps {
            let stride = if whole { Stride::Whole } else { Stride::Tenth };
            let p = index.get(template.parameters());
            let low = p.low.max(1e-6);
            let value = if logarithmic { low * libm::pow(p.high / low, at) } else { p.low + at * (p.high - p.low) };
            let before = p.get(&config);
            match tune(&mut config, p.key, value.clamp(p.low, p.high), stride) {
                Ok(now) => {
                    let most = if p.whole { (0.1 * before).max(1.0) } else { 0.1 * before + 1e-6 };
                    prop_assert!(whole || (now - before).abs() <= most + 1e-9, "{}: {before} to {now}", p.key);
                    prop_assert!(p.admits(now));
                }
                Err(why) => prop_assert!(matches!(why, TuneError::Off { .. } | TuneError::Clash(_)), "{why}"),
            }
            prop_assert_eq!(config.problems(), []);
        }
    }
}
