//! The digamma function psi(x), the derivative of the logarithm of gamma, for positive x.
//!
//! The Kraskov estimator is a sum of digammas of small counts, so the values of the whole numbers are also kept as a
//! table.

/// From here on the asymptotic series is accurate to the last bits of a double.
const SERIES_FROM: f64 = 10.0;

/// Euler's constant: psi(1) is minus this.
const EULER: f64 = 0.577_215_664_901_532_9;

/// Coefficients of x^-2, x^-4, ... in the asymptotic series, which are B(2n) / 2n.
/// Source: Abramowitz and Stegun 6.3.18.
const SERIES: [f64; 7] =
    [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32_760.0, 1.0 / 12.0];

/// psi(x) for x > 0, to about 1e-14. NaN for what is not above zero: counts never are.
///
/// The recurrence psi(x) = psi(x + 1) - 1/x (A&S 6.3.5) carries x up to where the series holds.
#[must_use]
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() {
        return f64::INFINITY;
    }
    let mut x = x;
    let mut below = 0.0;
    while x < SERIES_FROM {
        below += 1.0 / x;
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    let tail = SERIES.iter().rev().fold(0.0, |sum, c| (sum + c) * inverse_square);
    libm::log(x) - 0.5 / x - tail - below
}

/// psi(m + 1) at index m, for m from 0 to `largest`: the digamma of every count that can occur.
///
/// psi(m + 1) = -gamma + 1 + 1/2 + ... + 1/m (A&S 6.3.2), which is cheaper than a thousand logarithms.
#[must_use]
pub fn digamma_of_counts(largest: usize) -> Vec<f64> {
    let mut table = Vec::with_capacity(largest.saturating_add(1));
    let mut value = -EULER;
    table.push(value);
    for m in 1..=largest {
        value += 1.0 / m as f64;
        table.push(value);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let log_2 = std::f64::consts::LN_2;
        assert!((digamma(1.0) + EULER).abs() < 1e-13);
        assert!((digamma(0.5) + EULER + 2.0 * log_2).abs() < 1e-13);
        assert!((digamma(1e-8) + 1e8).abs() < 1.0);
        assert!((digamma(1e300) - libm::log(1e300)).abs() < 1e-12);
        assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan() && digamma(f64::NAN).is_nan());
        assert!(digamma(f64::INFINITY).is_infinite());
    }

    #[test]
    fn the_table_is_the_function() {
        for (m, value) in digamma_of_counts(3_000).iter().enumerate() {
            assert!((value - digamma(m as f64 + 1.0)).abs() < 1e-12, "{m}");
        }
    }
}
