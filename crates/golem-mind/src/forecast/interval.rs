//! Intervals that hold what they promise: four outcomes in five lie inside.
//!
//! The two edges are quantiles of the panel's own errors in scales, followed online: an edge that is crossed too often
//! moves out, one that is crossed too seldom moves in (Gibbs and Candes 2021; quantile tracking as in Angelopoulos,
//! Candes and Tibshirani 2023). Whatever the errors are like, the share inside comes out right in the long run.

use crate::math::{clip, unit};
use serde::{Deserialize, Serialize};

/// The share of outcomes that an interval is meant to hold.
pub const TARGET: f64 = 0.8;
/// What may lie beyond each edge.
const TAIL: f64 = (1.0 - TARGET) / 2.0;
/// How far an edge moves for an independent observation, in usual errors: far while little is known, then less and less (a step
/// that stays large makes edges that jump about, which loses more than it follows), and never less than it takes to follow.
const FIRST_STEP: f64 = 3.0;
const STEPS: (f64, f64) = (0.02, 0.5);
/// The usual error before anything is known, in scales, and how many observations that is worth.
const GUESS: (f64, f64) = (0.75, 0.5);
/// Until so many observations the edges are those of a normal distribution with this usual error: 1.6 of them hold four
/// in five.
const WARM: f64 = 10.0;
const NORMAL: f64 = 1.6;
/// Errors count at most this many scales.
const BOUND: f64 = 50.0;

/// The edges, in scales around the forecast, and how they have done.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Interval {
    low: f64,
    high: f64,
    /// Running mean of the absolute error.
    usual: f64,
    /// Independent observations behind it.
    seen: f64,
    inside: u64,
    judged: u64,
}

impl Default for Interval {
    fn default() -> Self {
        let edge = NORMAL * GUESS.0;
        Self { low: -edge, high: edge, usual: GUESS.0, seen: GUESS.1, inside: 0, judged: 0 }
    }
}

impl Interval {
    /// The edges as distances from a forecast.
    pub(crate) fn edges(&self, scale: f64) -> (f64, f64) {
        (scale * self.low, scale * self.high)
    }
    /// Judge one outcome by the interval that was stored for it.
    pub(crate) fn judge(&mut self, inside: bool) {
        self.judged = self.judged.saturating_add(1);
        self.inside = self.inside.saturating_add(u64::from(inside));
    }
    /// Learn from one error in scales, with a weight in independent observations.
    pub(crate) fn learn(&mut self, error: f64, weight: f64) {
        if weight <= 0.0 {
            return;
        }
        let error = clip(error, BOUND);
        self.seen = (self.seen + weight).min(1e6);
        let gain = (weight / self.seen).max(weight * 0.02).min(1.0);
        self.usual += gain * (error.abs() - self.usual);
        if self.seen < WARM {
            (self.low, self.high) = (-NORMAL * self.usual, NORMAL * self.usual);
            return;
        }
        let beyond = |yes: bool| f64::from(u8::from(yes)) - TAIL;
        // In usual errors; but an edge that is far outside of them comes back in good time.
        let size = |edge: f64| if edge.abs() > 4.0 * self.usual { edge.abs() } else { self.usual };
        let share = (FIRST_STEP / libm::sqrt(self.seen)).clamp(STEPS.0, STEPS.1);
        let step = |edge: f64| weight * share * size(edge).max(1e-9);
        self.high += step(self.high) * beyond(error > self.high);
        self.low -= step(self.low) * beyond(error < self.low);
        if self.low > self.high {
            let middle = 0.5 * (self.low + self.high);
            (self.low, self.high) = (middle, middle);
        }
    }
    /// The share of outcomes that lay inside, of all that were judged.
    pub(crate) fn coverage(&self) -> Option<f64> {
        (self.judged > 0).then(|| unit(self.inside as f64 / self.judged as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::{Dice, Strand};

    /// The share inside over a stream of errors, after the first fifth.
    fn held(n: u64, error: impl Fn(u64, f64, f64) -> f64) -> f64 {
        let (dice, mut interval) = (Dice::open(8, Strand::World), Interval::default());
        for t in 0..n {
            let (a, b) = dice.draws(t).normals();
            let e = error(t, a, b);
            let (low, high) = interval.edges(1.0);
            if t > n / 5 {
                interval.judge((low..=high).contains(&e));
            }
            interval.learn(e, 1.0);
        }
        interval.coverage().expect("judged")
    }

    #[test]
    fn four_in_five_whatever_the_errors_are_like() {
        for (name, share) in [
            ("normal", held(2_000, |_, a, _| a)),
            ("tiny", held(2_000, |_, a, _| 1e-3 * a)),
            ("huge", held(2_000, |_, a, _| 20.0 * a)),
            ("skewed", held(2_000, |_, a, b| a * a + 0.1 * b)),
            ("heavy tails", held(2_000, |_, a, b| a / (0.1 + b.abs()))),
            ("a spread that doubles", held(2_000, |t, a, _| if t < 1_000 { a } else { 2.0 * a })),
            ("off centre", held(2_000, |_, a, _| 3.0 + a)),
        ] {
            assert!((share - TARGET).abs() < 0.03, "{name}: {share}");
        }
    }

    #[test]
    fn no_weight_teaches_nothing() {
        let mut interval = Interval::default();
        interval.learn(9.0, 0.0);
        assert_eq!(interval, Interval::default());
        interval.learn(f64::NAN, 1.0);
        assert!(interval.edges(1.0).0.is_finite() && interval.coverage().is_none());
    }
}
