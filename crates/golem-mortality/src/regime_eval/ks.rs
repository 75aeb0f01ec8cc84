//! The two-sample Kolmogorov-Smirnov test: the largest gap between two empirical distributions.
//!
//! Its p-value assumes independent numbers: in a series that remembers itself it calls every mood a change.

use super::kolmogorov::kolmogorov_survival;
use serde::{Deserialize, Serialize};

/// The largest gap and how likely chance alone would make one as large.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KsTest {
    /// Largest gap between the two empirical distributions, in [0, 1].
    pub statistic: f64,
    /// Two-sided p-value, as scipy's `ks_2samp(method="asymp")`.
    pub p_value: f64,
}

/// Compares two samples. Numbers that are not finite are left out; `None` when a sample has none left.
#[must_use]
pub fn ks_two_sample(a: &[f64], b: &[f64]) -> Option<KsTest> {
    let (a, b) = (sorted(a), sorted(b));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (mut i, mut j) = (0, 0);
    let mut statistic: f64 = 0.0;
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        // Ties move both distributions before the gap is taken.
        let at = x.min(*y);
        i += a[i..].partition_point(|v| *v <= at);
        j += b[j..].partition_point(|v| *v <= at);
        statistic = statistic.max((i as f64 / n - j as f64 / m).abs());
    }
    // Half to even, as numpy rounds.
    let effective = libm::rint(n * m / (n + m)).min(f64::from(u32::MAX)) as u32;
    let p_value = if effective == 0 { 1.0 } else { kolmogorov_survival(effective, statistic) };
    Some(KsTest { statistic, p_value })
}

fn sorted(sample: &[f64]) -> Vec<f64> {
    let mut sample: Vec<f64> = sample.iter().copied().filter(|x| x.is_finite()).collect();
    sample.sort_unstable_by(f64::total_cmp);
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps() {
        let gap = |a: &[f64], b: &[f64]| ks_two_sample(a, b).unwrap().statistic;
        assert!((gap(&[1.0, 2.0, 3.0], &[4.0, 5.0]) - 1.0).abs() < 1e-15);
        assert!(gap(&[1.0, 2.0], &[2.0, 1.0]) < 1e-15);
        assert!(gap(&[0.0, -0.0], &[-0.0, 0.0]) < 1e-15);
        assert!((gap(&[1.0, 1.0, 2.0, 2.0], &[1.0, 2.0, 2.0, 2.0]) - 0.25).abs() < 1e-15);
        assert!((gap(&[1.0, 5.0], &[2.0, 3.0]) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn edges() {
        assert_eq!(ks_two_sample(&[], &[1.0]), None);
        assert_eq!(ks_two_sample(&[f64::NAN], &[1.0]), None);
        let single = ks_two_sample(&[1.0], &[2.0]).unwrap();
        assert!(single.p_value > 0.99 && single.statistic > 0.99);
    }
}
