//! The law of decay against an independent formula, and what it may and may not do.

use crate::kit;

use golem_core::{Regime, VirtualTime};
use golem_grimoire::decay::{FLOOR, crossed, effective};
use golem_grimoire::relevance::{DORMANT, WeatherWeights};
use golem_grimoire::{DecayClass, EntryBody, EntryKind, EntryStatus, Provenance, Standing};
use kit::{DAY, body, days, standing};
use proptest::prelude::*;

/// Written from decision to formula without a look at the code: powers by `exp` and `ln` of this machine.
fn by_hand(class: DecayClass, bp: u16, idle_ms: u64, strength: f64, dreamt: bool, died: bool, cap: Option<f64>) -> f64 {
    let confidence = f64::from(bp) / 1e4;
    let half_life_days = match class {
        DecayClass::Structural => f64::INFINITY,
        DecayClass::Regime => 14.0,
        DecayClass::Tactical => 7.0,
        DecayClass::Ephemeral => 1.0,
    };
    let slower = (if dreamt { 2.0 } else { 1.0 }) * (if died { 3.0 } else { 1.0_f64 });
    let halvings = idle_ms as f64 / 86_400_000.0 / (half_life_days * strength * slower.min(6.0));
    let faded = confidence * (-(halvings * std::f64::consts::LN_2)).exp();
    cap.map_or(faded, |c| faded.min(c)).max(0.05)
}

const CLASSES: [DecayClass; 4] =
    [DecayClass::Structural, DecayClass::Regime, DecayClass::Tactical, DecayClass::Ephemeral];
const SOURCES: [(Provenance, Option<f64>); 7] = [
    (Provenance::SelfGenerated, None),
    (Provenance::Owner, None),
    (Provenance::Dream, None),
    (Provenance::Clade, Some(0.4)),
    (Provenance::Testament, Some(0.4)),
    (Provenance::Replicant, Some(0.3)),
    (Provenance::Marketplace, Some(0.3)),
];

proptest! {
    #[test]
    fn decay_follows_the_law_to_nine_places(
        class in 0..4_usize, source in 0..7_usize, bp in 0..=9_900_u16, idle in 0..200 * DAY, from in 0..50 * DAY,
        strength in 1.0..8.0_f32, dreamt: bool, died: bool, own: bool,
    ) {
        let (provenance, cap) = SOURCES[source];
        let b = EntryBody { decay_class: CLASSES[class], provenance, is_bloodstain: died, ..body(EntryKind::Insight, "x") };
        let s = Standing {
            strength, dream_validated: dreamt, own_validation: own, last_validated: VirtualTime(from),
            ..standing(EntryStatus::Active, bp)
        };
        let expected = by_hand(CLASSES[class], bp, idle, f64::from(strength), dreamt, died, cap.filter(|_| !own));
        let got = effective(&b, &s, VirtualTime(from + idle));
        prop_assert!((got - expected).abs() < 1e-9, "{got} against {expected}");
    }

    #[test]
    fn no_standing_however_broken_leaves_the_unit_interval(
        bp: u16, strength in prop::num::f32::ANY, last: u64, now: u64, class in 0..4_usize,
    ) {
        let b = EntryBody { decay_class: CLASSES[class], ..body(EntryKind::Insight, "x") };
        let s = Standing { strength, last_validated: VirtualTime(last), ..standing(EntryStatus::Active, bp.min(10_000)) };
        let e = effective(&b, &s, VirtualTime(now));
        prop_assert!((FLOOR..=1.0).contains(&e), "{e}");
    }
}

#[test]
fn an_entry_halves_in_its_half_life() {
    for (class, d) in [(DecayClass::Regime, 14), (DecayClass::Tactical, 7), (DecayClass::Ephemeral, 1)] {
        let b = EntryBody { decay_class: class, ..body(EntryKind::Insight, "x") };
        let e = effective(&b, &standing(EntryStatus::Active, 8_000), days(d));
        assert!((e - 0.4).abs() < 1e-12, "{class:?}: {e}");
    }
    let b = EntryBody { decay_class: DecayClass::Structural, ..body(EntryKind::Insight, "x") };
    assert!((effective(&b, &standing(EntryStatus::Active, 8_000), days(10_000)) - 0.8).abs() < 1e-12);
}

#[test]
fn strength_beyond_eight_and_multipliers_beyond_six_do_not_count() {
    let b = EntryBody { is_bloodstain: true, ..body(EntryKind::Insight, "x") };
    let s = |strength| Standing { strength, dream_validated: true, ..standing(EntryStatus::Active, 8_000) };
    let at = days(7 * 8 * 6);
    assert!((effective(&b, &s(8.0), at) - 0.4).abs() < 1e-12);
    assert!((effective(&b, &s(80.0), at) - 0.4).abs() < 1e-12);
}

#[test]
fn what_others_say_is_capped_until_the_golem_has_seen_it_itself() {
    let b = EntryBody { provenance: Provenance::Clade, ..body(EntryKind::Insight, "x") };
    let mut s = standing(EntryStatus::Candidate, 9_500);
    assert!((effective(&b, &s, VirtualTime(0)) - 0.4).abs() < 1e-12);
    s.own_validation = true;
    assert!((effective(&b, &s, VirtualTime(0)) - 0.95).abs() < 1e-12);
}

#[test]
fn five_generations_without_validation_are_one_crossing_of_five() {
    let five: Vec<u16> = (0..=5).map(|g| crossed(10_000, g, 0)).collect();
    assert_eq!(five, [10_000, 8_500, 7_225, 6_141, 5_220, 4_437]);
    // Two generations and two siblings, from the confidence of the last validation: once, in any order.
    assert_eq!(crossed(9_000, 2, 2), 4_162);
    assert_eq!(crossed(9_000, 0, 0), 9_000);
}

#[test]
fn an_entry_of_another_weather_is_put_back_and_wakes_with_its_weather() {
    let here = Some(Regime::Volatile);
    let still = WeatherWeights::settled(Regime::RangeBound);
    assert!((still.relevance(here) - DORMANT).abs() < 1e-12, "dormant, not deleted");
    assert!((still.relevance(None) - 1.0).abs() < 1e-12);
    let turned = VirtualTime(DAY);
    let after = |ticks: u64| {
        let now = VirtualTime(DAY + ticks * 40_000);
        WeatherWeights::changing(Regime::RangeBound, Regime::Volatile, turned, now)
    };
    let waking: Vec<f64> = [0, 10, 30, 60, 300].map(|t| after(t).relevance(here)).to_vec();
    assert!(waking.windows(2).all(|w| w[0] < w[1]), "{waking:?}");
    assert!((waking[2] - 0.65).abs() < 1e-12, "half awake after thirty ticks: {waking:?}");
    // Both weathers together are always one weather's worth.
    let both = after(10).weight(Regime::Volatile) + after(10).weight(Regime::RangeBound);
    assert!((both - 1.0).abs() < 1e-12);
}
