//! Small numeric helpers that are total: whatever comes in, something finite and bounded comes out.

use golem_core::{NOMINAL_TICK_S, time::NOMINAL_TICKS_PER_DAY};

/// Nominal ticks in a virtual day, as a float.
pub(crate) const DAY: f64 = NOMINAL_TICKS_PER_DAY as f64;
/// Nominal ticks in an hour: the horizon of price and volatility.
pub(crate) const HOUR: f64 = (3_600 / NOMINAL_TICK_S) as f64;

/// The nearest number in [-bound, bound]; NaN becomes 0.
pub(crate) fn clip(x: f64, bound: f64) -> f64 {
    if x > bound {
        bound
    } else if x < -bound {
        -bound
    } else if x.is_nan() {
        0.0
    } else {
        x
    }
}

/// The nearest number in [0, 1]; NaN becomes 0.
pub(crate) fn unit(x: f64) -> f64 {
    clip(x, 1.0).max(0.0)
}

/// `a / b`, or 0 where that is no finite number.
pub(crate) fn ratio(a: f64, b: f64) -> f64 {
    let q = a / b;
    if q.is_finite() { q } else { 0.0 }
}
