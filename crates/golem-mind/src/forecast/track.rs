//! One panel that forecasts a number: it stores what it says before the fact, is settled by reality, and learns from that.
//!
//! Its members are a regression with a long memory, the same with a short one, and a plain rule that its domain brings.

use super::advice::{Advise, PanelForecast};
use super::interval::Interval;
use super::panel::{Belief, MEMBERS, Panel};
use super::prediction::{Prediction, PredictionShelf};
use super::ridge::{DIM, Ridge};
use super::{Tally, hit};
use crate::math::clip;
use golem_core::{Elapsed, VirtualTime};
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

/// A silent learner stores so many forecasts within a horizon: neighbours say the same, and it only has to be compared.
const SILENT_PER_HORIZON: u64 = 4;

/// A turn as a track needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrackTurn {
    /// The speed of learning, from 0 to 1.
    pub rate: f64,
    /// Memory lengthens with age up to so many nominal ticks.
    pub memory: f64,
    /// True for a silent learner: nothing of it is kept for people.
    pub silent: bool,
}

/// How a panel learns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habit {
    pub domain: Domain,
    /// The names of its members.
    pub names: [&'static str; MEMBERS],
    /// Pull of the weights towards naive, in independent observations.
    pub penalty: f64,
    /// Memory of the quick regression in horizons; the other's lengthens with age. Forecasts of one horizon overlap, so
    /// together they count as one observation.
    pub quick: f64,
    /// Whom to believe before there is evidence, and how long evidence counts, in horizons.
    pub belief: Belief,
}

/// What the members go by: the regressions say `anchor + scale x (weights . inputs)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrackView {
    pub naive: f64,
    /// Where the panel starts from: nothing for a return, half-way or the last value for a level.
    pub base: f64,
    /// Where the regressions start from: the base, as far as it lies within what the model knows.
    pub anchor: f64,
    pub scale: f64,
    pub inputs: [f64; INPUTS],
    /// What the domain's plain rule says.
    pub plain: f64,
    /// A measure at the time of the forecast that settlement needs: a log price, a running variance, a yield half-way to the
    /// day's mean.
    pub mark: f64,
}

/// A forecast under way. What only teaches is kept in single precision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct PendingForecast {
    pub made: VirtualTime,
    pub predicted: f64,
    /// What the panel alone said, as a distance from it; and where the panel started from, as a distance from naive.
    panel: f32,
    pub naive: f64,
    base: f32,
    pub mark: f64,
    /// How much of a horizon it stands for, where it does not stand for its turn.
    share: Option<f32>,
    anchor: f32,
    scale: f32,
    /// The edges of the interval, as distances from the forecast.
    edges: (f32, f32),
    /// What each member said, as a deviation from the base in scales, before and after it was shrunk.
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
    /// Observations taken in so far, in horizons.
    seen: f64,
    /// When a silent learner last stored a forecast.
    last_silent: Option<VirtualTime>,
    pub tally: Tally,
    pub shelf: PredictionShelf,
}

impl Track {
    /// Store a forecast, unless the last one is too recent, and return it with whether it was stored.
    pub(crate) fn issue(
        &mut self,
        habit: &Habit,
        view: &TrackView,
        now: VirtualTime,
        advise: &mut Advise<'_>,
    ) -> (f64, bool) {
        let stored = self.wants(habit.domain, now);
        let mut made = self.speak(habit, view, now);
        let said = PanelForecast {
            domain: habit.domain,
            made: now,
            panel: made.predicted,
            naive: view.naive,
            scale: view.scale.max(1e-12),
            stored,
        };
        let (advised, panel) = (advise(&said), made.predicted);
        let predicted = if advised.is_finite() { advised } else { panel };
        (made.predicted, made.panel) = (predicted, (panel - predicted) as f32);
        if stored {
            self.pending.push_back(made);
        }
        (predicted, stored)
    }

    /// How long ago a silent learner last stored a forecast, when that is long enough.
    pub(crate) fn since_silent(&self, habit: &Habit, now: VirtualTime) -> Option<Elapsed> {
        let least = Elapsed(habit.domain.horizon().0 / SILENT_PER_HORIZON);
        let since = self.last_silent.map_or(least, |last| now.since(last));
        (since >= least).then_some(since)
    }

    /// Store what a silent learner says, `since` its last one.
    pub(crate) fn issue_silently(&mut self, habit: &Habit, view: &TrackView, now: VirtualTime, since: Elapsed) {
        self.last_silent = Some(now);
        let mut made = self.speak(habit, view, now);
        made.share = Some((since.as_nominal() / habit.domain.horizon().as_nominal()).min(1.0) as f32);
        self.pending.push_back(made);
    }

    /// Whether a forecast of now would be stored.
    fn wants(&self, domain: Domain, now: VirtualTime) -> bool {
        let (horizon, most) = (domain.horizon().0, most_pending(domain));
        let spaced = |last: &PendingForecast| now.since(last.made).0.saturating_mul(most as u64) >= horizon;
        self.pending.len() <= most && self.pending.back().is_none_or(spaced)
    }

