//! Where the golem stood: a fixed vector of observed numbers, normalised online, so that situations can be compared.
//!
//! The axes are the rows of [`AXES`]. Returns, volatility, ratios and the like are measured in their own usual
//! deviations, which a [`Normaliser`] learns as it goes; words and shares have a fixed place. What was not observed is 0,
//! which is also what is usual: a missing number neither attracts nor repels.

mod axes;
mod normaliser;

pub use axes::{AXES, Axis, Reads, SituationAct};
use golem_core::dot::dot;
pub use normaliser::Normaliser;
use serde::{Deserialize, Serialize};

/// Numbers in a situation.
pub const WIDTH: usize = 24;

/// A situation: each axis in usual deviations, clipped to [-4, 4]; what was not observed is 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Situation(pub [f32; WIDTH]);

impl Default for Situation {
    fn default() -> Self {
        Self([0.0; WIDTH])
    }
}

impl Situation {
    /// Its length: 0 when nothing out of the ordinary was observed.
    #[must_use]
    pub fn norm(&self) -> f32 {
        dot(&self.0, &self.0).sqrt()
    }
    /// How alike two situations are, from -1 to 1; 0 when either has nothing out of the ordinary.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        let norms = self.norm() * other.norm();
        if norms > 0.0 && norms.is_finite() { (dot(&self.0, &other.0) / norms).clamp(-1.0, 1.0) } else { 0.0 }
    }
    /// How far apart two situations are.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f32 {
        let mut gap = [0.0; WIDTH];
        for ((gap, a), b) in gap.iter_mut().zip(&self.0).zip(&other.0) {
            *gap = a - b;
        }
        dot(&gap, &gap).sqrt()
    }
    /// The axes on which it is out of the ordinary, the furthest first, for people: `gas ratio +2.1`.
    #[must_use]
    pub fn describe(&self, at_most: usize) -> String {
        let mut parts: Vec<_> = AXES.iter().zip(self.0).filter(|(_, x)| x.abs() >= 0.5).collect();
        parts.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
        let parts: Vec<_> = parts.iter().take(at_most).map(|(axis, x)| format!("{} {x:+.1}", axis.name)).collect();
        if parts.is_empty() { "nothing out of the ordinary".to_owned() } else { parts.join(", ") }
    }
}
