//! One forecaster of a number: it stores what it says before the fact, is settled by reality, and learns from that.

use super::blend::{Blend, Prior};
use super::ridge::{DIM, Ridge};
use super::{Tally, hit};
use crate::math::clip;
use golem_core::VirtualTime;
use golem_mortality::{Domain, Settled};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Inputs besides the constant.
pub(crate) const INPUTS: usize = DIM - 1;
/// Standardised inputs count at most this much.
pub(crate) const FAR: f64 = 3.0;
/// Forecasts under way, at most. Turns so short that more would be needed issue fewer.
const MOST_PENDING: usize = 288;

/// How a forecaster learns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habit {
    pub domain: Domain,
    /// Pull of the weights towards naive, in independent observations.
    pub penalty: f64,
    /// Memory in horizons. Forecasts of one horizon overlap, so together they count as one observation.
    pub memory: f64,
    /// Belief in the model before there is evidence, and how long evidence counts, in horizons.
    pub prior: Prior,
    pub trust_memory: f64,
}

/// What the model says, before it is blended: `anchor + scale x (weights . inputs)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub naive: f64,
    /// Where the model starts from: the naive forecast, as far as it lies within what the model knows.
    pub anchor: f64,
    pub scale: f64,
    pub inputs: [f64; INPUTS],
    /// A measure at the time of the forecast that settlement needs: a log price, a running variance.
    pub mark: f64,
}

/// A forecast under way. Inputs are kept in single precision: they only teach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub made: VirtualTime,
    pub predicted: f64,
    pub naive: f64,
    pub mark: f64,
    anchor: f32,
    scale: f32,
    said: f32,
    inputs: [f32; INPUTS],
}

/// A forecaster of one number.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Track {
    ridge: Ridge,
    blend: Blend,
    pending: VecDeque<Pending>,
    /// Forecasts from before this moment are judged but teach nothing: they were made in another world.
    teaches_from: VirtualTime,
    pub tally: Tally,
}

impl Track {
    /// Store a forecast and return it, unless the last one is too recent.
    pub(crate) fn issue(&mut self, habit: &Habit, view: &View, now: VirtualTime) -> f64 {
        let x = with_constant(&view.inputs);
        let said = clip(self.ridge.predict(&x), FAR);
        let model = view.anchor + view.scale * said;
        let share = self.blend.share(&habit.prior);
        let predicted = view.naive + share * (model - view.naive);
        let horizon = habit.domain.horizon().0;
        let spaced = |last: &Pending| now.since(last.made).0.saturating_mul(MOST_PENDING as u64) >= horizon;
        if self.pending.len() <= MOST_PENDING && self.pending.back().is_none_or(spaced) {
            self.pending.push_back(Pending {
                made: now,
                predicted,
                naive: view.naive,
                mark: view.mark,
                anchor: view.anchor as f32,
                scale: view.scale as f32,
                said: said as f32,
                inputs: view.inputs.map(|x| x as f32),
            });
        }
        predicted
    }

    /// Settle what is due. `actual` is what came of a forecast; `None` means that it cannot be known, and then it is
    /// void: a forecast is judged by its own moment or not at all. `dt` is the turn's length in nominal ticks. Returns
    /// the largest error in usual errors.
    pub(crate) fn settle(
        &mut self,
        habit: &Habit,
        now: VirtualTime,
        dt: f64,
        rate: f64,
        actual: impl Fn(&Pending) -> Option<f64>,
        out: &mut Vec<Settled>,
    ) -> f64 {
        let horizon = habit.domain.horizon();
        let due = self.pending.iter().take_while(|p| now.since(p.made) >= horizon).count();
        if due == 0 {
            return 0.0;
        }
        let mut surprise: f64 = 0.0;
        let weight = rate * (dt / horizon.as_nominal()).min(1.0) / due as f64;
        for _ in 0..due {
            let Some(p) = self.pending.pop_front() else { break };
            let Some(actual) = actual(&p) else {
                self.tally.void();
                continue;
            };
            let (model_error, naive_error) = (p.predicted - actual, p.naive - actual);
            let hit = hit(habit.domain, p.predicted - p.naive, actual - p.naive, f64::from(p.scale));
            let (model_loss, naive_loss) = (model_error * model_error, naive_error * naive_error);
            surprise = surprise.max(self.tally.take(habit.domain, model_loss, hit));
            let (predicted, naive) = (p.predicted, p.naive);
            out.push(Settled { domain: habit.domain, predicted, naive, actual, model_loss, naive_loss, hit });
            if weight > 0.0 && p.made >= self.teaches_from {
                self.learn(habit, &p, actual, weight);
            }
        }
        if weight > 0.0 {
            self.ridge.solve(habit.penalty);
        }
        surprise
    }

    /// Learn from one outcome with a weight in independent observations. The innovation is bounded: one absurd
    /// observation moves the weights no further than a large one.
    fn learn(&mut self, habit: &Habit, p: &Pending, actual: f64, weight: f64) {
        let keep = (1.0 - weight / habit.memory).max(0.0);
        let (anchor, scale, said) = (f64::from(p.anchor), f64::from(p.scale).max(1e-12), f64::from(p.said));
        let y = said + clip((actual - anchor) / scale - said, FAR);
        self.ridge.absorb(&with_constant(&p.inputs.map(f64::from)), y, weight, keep);
        let model = anchor + scale * said;
        let keep = (1.0 - weight / habit.trust_memory).max(0.0);
        self.blend.learn((model - p.naive) / scale, (actual - p.naive) / scale, weight, keep);
    }

    /// From now on: what was said before belongs to another world.
    pub(crate) fn teach_from(&mut self, now: VirtualTime) {
        self.teaches_from = now;
    }

    /// The share of the model in its forecasts.
    pub(crate) fn share(&self, habit: &Habit) -> f64 {
        self.blend.share(&habit.prior)
    }
    /// Forecasts under way.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }
}

fn with_constant(inputs: &[f64; INPUTS]) -> [f64; DIM] {
    let [a, b, c, d] = *inputs;
    [1.0, a, b, c, d]
}
