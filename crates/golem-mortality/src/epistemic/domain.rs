//! The six domains in which a golem must keep up with the world, and the settled forecasts that judge it.

use crate::config::Shares;
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A field of forecasting. Each has a share, a horizon, a loss, a naive rule and a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Log return of the pool price.
    PriceDirection,
    /// Log realised volatility over the horizon.
    VolatilityRegime,
    /// Log fee yield per unit of liquidity.
    YieldTrend,
    /// Log gas price.
    GasCondition,
    /// Probability of normal, degraded, upgraded.
    ProtocolState,
    /// Amount out of own actions, in basis points.
    ActionOutcome,
}

impl Shares {
    /// A domain's share.
    #[must_use]
    pub fn of(self, domain: Domain) -> f64 {
        let table = match self {
            Self::Measured => [0.30, 0.30, 0.15, 0.25, 0.0, 0.0],
            Self::Seed => [0.30, 0.25, 0.20, 0.10, 0.05, 0.10],
        };
        table[domain.index()]
    }
}

impl Domain {
    /// All six, in table order.
    pub const ALL: [Self; 6] = [
        Self::PriceDirection,
        Self::VolatilityRegime,
        Self::YieldTrend,
        Self::GasCondition,
        Self::ProtocolState,
        Self::ActionOutcome,
    ];

    /// Its place in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
    /// The name used in settings and facts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PriceDirection => "price_direction",
            Self::VolatilityRegime => "volatility_regime",
            Self::YieldTrend => "yield_trend",
            Self::GasCondition => "gas_condition",
            Self::ProtocolState => "protocol_state",
            Self::ActionOutcome => "action_outcome",
        }
    }
    /// The weight of the newest loss in what is a usual error here.
    #[must_use]
    pub fn ema(self) -> f64 {
        [0.02, 0.005, 0.003, 0.05, 0.001, 0.05][self.index()]
    }
    /// How far ahead it forecasts; actions settle at their receipt.
    #[must_use]
    pub fn horizon(self) -> Elapsed {
        Elapsed::nominal([90, 90, 270, 15, 90, 0][self.index()])
    }
    /// Settled forecasts before it counts.
    #[must_use]
    pub fn minimum(self, minimum_predictions: u32) -> u32 {
        match self {
            Self::ActionOutcome => minimum_predictions.min(10),
            _ => minimum_predictions,
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A forecast that was stored before the fact and has been settled by reality.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SettledForecast {
    /// In which domain.
    pub domain: Domain,
    /// When it was made.
    pub made: VirtualTime,
    /// What the model said, on the domain's own scale.
    pub predicted: f64,
    /// What the naive rule said.
    pub naive: f64,
    /// What happened.
    pub actual: f64,
    /// Loss of the model.
    pub model_loss: f64,
    /// Loss of the naive rule.
    pub naive_loss: f64,
    /// Loss of the panel alone, without the experts that were heard beside it.
    pub panel_loss: f64,
    /// Loss of half-way between the last value and the day's mean, where there is a level.
    pub half_way_loss: Option<f64>,
    /// Loss of a newborn of the same kind, where one of some days has forecast the same.
    pub newborn_loss: Option<f64>,
    /// Whether the three-way class (up, down, flat and so on) was right.
    pub hit: bool,
}

impl SettledForecast {
    /// Two losses and nothing else: a forecast that was made at birth, beside nobody.
    #[must_use]
    pub fn of(domain: Domain, model_loss: f64, naive_loss: f64) -> Self {
        Self {
            domain,
            made: VirtualTime(0),
            predicted: 0.0,
            naive: 0.0,
            actual: 0.0,
            model_loss,
            naive_loss,
            panel_loss: model_loss,
            half_way_loss: None,
            newborn_loss: None,
            hit: false,
        }
    }
}
