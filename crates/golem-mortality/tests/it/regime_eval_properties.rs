//! No input panics, and what comes out is finite and in range.

use golem_mortality::regime_eval::{
    RegimeEvaluationConfig, RegimeSample, RegimeTag, Trend, cohens_d, compare_in_regime, effect_with_interval,
    kolmogorov_survival, ks_two_sample, r_squared, seed_r_squared, volatility_quintile,
};
use proptest::collection::vec;
use proptest::num::f64::ANY;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![1 => ANY, 5 => -3.0..3.0, 4 => (-2_i32..3).prop_map(f64::from)]
}

fn tag() -> impl Strategy<Value = RegimeTag> {
    let trend = prop_oneof![Just(Trend::Up), Just(Trend::Down), Just(Trend::Flat)];
    (0_u8..2, trend).prop_map(|(quintile, trend)| RegimeTag::new(quintile, trend))
}

fn unit(x: f64) -> bool {
    (0.0..=1.0).contains(&x)
}

proptest! {
    #[test]
    fn comparisons_are_total(
        history in vec((tag(), number()).prop_map(|(tag, value)| RegimeSample { tag, value }), 0..200),
        tag in tag(),
        windows in [0_usize..90, 0..90, 0..40, 0..40, 0..60],
        odd in [ANY, ANY, ANY],
        dice in ANY,
    ) {
        let config = RegimeEvaluationConfig {
            baseline_window: windows[0],
            treatment_window: windows[1],
            minimum_matched_pairs: windows[2],
            learning_grace_period: windows[3],
            bootstrap_resamples: windows[4],
            cohens_d_threshold: odd[0],
            ks_significance: odd[1],
            confidence: odd[2],
        };
        let found = compare_in_regime(&history, tag, &config, &mut || dice);
        prop_assert!(found.span <= history.len() && found.baseline + found.treatment <= found.seen);
        prop_assert!(found.effect.is_none_or(|e| e.d.is_finite() && e.low <= e.high));
        prop_assert!(found.ks.is_none_or(|ks| unit(ks.statistic) && unit(ks.p_value)));
    }

    #[test]
    fn statistics_are_total(a in vec(number(), 0..50), b in vec(number(), 0..50), dice in ANY, resamples in 0_usize..30) {
        prop_assert!(cohens_d(&a, &b).is_none_or(f64::is_finite));
        prop_assert!(effect_with_interval(&a, &b, resamples, 0.9, &mut || dice).is_none_or(|e| e.low <= e.high));
        prop_assert!(ks_two_sample(&a, &b).is_none_or(|ks| unit(ks.statistic) && unit(ks.p_value)));
        let pairs: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
        prop_assert!(r_squared(&pairs).is_none_or(|r2| r2.is_finite() && r2 <= 1.0));
        prop_assert!(unit(seed_r_squared(&pairs)));
        prop_assert!(volatility_quintile(&a, b.first().copied().unwrap_or(0.0)) <= 4);
    }

    #[test]
    fn the_kolmogorov_distribution_is_a_probability(n in 0_u32..3_000, d in prop_oneof![1 => ANY, 9 => 0.0..1.0]) {
        prop_assert!(unit(kolmogorov_survival(n, d)));
    }
}
