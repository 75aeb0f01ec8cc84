//! One panel that forecasts a number: it stores what it says before the fact, is settled by reality, and learns from that.
//!
//! Its members are a regression with a long memory, the same with a short one, and a plain rule that its domain brings.

use super::interval::Interval;
use super::panel::{Belief, MEMBERS, Panel};
use super::prediction::{Prediction, PredictionShelf};
use super::ridge::{DIM, Ridge};
use super::{Tally, hit};
use crate::math::clip;
use golem_core::VirtualTime;
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Inputs besides the constant.
pub(crate) const INPUTS: usize = DIM - 1;
/// Standardised inputs count at most this much.
pub(crate) const FAR: f64 = 3.0;
/// Forecasts under way, at most: a few more than there are nominal ticks in a horizon. Shorter turns issue fewer.
pub(crate) fn most_pending(domain: Domain) -> usize {
    let ticks = domain.horizon().nominal_floor() as usize;
    ticks + ticks / 15
}
/// Forecasts of one horizon overlap, and a regression moves by about one observation in all of it: so often is enough to
/// solve it anew.
const SOLVES_PER_HORIZON: f64 = 30.0;

/// How a panel learns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habit {
    pub domain: Domain,
    /// The names of its members.
    pub names: [&'static str; MEMBERS],
    /// Pull of the weights towards naive, in independent observations.
    pub penalty: f64,
    /// Memory of the two regressions in horizons. Forecasts of one horizon overlap, so together they count as one
    /// observation.
    pub memory: [f64; 2],
    /// Whom to believe before there is evidence, and how long evidence counts, in horizons.
    pub belief: Belief,
}

/// What the members go by: the regressions say `anchor + scale x (weights . inputs)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrackView {
    pub naive: f64,
    /// Where the regressions start from: the naive forecast, as far as it lies within what the model knows.
    pub anchor: f64,
    pub scale: f64,
    pub inputs: [f64; INPUTS],
    /// What the domain's plain rule says.
    pub plain: f64,
    /// A measure at the time of the forecast that settlement needs: a log price, a running variance.
    pub mark: f64,
}

/// A forecast under way. What only teaches is kept in single precision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct PendingForecast {
    pub made: VirtualTime,
    pub predicted: f64,
    pub naive: f64,
    pub mark: f64,
    anchor: f32,
    scale: f32,
    /// The edges of the interval, as distances from the forecast.
    edges: (f32, f32),
    /// What each member said, as a deviation from naive in scales, before and after it was shrunk.
    raw: [f32; MEMBERS],
    said: [f32; MEMBERS],
    inputs: [f32; INPUTS],
}

impl PendingForecast {
    fn shown(&self, domain: Domain) -> Prediction {
        let (low, high) = (f64::from(self.edges.0), f64::from(self.edges.1));
        Prediction {
            domain,
            made: self.made,
            due: self.made.after(domain.horizon()),
            predicted: self.predicted,
            interval: Some([self.predicted + low, self.predicted + high]),
            naive: self.naive,
            came: None,
        }
    }
}

/// A panel of forecasters of one number.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Track {
    ridges: [Ridge; 2],
    panel: Panel,
    interval: Interval,
    pending: VecDeque<PendingForecast>,
    /// Forecasts from before this moment are judged but teach nothing: they were made in another world.
    teaches_from: VirtualTime,
    /// Observations taken in since the regressions were last solved.
    unsolved: f64,
    pub tally: Tally,
    pub shelf: PredictionShelf,
}

