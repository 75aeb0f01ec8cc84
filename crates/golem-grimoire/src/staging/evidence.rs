//! When a row of hits is more than luck.
//!
//! A proposal is looked at after every hit, for as long as it takes, and there are many of them. A confidence bound made
//! for one look would let a coin through in time; so beside the bound, the odds against the base rate must reach
//! [`ODDS`], in a form that stays honest however often one looks: by Ville's inequality a claim that is no better than
//! its base rate ever gets there in at most one case of [`ODDS`].

/// The two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// Odds that a claim must reach against its base rate.
pub const ODDS: f64 = 40.0;

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

/// The odds of "better than the base rate by an unknown amount" (every rate above it equally likely) against "no better
/// than the base rate".
#[must_use]
pub fn odds(hits: u32, misses: u32, base_rate: f64) -> f64 {
    let b = if base_rate.is_nan() { 0.99 } else { base_rate.clamp(0.01, 0.99) };
    let (h, m) = (f64::from(hits), f64::from(misses));
    // The integral of p^h (1-p)^m from b to 1 is a beta function times a binomial tail.
    let beta = libm::lgamma(h + 1.0) + libm::lgamma(m + 1.0) - libm::lgamma(h + m + 2.0);
    let tail = tail(hits, hits.saturating_add(misses).saturating_add(1), b);
    if tail <= 0.0 {
        return 0.0;
    }
    let (for_it, against) = (beta + libm::log(tail) - libm::log(1.0 - b), h * libm::log(b) + m * libm::log(1.0 - b));
    libm::exp((for_it - against).min(700.0))
}

/// The chance of at most `k` successes in `n` trials.
fn tail(k: u32, n: u32, p: f64) -> f64 {
    let all = libm::lgamma(f64::from(n) + 1.0);
    let term = |i: u32| {
        let (i, rest) = (f64::from(i), f64::from(n - i));
        libm::exp(all - libm::lgamma(i + 1.0) - libm::lgamma(rest + 1.0) + i * libm::log(p) + rest * libm::log(1.0 - p))
    };
    (0..=k.min(n)).map(term).sum::<f64>().min(1.0)
}

/// True when the hits are more than the base rate and luck would give.
#[must_use]
pub fn is_convincing(hits: u32, misses: u32, base_rate: f64) -> bool {
    wilson_lower(hits, hits.saturating_add(misses)) > base_rate && odds(hits, misses, base_rate) >= ODDS
}
