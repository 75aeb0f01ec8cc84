//! protocol_state: the probability of normal, degraded and upgraded in 90 nominal ticks, by counting transitions.
//!
//! The naive rule is the base rate so far, with one count of each state to begin with (Laplace 1774). The model is the
//! row of a transition matrix at the horizon, pulled towards the base rate while it has little evidence of its own.

use super::Tally;
use golem_core::{ProtocolState, VirtualTime};
use golem_mortality::{Domain, Settled};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const DOMAIN: Domain = Domain::ProtocolState;
/// Transitions from a state before its own row counts as much as the base rate.
const PULL: f64 = 180.0;
const MOST_PENDING: usize = 288;

/// A forecast under way; the third probability is what is left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Pending {
    made: VirtualTime,
    from: ProtocolState,
    predicted: [f64; 2],
    naive: [f64; 2],
}

/// The forecaster of protocol states.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Protocol {
    /// How often each state was seen: the naive rule, which no one freezes.
    seen: [u64; 3],
    /// Transitions at the horizon, from and to.
    counts: [[f64; 3]; 3],
    pending: VecDeque<Pending>,
    pub tally: Tally,
}

impl Protocol {
    /// Settle what is due, learn, and count what is seen. Returns the largest error in usual errors.
    pub(crate) fn sense(
        &mut self,
        state: Option<ProtocolState>,
        now: VirtualTime,
        rate: f64,
        out: &mut Vec<Settled>,
    ) -> f64 {
        let mut surprise: f64 = 0.0;
        while let Some(p) = self.pending.front().copied().filter(|p| now.since(p.made) >= DOMAIN.horizon()) {
            self.pending.pop_front();
            let Some(actual) = state else {
                self.tally.void();
                continue;
            };
            let (predicted, naive) = (whole(&p.predicted), whole(&p.naive));
            let (model_loss, naive_loss) = (brier(&predicted, actual), brier(&naive, actual));
            let hit = most_likely(&predicted) == actual;
            surprise = surprise.max(self.tally.take(DOMAIN, model_loss, hit));
            out.push(Settled {
                domain: DOMAIN,
                predicted: predicted[0],
                naive: naive[0],
                actual: if actual == ProtocolState::Normal { 1.0 } else { 0.0 },
                model_loss,
                naive_loss,
                hit,
            });
            self.counts[p.from.index()][actual.index()] += rate;
        }
        if let Some(state) = state {
            let n = &mut self.seen[state.index()];
            *n = n.saturating_add(1);
        }
        surprise
    }

    /// Store and return the probabilities.
    pub(crate) fn forecast(&mut self, state: Option<ProtocolState>, now: VirtualTime) -> Option<[f64; 3]> {
        let from = state?;
        let naive = smoothed(&self.seen.map(|n| n as f64));
        let row = &self.counts[from.index()];
        let n: f64 = row.iter().sum();
        let own = n / (n + PULL);
        let row = smoothed(row);
        let predicted: [f64; 3] = std::array::from_fn(|i| (1.0 - own) * naive[i] + own * row[i]);
        let spaced = |last: &Pending| now.since(last.made).0.saturating_mul(MOST_PENDING as u64) >= DOMAIN.horizon().0;
        if self.pending.len() <= MOST_PENDING && self.pending.back().is_none_or(spaced) {
            let [p, q, _] = predicted;
            self.pending.push_back(Pending { made: now, from, predicted: [p, q], naive: [naive[0], naive[1]] });
        }
        Some(predicted)
    }
    /// Forecasts under way.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }
}

fn smoothed(counts: &[f64; 3]) -> [f64; 3] {
    let total: f64 = counts.iter().sum::<f64>() + 3.0;
    counts.map(|n| (n + 1.0) / total)
}

fn whole(p: &[f64; 2]) -> [f64; 3] {
    [p[0], p[1], (1.0 - p[0] - p[1]).max(0.0)]
}

/// Sum of squared differences to what happened (Brier 1950).
fn brier(p: &[f64; 3], actual: ProtocolState) -> f64 {
    p.iter().enumerate().map(|(i, p)| p - f64::from(u8::from(i == actual.index()))).map(|e| e * e).sum()
}

fn most_likely(p: &[f64; 3]) -> ProtocolState {
    let best = if p[0] >= p[1] && p[0] >= p[2] { 0 } else { 1 + usize::from(p[2] > p[1]) };
    ProtocolState::ALL[best]
}
