//! The few statistics that mining and causes share: tails, corrections for many tries, spacing by memory, rounding.

use std::sync::LazyLock;

/// The chance of a standard normal beyond `z` on either side.
#[must_use]
pub fn two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// Chances of at least so many hits, for one chance of a hit.
#[derive(Debug, Clone, Copy)]
pub struct BinomialTail {
    rate: f64,
    log_p: f64,
    log_q: f64,
}

impl BinomialTail {
    /// For hits of this chance.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Self { rate, log_p: libm::log(rate), log_q: libm::log1p(-rate) }
    }
    /// The chance of at least `hits` of `n`.
    #[must_use]
    pub fn at_least(&self, hits: u32, n: u32) -> f64 {
        let Self { rate, log_p, log_q } = *self;
        if hits == 0 {
            return 1.0;
        }
        if hits > n || rate <= 0.0 {
            return 0.0;
        }
        if rate >= 1.0 {
            return 1.0;
        }
        let (trials, first) = (f64::from(n), f64::from(hits));
        let log_choose = log_factorial(n) - log_factorial(hits) - log_factorial(n - hits);
        let mut term = libm::exp(log_choose + first * log_p + (trials - first) * log_q);
        let (mut sum, odds) = (term, rate / (1.0 - rate));
        for k in hits..n {
            term *= odds * f64::from(n - k) / f64::from(k + 1);
            sum += term;
            if term < sum * 1e-12 {
                break;
            }
        }
        sum.min(1.0)
    }
}

/// The logarithm of a factorial: of the usual ones it is remembered, because mining asks for thousands in a turn.
fn log_factorial(n: u32) -> f64 {
    static USUAL: LazyLock<Vec<f64>> = LazyLock::new(|| (0..512).map(|n| libm::lgamma(f64::from(n) + 1.0)).collect());
    USUAL.get(n as usize).copied().unwrap_or_else(|| libm::lgamma(f64::from(n) + 1.0))
}

/// P-values after Benjamini and Hochberg (1995) for `tried` tests, of which these are the smallest, in rising order.
#[must_use]
pub fn benjamini_hochberg(rising: &[f64], tried: usize) -> Vec<f64> {
    let mut adjusted: Vec<f64> =
        rising.iter().enumerate().map(|(i, p)| (p * tried as f64 / (i + 1) as f64).min(1.0)).collect();
    for i in (1..adjusted.len()).rev() {
        adjusted[i - 1] = adjusted[i - 1].min(adjusted[i]);
    }
    adjusted
}

/// How many rows apart two looks at a yes-or-no series must be to count as two, at most `most`: three times the time in
/// which it forgets, which for runs of mean lengths a and b is ab / (a + b). With twice, worlds without any relation gave
/// claims in 8 of 100 at a nominal 5; with three times, in 4.
#[must_use]
pub fn memory(held: &[Option<bool>], most: usize) -> usize {
    let known: Vec<bool> = held.iter().copied().flatten().collect();
    let ons = known.iter().filter(|x| **x).count();
    memory_of(known.len(), ons, known.windows(2).filter(|w| w[0] != w[1]).count(), most)
}

/// The same from what is counted of it: known rows, those that are yes, and how often the answer changes.
pub(super) fn memory_of(known: usize, ons: usize, changes: usize, most: usize) -> usize {
    let runs = changes / 2 + 1;
    // Mean runs are ons / runs and offs / runs.
    let forgets = ons as f64 * (known - ons) as f64 / (runs * known.max(1)) as f64;
    ((3.0 * forgets).round() as usize).clamp(1, most)
}

/// A number with two significant digits: thresholds that people can read and that stay put for a while.
#[must_use]
pub fn two_digits(x: f64) -> f64 {
    rounded(x, 1)
}

/// A number with one significant digit.
#[must_use]
pub fn one_digit(x: f64) -> f64 {
    rounded(x, 0)
}

fn rounded(x: f64, digits_after: usize) -> f64 {
    // Through the decimal text, so that what is compared is exactly what is written.
    if x.is_finite() { format!("{x:.digits_after$e}").parse().unwrap_or(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binomial_tail_is_the_sum_of_its_terms() {
        for (n, rate) in [(1, 0.5), (10, 0.3), (40, 0.05), (12, 0.9)] {
            let choose = |k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
            let term = |k: u32| choose(k) * f64::powi(rate, k as i32) * f64::powi(1.0 - rate, (n - k) as i32);
            for hits in 0..=n {
                let plain: f64 = (hits..=n).map(term).sum();
                let tail = BinomialTail::new(rate).at_least(hits, n);
                assert!((tail - plain).abs() < 1e-10 * plain.max(1e-6), "{hits} of {n} at {rate}: {tail} {plain}");
            }
        }
        assert!((two_sided(1.959_964) - 0.05).abs() < 1e-6);
    }

    #[test]
    fn corrected_values_rise_and_depend_on_all_that_was_tried() {
        let adjusted = benjamini_hochberg(&[0.001, 0.008, 0.039, 0.041], 10);
        for (got, want) in adjusted.iter().zip([0.01, 0.04, 0.1025, 0.1025]) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
    }

    #[test]
    fn memory_is_as_long_as_the_runs() {
        let series = |run: usize| (0..1_000usize).map(|i| Some((i / run).is_multiple_of(2))).collect::<Vec<_>>();
        assert_eq!(memory(&series(1), 500), 2);
        assert_eq!(memory(&series(20), 500), 30);
        assert_eq!(memory(&series(20), 15), 15);
        assert_eq!(memory(&[None; 8], 30), 1);
    }

    #[test]
    fn thresholds_have_two_digits() {
        let cases = [(1.2345, 1.2), (0.006_149, 0.0061), (98.7, 99.0), (0.0, 0.0), (-0.1234, -0.12), (f64::NAN, 0.0)];
        for (x, want) in cases {
            assert_eq!(two_digits(x).to_bits(), f64::to_bits(want), "{x}");
        }
    }
}
