//! Did performance change in this regime? Compares the latest ticks with earlier ones of the same weather only.

use super::config::RegimeEvaluationConfig;
use super::effect::{RegimeEffect, effect_with_interval};
use super::ks::{KsTest, ks_two_sample};
use super::tag::RegimeTag;
use serde::{Deserialize, Serialize};

/// Performance on one tick, and the weather it happened in. Higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegimeSample {
    /// The weather.
    pub tag: RegimeTag,
    /// How well it went.
    pub value: f64,
}

/// What a comparison found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegimeVerdict {
    /// Too few comparable ticks to say.
    Unknown,
    /// No effect that is both large enough and significant.
    Unchanged,
    /// Worse than before in the same weather.
    Degraded,
    /// Better than before in the same weather.
    Improved,
}

/// A comparison of the latest ticks with earlier ones of the same regime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegimeComparison {
    /// The regime compared within.
    pub tag: RegimeTag,
    /// What was found.
    pub verdict: RegimeVerdict,
    /// False while the regime is new (learning grace) or nothing could be said: log it, do not count it.
    pub counted: bool,
    /// Ticks of this regime in the whole history.
    pub seen: usize,
    /// Matching ticks before.
    pub baseline: usize,
    /// Matching ticks now.
    pub treatment: usize,
    /// Ticks searched for both together, which is more than both windows when they had to grow.
    pub span: usize,
    /// Size of the effect of now against before.
    pub effect: Option<RegimeEffect>,
    /// Difference of the distributions.
    pub ks: Option<KsTest>,
}

/// Compares, within the regime of `tag`, the last ticks of `history` (oldest first) with those before them.
///
/// The treatment window is the last 50 ticks and the baseline the 50 before; each grows into the past until it holds 10
/// matching ticks. A change needs both an effect of at least 0.2 and a KS significance of 0.05.
#[must_use]
pub fn compare_in_regime(
    history: &[RegimeSample],
    tag: RegimeTag,
    config: &RegimeEvaluationConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> RegimeComparison {
    let matching = |sample: &&RegimeSample| sample.tag == tag && sample.value.is_finite();
    let seen = history.iter().filter(matching).count();
    let wanted = config.minimum_matched_pairs.max(2);
    let middle = window_start(history, history.len(), config.treatment_window, wanted, tag);
    let start = window_start(history, middle, config.baseline_window, wanted, tag);
    let values = |part: &[RegimeSample]| -> Vec<f64> { part.iter().filter(matching).map(|s| s.value).collect() };
    let treatment = values(&history[middle..]);
    let baseline = values(&history[start..middle]);
    let enough = treatment.len() >= wanted && baseline.len() >= wanted;
    let effect = effect_with_interval(&baseline, &treatment, config.bootstrap_resamples, config.confidence, uniform)
        .filter(|_| enough);
    let ks = ks_two_sample(&baseline, &treatment).filter(|_| enough);
    let verdict = match (effect, ks) {
        (Some(effect), Some(ks)) => verdict(&effect, &ks, config),
        _ => RegimeVerdict::Unknown,
    };
    RegimeComparison {
        tag,
        verdict,
        counted: verdict != RegimeVerdict::Unknown && seen >= config.learning_grace_period,
        seen,
        baseline: baseline.len(),
        treatment: treatment.len(),
        span: history.len() - start,
        effect,
        ks,
    }
}

fn verdict(effect: &RegimeEffect, ks: &KsTest, config: &RegimeEvaluationConfig) -> RegimeVerdict {
    if ks.p_value >= config.ks_significance || effect.d.abs() < config.cohens_d_threshold {
        RegimeVerdict::Unchanged
    } else if effect.d < 0.0 {
        RegimeVerdict::Degraded
    } else {
        RegimeVerdict::Improved
    }
}

/// Where a window that ends at `end` begins: `length` back, or further until it holds `wanted` matching ticks.
fn window_start(history: &[RegimeSample], end: usize, length: usize, wanted: usize, tag: RegimeTag) -> usize {
    let mut start = end.saturating_sub(length);
    let matches = |sample: &RegimeSample| usize::from(sample.tag == tag && sample.value.is_finite());
    let mut found: usize = history[start..end].iter().map(matches).sum();
    while found < wanted && start > 0 {
        start -= 1;
        found += matches(&history[start]);
    }
    start
}

#[cfg(test)]
mod tests {
    use super::super::tag::Trend;
    use super::*;

    const CALM: RegimeTag = RegimeTag { volatility_quintile: 1, trend: Trend::Flat };
    const WILD: RegimeTag = RegimeTag { volatility_quintile: 4, trend: Trend::Flat };

    fn dice() -> impl FnMut() -> f64 {
        let mut state = 0.5;
        move || {
            state = (state * 997.0 + 0.123_456_7) % 1.0;
            state
        }
    }

    fn sample(tag: RegimeTag, value: f64) -> RegimeSample {
        RegimeSample { tag, value }
    }

    fn wave(i: u32) -> f64 {
        f64::from(i * 7 % 13) / 13.0
    }

    #[test]
    fn only_the_same_weather_counts() {
        // Storms are bad and get frequent, yet in calm weather nothing changed.
        let history: Vec<_> = (0..200)
            .map(|i| if i >= 100 && i % 2 == 0 { sample(WILD, wave(i) - 5.0) } else { sample(CALM, wave(i)) })
            .collect();
        let found = compare_in_regime(&history, CALM, &RegimeEvaluationConfig::default(), &mut dice());
        assert_eq!((found.verdict, found.counted), (RegimeVerdict::Unchanged, true));
        assert_eq!((found.treatment, found.span), (25, 100));
    }

    #[test]
    fn a_real_fall_is_found() {
        let history: Vec<_> = (0..100).map(|i| sample(CALM, wave(i) - f64::from(u8::from(i >= 50)))).collect();
        let found = compare_in_regime(&history, CALM, &RegimeEvaluationConfig::default(), &mut dice());
        assert_eq!(found.verdict, RegimeVerdict::Degraded);
        assert!(found.effect.unwrap().high < 0.0);
    }

    #[test]
    fn windows_grow_and_new_regimes_have_grace() {
        // The wild regime is seen on every twentieth tick.
        let config = RegimeEvaluationConfig::default();
        let every_20 = |n: u32| -> Vec<_> {
            (0..n).map(|i| if i % 20 == 19 { sample(WILD, wave(i)) } else { sample(CALM, 0.0) }).collect()
        };
        let found = compare_in_regime(&every_20(600), WILD, &config, &mut dice());
        assert_eq!((found.baseline, found.treatment, found.span, found.counted), (10, 10, 381, true));
        let found = compare_in_regime(&every_20(380), WILD, &config, &mut dice());
        assert_eq!((found.verdict, found.counted, found.seen), (RegimeVerdict::Unknown, false, 19));
        let lenient = RegimeEvaluationConfig { minimum_matched_pairs: 5, ..config };
        let found = compare_in_regime(&every_20(380), WILD, &lenient, &mut dice());
        assert!(found.verdict != RegimeVerdict::Unknown && !found.counted);
        assert_eq!(compare_in_regime(&[], WILD, &lenient, &mut dice()).verdict, RegimeVerdict::Unknown);
    }
}
