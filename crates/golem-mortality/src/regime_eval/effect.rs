//! Effect size: Cohen's d between two groups, and how sure one can be of it.

use serde::{Deserialize, Serialize};

/// An effect and its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegimeEffect {
    /// Cohen's d of treatment against baseline; positive when treatment is higher.
    pub d: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Cohen's d: difference of the means over the pooled standard deviation (n - 1 in each group; Cohen 1988).
///
/// `None` when a group has fewer than two numbers, a number is not finite, or neither group varies and their means
/// differ, which no finite d can say.
#[must_use]
pub fn cohens_d(baseline: &[f64], treatment: &[f64]) -> Option<f64> {
    let (mean_b, squares_b) = moments(baseline)?;
    let (mean_t, squares_t) = moments(treatment)?;
    let freedom = (baseline.len() + treatment.len() - 2) as f64;
    let pooled = libm::sqrt((squares_b + squares_t) / freedom);
    let difference = mean_t - mean_b;
    if pooled <= 0.0 {
        return (difference.abs() <= 0.0).then_some(0.0);
    }
    let d = difference / pooled;
    (d.is_finite() && pooled.is_finite()).then_some(d)
}

/// Mean and sum of squared deviations.
fn moments(group: &[f64]) -> Option<(f64, f64)> {
    if group.len() < 2 {
        return None;
    }
    let mean = group.iter().sum::<f64>() / group.len() as f64;
    let squares = group.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (mean.is_finite() && !squares.is_nan()).then_some((mean, squares))
}

/// Cohen's d with a percentile bootstrap interval (Efron 1979).
///
/// Each resample draws the baseline first, then the treatment, one number of `uniform` per element. Resamples without a
/// d (all elements equal) are left out; `None` when the effect itself has none, or most resamples have none.
#[must_use]
pub fn effect_with_interval(
    baseline: &[f64],
    treatment: &[f64],
    resamples: usize,
    confidence: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Option<RegimeEffect> {
    let d = cohens_d(baseline, treatment)?;
    let mut pick = |group: &[f64], into: &mut Vec<f64>| {
        into.clear();
        into.extend((0..group.len()).map(|_| group[((uniform() * group.len() as f64) as usize).min(group.len() - 1)]));
    };
    let (mut b, mut t) = (Vec::new(), Vec::new());
    let mut found = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        pick(baseline, &mut b);
        pick(treatment, &mut t);
        found.extend(cohens_d(&b, &t));
    }
    if found.len() <= resamples / 2 {
        return None;
    }
    found.sort_unstable_by(f64::total_cmp);
    let confidence = if confidence.is_nan() { 0.95 } else { confidence.clamp(0.0, 1.0) };
    let tail = (1.0 - confidence) / 2.0;
    Some(RegimeEffect { d, low: quantile(&found, tail)?, high: quantile(&found, 1.0 - tail)? })
}

/// Quantile of sorted numbers by linear interpolation (Hyndman and Fan type 7, the default of numpy).
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = q.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(low + (high - low) * (at - below as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_effects() {
        let d = cohens_d(&[1.0, 2.0, 3.0], &[3.0, 4.0, 5.0]).unwrap();
        assert!((d - 2.0).abs() < 1e-15);
        assert_eq!(cohens_d(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(cohens_d(&[2.0; 5], &[2.0; 9]), Some(0.0));
        assert_eq!(cohens_d(&[2.0; 5], &[3.0; 9]), None);
        assert_eq!(cohens_d(&[2.0, f64::NAN], &[3.0; 9]), None);
        assert_eq!(cohens_d(&[f64::MAX, -f64::MAX], &[3.0, 2.0]), None);
    }

    #[test]
    fn intervals_hold_the_effect_and_survive_bad_dice() {
        let baseline: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 13)).collect();
        let treatment: Vec<f64> = (0..25).map(|i| f64::from(i * 5 % 11) + 3.0).collect();
        let mut state = 0.5;
        let mut uniform = || {
            state = (state * 997.0 + 0.123_456_7) % 1.0;
            state
        };
        let effect = effect_with_interval(&baseline, &treatment, 500, 0.95, &mut uniform).unwrap();
        assert!(effect.low < effect.d && effect.d < effect.high);
        for bad in [f64::NAN, -1.0, 7.0, f64::INFINITY] {
            assert_eq!(effect_with_interval(&baseline, &treatment, 20, 0.95, &mut || bad), None);
        }
        assert_eq!(effect_with_interval(&baseline, &treatment, 0, 0.95, &mut || 0.5), None);
    }
}
