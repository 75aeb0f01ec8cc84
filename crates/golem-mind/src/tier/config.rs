//! What an owner can change about when the golem thinks.

use golem_core::{Problem, Usdc};
use serde::{Deserialize, Serialize};

/// `[mind.gate]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GateConfig {
    /// The threshold of a golem without confidence, in full vitality and calm.
    pub base_deliberation_threshold: f64,
    /// What thinking may cost in a virtual day.
    #[serde(with = "golem_core::money::as_text")]
    pub max_daily_cost_usdc: Usdc,
    /// From this share of it on, no large model.
    pub warn_share: f64,
    /// From this share of it on, no model at all.
    pub stop_share: f64,
    /// The hard token limit of a golem that declines.
    pub declining_max_tokens: u32,
    /// How far a lack of information lowers the threshold, at most, as a share of it.
    pub bits_pull: f64,
}

impl Default for GateConfig {
    fn default() -> Self {
        Self {
            base_deliberation_threshold: 0.3,
            max_daily_cost_usdc: Usdc::whole(10),
            warn_share: 0.7,
            stop_share: 0.9,
            declining_max_tokens: 800,
            bits_pull: 0.25,
        }
    }
}

impl GateConfig {
    /// Every problem, with the key it is about.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        let mut hold = |key: &str, value: f64, low: f64, high: f64| {
            if !(low..=high).contains(&value) {
                let message = format!("{value} is out of range; it must lie between {low} and {high}");
                found.push(Problem::new(key, message));
            }
        };
        hold("base_deliberation_threshold", self.base_deliberation_threshold, 0.05, 0.8);
        hold("warn_share", self.warn_share, 0.0, 1.0);
        hold("stop_share", self.stop_share, self.warn_share, 1.0);
        hold("declining_max_tokens", f64::from(self.declining_max_tokens), 64.0, 100_000.0);
        hold("bits_pull", self.bits_pull, 0.0, 0.5);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_sound_and_every_problem_is_named() {
        assert_eq!(GateConfig::default().problems(), []);
        let text =
            r#"{"base_deliberation_threshold": 9, "warn_share": 0.95, "declining_max_tokens": 1, "bits_pull": 2}"#;
        let bad: GateConfig = serde_json::from_str(text).unwrap();
        let keys: Vec<_> = bad.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["base_deliberation_threshold", "stop_share", "declining_max_tokens", "bits_pull"]);
        assert!(serde_json::from_str::<GateConfig>(r#"{"max_cost": 1}"#).is_err());
    }
}
