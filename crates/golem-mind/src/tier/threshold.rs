//! The threshold above which a prediction error is worth a thought: higher for the sure, lower for the weak and the
//! aroused.

use crate::math::{clip, unit};
use serde::{Deserialize, Serialize};

/// What the threshold adapts to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdMood {
    /// Confidence in what the golem knows about this situation, from 0 to 1.
    pub confidence: f64,
    /// Composite vitality, from 0 to 1.
    pub vitality: f64,
    /// Arousal, from -1 to 1; 0 where affect is off.
    pub arousal: f64,
}

/// The threshold: base (1 + 0.5 confidence) (1 - 0.3 (1 - vitality)) (1 - 0.2 |arousal|), between 0.05 and 0.8.
#[must_use]
pub fn threshold(base: f64, mood: &ThresholdMood) -> f64 {
    let confident = 1.0 + 0.5 * unit(mood.confidence);
    let weak = 1.0 - 0.3 * (1.0 - unit(mood.vitality));
    let aroused = 1.0 - 0.2 * clip(mood.arousal, 1.0).abs();
    (unit(base) * confident * weak * aroused).clamp(0.05, 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_formula_to_the_digit() {
        // Vitality, arousal, confidence, and the product by hand.
        for (vitality, arousal, confidence, expected) in [
            (0.9, 0.1, 0.8, 0.3 * 1.4 * 0.97 * 0.98),
            (0.6, 0.4, 0.5, 0.3 * 1.25 * 0.88 * 0.92),
            (0.3, 0.9, 0.3, 0.3 * 1.15 * 0.79 * 0.82),
            (0.05, 0.8, 0.2, 0.3 * 1.1 * 0.715 * 0.84),
            (0.05, -0.8, 0.2, 0.3 * 1.1 * 0.715 * 0.84),
            (1.0, 0.0, 0.0, 0.3),
            (0.0, 1.0, 0.0, 0.168),
        ] {
            let got = threshold(0.3, &ThresholdMood { confidence, vitality, arousal });
            assert!((got - expected).abs() < 1e-12, "{got} is not {expected}");
        }
        let sure = ThresholdMood { confidence: 1.0, vitality: 1.0, arousal: 0.0 };
        assert!((threshold(0.8, &sure) - 0.8).abs() < 1e-12 && (threshold(0.0, &sure) - 0.05).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn always_a_threshold(base: f64, confidence: f64, vitality: f64, arousal: f64) {
            let got = threshold(base, &ThresholdMood { confidence, vitality, arousal });
            prop_assert!((0.05..=0.8).contains(&got));
        }
    }
}
