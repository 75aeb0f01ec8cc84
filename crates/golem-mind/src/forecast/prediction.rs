//! A prediction as people see it: what was said before the fact, and what came of it.

use golem_core::VirtualTime;
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One prediction. Levels and returns are logarithms, actions are basis points, a protocol's is the probability of normal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// What it is about.
    pub domain: Domain,
    /// When it was made.
    pub made: VirtualTime,
    /// From when on reality can judge it.
    pub due: VirtualTime,
    /// What was said.
    pub predicted: f64,
    /// Between what and what it should be four times in five; none for probabilities.
    pub interval: Option<[f64; 2]>,
    /// What the naive rule said.
    pub naive: f64,
    /// What came of it; none while it is open.
    pub came: Option<PredictionOutcome>,
}

/// What came of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PredictionOutcome {
    /// When it was settled.
    pub at: VirtualTime,
    /// What happened.
    pub actual: f64,
    /// The loss of what was said.
    pub loss: f64,
    /// The loss of the naive rule.
    pub naive_loss: f64,
    /// Whether the three-way class was right.
    pub hit: bool,
    /// Whether it lay within the interval.
    pub inside: Option<bool>,
}

impl Prediction {
    /// True when the actual value lay within the interval; none without either.
    #[must_use]
    pub fn holds(&self, actual: f64) -> Option<bool> {
        self.interval.map(|[low, high]| (low..=high).contains(&actual))
    }
    /// The same prediction, settled.
    pub(crate) fn settle(mut self, at: VirtualTime, by: &SettledForecast) -> Self {
        let inside = self.holds(by.actual);
        let (actual, loss, naive_loss, hit) = (by.actual, by.model_loss, by.naive_loss, by.hit);
        self.came = Some(PredictionOutcome { at, actual, loss, naive_loss, hit, inside });
        self
    }
}

/// Settled predictions that are kept for people, per domain.
const KEPT: usize = 12;

/// The last settled predictions of a domain, a sixth of a horizon apart at least: neighbours say the same.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct PredictionShelf {
    kept: VecDeque<Prediction>,
}

impl PredictionShelf {
    /// Keep a settled prediction, unless one like it is there already.
    pub(crate) fn offer(&mut self, prediction: &Prediction, at: VirtualTime, by: &SettledForecast) {
        let spacing = prediction.domain.horizon().0 / 6;
        if self.kept.back().is_some_and(|last| prediction.made.since(last.made).0 < spacing) {
            return;
        }
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(prediction.settle(at, by));
    }
    /// The oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Prediction> {
        self.kept.iter()
    }
    /// What was settled and kept last.
    pub(crate) fn last(&self) -> Option<&Prediction> {
        self.kept.back()
    }
}
