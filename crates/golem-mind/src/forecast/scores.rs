//! How each domain has done, for people: skill, hit rate, coverage, and who is believed.

use super::level::{GAS, VOL, YIELD};
use super::prediction::{Prediction, PredictionShelf};
use super::{Forecasters, price};
use golem_core::VirtualTime;
use golem_mortality::Domain;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How one domain has done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The domain.
    pub domain: Domain,
    /// Forecasts settled by reality.
    pub settled: u64,
    /// Forecasts that wait for their moment.
    pub pending: u64,
    /// Forecasts whose moment passed unseen.
    pub void: u64,
    /// Recent skill against the naive rule: 0.5 is as good.
    pub skill: Option<f64>,
    /// The same over the whole life.
    pub overall: Option<f64>,
    /// Share of forecasts with the three-way class right.
    pub hit_rate: Option<f64>,
    /// Share of outcomes within their intervals, where there are any; [`super::TARGET`] is meant.
    pub coverage: Option<f64>,
    /// Who is believed, and how much; the naive rule is the last of them.
    pub weights: Vec<Weight>,
}

/// One member of a panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    /// Its name.
    pub model: Cow<'static, str>,
    /// Its weight, from 0 to 1.
    pub weight: f64,
}

impl Forecasters {
    /// How a domain has done.
    #[must_use]
    pub fn scores(&self, domain: Domain) -> Scores {
        let tally = self.tally(domain);
        Scores {
            domain,
            settled: tally.settled,
            pending: self.pending(domain) as u64,
            void: tally.void,
            skill: tally.skill(),
            overall: tally.overall(),
            hit_rate: tally.hit_rate(),
            coverage: self.coverage(domain),
            weights: self.weights(domain),
        }
    }

    /// The predictions of a domain: those that were settled last, then those that are due next; at most `open` of them.
    #[must_use]
    pub fn predictions(&self, domain: Domain, open: usize) -> Vec<Prediction> {
        let mut all: Vec<Prediction> = self.shelf(domain).all().copied().collect();
        match domain {
            Domain::PriceDirection => all.extend(self.price.track.open(&price::HABIT).take(open)),
            Domain::VolatilityRegime => all.extend(self.vol.track.open(&VOL.habit).take(open)),
            Domain::YieldTrend => all.extend(self.fee_yield.track.open(&YIELD.habit).take(open)),
            Domain::GasCondition => all.extend(self.gas.track.open(&GAS.habit).take(open)),
            Domain::ProtocolState => all.extend(self.protocol.open().take(open)),
            // An action waits for its receipt within the turn.
            Domain::ActionOutcome => {}
        }
        all
    }

    /// What was settled at this moment and is worth keeping: at most one of each domain.
    pub fn settled_at(&self, now: VirtualTime) -> impl Iterator<Item = &Prediction> {
        let at_now = move |p: &&Prediction| p.came.is_some_and(|came| came.at == now);
        Domain::ALL.into_iter().filter_map(|domain| self.shelf(domain).last()).filter(at_now)
    }

    fn shelf(&self, domain: Domain) -> &PredictionShelf {
        match domain {
            Domain::PriceDirection => &self.price.track.shelf,
            Domain::VolatilityRegime => &self.vol.track.shelf,
            Domain::YieldTrend => &self.fee_yield.track.shelf,
            Domain::GasCondition => &self.gas.track.shelf,
            Domain::ProtocolState => &self.protocol.shelf,
            Domain::ActionOutcome => &self.action.shelf,
        }
    }

    fn coverage(&self, domain: Domain) -> Option<f64> {
        match domain {
            Domain::PriceDirection => self.price.track.coverage(),
            Domain::VolatilityRegime => self.vol.track.coverage(),
            Domain::YieldTrend => self.fee_yield.track.coverage(),
            Domain::GasCondition => self.gas.track.coverage(),
            Domain::ProtocolState => None,
            Domain::ActionOutcome => self.action.coverage(),
        }
    }

    fn weights(&self, domain: Domain) -> Vec<Weight> {
        let named = match domain {
            Domain::PriceDirection => self.price.weights(),
            Domain::VolatilityRegime => self.vol.weights(&VOL),
            Domain::YieldTrend => self.fee_yield.weights(&YIELD),
            Domain::GasCondition => self.gas.weights(&GAS),
            Domain::ProtocolState => self.protocol.weights(),
            // The forecast of an action is its preview; nothing is blended.
            Domain::ActionOutcome => return vec![Weight { model: "preview".into(), weight: 1.0 }],
        };
        let naive = 1.0 - named.iter().map(|(_, w)| w).sum::<f64>();
        named
            .into_iter()
            .chain([("naive", naive)])
            .map(|(model, weight)| Weight { model: model.into(), weight })
            .collect()
    }
}
