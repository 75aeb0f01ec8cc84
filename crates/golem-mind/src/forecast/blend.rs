//! How much of the model to believe: the share that, looking back, would have been best.
//!
//! The forecast is naive + share x (model - naive). The share is the slope of what happened on what the model said,
//! both against the naive rule: the optimal combination of two forecasts (Bates and Granger 1969), estimated on
//! forecasts that were made before the fact. A model without skill is shrunk to nothing.

use crate::math::clip;
use serde::{Deserialize, Serialize};

/// Errors count at most this many scales: one absurd outcome must not decide whom to believe.
const BOUND: f64 = 4.0;

/// Running sums behind the share.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Blend {
    cross: f64,
    power: f64,
}

/// What is believed before there is evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// The share of the model.
    pub share: f64,
    /// How much that counts, in squared scales.
    pub weight: f64,
    /// The least share: 0, or -1 for a member whose sign is a matter of the times.
    pub least: f64,
}

impl Blend {
    /// The share of the model in the forecast, from the least that its prior allows to 1.
    #[must_use]
    pub fn share(&self, prior: &Prior) -> f64 {
        clip((self.cross + prior.share * prior.weight) / (self.power + prior.weight), 1.0).max(prior.least)
    }
    /// Learn from one settled forecast: what the model said and what happened, both against naive and in scales.
    pub fn learn(&mut self, said: f64, happened: f64, weight: f64, keep: f64) {
        let (said, happened) = (clip(said, BOUND), clip(happened, BOUND));
        self.cross = keep * self.cross + weight * said * happened;
        self.power = keep * self.power + weight * said * said;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn belief_follows_skill() {
        let prior = Prior { share: 0.5, weight: 1.0, least: 0.0 };
        let share = |happened: fn(f64) -> f64| {
            let mut blend = Blend::default();
            for n in 0..1_000 {
                let said = if n % 2 == 0 { 1.0 } else { -1.0 };
                blend.learn(said, happened(said), 1.0, 0.99);
            }
            blend.share(&prior)
        };
        assert!((Blend::default().share(&prior) - 0.5).abs() < 1e-12);
        assert!(share(|s| s) > 0.99, "right");
        assert!((share(|s| 0.4 * s) - 0.4).abs() < 0.01, "exaggerates");
        assert!(share(|_| 0.0) < 0.01, "says what never happens");
        assert!(share(|s| -s) < 1e-12, "wrong way round");
        let either = Prior { least: -1.0, ..prior };
        let mut blend = Blend::default();
        for _ in 0..1_000 {
            blend.learn(1.0, -0.5, 1.0, 0.99);
        }
        assert!((blend.share(&either) + 0.5).abs() < 0.02, "wrong way round, and allowed to be");
    }
}
