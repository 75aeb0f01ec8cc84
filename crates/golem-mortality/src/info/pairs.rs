//! The memory of the diagnostics: what the golem did, and how the market answered, pair by pair.
//!
//! A ring of the last pairs. It is by far the largest part of the state (80 KB at 2,000 pairs), so it is kept apart
//! from the rest and can be stored pair by pair.

use super::config::InfoConfig;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Axes of an action: signed size, width of the range, change of exposure. Holding is a value, not a gap.
pub const ACTION_AXES: usize = 3;
/// Axes of a response, such as the next return and the next change of volatility.
pub const RESPONSE_AXES: usize = 2;

/// One action and the response of the market to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// What the golem did.
    pub action: [f64; ACTION_AXES],
    /// What the market did next.
    pub response: [f64; RESPONSE_AXES],
}

impl Pair {
    /// True when every number in it is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.action.iter().chain(&self.response).all(|x| x.is_finite())
    }
}

/// The last pairs, oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PairRing {
    pairs: VecDeque<Pair>,
    pushed: u64,
    refused: u64,
}

impl PairRing {
    /// Adds a pair and forgets the oldest when full. A pair with a hole in it is refused, and counted as such.
    pub fn push(&mut self, pair: Pair, config: &InfoConfig) {
        if !pair.is_finite() {
            self.refused = self.refused.saturating_add(1);
            return;
        }
        while self.pairs.len() >= config.buffer_pairs.max(1) {
            self.pairs.pop_front();
        }
        self.pairs.push_back(pair);
        self.pushed = self.pushed.saturating_add(1);
    }

    /// How many pairs are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// True at birth.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many pairs were ever accepted. The number of the last one names a window beyond doubt.
    #[must_use]
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// How many pairs were refused because a number in them was not finite.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The pairs, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Pair> + ExactSizeIterator {
        self.pairs.iter()
    }

    /// `length` pairs that end `back` pairs before the newest, or what there is of them.
    pub fn window(&self, back: usize, length: usize) -> impl DoubleEndedIterator<Item = &Pair> {
        let to = self.pairs.len().saturating_sub(back);
        self.pairs.range(to.saturating_sub(length)..to)
    }
}

/// Rows turned into columns: the estimator wants one list per axis.
#[must_use]
pub fn columns<'a, const D: usize>(rows: impl Iterator<Item = &'a [f64; D]>) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::new(); D];
    for row in rows {
        for (column, x) in columns.iter_mut().zip(row) {
            column.push(*x);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_forgets_the_oldest_and_refuses_holes() {
        let config = InfoConfig { buffer_pairs: 3, ..InfoConfig::default() };
        let mut ring = PairRing::default();
        for i in 0..5 {
            ring.push(Pair { action: [f64::from(i), 0.0, 0.0], response: [0.0, 0.0] }, &config);
            ring.push(Pair { action: [f64::NAN, 0.0, 0.0], response: [0.0, 0.0] }, &config);
            ring.push(Pair { action: [0.0; 3], response: [0.0, f64::INFINITY] }, &config);
        }
        assert_eq!((ring.len(), ring.pushed(), ring.refused()), (3, 5, 10));
        let kept = columns(ring.window(0, 9).map(|pair| &pair.action));
        assert_eq!(kept, [[2.0, 3.0, 4.0], [0.0; 3], [0.0; 3]]);
        let earlier = columns(ring.window(1, 1).map(|pair| &pair.action));
        assert_eq!(earlier[0], [3.0]);
        assert_eq!(ring.window(9, 9).count(), 0);
    }
}
