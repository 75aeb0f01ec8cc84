//! No input panics, and what comes out is finite and in range.

use golem_mortality::info::{
    InfoConfig, InfoSeen, InfoState, KsgSample, Pair, SurrogatePlan, VitalityComponents, assess_redundancy,
    bits_budget, channel_report, digamma, entropy_rate, judge, ksg_bits, letter, redundancy, z_scored,
};
use proptest::collection::vec;
use proptest::num::f64::ANY;
use proptest::prelude::*;

/// Any bit pattern now and then, mostly numbers that can be computed with, often equal ones.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![1 => ANY, 6 => -3.0..3.0, 3 => (-2_i32..3).prop_map(f64::from)]
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![1 => ANY.prop_filter("finite", |x| x.is_finite()), 9 => -3.0..3.0, 4 => (-1_i32..2).prop_map(f64::from)]
}

fn pair() -> impl Strategy<Value = Pair> {
    ([number(), number(), number()], [number(), number()]).prop_map(|(action, response)| Pair { action, response })
}

/// Any configuration that finishes in a reasonable time.
fn config() -> impl Strategy<Value = InfoConfig> {
    let sizes = (0_usize..6, 0_usize..80, 0_usize..40, 0_usize..30);
    let plan = (0_u32..12, 0_u32..12, 0_u32..12, ANY, ANY).prop_map(
        |(max, min, clear_from, clear_deviations, min_shift_share)| SurrogatePlan {
            max,
            min,
            clear_from,
            clear_deviations,
            min_shift_share,
        },
    );
    (sizes, 0_u64..4, 0_u64..4, plan, vec(ANY, 6)).prop_map(|(sizes, every, surrogate_every, surrogates, odd)| {
        InfoConfig {
            k: sizes.0,
            buffer_pairs: sizes.1,
            window_pairs: sizes.2,
            min_pairs: sizes.3,
            estimate_every: every,
            surrogate_every,
            surrogate_wait_max: surrogate_every * 4,
            surrogates,
            jitter: odd[0],
            i_max_floor_bits: odd[1],
            decoupling_vitality: odd[2],
            overfitting_ratio: odd[3],
            overfitting_past_share: odd[4],
            stable_share: odd[5],
            ..InfoConfig::default()
        }
    })
}

proptest! {
    #[test]
    fn the_estimator_is_total(
        x in vec(vec(number(), 0..40), 0..5),
        y in vec(vec(number(), 0..40), 0..5),
        k in 0_usize..50,
        shift in any::<usize>(),
        dice in ANY,
    ) {
        let raw = ksg_bits(x.clone(), y.clone(), k);
        prop_assert!(raw.is_none_or(f64::is_finite));
        let sample = KsgSample::standardised(x, y, 1e-10, &mut || dice);
        prop_assert!(sample.bits(k).is_none_or(f64::is_finite));
        prop_assert!(sample.shifted_bits(k, shift).is_none_or(f64::is_finite));
    }

    #[test]
    fn equal_columns_are_estimated_or_refused(
        rows in vec((finite(), finite(), finite()), 1..60),
        k in 1_usize..5,
    ) {
        let column = |pick: fn(&(f64, f64, f64)) -> f64| rows.iter().map(pick).collect::<Vec<f64>>();
        let x = vec![column(|r| r.0), column(|r| r.1)];
        let y = vec![column(|r| r.2)];
        let sample = KsgSample::standardised(x, y, 1e-10, &mut || 0.3);
        prop_assert_eq!(sample.bits(k).is_some(), rows.len() > k);
        let mut turn = 0.0;
        let judgement = judge(&sample, 0.1, k, &SurrogatePlan::default(), &mut || { turn = (turn + 0.37) % 1.0; turn },
            &mut |_| true);
        prop_assert!(judgement.p_value > 0.0 && judgement.p_value <= 1.0);
        prop_assert!(judgement.mean_bits.is_finite() && judgement.deviation_bits >= 0.0);
    }

    #[test]
    fn a_life_of_anything_is_survived(
        pairs in vec(pair(), 0..120),
        config in config(),
        composite in ANY,
        dice in vec(ANY, 1..5),
    ) {
        let mut state = InfoState::default();
        let mut turn = 0;
        for (tick, pair) in pairs.iter().enumerate() {
            state.push(*pair, &config);
            let seen = InfoSeen { nominal_tick: tick as u64, composite };
            state.update(seen, &config, &mut || { turn += 1; dice[turn % dice.len()] });
            let now = state.diagnostics();
            for value in [now.mi_bits, now.raw_bits, now.information_rate].into_iter().flatten() {
                prop_assert!(value.is_finite());
            }
            for value in [now.vitality, now.entropy_rate].into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&value));
            }
            prop_assert!(now.mi_bits.is_none_or(|bits| bits >= 0.0));
            if let Some(budget) = bits_budget(now, &config) {
                prop_assert!(budget.deficit_bits >= 0.0 && budget.deficit_bits_per_tick >= 0.0);
            }
        }
    }

    #[test]
    fn ticks_may_stand_still_or_run_back(ticks in vec(any::<u64>(), 0..60)) {
        let config = InfoConfig { min_pairs: 5, window_pairs: 30, buffer_pairs: 60, estimate_every: 1, ..InfoConfig::default() };
        let mut state = InfoState::default();
        for (i, nominal_tick) in ticks.iter().enumerate() {
            let x = (i * 7 % 13) as f64;
            state.push(Pair { action: [x, -x, 0.0], response: [x * x, 1.0] }, &config);
            state.update(InfoSeen { nominal_tick: *nominal_tick, composite: 0.9 }, &config, &mut || 0.4);
        }
    }

    #[test]
    fn siblings_of_any_kind(
        own in vec([number(), number(), number()], 0..60),
        clade in vec([number(), number(), number()], 0..60),
        response in vec([number(), number()], 0..60),
    ) {
        let config = InfoConfig { min_pairs: 10, ..InfoConfig::default() };
        if let Some(report) = assess_redundancy(&own, &clade, &response, &config, &mut || 0.4) {
            prop_assert!(report.index.is_none_or(|index| (0.0..=1.0).contains(&index)));
        }
    }

    #[test]
    fn small_functions_are_total(a in ANY, b in ANY, c in ANY, d in ANY, letters in vec(any::<u8>(), 0..200)) {
        prop_assert!(digamma(a).is_finite() || a.is_nan() || a <= 0.0 || a.is_infinite() || a < 1e-300);
        prop_assert!(z_scored(&[a, b, c, d]).is_none_or(|axis| axis.iter().all(|x| x.is_finite())));
        prop_assert!(redundancy(a, b, c).is_none_or(|index| (0.0..=1.0).contains(&index)));
        prop_assert!(entropy_rate(&letters).is_none_or(|rate| (0.0..=1.0).contains(&rate)));
        prop_assert!(letter(&[a, b, c]) < 27);
        let before = VitalityComponents { composite: 1.0, economic: a, epistemic: b, age: c, entropy_rate: Some(d) };
        let now = VitalityComponents { composite: 0.5, economic: d, epistemic: a, age: b, entropy_rate: Some(c) };
        prop_assert!(channel_report(&before, &now).is_none_or(|report| (0.0..=1.0).contains(&report.share)));
    }
}