    /// What the panel says.
    fn speak(&self, habit: &Habit, view: &TrackView, now: VirtualTime) -> PendingForecast {
        let x = with_constant(&view.inputs);
        let scale = view.scale.max(1e-12);
        let start = (view.anchor - view.base) / scale;
        let [slow, quick] = [0, 1].map(|i| start + clip(self.ridges[i].predict(&x), FAR));
        let raw = [slow, quick, (view.plain - view.base) / scale];
        let (said, all) = self.panel.speak(&raw, &habit.belief);
        let predicted = view.base + scale * all;
        let (low, high) = self.interval.edges(scale);
        PendingForecast {
            made: now,
            predicted,
            panel: 0.0,
            naive: view.naive,
            base: (view.base - view.naive) as f32,
            mark: view.mark,
            share: None,
            anchor: view.anchor as f32,
            scale: scale as f32,
            edges: (low as f32, high as f32),
            raw: raw.map(|x| x as f32),
            said: said.map(|x| x as f32),
            inputs: view.inputs.map(|x| x as f32),
        }
    }

    /// Settle what is due. `actual` is what came of a forecast; `None` means that it cannot be known, and then it is
    /// void: a forecast is judged by its own moment or not at all. `dt` is the turn's length in nominal ticks. Returns
    /// the largest error in usual errors.
    pub(crate) fn settle(
        &mut self,
        habit: &Habit,
        now: VirtualTime,
        dt: f64,
        turn: TrackTurn,
        actual: impl Fn(&PendingForecast) -> Option<f64>,
        out: &mut Vec<SettledForecast>,
    ) -> f64 {
        let horizon = habit.domain.horizon();
        let due = self.pending.iter().take_while(|p| now.since(p.made) >= horizon).count();
        if due == 0 {
            return 0.0;
        }
        let mut surprise: f64 = 0.0;
        let of_turn = (dt / horizon.as_nominal()).min(1.0) / due as f64;
        for _ in 0..due {
            let Some(p) = self.pending.pop_front() else { break };
            let Some(actual) = actual(&p) else {
                self.tally.void();
                continue;
            };
            let settled = judge(habit.domain, &p, actual);
            if !turn.silent {
                surprise = surprise.max(self.record(habit.domain, &p, &settled, now));
            }
            out.push(settled);
            let weight = turn.rate * p.share.map_or(of_turn, f64::from);
            if weight > 0.0 && p.made >= self.teaches_from {
                self.learn(habit, &p, actual, weight, turn.memory);
                self.unsolved += weight;
            }
        }
        if self.unsolved * SOLVES_PER_HORIZON >= 1.0 {
            self.ridges.iter_mut().for_each(|ridge| ridge.solve(habit.penalty));
            self.unsolved = 0.0;
        }
        surprise
    }

    /// Keep the record of one settled forecast. Returns its error in usual errors.
    fn record(&mut self, domain: Domain, p: &PendingForecast, settled: &SettledForecast, now: VirtualTime) -> f64 {
        let surprise = self.tally.take(settled);
        let shown = p.shown(domain);
        self.interval.judge(shown.holds(settled.actual) == Some(true));
        self.shelf.offer(&shown, now, settled);
        surprise
    }

    /// Learn from one outcome with a weight in independent observations. The innovation is bounded: one absurd
    /// observation moves the weights no further than a large one.
    fn learn(&mut self, habit: &Habit, p: &PendingForecast, actual: f64, weight: f64, memory: f64) {
        let (anchor, scale) = (f64::from(p.anchor), f64::from(p.scale).max(1e-12));
        let (raw, said) = (p.raw.map(f64::from), p.said.map(f64::from));
        let inputs = with_constant(&p.inputs.map(f64::from));
        let base = p.naive + f64::from(p.base);
        let start = (anchor - base) / scale;
        // Nothing is forgotten before the memory is full: until then each observation counts as one of n.
        let slow = memory / habit.domain.horizon().as_nominal();
        self.seen = (self.seen + weight).min(slow);
        let memories = [if self.seen < slow { f64::INFINITY } else { slow }, habit.quick];
        for (i, ridge) in self.ridges.iter_mut().enumerate() {
            let keep = (1.0 - weight / memories[i]).max(0.0);
            let own = raw[i] - start;
            ridge.absorb(&inputs, own + clip((actual - anchor) / scale - own, FAR), weight, keep);
        }
        self.panel.learn(&raw, &said, (actual - base) / scale, weight, &habit.belief);
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

/// Hold one forecast against what happened.
fn judge(domain: Domain, p: &PendingForecast, actual: f64) -> SettledForecast {
    let loss = |said: f64| (said - actual) * (said - actual);
    SettledForecast {
        domain,
        made: p.made,
        predicted: p.predicted,
        naive: p.naive,
        actual,
        model_loss: loss(p.predicted),
        naive_loss: loss(p.naive),
        panel_loss: loss(p.predicted + f64::from(p.panel)),
        half_way_loss: match domain {
            Domain::PriceDirection => None,
            // Its panel starts elsewhere where looks are rare.
            Domain::YieldTrend => Some(loss(p.mark)),
            _ => Some(loss(p.naive + f64::from(p.base))),
        },
        newborn_loss: None,
        hit: hit(domain, p.predicted - p.naive, actual - p.naive, f64::from(p.scale)),
    }
}

fn with_constant(inputs: &[f64; INPUTS]) -> [f64; DIM] {
    let [a, b, c, d, e] = *inputs;
    [1.0, a, b, c, d, e]
}
