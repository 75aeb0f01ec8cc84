//! The numbers of the edges of sleep that an owner may change.

use golem_core::Problem;
use golem_core::problem::ranges;
use serde::{Deserialize, Serialize};

/// How falling asleep works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OnsetParams {
    pub enabled: bool,
    /// Fragments that are begun each time.
    pub partials: u32,
    /// Where each of them is cut off.
    pub partial_tokens: u32,
    /// How often the steel ball falls: rounds of partials.
    pub dali_cycles: u32,
    /// The temperature at which sleep begins, and the one at its deepest.
    pub first_temperature: f64,
    pub peak_temperature: f64,
    /// What is left of the peak in later rounds.
    pub reanneal: f64,
    /// Fragments must be newer than this, from 0 to 1.
    pub novelty_floor: f64,
    /// What likeness to the theme adds to an episode's weight.
    pub theme_bias: f64,
    /// How surprising an episode must be to give the theme, in usual errors.
    pub theme_surprise: f64,
    /// Confidence of the least and of the most novel fragment that is kept.
    pub least_confidence: f64,
    pub most_confidence: f64,
    /// Novelty from which a fragment surfaces by itself on return.
    pub promote_above: f64,
    /// Episodes that fragments are made of: the latest, and before them the weightiest, and those that fade.
    pub recent: u32,
    pub salient: u32,
    pub fading: u32,
    /// A move of the price, and a loss of liquidity, as shares, that wake at once.
    pub alarm_move: f64,
    pub alarm_drain: f64,
}

impl Default for OnsetParams {
    fn default() -> Self {
        Self {
            enabled: true,
            partials: 4,
            partial_tokens: 80,
            dali_cycles: 1,
            first_temperature: 0.9,
            peak_temperature: 1.5,
            reanneal: 0.8,
            novelty_floor: 0.3,
            theme_bias: 0.2,
            theme_surprise: 2.0,
            least_confidence: 0.10,
            most_confidence: 0.20,
            promote_above: 0.6,
            recent: 48,
            salient: 16,
            fading: 6,
            alarm_move: 0.05,
            alarm_drain: 0.3,
        }
    }
}

impl OnsetParams {
    /// Every problem with it, by key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        ranges(&[
            ("partials", f64::from(self.partials), 0.0, 16.0),
            ("partial_tokens", f64::from(self.partial_tokens), 8.0, 400.0),
            ("dali_cycles", f64::from(self.dali_cycles), 1.0, 3.0),
            ("first_temperature", self.first_temperature, 0.8, 1.5),
            ("peak_temperature", self.peak_temperature, self.first_temperature, 1.5),
            ("reanneal", self.reanneal, 0.1, 1.0),
            ("novelty_floor", self.novelty_floor, 0.0, 1.0),
            ("theme_bias", self.theme_bias, 0.0, 1.0),
            ("theme_surprise", self.theme_surprise, 0.0, 100.0),
            ("least_confidence", self.least_confidence, 0.0, 0.2),
            ("most_confidence", self.most_confidence, self.least_confidence, 0.2),
            ("promote_above", self.promote_above, 0.0, 1.0),
            ("recent", f64::from(self.recent), 0.0, 200.0),
            ("salient", f64::from(self.salient), 0.0, 50.0),
            ("fading", f64::from(self.fading), 0.0, 20.0),
            ("alarm_move", self.alarm_move, 0.001, 1.0),
            ("alarm_drain", self.alarm_drain, 0.01, 1.0),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_is_sound_and_the_odd_is_named() {
        let usual = OnsetParams::default();
        assert!(usual.problems().is_empty());
        assert_eq!((usual.partials, usual.partial_tokens), (4, 80));
        assert!((usual.theme_bias - 0.2).abs() < 1e-12);
        assert!((usual.least_confidence - 0.1).abs() < 1e-12 && (usual.most_confidence - 0.2).abs() < 1e-12);
        let odd = OnsetParams { peak_temperature: 1.6, most_confidence: 0.5, recent: 999, ..usual };
        let keys: Vec<String> = odd.problems().into_iter().map(|p| p.key).collect();
        assert_eq!(keys, ["peak_temperature", "most_confidence", "recent"]);
        assert!(
            toml::from_str::<OnsetParams>("partials = 2").is_ok() && toml::from_str::<OnsetParams>("part = 2").is_err()
        );
    }
}
