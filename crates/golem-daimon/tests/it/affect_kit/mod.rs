//! What the tests of affect share: a clock in ticks, plain settings, and conditions of every kind.

#![allow(dead_code, reason = "each test file uses its own part")]

use golem_core::{Elapsed, VirtualTime};
use golem_daimon::affect::{AffectConfig, AffectSample};
use golem_mortality::BehavioralPhase;
use proptest::prelude::*;

/// Nominal ticks since birth.
pub fn t(n: u64) -> VirtualTime {
    VirtualTime(0).after(Elapsed::nominal(n))
}

/// Only events are felt.
pub fn plain() -> AffectConfig {
    AffectConfig { mortality_aware_affect: false, ..AffectConfig::default() }
}

/// Numbers as a life has them, and every other.
pub fn any_float() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -2.0..2.0f64,
        1 => 0.0..100.0f64,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MAX, f64::MIN]),
    ]
}

/// Any condition, possible or not.
pub fn samples() -> impl Strategy<Value = AffectSample> {
    let f = any_float;
    (f(), 0usize..5, f(), prop::option::of(f()), f(), f(), f(), (f(), any::<u32>())).prop_map(
        |(
            vitality,
            phase,
            balance_ratio,
            runway_days,
            fitness,
            fitness_trend,
            hazard,
            (prediction_error, anomalies),
        )| {
            let phase = BehavioralPhase::ALL[phase];
            AffectSample {
                vitality,
                phase,
                balance_ratio,
                runway_days,
                fitness,
                fitness_trend,
                hazard,
                prediction_error,
                anomalies,
            }
        },
    )
}
