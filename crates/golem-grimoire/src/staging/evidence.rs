//! How sure a rate is, for a single look: the ends of its Wilson interval. What is looked at again and again is judged by a
//! wager instead ([`crate::experts::rate_step`]).

/// The two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The lower end of the Wilson interval (95 %) of a hit rate; 0 when there were no trials.
#[must_use]
pub fn wilson_lower(hits: u32, trials: u32) -> f64 {
    wilson(hits, trials, -1.0)
}

/// The upper end of the Wilson interval (95 %) of a hit rate; 1 when there were no trials.
#[must_use]
pub fn wilson_upper(hits: u32, trials: u32) -> f64 {
    wilson(hits, trials, 1.0)
}

fn wilson(hits: u32, trials: u32, side: f64) -> f64 {
    let (n, p) = (f64::from(trials), f64::from(hits.min(trials)) / f64::from(trials.max(1)));
    if trials == 0 {
        return if side < 0.0 { 0.0 } else { 1.0 };
    }
    let spread = libm::sqrt(p * (1.0 - p) / n + Z * Z / (4.0 * n * n));
    ((p + Z * Z / (2.0 * n) + side * Z * spread) / (1.0 + Z * Z / n)).clamp(0.0, 1.0)
}
