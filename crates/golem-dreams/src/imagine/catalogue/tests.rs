//! The fifteen threats.

use super::*;
use super::{ThreatRehearsal as R, ThreatTier as T};
use golem_core::observed::{Expression, Verdict};
use golem_grimoire::Claim;
use golem_grimoire::admission::hollow;
use std::collections::BTreeSet;

#[test]
fn there_are_fifteen_in_three_tiers_of_five() {
    let ids = |tier| THREATS.iter().filter(|c| c.tier == tier).map(|c| c.id).collect::<Vec<_>>();
    assert_eq!(
        ids(T::T1),
        ["flash_crash", "contract_exploit", "cascading_liquidation", "rug_pull", "oracle_manipulation"]
    );
    assert_eq!(ids(T::T2), ["mev_sandwich", "il_spike", "gas_war", "liquidity_withdrawal", "regulatory"]);
    assert_eq!(
        ids(T::T3),
        ["yield_compression", "fee_change", "correlation_shift", "concept_drift", "memory_poisoning"]
    );
    assert_eq!(THREATS.iter().map(|c| c.id).collect::<BTreeSet<_>>().len(), 15);
    assert_eq!((T::T1.number(), T::T3.number()), (1, 3));
    assert!(threat("gas_war").is_some() && threat("boredom").is_none());
}

#[test]
fn every_weather_is_sound_and_fits_its_timeline() {
    for card in &THREATS {
        assert!(card.weather.iter().all(|event| event.problems().is_empty()), "{}", card.id);
        assert!(card.weather.iter().all(|event| event.at_tick < u64::from(card.timeline)), "{}", card.id);
        assert!(card.timeline <= golem_core::door::MOST_FORK_STEPS && card.weather.len() <= 16);
        assert!((0.0..=1.0).contains(&card.severity) && (0.0..=1.0).contains(&card.probability));
        assert!(card.narrative.len() > 40 && !card.category.is_empty());
    }
}

#[test]
fn only_what_has_no_weather_is_without_one_and_says_what_it_rehearses() {
    for card in &THREATS {
        let moves = card.weather.iter().any(|e| !matches!(e.what, Happening::Protocol { .. }));
        assert_eq!(moves, card.rehearsal == R::Weather, "{}", card.id);
        assert_eq!(card.weather.is_empty(), card.rehearsal == R::FalseAlarm, "{}", card.id);
        assert_eq!(card.narrative.contains("rehearsed is"), card.rehearsal != R::Weather, "{}", card.id);
    }
}

#[test]
fn every_trigger_holds_early_in_its_threat_and_not_while_nothing_is_the_matter() {
    for card in &THREATS {
        let trigger = Expression::compile(card.trigger).unwrap();
        assert_eq!(trigger.evaluate(&card.early()), Verdict::Holds, "{}", card.id);
        assert_eq!(trigger.evaluate(&ThreatCard::calm()), Verdict::DoesNot, "{}", card.id);
    }
    let shock = threat("flash_crash").unwrap();
    assert!((shock.price_factor(BEGINS + EARLY) - 0.75).abs() < 1e-9);
    assert!((shock.price_factor(1) - 1.0).abs() < 1e-12 && (shock.price_factor(110) - 1.0).abs() < 1e-9);
}

#[test]
fn reality_has_a_say_in_what_every_guard_claims() {
    for card in &THREATS {
        let claim = Claim { when: card.trigger.into(), then: card.then.into(), unless: None, after_ticks: 90 };
        assert_eq!(hollow(&claim), None, "{}", card.id);
        assert!(Expression::compile(card.then).is_ok());
    }
}

#[test]
fn the_named_weathers_are_what_their_names_say() {
    let has = |id: &str, is: fn(&Happening) -> bool| threat(id).unwrap().weather.iter().any(|e| is(&e.what));
    assert!(has("flash_crash", |h| matches!(h, Happening::Shock { bps: ..=-1, reverts: true, .. })));
    assert!(has("oracle_manipulation", |h| matches!(h, Happening::OracleDistortion { .. })));
    assert!(has("liquidity_withdrawal", |h| matches!(h, Happening::LiquidityDrain { .. })));
    assert!(has("rug_pull", |h| matches!(h, Happening::LiquidityDrain { share_bps: 9_000.. })));
    assert!(has("gas_war", |h| matches!(h, Happening::Gas { .. })));
    assert!(has("mev_sandwich", |h| matches!(h, Happening::Sandwich { .. })));
    assert!(has("correlation_shift", |h| matches!(h, Happening::Drift { bps_per_day: ..=-1 })));
    assert!(has("yield_compression", |h| matches!(h, Happening::Volatility { .. })));
}
