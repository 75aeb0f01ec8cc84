//! How each domain has done, for people: skill, hit rate, coverage, and who is believed.

use super::Forecasters;
use super::panels::Panels;
use super::prediction::{Prediction, PredictionShelf};
use golem_core::VirtualTime;
use golem_mortality::Domain;
use golem_mortality::epistemic::DomainSkill;
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
    /// Skill of the last five days against the last value, as the clock has it: the share of its loss that is saved, 0 is
    /// as good.
    pub skill: Option<f64>,
    /// The same against half-way between the last value and the day's mean, where there is a level.
    #[serde(default)]
    pub half_way: Option<f64>,
    /// The same against a newborn of the same kind, where one of some days can be compared.
    #[serde(default)]
    pub newborn: Option<f64>,
    /// Skill against the last value over the whole life.
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
    /// How a domain has done; what it was worth lately is the clock's to say.
    #[must_use]
    pub fn scores(&self, domain: Domain, clock: &DomainSkill) -> Scores {
        let tally = self.tally(domain);
        Scores {
            domain,
            settled: tally.settled,
            pending: self.pending(domain) as u64,
            void: tally.void,
            skill: clock.last_value.skill(),
            half_way: clock.half_way.skill(),
            newborn: clock.newborn.skill(),
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
        if let Some((track, habit)) = self.panels.track(domain).zip(Panels::habit(domain)) {
            all.extend(track.open(habit).take(open));
        } else if domain == Domain::ProtocolState {
            all.extend(self.protocol.open().take(open));
        }
        // An action waits for its receipt within the turn.
        all
    }

    /// What was settled at this moment and is worth keeping: at most one of each domain.
    pub fn settled_at(&self, now: VirtualTime) -> impl Iterator<Item = &Prediction> {
        let at_now = move |p: &&Prediction| p.came.is_some_and(|came| came.at == now);
        Domain::ALL.into_iter().filter_map(|domain| self.shelf(domain).last()).filter(at_now)
    }

    fn shelf(&self, domain: Domain) -> &PredictionShelf {
        match (self.panels.track(domain), domain) {
            (Some(track), _) => &track.shelf,
            (None, Domain::ProtocolState) => &self.protocol.shelf,
            (None, _) => &self.action.shelf,
        }
    }

    fn coverage(&self, domain: Domain) -> Option<f64> {
        match (self.panels.track(domain), domain) {
            (Some(track), _) => track.coverage(),
            (None, Domain::ProtocolState) => None,
            (None, _) => self.action.coverage(),
        }
    }

    fn weights(&self, domain: Domain) -> Vec<Weight> {
        let named = match (self.panels.track(domain).zip(Panels::habit(domain)), domain) {
            (Some((track, habit)), _) => {
                let weights = track.weights(habit);
                std::array::from_fn(|i| (habit.names[i], weights[i]))
            }
            (None, Domain::ProtocolState) => self.protocol.weights(),
            // The forecast of an action is its preview; nothing is blended.
            (None, _) => return vec![Weight { model: "preview".into(), weight: 1.0 }],
        };
        let rest = 1.0 - named.iter().map(|(_, w)| w).sum::<f64>();
        let level = self.panels.track(domain).is_some() && domain != Domain::PriceDirection;
        named
            .into_iter()
            .chain([(if level { "half-way" } else { "naive" }, rest)])
            .map(|(model, weight)| Weight { model: model.into(), weight })
            .collect()
    }
}
