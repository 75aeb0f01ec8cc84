//! protocol_state: the probability of normal, degraded and upgraded in 90 nominal ticks, by counting transitions.
//!
//! The naive rule is the base rate so far, with one count of each state to begin with (Laplace 1774). The models are the
//! row of a transition matrix at the horizon, pulled towards the base rate while it has little evidence of its own;
//! the same with a short memory; and that things stay as they are, whatever they are. They are weighted by their Brier scores of late.

use super::Tally;
use super::blend::Prior;
use super::panel::{Belief, Losses, MEMBERS};
use super::prediction::{Prediction, PredictionShelf};
use super::track::most_pending;
use golem_core::{ProtocolState, VirtualTime};
use golem_mortality::{Domain, SettledForecast};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const DOMAIN: Domain = Domain::ProtocolState;
/// Transitions from a state before its own row counts as much as the base rate.
const PULL: f64 = 180.0;
/// Memory of the short matrix, in transitions from a state.
const QUICK: f64 = 2_160.0;
/// Transitions before it counts as much as the long one.
const QUICK_PULL: f64 = 90.0;
/// A Brier score below which nothing is told apart.
const LEAST: f64 = 0.02;
const NONE: Prior = Prior { share: 1.0, weight: 1.0, least: 0.0 };
const BELIEF: Belief =
    Belief { prior: [NONE; MEMBERS], weights: [0.6, 0.1, 0.05], trust_memory: 240.0, loss_memory: 240.0 };
const NAMES: [&str; MEMBERS] = ["markov", "quick markov", "stay"];

type Chances = [f64; 3];

/// A forecast under way; the third probability is what is left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct PendingProtocol {
    made: VirtualTime,
    from: ProtocolState,
    predicted: [f64; 2],
    naive: [f64; 2],
    said: [[f32; 2]; MEMBERS],
}

impl PendingProtocol {
    fn shown(&self) -> Prediction {
        Prediction {
            domain: DOMAIN,
            made: self.made,
            due: self.made.after(DOMAIN.horizon()),
            predicted: self.predicted[0],
            interval: None,
            naive: self.naive[0],
            came: None,
        }
    }
}

/// The forecasters of protocol states.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Protocol {
    /// How often each state was seen: the naive rule, which no one freezes.
    seen: [u64; 3],
    /// Transitions at the horizon, from and to: all of them, and those of late.
    counts: [[f64; 3]; 3],
    quick: [[f64; 3]; 3],
    losses: Losses,
    pending: VecDeque<PendingProtocol>,
    pub tally: Tally,
    pub shelf: PredictionShelf,
}

impl Protocol {
    /// Settle what is due, learn, and count what is seen. `dt` is in nominal ticks. Returns the largest error in usual
    /// errors.
    pub(crate) fn sense(
        &mut self,
        state: Option<ProtocolState>,
        now: VirtualTime,
        dt: f64,
        rate: f64,
        out: &mut Vec<SettledForecast>,
    ) -> f64 {
        let mut surprise: f64 = 0.0;
        let weight = rate * (dt / DOMAIN.horizon().as_nominal()).min(1.0);
        while let Some(p) = self.pending.front().copied().filter(|p| now.since(p.made) >= DOMAIN.horizon()) {
            self.pending.pop_front();
            let Some(actual) = state else {
                self.tally.void();
                continue;
            };
            let (predicted, naive) = (whole(&p.predicted), whole(&p.naive));
            let (model_loss, naive_loss) = (brier(&predicted, actual), brier(&naive, actual));
            let settled = SettledForecast {
                made: p.made,
                predicted: predicted[0],
                naive: naive[0],
                actual: if actual == ProtocolState::Normal { 1.0 } else { 0.0 },
                hit: most_likely(&predicted) == actual,
                ..SettledForecast::of(DOMAIN, model_loss, naive_loss)
            };
            surprise = surprise.max(self.tally.take(&settled));
            self.shelf.offer(&p.shown(), now, &settled);
            out.push(settled);
            self.learn(&p, actual, naive_loss, weight, rate);
        }
        if let Some(state) = state {
            let n = &mut self.seen[state.index()];
            *n = n.saturating_add(1);
        }
        surprise
    }

