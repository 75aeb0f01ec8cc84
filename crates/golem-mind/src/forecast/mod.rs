//! Six panels of forecasters, one for each domain of the epistemic clock. Each stores what it says before the fact, is
//! settled by reality at the first turn after its horizon, and learns from the difference.

mod action;
mod blend;
mod hours;
mod interval;
mod level;
mod panel;
mod prediction;
mod price;
mod protocol;
mod ridge;
mod scores;
mod tally;
mod track;

pub use blend::Blend;
pub use interval::TARGET;
pub use prediction::{Prediction, PredictionOutcome};
pub use scores::{Scores, Weight};
pub use tally::Tally;

use crate::outlook::Outlook;
use crate::policy::Valuation;
use crate::senses::Senses;
use action::ActionForecaster;
use golem_core::{Intent, Preview, Receipt, VirtualTime};
use golem_mortality::{Domain, SettledForecast};
use level::{GAS, Level, VOL, YIELD};
use price::PriceForecaster;
use protocol::Protocol;
use serde::{Deserialize, Serialize};
use tally::hit;

/// Whether and how fast a mind learns. Forecasts are made and judged all the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// False for the frozen ablation, and for phases that learn nothing new.
    pub enabled: bool,
    /// Multiplies the speed of learning, from 0 to 1.
    pub plasticity: f64,
}

impl Learning {
    /// At full speed.
    pub const FULL: Self = Self { enabled: true, plasticity: 1.0 };
    /// Not at all.
    pub const FROZEN: Self = Self { enabled: false, plasticity: 0.0 };

    /// The speed that follows from both, from 0 to 1.
    #[must_use]
    pub fn rate(&self) -> f64 {
        if self.enabled { crate::math::unit(self.plasticity) } else { 0.0 }
    }
}

impl Default for Learning {
    fn default() -> Self {
        Self::FULL
    }
}

/// The forecasters of all domains.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Forecasters {
    price: PriceForecaster,
    vol: Level,
    fee_yield: Level,
    gas: Level,
    protocol: Protocol,
    action: ActionForecaster,
}

impl Forecasters {
    /// Settle what is due by what was just observed, and learn from it. Returns the largest error in usual errors.
    pub fn settle(&mut self, senses: &Senses, learning: Learning, out: &mut Vec<SettledForecast>) -> f64 {
        let rate = learning.rate();
        let mut surprise = self.price.sense(senses, rate, out);
        surprise = surprise.max(self.vol.sense(&VOL, senses, rate, out));
        surprise = surprise.max(self.fee_yield.sense(&YIELD, senses, rate, out));
        surprise = surprise.max(self.gas.sense(&GAS, senses, rate, out));
        surprise.max(self.protocol.sense(senses.protocol(), senses.now(), senses.dt(), rate, out))
    }

    /// Make and store this turn's forecasts, one for each domain that has something to go by.
    pub fn issue(&mut self, senses: &Senses, now: VirtualTime) -> Outlook {
        Outlook {
            price: senses.spot(),
            sale_price: None,
            blind: false,
            mean_return: self.price.forecast(senses, now),
            log_vol: self.vol.forecast(&VOL, senses, now),
            usual_log_vol: senses.usual_vol().map(|u| u.mean),
            log_yield: self.fee_yield.forecast(&YIELD, senses, now),
            log_gas: self.gas.forecast(&GAS, senses, now),
            gas_excess: senses.gas_excess(),
            protocol: self.protocol.forecast(senses.protocol(), now),
            day_mean: senses.price().map(|p| p.means[2]),
            trend: None,
            range: None,
            cost_bps: self.action.cost_bps(0.1),
        }
    }

    /// Take note of an intent before it is sent: its spot price and its size.
    pub fn expect(&mut self, intent: &Intent, price: f64, value: &Valuation, now: VirtualTime) {
        self.action.expect(intent, price, value, now);
    }
    /// Settle the preview of an action by its receipt.
    pub fn verify(
        &mut self,
        judged: (&Preview, &Receipt),
        now: VirtualTime,
        learning: Learning,
        out: &mut Vec<SettledForecast>,
    ) {
        self.action.verify(judged, now, learning.rate(), out);
    }

    /// The record of a domain.
    #[must_use]
    pub fn tally(&self, domain: Domain) -> &Tally {
        match domain {
            Domain::PriceDirection => &self.price.track.tally,
            Domain::VolatilityRegime => &self.vol.track.tally,
            Domain::YieldTrend => &self.fee_yield.track.tally,
            Domain::GasCondition => &self.gas.track.tally,
            Domain::ProtocolState => &self.protocol.tally,
            Domain::ActionOutcome => &self.action.tally,
        }
    }
    /// Forecasts of a domain that wait for their moment.
    #[must_use]
    pub fn pending(&self, domain: Domain) -> usize {
        match domain {
            Domain::PriceDirection => self.price.track.pending(),
            Domain::VolatilityRegime => self.vol.track.pending(),
            Domain::YieldTrend => self.fee_yield.track.pending(),
            Domain::GasCondition => self.gas.track.pending(),
            Domain::ProtocolState => self.protocol.pending(),
            Domain::ActionOutcome => self.action.pending(),
        }
    }
    /// How much of the models is in the forecasts of a domain, from 0 (naive) to 1; `None` where nothing is blended.
    #[must_use]
    pub fn share(&self, domain: Domain) -> Option<f64> {
        match domain {
            Domain::PriceDirection => Some(self.price.track.share(&price::HABIT)),
            Domain::VolatilityRegime => Some(self.vol.track.share(&VOL.habit)),
            Domain::YieldTrend => Some(self.fee_yield.track.share(&YIELD.habit)),
            Domain::GasCondition => Some(self.gas.track.share(&GAS.habit)),
            Domain::ProtocolState | Domain::ActionOutcome => None,
        }
    }
}
