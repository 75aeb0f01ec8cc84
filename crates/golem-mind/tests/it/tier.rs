//! How much to think: the error against the threshold, under what phase, purse and memory allow.

use golem_core::Usdc;
use golem_mind::tier::{Bias, Ceiling, Forced, GateConfig, Gating, ThresholdMood, Tier, TierMoment, TierReason, gate};
use golem_mind::{Probes, Severity};
use golem_mortality::info::BitsBudget;
use golem_mortality::phase::PhaseInference;
use proptest::prelude::*;

const CALM: ThresholdMood = ThresholdMood { confidence: 0.0, vitality: 1.0, arousal: 0.0 };

fn probes(prediction_error: f64) -> Probes {
    Probes { prediction_error, ..Default::default() }
}

/// A moment of full vitality in which nothing is forbidden.
fn moment(probes: &Probes) -> TierMoment<'_> {
    TierMoment {
        probes,
        mood: CALM,
        inference: PhaseInference::AllTiers,
        novel: false,
        forced: None,
        spent: Usdc::ZERO,
        bits: None,
        cached: false,
        models: true,
        bias: Bias::default(),
    }
}

fn ask(pe: f64, change: impl FnOnce(&mut TierMoment<'_>)) -> Gating {
    let probes = probes(pe);
    let mut now = moment(&probes);
    change(&mut now);
    gate(&now, &GateConfig::default())
}

#[test]
fn the_error_decides_between_once_and_twice_the_threshold() {
    for (pe, tier, reason) in [
        (0.0, Tier::T0, TierReason::AllClear),
        (0.2999, Tier::T0, TierReason::AllClear),
        (0.3, Tier::T1, TierReason::Surprise),
        (0.5999, Tier::T1, TierReason::Surprise),
        (0.6, Tier::T2, TierReason::Shock),
        (1.0, Tier::T2, TierReason::Shock),
    ] {
        let got = ask(pe, |_| {});
        assert_eq!((got.tier, got.reason, got.ceiling), (tier, reason, None), "{pe}");
        assert!((got.pe - pe).abs() < 1e-12 && (got.threshold - 0.3).abs() < 1e-12);
    }
}

#[test]
fn each_phase_has_its_ceiling() {
    let quiet = |inference| ask(0.9, |m| m.inference = inference);
    let novel = |inference| ask(0.9, |m| (m.inference, m.novel) = (inference, true));
    let table = [
        (PhaseInference::AllTiers, Tier::T2, Tier::T2),
        (PhaseInference::T1First, Tier::T1, Tier::T2),
        (PhaseInference::T1Only, Tier::T1, Tier::T1),
        (PhaseInference::T1Limited, Tier::T1, Tier::T1),
        (PhaseInference::ReflectionOnly, Tier::T0, Tier::T0),
    ];
    for (inference, without, with) in table {
        assert_eq!((quiet(inference).tier, novel(inference).tier), (without, with), "{inference:?}");
        let tokens = quiet(inference).max_tokens;
        assert_eq!(tokens.is_some(), inference == PhaseInference::T1Limited, "{inference:?}");
        let ceiling = (without < Tier::T2).then_some(Ceiling::Phase);
        assert_eq!(quiet(inference).ceiling, ceiling, "{inference:?}");
    }
    let loud = Probes { gas: Severity::High, ..probes(0.9) };
    let now = TierMoment { inference: PhaseInference::T1First, ..moment(&loud) };
    assert_eq!(gate(&now, &GateConfig::default()).tier, Tier::T2, "a high probe is worth it");
}

#[test]
fn the_owner_and_a_phase_that_ends_force_the_highest_that_is_allowed() {
    for (forced, reason) in
        [(Forced::OwnerSteer, TierReason::OwnerSteer), (Forced::PhaseTransition, TierReason::PhaseTransition)]
    {
        for (inference, tier) in [
            (PhaseInference::AllTiers, Tier::T2),
            (PhaseInference::T1First, Tier::T2),
            (PhaseInference::T1Only, Tier::T1),
            (PhaseInference::ReflectionOnly, Tier::T0),
        ] {
            let got = ask(0.0, |m| (m.forced, m.inference, m.cached) = (Some(forced), inference, true));
            assert_eq!((got.tier, got.reason), (tier, reason), "{inference:?}");
        }
    }
}

#[test]
fn the_day_has_a_cap() {
    let at = |cents: u64| ask(0.9, |m| m.spent = Usdc(cents * 10_000));
    for (cents, tier) in
        [(0, Tier::T2), (699, Tier::T2), (700, Tier::T1), (899, Tier::T1), (900, Tier::T0), (5_000, Tier::T0)]
    {
        let got = at(cents);
        assert_eq!(got.tier, tier, "{cents} cents of 1,000");
        assert_eq!(got.ceiling.is_some(), tier < Tier::T2);
    }
    let forced = ask(0.9, |m| (m.spent, m.forced) = (Usdc::whole(10), Some(Forced::OwnerSteer)));
    assert_eq!((forced.tier, forced.ceiling), (Tier::T0, Some(Ceiling::DailyCap)), "not for the owner either");
    let none = GateConfig { max_daily_cost_usdc: Usdc::ZERO, ..Default::default() };
    assert_eq!(gate(&moment(&probes(0.9)), &none).tier, Tier::T0, "no money, no model");
}

#[test]
fn a_lack_of_information_lowers_the_bar_and_nothing_else() {
    let missing = |share: f64| BitsBudget {
        required_bits: 2.0,
        known_bits: 2.0 - 2.0 * share,
        deficit_bits: 2.0 * share,
        required_bits_per_tick: 0.0,
        deficit_bits_per_tick: 0.0,
    };
    for (share, pe, tier, reason) in [
        (1.0, 0.2249, Tier::T0, TierReason::AllClear),
        (1.0, 0.2251, Tier::T1, TierReason::MissingBits),
        (0.5, 0.2624, Tier::T0, TierReason::AllClear),
        (0.5, 0.2626, Tier::T1, TierReason::MissingBits),
        (0.0, 0.2999, Tier::T0, TierReason::AllClear),
        (1.0, 0.59, Tier::T1, TierReason::Surprise),
    ] {
        let (bits, probes) = (missing(share), probes(pe));
        let got = gate(&TierMoment { bits: Some(&bits), ..moment(&probes) }, &GateConfig::default());
        assert_eq!((got.tier, got.reason), (tier, reason), "{share} missing, {pe}");
        assert!((got.threshold - 0.3).abs() < 1e-12, "the threshold itself is the formula's");
    }
}

#[test]
fn what_was_decided_before_is_not_thought_about_again_and_without_a_model_nothing_is() {
    let cached = ask(0.9, |m| m.cached = true);
    assert_eq!((cached.tier, cached.ceiling), (Tier::T0, Some(Ceiling::Cached)));
    let alone = ask(0.9, |m| m.models = false);
    assert_eq!((alone.tier, alone.ceiling, alone.reason), (Tier::T0, Some(Ceiling::NoModel), TierReason::Shock));
    assert_eq!(Tier::T0.model(), None);
}

fn any_inference() -> impl Strategy<Value = PhaseInference> {
    prop::sample::select(vec![
        PhaseInference::AllTiers,
        PhaseInference::T1First,
        PhaseInference::T1Only,
        PhaseInference::T1Limited,
        PhaseInference::ReflectionOnly,
    ])
}

proptest! {
    /// Whatever comes in, no combination is above any single ceiling.
    #[test]
    fn no_combination_gets_past_a_ceiling(
        pe: f64, inference in any_inference(), spent in 0u64..20_000_000, novel: bool, cached: bool, models: bool,
        steer: bool, vitality: f64, arousal: f64, confidence: f64, t1: f64, t2: f64, at_most_t1: bool,
    ) {
        let probes = probes(pe);
        let now = TierMoment {
            mood: ThresholdMood { confidence, vitality, arousal },
            inference, novel, cached, models,
            bias: Bias { t1, t2, at_most_t1 },
            spent: Usdc(spent),
            forced: steer.then_some(Forced::OwnerSteer),
            ..moment(&probes)
        };
        let got = gate(&now, &GateConfig::default());
        prop_assert!(got.tier == Tier::T0 || models);
        prop_assert!(got.tier == Tier::T0 || inference != PhaseInference::ReflectionOnly);
        prop_assert!(got.tier < Tier::T2 || matches!(inference, PhaseInference::AllTiers | PhaseInference::T1First));
        prop_assert!(got.tier < Tier::T2 || spent < 7_000_000);
        prop_assert!(got.tier == Tier::T0 || spent < 9_000_000);
        prop_assert!(got.tier < Tier::T2 || !at_most_t1 || steer);
        prop_assert!((0.0..=1.0).contains(&got.pe) && (0.05..=0.8).contains(&got.threshold));
    }
}

#[test]
fn a_mood_moves_the_thresholds_by_a_fifth_at_most() {
    let config = GateConfig::default();
    let at = |pe: f64, bias: Bias| {
        let probes = probes(pe);
        gate(&TierMoment { bias, ..moment(&probes) }, &config)
    };
    let calm = at(0.25, Bias::default());
    let tense = at(0.25, Bias { t1: -0.15, t2: 0.0, at_most_t1: false });
    assert!((calm.threshold - tense.threshold - 0.15).abs() < 1e-12);
    assert_eq!((calm.tier, tense.tier), (Tier::T0, Tier::T1), "{calm:?} {tense:?}");
    let wild = at(0.25, Bias { t1: -9.0, t2: f64::NAN, at_most_t1: false });
    assert!(calm.threshold - wild.threshold <= 0.2 + 1e-12);
    let spent = at(1.0, Bias { at_most_t1: true, ..Bias::default() });
    assert_eq!((spent.tier, spent.ceiling), (Tier::T1, Some(Ceiling::Mood)));
}
