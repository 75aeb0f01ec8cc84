//! What paired lives say about an arm: differences on the same path, intervals that hold for a whole page at once, and a
//! verdict per line.
//!
//! The plan comes before the lives. Outcomes, margins and the number of paths are fixed in it; afterwards only the width of
//! an interval may ask for more paths ([`wanted_paths`] sees neither a mean nor its sign), so that nobody goes on
//! until the answer pleases.
//!
//! How the intervals of one page are simultaneous: paths (or clusters of paths) are drawn with replacement, the same draw
//! for every line that has as many of them. |t| of a line in a drawing is held against that line's other drawings, the most
//! extreme of all lines is kept, and its quantile says how far into its own drawings every line must reach (Beran 1988,
//! "balanced" sets). Lines that differ on a handful of paths only cannot be resampled; they get Student's quantile by
//! Bonferroni's share of the level instead.

mod bootstrap;
mod judge;
pub mod needed;
mod pairing;
mod student;
mod until;

pub use judge::{ComparisonLine, LineVerdict, judge};
pub use pairing::PairingError;
pub use student::{normal_quantile, student_quantile};
pub use until::wanted_paths;

use crate::compare::{OutcomeKind, OutcomeName, Preferred};
use std::collections::BTreeMap;

/// What a page judges, written down before the lives are lived.
#[derive(Debug, Clone, PartialEq)]
pub struct Judging {
    /// The arm that all others are held against.
    pub against: String,
    /// The outcomes of this page, in its order. Fewer of them make narrower intervals.
    pub outcomes: Vec<JudgedOutcome>,
    /// The chance that all intervals of the page hold, between 0 and 1.
    pub level: f64,
    /// How often the paths are drawn anew.
    pub resamples: u32,
    /// The dice of the drawing.
    pub seed: u64,
    /// Worlds whose paths are not independent of each other.
    pub clusters: Vec<PathCluster>,
}

/// One outcome that is judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedOutcome {
    pub name: OutcomeName,
    pub preferred: Preferred,
    /// A difference within this either way is none.
    pub margin: f64,
}

/// The mean of some figures and its standard error, for a table that judges nothing.
#[must_use]
pub fn mean_and_error(all: &[f64]) -> (f64, f64) {
    let n = all.len() as f64;
    let mean = all.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = all.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, libm::sqrt(squares / (n - 1.0).max(1.0) / n.max(1.0)))
}

impl From<&OutcomeKind> for JudgedOutcome {
    fn from(kind: &OutcomeKind) -> Self {
        Self { name: kind.name.clone(), preferred: kind.preferred, margin: kind.margin }
    }
}

/// Paths of one world that stand on the same ground, such as lives in recorded windows that overlap: they are drawn together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathCluster {
    /// Which world, by its full name.
    pub world: String,
    /// The ground of each path. A path that is not named stands alone.
    pub ground: BTreeMap<u64, u64>,
}

impl Judging {
    /// At a level of 95 %, with 20,000 drawings: a page of a hundred lines asks for the five widest of ten thousand.
    #[must_use]
    pub fn new(against: &str, outcomes: Vec<JudgedOutcome>) -> Self {
        Self { against: against.to_owned(), outcomes, level: 0.95, resamples: 20_000, seed: 0, clusters: Vec::new() }
    }

    /// The independent unit that a path belongs to.
    fn unit(&self, world: &str, path: u64) -> u64 {
        let ground = self.clusters.iter().find(|c| c.world == world).and_then(|c| c.ground.get(&path));
        // Grounds and lonely paths have numbers of their own.
        ground.map_or(path.saturating_mul(2) | 1, |ground| ground.saturating_mul(2))
    }
}
