//! The four panels that forecast a number: what a mind and a silent learner have in common.

use super::advice::Advise;
use super::level::{GAS, Level, LevelLooks, VOL, YIELD};
use super::price::{self, PriceForecaster};
use super::track::{Track, TrackTurn};
use crate::senses::Senses;
use golem_core::VirtualTime;
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};

/// Price, volatility, yield and gas.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Panels {
    pub price: PriceForecaster,
    pub vol: Level,
    pub fee_yield: Level,
    pub gas: Level,
}

/// What the panels expect; none where a domain is silent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Expected {
    pub price: Option<f64>,
    pub vol: Option<f64>,
    pub fee_yield: Option<f64>,
    pub gas: Option<f64>,
    /// Which of them were stored, in that order.
    pub stored: [bool; 4],
}

impl Panels {
    /// Settle what is due and learn from it. Returns the largest error in usual errors.
    pub(crate) fn settle(
        &mut self,
        looks: &LevelLooks,
        senses: &Senses,
        turn: TrackTurn,
        out: &mut Vec<SettledForecast>,
    ) -> f64 {
        let mut surprise = self.price.sense(senses, turn, out);
        surprise = surprise.max(self.vol.sense(&VOL, looks.vol, senses, turn, out));
        surprise = surprise.max(self.fee_yield.sense(&YIELD, looks.fee_yield, senses, turn, out));
        surprise.max(self.gas.sense(&GAS, looks.gas, senses, turn, out))
    }

    /// Make and store this turn's forecasts.
    pub(crate) fn issue(&mut self, senses: &Senses, now: VirtualTime, advise: &mut Advise<'_>) -> Expected {
        let all = [
            self.price.forecast(senses, now, advise),
            self.vol.forecast(&VOL, senses, now, advise),
            self.fee_yield.forecast(&YIELD, senses, now, advise),
            self.gas.forecast(&GAS, senses, now, advise),
        ];
        let stored = all.map(|said| said.is_some_and(|(_, stored)| stored));
        let [price, vol, fee_yield, gas] = all.map(|said| said.map(|(x, _)| x));
        Expected { price, vol, fee_yield, gas, stored }
    }

    /// Store forecasts that nobody hears, in domains in which the mind has stored one in this turn.
    pub(crate) fn issue_silently(&mut self, senses: &Senses, now: VirtualTime, stored: [bool; 4]) {
        let [price, vol, fee_yield, gas] = stored;
        if price {
            self.price.forecast_silently(senses, now);
        }
        for (wanted, kind, level) in
            [(vol, &VOL, &mut self.vol), (fee_yield, &YIELD, &mut self.fee_yield), (gas, &GAS, &mut self.gas)]
        {
            if wanted {
                level.forecast_silently(kind, senses, now);
            }
        }
    }

    /// The panel of a domain, where there is one.
    pub(crate) fn track(&self, domain: Domain) -> Option<&Track> {
        match domain {
            Domain::PriceDirection => Some(&self.price.track),
            Domain::VolatilityRegime => Some(&self.vol.track),
            Domain::YieldTrend => Some(&self.fee_yield.track),
            Domain::GasCondition => Some(&self.gas.track),
            Domain::ProtocolState | Domain::ActionOutcome => None,
        }
    }
    /// How it learns.
    pub(crate) fn habit(domain: Domain) -> Option<&'static super::track::Habit> {
        match domain {
            Domain::PriceDirection => Some(&price::HABIT),
            Domain::VolatilityRegime => Some(&VOL.habit),
            Domain::YieldTrend => Some(&YIELD.habit),
            Domain::GasCondition => Some(&GAS.habit),
            Domain::ProtocolState | Domain::ActionOutcome => None,
        }
    }
}
