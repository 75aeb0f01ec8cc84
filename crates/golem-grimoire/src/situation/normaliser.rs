//! What is usual on each axis, learnt turn by turn: robust to a wild number, and following a lasting change.

use super::axes::{AXES, SituationAct, fixed, learnt};
use super::{Situation, WIDTH};
use golem_core::observed::Snapshot;
use serde::{Deserialize, Serialize};

/// The furthest that anything can be from what is usual.
const CLIP: f64 = 4.0;
/// Observations after which the past begins to be forgotten: three virtual days of nominal ticks.
const MEMORY: u32 = 6_480;
/// Before so many observations nobody knows what is usual, and a learnt axis says nothing.
const WARM_UP: u32 = 30;

/// What is usual on one learnt axis.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct UsualAxis {
    /// The first numbers, until there are enough of them to say what is usual.
    first: Vec<f64>,
    seen: u32,
    mean: f64,
    variance: f64,
}

impl UsualAxis {
    fn deviation(&self, floor: f64) -> f64 {
        self.variance.sqrt().max(floor)
    }
    /// Begins at the median of the first numbers, then a mean over all, later a slow moving average. One wild number
    /// moves it no more than four deviations would; a lasting change widens the deviation until it is followed.
    fn observe(&mut self, x: f64, floor: f64) {
        if self.seen < WARM_UP {
            self.first.push(x);
            self.seen += 1;
            if self.seen == WARM_UP {
                self.mean = median(&mut self.first);
                let mut off: Vec<f64> = self.first.iter().map(|x| (x - self.mean).abs()).collect();
                // Half of all numbers are within one median deviation: 0.6745 usual ones.
                let deviation = median(&mut off) / 0.6745;
                self.variance = deviation * deviation;
                self.first = Vec::new();
            }
            return;
        }
        self.seen = self.seen.saturating_add(1).min(MEMORY);
        let reach = CLIP * self.deviation(floor);
        let off = (x - self.mean).clamp(-reach, reach);
        let weight = 1.0 / f64::from(self.seen);
        self.mean += weight * off;
        self.variance = (1.0 - weight) * (self.variance + weight * off * off);
    }
    fn place(&self, x: f64, floor: f64) -> f64 {
        if self.seen < WARM_UP { 0.0 } else { (x - self.mean) / self.deviation(floor) }
    }
}

fn median(of: &mut [f64]) -> f64 {
    of.sort_by(f64::total_cmp);
    let (low, high) = (of.get(of.len().saturating_sub(1) / 2), of.get(of.len() / 2));
    low.zip(high).map_or(0.0, |(low, high)| low / 2.0 + high / 2.0)
}

/// What is usual, learnt turn by turn. Part of the golem's state: the same observations give the same bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Normaliser {
    usual: [UsualAxis; WIDTH],
}

impl Normaliser {
    /// Learn from what this turn observed. Once a turn.
    pub fn observe(&mut self, seen: &Snapshot) {
        for (axis, usual) in AXES.iter().zip(&mut self.usual) {
            if let Some((x, floor)) = learnt(axis.reads, seen) {
                usual.observe(x, floor);
            }
        }
    }
    /// The situation that was observed, and what is done in it.
    #[must_use]
    pub fn situation(&self, seen: &Snapshot, act: Option<SituationAct<'_>>) -> Situation {
        let mut out = Situation::default();
        for ((axis, usual), place) in AXES.iter().zip(&self.usual).zip(&mut out.0) {
            let x = match learnt(axis.reads, seen) {
                Some((x, floor)) => usual.place(x, floor),
                None => fixed(axis.reads, seen, act).unwrap_or(0.0),
            };
            *place = x.clamp(-CLIP, CLIP) as f32 + 0.0;
        }
        out
    }
}
