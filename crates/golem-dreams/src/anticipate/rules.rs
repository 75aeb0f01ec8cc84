//! `[dream.anticipation]`: how far ahead the present is carried on, and how strong what has no measured size is taken
//! to be.

use golem_core::Problem;
use golem_core::problem::ranges;
use serde::{Deserialize, Serialize};

/// The numbers of anticipation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnticipationRules {
    /// Ticks that a regime goes on, and that are watched after the last effect of a cascade.
    pub horizon_ticks: u32,
    /// An edge that has not fired for so long may be let fire.
    pub quiet_h: f64,
    /// By how many usual deviations its source moves then: as much as counts as firing.
    pub fires: f64,
    /// What one usual deviation is, as a logarithm: of the level of volatility, and of the news in gas.
    pub volatility_deviation: f64,
    pub gas_deviation: f64,
    /// Ways on that leave less than this share of what is held need attention.
    pub attention_below: f64,
}

impl Default for AnticipationRules {
    fn default() -> Self {
        Self {
            horizon_ticks: 20,
            quiet_h: 24.0,
            fires: 2.0,
            volatility_deviation: 0.5,
            gas_deviation: 0.1,
            attention_below: 0.99,
        }
    }
}

impl AnticipationRules {
    /// Every number that is out of its range, by key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        ranges(&[
            ("horizon_ticks", f64::from(self.horizon_ticks), 2.0, 500.0),
            ("quiet_h", self.quiet_h, 0.0, 10_000.0),
            ("fires", self.fires, 0.1, 10.0),
            ("volatility_deviation", self.volatility_deviation, 0.01, 2.0),
            ("gas_deviation", self.gas_deviation, 0.01, 2.0),
            ("attention_below", self.attention_below, 0.0, 1.0),
        ])
    }
}
