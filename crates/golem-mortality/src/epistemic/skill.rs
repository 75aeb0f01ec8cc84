//! Skill in one domain: running losses of the model and of the naive rule, robust against one absurd sample.

use super::domain::{Domain, SettledForecast};
use crate::config::Measure;
use crate::regime_eval::seed_r_squared;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A loss counts at most this many times the running losses: a model that is always wrong is believed within a few
/// dozen samples, one absurd sample is not. One sample of weight a then moves the skill of its
/// domain by at most 4a / (1 + 3a) (from perfect): 0.075 in price, 0.174 in gas; all six at once move fitness by 0.065.
pub const LOSS_CLIP: f64 = 4.0;
/// Pairs that the seed's R2 looks at.
const R2_PAIRS: usize = 100;

/// What is remembered of one domain.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DomainSkill {
    /// Running loss of the model.
    pub model_loss: f64,
    /// Running loss of the naive rule.
    pub naive_loss: f64,
    /// Forecasts settled.
    pub settled: u64,
    /// Three-way classes that were right.
    pub hits: u64,
    /// The last settled pairs (predicted, actual), as many as the seed's R2 looks at.
    pub pairs: VecDeque<(f64, f64)>,
}

/// A loss that is none: a millionth of the forecast's unit, squared.
const NOTHING: f64 = 1e-12;

impl DomainSkill {
    /// Take a settled forecast in. Non-finite losses are refused: the clock stays as it is.
    pub fn record(&mut self, s: &SettledForecast) -> bool {
        let good = |x: f64| x.is_finite() && x >= 0.0;
        if !good(s.model_loss) || !good(s.naive_loss) || !s.predicted.is_finite() || !s.actual.is_finite() {
            return false;
        }
        self.settled += 1;
        self.hits += u64::from(s.hit);
        // A plain mean at first, then an exponential one: a young clock is not dominated by its first sample.
        let (ema, settled) = (s.domain.ema(), self.settled as f64);
        let weight = if ema * settled < 1.0 { 1.0 / settled } else { ema };
        let cap = |running: f64| if running > 0.0 { LOSS_CLIP * running } else { f64::INFINITY };
        let (model_cap, naive_cap) = (cap(self.model_loss.max(self.naive_loss)), cap(self.naive_loss));
        self.model_loss += weight * (s.model_loss.min(model_cap) - self.model_loss);
        self.naive_loss += weight * (s.naive_loss.min(naive_cap) - self.naive_loss);
        while self.pairs.len() >= R2_PAIRS {
            self.pairs.pop_front();
        }
        self.pairs.push_back((s.predicted, s.actual));
        true
    }

    /// Skill in [0, 1], or `None` while too few forecasts have been settled.
    #[must_use]
    pub fn fitness(&self, domain: Domain, minimum: u32, measure: Measure) -> Option<f64> {
        if self.settled < u64::from(domain.minimum(minimum)) {
            return None;
        }
        Some(match measure {
            Measure::Skill => {
                // Where there is nothing to forecast both losses are nothing, and the last bit of one of them is no skill.
                let (naive, model) = (self.naive_loss + NOTHING, self.model_loss + NOTHING);
                naive / (naive + model)
            }
            Measure::RSquared => {
                let pairs: Vec<_> = self.pairs.iter().copied().collect();
                seed_r_squared(&pairs)
            }
        })
    }

    /// Share of three-way classes that were right.
    #[must_use]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.settled > 0).then(|| self.hits as f64 / self.settled as f64)
    }
}