impl Track {
    /// Store a forecast and return it, unless the last one is too recent.
    pub(crate) fn issue(&mut self, habit: &Habit, view: &TrackView, now: VirtualTime) -> f64 {
        let x = with_constant(&view.inputs);
        let scale = view.scale.max(1e-12);
        let start = (view.anchor - view.naive) / scale;
        let [slow, quick] = [0, 1].map(|i| start + clip(self.ridges[i].predict(&x), FAR));
        let raw = [slow, quick, (view.plain - view.naive) / scale];
        let (said, all) = self.panel.speak(&raw, &habit.belief);
        let predicted = view.naive + scale * all;
        let (horizon, most) = (habit.domain.horizon().0, most_pending(habit.domain));
        let spaced = |last: &PendingForecast| now.since(last.made).0.saturating_mul(most as u64) >= horizon;
        if self.pending.len() <= most && self.pending.back().is_none_or(spaced) {
            let (low, high) = self.interval.edges(scale);
            self.pending.push_back(PendingForecast {
                made: now,
                predicted,
                naive: view.naive,
                mark: view.mark,
                anchor: view.anchor as f32,
                scale: scale as f32,
                edges: (low as f32, high as f32),
                raw: raw.map(|x| x as f32),
                said: said.map(|x| x as f32),
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
        actual: impl Fn(&PendingForecast) -> Option<f64>,
        out: &mut Vec<SettledForecast>,
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
            let (settled, error) = self.judge(habit, &p, actual, now);
            surprise = surprise.max(error);
            out.push(settled);
            if weight > 0.0 && p.made >= self.teaches_from {
                self.learn(habit, &p, actual, weight);
                self.unsolved += weight;
            }
        }
        if self.unsolved * SOLVES_PER_HORIZON >= 1.0 {
            self.ridges.iter_mut().for_each(|ridge| ridge.solve(habit.penalty));
            self.unsolved = 0.0;
        }
        surprise
    }

    /// Hold one forecast against what happened. Returns its error in usual errors, too.
    fn judge(&mut self, habit: &Habit, p: &PendingForecast, actual: f64, now: VirtualTime) -> (SettledForecast, f64) {
        let (domain, predicted, naive) = (habit.domain, p.predicted, p.naive);
        let (model_error, naive_error) = (predicted - actual, naive - actual);
        let (model_loss, naive_loss) = (model_error * model_error, naive_error * naive_error);
        let hit = hit(domain, predicted - naive, actual - naive, f64::from(p.scale));
        let settled = SettledForecast { domain, predicted, naive, actual, model_loss, naive_loss, hit };
        let surprise = self.tally.take(&settled);
        let shown = p.shown(domain);
        self.interval.judge(shown.holds(actual) == Some(true));
        self.shelf.offer(&shown, now, &settled);
        (settled, surprise)
    }

    /// Learn from one outcome with a weight in independent observations. The innovation is bounded: one absurd
    /// observation moves the weights no further than a large one.
    fn learn(&mut self, habit: &Habit, p: &PendingForecast, actual: f64, weight: f64) {
        let (anchor, scale) = (f64::from(p.anchor), f64::from(p.scale).max(1e-12));
        let (raw, said) = (p.raw.map(f64::from), p.said.map(f64::from));
        let inputs = with_constant(&p.inputs.map(f64::from));
        let start = (anchor - p.naive) / scale;
        for (i, ridge) in self.ridges.iter_mut().enumerate() {
            let keep = (1.0 - weight / habit.memory[i]).max(0.0);
            let own = raw[i] - start;
            ridge.absorb(&inputs, own + clip((actual - anchor) / scale - own, FAR), weight, keep);
        }
        self.panel.learn(&raw, &said, (actual - p.naive) / scale, weight, &habit.belief);
        self.interval.learn((actual - p.predicted) / scale, weight);
    }

    /// From now on: what was said before belongs to another world.
    pub(crate) fn teach_from(&mut self, now: VirtualTime) {
        self.teaches_from = now;
    }

    /// How much of the models is in a forecast, all together.
    pub(crate) fn share(&self, habit: &Habit) -> f64 {
        let shares = self.panel.shares(&habit.belief);
        let weights = self.panel.weights(&habit.belief);
        shares.iter().zip(weights).map(|(s, w)| s.abs() * w).sum()
    }
    /// The weight of each member.
    pub(crate) fn weights(&self, habit: &Habit) -> [f64; MEMBERS] {
        self.panel.weights(&habit.belief)
    }
    /// The share of outcomes within their intervals.
    pub(crate) fn coverage(&self) -> Option<f64> {
        self.interval.coverage()
    }
    /// Forecasts under way.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }
    /// The forecasts under way that are due first.
    pub(crate) fn open(&self, habit: &Habit) -> impl Iterator<Item = Prediction> {
        let domain = habit.domain;
        self.pending.iter().map(move |p| p.shown(domain))
    }
}

fn with_constant(inputs: &[f64; INPUTS]) -> [f64; DIM] {
    let [a, b, c, d] = *inputs;
    [1.0, a, b, c, d]
}
