//! The numbers of regime-matched evaluation, with their defaults and ranges.

use crate::info::within;
use golem_core::Problem;
use serde::{Deserialize, Serialize};

/// How performance in one regime is compared over time. Windows count ticks of the evaluated series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegimeEvaluationConfig {
    /// Ticks before the treatment window that are searched for matches first.
    pub baseline_window: usize,
    /// The last ticks, searched for matches first.
    pub treatment_window: usize,
    /// Windows grow into the past until both sides have so many matches.
    pub minimum_matched_pairs: usize,
    /// An effect smaller than this is no change.
    pub cohens_d_threshold: f64,
    /// A difference of distributions less significant than this is no change.
    pub ks_significance: f64,
    /// A regime seen on fewer ticks than this is still being learnt: noted, not counted.
    pub learning_grace_period: usize,
    /// Resamples behind the confidence interval of the effect.
    pub bootstrap_resamples: usize,
    /// What the interval covers.
    pub confidence: f64,
}

impl Default for RegimeEvaluationConfig {
    fn default() -> Self {
        Self {
            baseline_window: 50,
            treatment_window: 50,
            minimum_matched_pairs: 10,
            cohens_d_threshold: 0.2,
            ks_significance: 0.05,
            learning_grace_period: 20,
            bootstrap_resamples: 500,
            confidence: 0.95,
        }
    }
}

impl RegimeEvaluationConfig {
    /// All that is out of range, at once.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        within(&mut found, "baseline_window", self.baseline_window as f64, 10.0, 1_000.0);
        within(&mut found, "treatment_window", self.treatment_window as f64, 10.0, 1_000.0);
        let most = self.baseline_window.min(self.treatment_window) as f64;
        within(&mut found, "minimum_matched_pairs", self.minimum_matched_pairs as f64, 5.0, most);
        within(&mut found, "cohens_d_threshold", self.cohens_d_threshold, 0.05, 2.0);
        within(&mut found, "ks_significance", self.ks_significance, 0.001, 0.2);
        let twice = 2.0 * self.minimum_matched_pairs as f64;
        within(&mut found, "learning_grace_period", self.learning_grace_period as f64, twice, 1_000.0);
        within(&mut found, "bootstrap_resamples", self.bootstrap_resamples as f64, 100.0, 10_000.0);
        within(&mut found, "confidence", self.confidence, 0.5, 0.999);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_have_no_problems_and_nonsense_has_many() {
        assert_eq!(RegimeEvaluationConfig::default().problems(), []);
        let nonsense = RegimeEvaluationConfig { ks_significance: 0.5, confidence: f64::NAN, ..Default::default() };
        let keys: Vec<_> = nonsense.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["ks_significance", "confidence"]);
    }
}
