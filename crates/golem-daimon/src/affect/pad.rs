//! Pleasure, arousal, dominance: a feeling as a point. Whatever goes in, what comes out lies within [-1, 1].

use serde::{Deserialize, Serialize};
use std::fmt;

/// A feeling. Its axes are always numbers in [-1, 1]; what is not a number counts as 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "[f64; 3]", into = "[f64; 3]")]
pub struct Pad {
    p: f64,
    a: f64,
    d: f64,
}

impl Pad {
    /// Nothing in particular.
    pub const NEUTRAL: Self = Self { p: 0.0, a: 0.0, d: 0.0 };

    /// A feeling; each axis is brought into [-1, 1].
    #[must_use]
    pub fn new(pleasure: f64, arousal: f64, dominance: f64) -> Self {
        Self { p: axis(pleasure), a: axis(arousal), d: axis(dominance) }
    }
    /// Pleasure.
    #[must_use]
    pub fn pleasure(self) -> f64 {
        self.p
    }
    /// Arousal.
    #[must_use]
    pub fn arousal(self) -> f64 {
        self.a
    }
    /// Dominance.
    #[must_use]
    pub fn dominance(self) -> f64 {
        self.d
    }
    /// The sum, brought into range.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::new(self.p + other.p, self.a + other.a, self.d + other.d)
    }
    /// As much of it, brought into range.
    #[must_use]
    pub fn times(self, by: f64) -> Self {
        Self::new(self.p * by, self.a * by, self.d * by)
    }
    /// What is left of it when `share` of the way to another is gone; `share` from 0 to 1.
    #[must_use]
    pub fn toward(self, other: Self, share: f64) -> Self {
        let share = golem_core::Unit::clamped(share).get();
        let step = |from: f64, to: f64| from + share * (to - from);
        Self::new(step(self.p, other.p), step(self.a, other.a), step(self.d, other.d))
    }
    /// The square of the distance.
    #[must_use]
    pub fn distance2(self, other: Self) -> f64 {
        let (p, a, d) = (self.p - other.p, self.a - other.a, self.d - other.d);
        p * p + a * a + d * d
    }
    /// How far two feelings are apart: at most 3.46.
    #[must_use]
    pub fn distance(self, other: Self) -> f64 {
        libm::sqrt(self.distance2(other))
    }
    /// As an episode keeps it.
    #[must_use]
    pub fn compact(self) -> [f32; 3] {
        [self.p as f32, self.a as f32, self.d as f32]
    }
}

fn axis(x: f64) -> f64 {
    // Adding zero turns negative zero into zero, so that equal feelings have equal bytes.
    if x.is_nan() { 0.0 } else { x.clamp(-1.0, 1.0) + 0.0 }
}

impl From<[f64; 3]> for Pad {
    fn from([p, a, d]: [f64; 3]) -> Self {
        Self::new(p, a, d)
    }
}

impl From<Pad> for [f64; 3] {
    fn from(pad: Pad) -> Self {
        [pad.p, pad.a, pad.d]
    }
}

impl fmt::Display for Pad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2} {:+.2} {:+.2}", self.p, self.a, self.d)
    }
}
