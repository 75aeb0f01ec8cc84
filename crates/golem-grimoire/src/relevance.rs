//! How much an entry matters in the present weather. What belongs to another weather is put back, never deleted.

use golem_core::{Elapsed, Regime, VirtualTime};
use serde::{Deserialize, Serialize};

/// What an entry of another weather still counts.
pub const DORMANT: f64 = 0.3;
/// Half of a change of weather is believed after this many nominal ticks.
const HALF_CHANGE: Elapsed = Elapsed::nominal(30);

/// How sure the golem is of each weather: weights that sum to 1, in the order of [`Regime::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeatherWeights {
    weights: [f64; Regime::ALL.len()],
    /// The likeliest.
    pub regime: Regime,
    /// Since when.
    pub since: VirtualTime,
}

impl Default for WeatherWeights {
    fn default() -> Self {
        Self::settled(Regime::Unknown)
    }
}

impl WeatherWeights {
    /// A weather that has lasted for ever.
    #[must_use]
    pub fn settled(regime: Regime) -> Self {
        let mut weights = [0.0; Regime::ALL.len()];
        weights[regime as usize] = 1.0;
        Self { weights, regime, since: VirtualTime(0) }
    }
    /// A weather that changed a while ago: the old one fades by half every 30 nominal ticks, so that what is known of
    /// either is partly awake in between.
    #[must_use]
    pub fn changing(from: Regime, to: Regime, since: VirtualTime, now: VirtualTime) -> Self {
        let old = libm::exp2(-(now.since(since).0 as f64) / HALF_CHANGE.0 as f64);
        let mut weights = [0.0; Regime::ALL.len()];
        weights[from as usize] += old;
        weights[to as usize] += 1.0 - old;
        Self { weights, regime: to, since }
    }
    /// The weight of one weather. What is unknown counts half for each: it may be any of them.
    #[must_use]
    pub fn weight(&self, regime: Regime) -> f64 {
        let unknown = self.weights[Regime::Unknown as usize];
        if regime == Regime::Unknown { unknown } else { self.weights[regime as usize] + unknown / 2.0 }
    }
    /// What an entry of this weather counts now, from [`DORMANT`] to 1; one that holds in any weather counts fully.
    #[must_use]
    pub fn relevance(&self, regime: Option<Regime>) -> f64 {
        regime.map_or(1.0, |r| DORMANT + (1.0 - DORMANT) * self.weight(r).clamp(0.0, 1.0))
    }
}