    fn learn(&mut self, p: &PendingProtocol, actual: ProtocolState, naive_loss: f64, weight: f64, rate: f64) {
        let lost = p.said.map(|said| brier(&whole(&said.map(f64::from)), actual));
        self.losses.take(&lost, naive_loss, LEAST, weight, BELIEF.loss_memory);
        self.counts[p.from.index()][actual.index()] += rate;
        let row = &mut self.quick[p.from.index()];
        *row = row.map(|n| n * (1.0 - rate / QUICK));
        row[actual.index()] += rate;
    }

    /// Store and return the probabilities.
    pub(crate) fn forecast(&mut self, state: Option<ProtocolState>, now: VirtualTime) -> Option<Chances> {
        let from = state?;
        let naive = smoothed(&self.seen.map(|n| n as f64));
        let row = pulled(&self.counts[from.index()], &naive);
        let said = [row, recent(&self.quick[from.index()], &row), self.stay(from, &naive)];
        let weights = self.losses.weights(&BELIEF);
        let rest = 1.0 - weights.iter().sum::<f64>();
        let predicted: Chances =
            std::array::from_fn(|i| rest * naive[i] + (0..MEMBERS).map(|m| weights[m] * said[m][i]).sum::<f64>());
        let most = most_pending(DOMAIN);
        let spaced = |last: &PendingProtocol| now.since(last.made).0.saturating_mul(most as u64) >= DOMAIN.horizon().0;
        if self.pending.len() <= most && self.pending.back().is_none_or(spaced) {
            let two = |p: &Chances| [p[0], p[1]];
            let (predicted, naive) = (two(&predicted), two(&naive));
            let said = said.map(|p| [p[0] as f32, p[1] as f32]);
            self.pending.push_back(PendingProtocol { made: now, from, predicted, naive, said });
        }
        Some(predicted)
    }

    /// That things stay as they are, as often as they did in whatever state; what is left goes by the base rate.
    fn stay(&self, from: ProtocolState, naive: &Chances) -> Chances {
        let here = from.index();
        let stayed: f64 = (0..3).map(|i| self.counts[i][i]).sum();
        let n: f64 = self.counts.iter().flatten().sum();
        let (own, stays) = (n / (n + PULL), (stayed + 1.0) / (n + 3.0));
        let stays = (1.0 - own) * naive[here] + own * stays;
        let others = 1.0 - naive[here];
        std::array::from_fn(|i| if i == here { stays } else { (1.0 - stays) * naive[i] / others.max(1e-12) })
    }

    /// The names and weights of its members.
    pub(crate) fn weights(&self) -> [(&'static str, f64); MEMBERS] {
        let weights = self.losses.weights(&BELIEF);
        std::array::from_fn(|i| (NAMES[i], weights[i]))
    }
    /// Forecasts under way.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }
    /// The forecasts under way, as people see them.
    pub(crate) fn open(&self) -> impl Iterator<Item = Prediction> {
        self.pending.iter().map(PendingProtocol::shown)
    }
}

/// A row of counts as probabilities, pulled towards the base rate while it is short.
fn pulled(row: &[f64; 3], naive: &Chances) -> Chances {
    let n: f64 = row.iter().sum();
    let own = n / (n + PULL);
    let row = smoothed(row);
    std::array::from_fn(|i| (1.0 - own) * naive[i] + own * row[i])
}

/// A row of recent counts, pulled towards what all of them say.
fn recent(row: &[f64; 3], all: &Chances) -> Chances {
    let n: f64 = row.iter().sum::<f64>() + QUICK_PULL;
    std::array::from_fn(|i| (row[i] + QUICK_PULL * all[i]) / n)
}

fn smoothed(counts: &[f64; 3]) -> Chances {
    let total: f64 = counts.iter().sum::<f64>() + 3.0;
    counts.map(|n| (n + 1.0) / total)
}

fn whole(p: &[f64; 2]) -> Chances {
    [p[0], p[1], (1.0 - p[0] - p[1]).max(0.0)]
}

/// Sum of squared differences to what happened (Brier 1950).
fn brier(p: &Chances, actual: ProtocolState) -> f64 {
    p.iter().enumerate().map(|(i, p)| p - f64::from(u8::from(i == actual.index()))).map(|e| e * e).sum()
}

fn most_likely(p: &Chances) -> ProtocolState {
    let best = if p[0] >= p[1] && p[0] >= p[2] { 0 } else { 1 + usize::from(p[2] > p[1]) };
    ProtocolState::ALL[best]
}
