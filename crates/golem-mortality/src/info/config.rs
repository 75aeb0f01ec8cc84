//! The numbers of the information diagnostics, with their defaults and the ranges that make sense.

use super::surrogate::SurrogatePlan;
use golem_core::problem::{Problem, ranges};
use serde::{Deserialize, Serialize};

/// Adds a problem when `found` is not within `low..=high`.
pub(crate) fn within(problems: &mut Vec<Problem>, key: &str, found: f64, low: f64, high: f64) {
    problems.extend(ranges(&[(key, found, low, high)]));
}

/// Numbers of the information diagnostics. Ticks are nominal ticks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InfoConfig {
    /// Neighbours looked at by the estimator.
    pub k: usize,
    /// Pairs remembered.
    pub buffer_pairs: usize,
    /// Pairs in one estimate: the last so many.
    pub window_pairs: usize,
    /// With fewer pairs nothing is said.
    pub min_pairs: usize,
    /// Ticks between estimates.
    pub estimate_every: u64,
    /// Fewest ticks between two occasions of drawing surrogates.
    pub surrogate_every: u64,
    /// The wait doubles while the answer stays the same, up to so many ticks; then the false part is measured anew.
    pub surrogate_wait_max: u64,
    /// An estimate that moved by so many surrogate deviations since it was judged ends the doubled wait.
    pub reopen_deviations: f64,
    /// How surrogates are drawn.
    pub surrogates: SurrogatePlan,
    /// Size of the noise that breaks ties, on z-scored axes.
    pub jitter: f64,
    /// Least value of I_max in bits, so that a golem that never knew much is not measured against its own noise.
    pub i_max_floor_bits: f64,
    /// Decoupling is in question above this composite vitality ...
    pub decoupling_composite: f64,
    /// ... when the information vitality V is below this.
    pub decoupling_vitality: f64,
    /// Once raised, V must exceed that by so much to clear it, or the alert would flicker.
    pub decoupling_clear_margin: f64,
    /// Overfitting is in question when past over recent information exceeds this ...
    pub overfitting_ratio: f64,
    /// ... and recent information is below this part of I_max ...
    pub overfitting_recent_share: f64,
    /// ... and past information was at least this part of I_max: forgetting nothing is not overfitting.
    pub overfitting_past_share: f64,
    /// A redundancy index below this is called redundant.
    pub redundancy_below: f64,
    /// Part of I_max that a golem needs to stay Stable.
    pub stable_share: f64,
}

impl Default for InfoConfig {
    fn default() -> Self {
        Self {
            k: 3,
            buffer_pairs: 2_000,
            window_pairs: 1_000,
            min_pairs: 200,
            estimate_every: 500,
            surrogate_every: 1_000,
            surrogate_wait_max: 16_000,
            reopen_deviations: 4.0,
            surrogates: SurrogatePlan::default(),
            jitter: 1e-10,
            i_max_floor_bits: 1.0,
            decoupling_composite: 0.5,
            decoupling_vitality: 0.2,
            decoupling_clear_margin: 0.05,
            overfitting_ratio: 3.0,
            overfitting_recent_share: 0.3,
            overfitting_past_share: 0.3,
            redundancy_below: 0.2,
            stable_share: 0.4,
        }
    }
}

impl InfoConfig {
    /// All that is out of range, at once. The diagnostics survive any configuration; this is for the owner.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let window = self.window_pairs as f64;
        within(&mut found, "k", self.k as f64, 1.0, 20.0);
        within(&mut found, "window_pairs", window, 100.0, 5_000.0);
        within(&mut found, "buffer_pairs", self.buffer_pairs as f64, 2.0 * window, 20_000.0);
        within(&mut found, "min_pairs", self.min_pairs as f64, 50.0, window);
        within(&mut found, "estimate_every", self.estimate_every as f64, 1.0, 100_000.0);
        within(&mut found, "surrogate_every", self.surrogate_every as f64, 1.0, 100_000.0);
        let every = self.surrogate_every as f64;
        within(&mut found, "surrogate_wait_max", self.surrogate_wait_max as f64, every, 1e6);
        within(&mut found, "reopen_deviations", self.reopen_deviations, 1.0, 100.0);
        within(&mut found, "jitter", self.jitter, 1e-13, 1e-6);
        within(&mut found, "i_max_floor_bits", self.i_max_floor_bits, 0.01, 20.0);
        within(&mut found, "decoupling_composite", self.decoupling_composite, 0.0, 1.0);
        within(&mut found, "decoupling_vitality", self.decoupling_vitality, 0.0, 1.0);
        within(&mut found, "decoupling_clear_margin", self.decoupling_clear_margin, 0.0, 1.0);
        within(&mut found, "overfitting_ratio", self.overfitting_ratio, 1.0, 100.0);
        within(&mut found, "overfitting_recent_share", self.overfitting_recent_share, 0.0, 1.0);
        within(&mut found, "overfitting_past_share", self.overfitting_past_share, 0.0, 1.0);
        within(&mut found, "redundancy_below", self.redundancy_below, 0.0, 1.0);
        within(&mut found, "stable_share", self.stable_share, 0.0, 1.0);
        let plan = &self.surrogates;
        within(&mut found, "surrogates.max", f64::from(plan.max), 19.0, 9_999.0);
        within(&mut found, "surrogates.min", f64::from(plan.min), 1.0, f64::from(plan.max));
        within(&mut found, "surrogates.clear_from", f64::from(plan.clear_from), 5.0, 9_999.0);
        within(&mut found, "surrogates.clear_deviations", plan.clear_deviations, 2.5, 100.0);
        within(&mut found, "surrogates.min_shift_share", plan.min_shift_share, 0.01, 0.4);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_have_no_problems_and_nonsense_has_many() {
        assert_eq!(InfoConfig::default().problems(), []);
        let nonsense = InfoConfig { k: 0, stable_share: f64::NAN, jitter: -1.0, ..InfoConfig::default() };
        let keys: Vec<_> = nonsense.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["k", "jitter", "stable_share"]);
    }
}
