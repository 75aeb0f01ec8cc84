//! How far ahead the present is carried on, and how strong what has no measured size is taken to be: none of it is a setting.

/// The numbers of anticipation.
#[derive(Debug, Clone, PartialEq)]
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
