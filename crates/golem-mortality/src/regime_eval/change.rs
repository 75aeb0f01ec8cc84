//! Change points: the moment at which a series changed its distribution, if it did.
//!
//! The statistic is the largest weighted Kolmogorov-Smirnov gap over all splits; its significance comes from circular
//! block resampling, because in a series that remembers itself the classic p-value calls every mood a change.
//! Source: Inoue, "Testing for distributional change in time series", Econometric Theory 17 (2001).

use serde::{Deserialize, Serialize};

/// Levels at which distributions are compared: more cost time and find nothing new.
const MAX_LEVELS: usize = 64;
/// Autocorrelation counts as at most this; beyond it there is no stationary series to resample.
const MOST_MEMORY: f64 = 0.99;
/// Shorter series have no distribution to speak of.
const MIN_LENGTH: usize = 20;

/// How change points are looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangePointConfig {
    /// Resampled series that the real one is compared with.
    pub resamples: usize,
    /// Largest p-value that is called a change.
    pub significance: f64,
    /// Fewest numbers on either side of a change.
    pub min_segment: usize,
    /// Length of the blocks; `None` to derive it from the series.
    pub block: Option<usize>,
}

impl Default for ChangePointConfig {
    fn default() -> Self {
        Self { resamples: 199, significance: 0.05, min_segment: 10, block: None }
    }
}

/// The likeliest change point of a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChangePoint {
    /// First index after the change, in the series without its holes.
    pub index: usize,
    /// The Kolmogorov-Smirnov gap between before and after.
    pub gap: f64,
    /// Chance that a series of the same memory without a change would show one as large.
    pub p_value: f64,
    /// Length of the blocks used.
    pub block: usize,
    /// The p-value is at most the configured significance.
    pub significant: bool,
}

