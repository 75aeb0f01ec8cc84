//! The four hidden regimes of the synthetic market and how one turns into another.
//!
//! The golem never sees them: it classifies what it observes into its own `Regime`, and may be wrong.

use serde::{Deserialize, Serialize};

/// What the market is really doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrueWeather {
    /// Quiet, and returning to where it was.
    Calm,
    /// Going up.
    Rising,
    /// Going down.
    Falling,
    /// Wide moves in both directions.
    Storm,
}

/// What sets one weather apart.
pub(super) struct Traits {
    /// Volatility, as a multiple of the base.
    pub volatility: f64,
    /// Drift per hour, in base standard deviations of an hourly return.
    pub tilt: f64,
    /// How much of the mean recent return comes again: above zero momentum, below zero reversal.
    pub feedback: f64,
    /// Jumps, as a multiple of the configured rate.
    pub jumps: f64,
    /// Where it goes when it ends, in the order of [`TrueWeather::ALL`]; its own place is zero.
    next: [f64; 4],
}

/// Rising and falling mirror each other in all that has a sign, so that the market as a whole goes nowhere.
const TRAITS: [Traits; 4] = [
    Traits { volatility: 0.55, tilt: 0.0, feedback: -0.35, jumps: 0.5, next: [0.0, 0.4, 0.4, 0.2] },
    Traits { volatility: 0.85, tilt: 0.1, feedback: 0.30, jumps: 0.8, next: [0.5, 0.0, 0.25, 0.25] },
    Traits { volatility: 1.05, tilt: -0.1, feedback: 0.30, jumps: 1.2, next: [0.5, 0.25, 0.0, 0.25] },
    Traits { volatility: 1.90, tilt: 0.0, feedback: -0.15, jumps: 4.0, next: [0.3, 0.35, 0.35, 0.0] },
];

impl TrueWeather {
    /// All four, in order.
    pub const ALL: [Self; 4] = [Self::Calm, Self::Rising, Self::Falling, Self::Storm];

    /// Its place in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    pub(super) fn traits(self) -> &'static Traits {
        &TRAITS[self.index()]
    }

    /// The weather that follows, chosen by a number in [0, 1).
    pub(super) fn following(self, u: f64) -> Self {
        Self::pick(&self.traits().next, u)
    }

    /// One of the four by weight, chosen by a number in [0, 1).
    pub(super) fn pick(weights: &[f64; 4], u: f64) -> Self {
        let mut left = u * weights.iter().sum::<f64>();
        for (weather, weight) in Self::ALL.into_iter().zip(weights) {
            if left < *weight {
                return weather;
            }
            left -= weight;
        }
        Self::Calm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weather_never_follows_itself() {
        for weather in TrueWeather::ALL {
            assert!((weather.traits().next.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for n in 0..1000 {
                assert_ne!(weather.following(f64::from(n) / 1000.0), weather);
            }
        }
    }
}