/// Looks for the likeliest change. Numbers that are not finite are left out; `None` when too few are left.
#[must_use]
pub fn change_point(
    series: &[f64],
    config: &ChangePointConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> Option<ChangePoint> {
    let series: Vec<f64> = series.iter().copied().filter(|x| x.is_finite()).collect();
    let n = series.len();
    let margin = config.min_segment.max(1);
    if n < MIN_LENGTH || n < margin.saturating_mul(2) {
        return None;
    }
    let (levels, count) = levels(&series);
    let found = largest_gap(&levels, count, margin);
    let phi = memory(&without_step(&series, found.split));
    let block = config.block.unwrap_or_else(|| block_length(n, phi)).clamp(1, n);
    let needed = found.weighted / lost_at_the_seams(phi, block);
    let mut resampled = Vec::with_capacity(n + block);
    let mut reached = 0_usize;
    for _ in 0..config.resamples {
        resampled.clear();
        while resampled.len() < n {
            let from = ((uniform() * n as f64) as usize).min(n - 1);
            resampled.extend((from..from + block).map(|i| levels[if i < n { i } else { i - n }]));
        }
        resampled.truncate(n);
        reached += usize::from(largest_gap(&resampled, count, margin).weighted >= needed);
    }
    let p_value = (reached + 1) as f64 / (config.resamples + 1) as f64;
    let (before, after) = (found.split as f64, (n - found.split) as f64);
    Some(ChangePoint {
        index: found.split,
        gap: (found.weighted * libm::sqrt(n as f64) * n as f64 / (before * after)).clamp(0.0, 1.0),
        p_value,
        block,
        significant: p_value <= config.significance,
    })
}

/// Length of blocks that keep the memory of a series: (sqrt(6) phi / (1 - phi^2))^(2/3) n^(1/3) for lag-one
/// autocorrelation phi (Carlstein 1986). From 1 to a quarter of the series.
#[must_use]
pub fn block_length(n: usize, phi: f64) -> usize {
    let phi = if phi.is_nan() { 0.0 } else { phi.clamp(0.0, MOST_MEMORY) };
    let odds = phi / (1.0 - phi * phi);
    let length = libm::ceil(libm::cbrt(6.0 * odds * odds * n as f64));
    (length as usize).clamp(1, (n / 4).max(1))
}

/// Lag-one autocorrelation, from 0 to almost 1.
fn memory(series: &[f64]) -> f64 {
    let mean = series.iter().sum::<f64>() / series.len().max(1) as f64;
    let total: f64 = series.iter().map(|x| (x - mean) * (x - mean)).sum();
    let lagged: f64 = series.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    let phi = lagged / total;
    if phi.is_nan() { 0.0 } else { phi.clamp(0.0, MOST_MEMORY) }
}

/// How much larger statistics would be, had the blocks not been cut: the square root of the long-run variance of an
/// AR(1) series over that of its blocks, in which lag k counts only 1 - k/L (Künsch 1989, section 3).
fn lost_at_the_seams(phi: f64, block: usize) -> f64 {
    let length = block as f64;
    let whole = (1.0 + phi) / (1.0 - phi);
    let lost = 2.0 * phi * (1.0 - libm::pow(phi, length)) / (length * (1.0 - phi) * (1.0 - phi));
    libm::sqrt(whole / (whole - lost).max(1.0))
}

/// The series with the means of both sides of a split taken out: a change is not memory.
fn without_step(series: &[f64], split: usize) -> Vec<f64> {
    let (before, after) = series.split_at(split.min(series.len()));
    let centred = |part: &[f64]| -> Vec<f64> {
        let mean = part.iter().sum::<f64>() / part.len().max(1) as f64;
        part.iter().map(|x| x - mean).collect()
    };
    [centred(before), centred(after)].concat()
}

/// Each number as the level of its rank; equal numbers share a level. Also the number of levels.
fn levels(series: &[f64]) -> (Vec<usize>, usize) {
    let n = series.len();
    let count = n.min(MAX_LEVELS);
    let mut sorted = series.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let level = |x: &f64| sorted.partition_point(|y| y < x) * count / n;
    (series.iter().map(level).collect(), count)
}

struct Gap {
    split: usize,
    weighted: f64,
}

/// The split with the largest sqrt(n) (t/n) (1 - t/n) gap, where gap is that of the distributions before and after t.
///
/// With c = how many of the first t lie at or below a level that R of all n lie at or below, the weighted gap is
/// |c - t R / n| / sqrt(n), so one pass with running counts suffices.
fn largest_gap(levels: &[usize], count: usize, margin: usize) -> Gap {
    let n = levels.len();
    let mut share = vec![0.0; count];
    for &level in levels {
        share[level] += 1.0 / n as f64;
    }
    let mut sum = 0.0;
    for part in &mut share {
        sum += *part;
        *part = sum;
    }
    // excess = c - t R / n
    let mut excess = vec![0.0; count];
    let mut found = Gap { split: margin, weighted: 0.0 };
    for (i, &level) in levels.iter().enumerate().take(n - margin) {
        for (at, part) in excess.iter_mut().zip(&share) {
            *at -= part;
        }
        for at in &mut excess[level..] {
            *at += 1.0;
        }
        let largest = excess.iter().fold(0.0_f64, |most, x| most.max(x.abs())) / libm::sqrt(n as f64);
        if i + 1 >= margin && largest > found.weighted {
            found = Gap { split: i + 1, weighted: largest };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_at_its_place() {
        let step: Vec<f64> = (0..100).map(|i| f64::from(i * 7 % 13) + if i < 60 { 0.0 } else { 20.0 }).collect();
        let mut state = 0.5;
        let mut uniform = || {
            state = (state * 997.0 + 0.123_456_7) % 1.0;
            state
        };
        let found = change_point(&step, &ChangePointConfig::default(), &mut uniform).unwrap();
        assert_eq!((found.index, found.significant), (60, true));
        assert!((found.gap - 1.0).abs() < 0.05);
    }

    #[test]
    fn edges() {
        let config = ChangePointConfig::default();
        assert_eq!(change_point(&[], &config, &mut || 0.5), None);
        assert_eq!(change_point(&[f64::NAN; 100], &config, &mut || 0.5), None);
        let flat = change_point(&[1.0; 50], &config, &mut || 0.5).unwrap();
        assert!(!flat.significant && flat.gap <= 1e-9);
        let odd = ChangePointConfig { block: Some(1_000), resamples: 3, ..config };
        assert!(change_point(&[1.0, 2.0, 3.0, 4.0, 5.0].repeat(9), &odd, &mut || f64::NAN).is_some());
    }

    #[test]
    fn blocks_grow_with_memory() {
        assert_eq!((block_length(0, 0.5), block_length(500, 0.0), block_length(500, -0.9)), (1, 1, 1));
        assert_eq!((block_length(500, 0.9), block_length(500, 1.0), block_length(500, f64::NAN)), (41, 125, 1));
        assert!((lost_at_the_seams(0.0, 1) - 1.0).abs() < 1e-15);
        assert!((lost_at_the_seams(0.9, 1) - libm::sqrt(19.0)).abs() < 1e-12);
        assert!((lost_at_the_seams(0.9, 100_000) - 1.0).abs() < 1e-3);
    }
}
