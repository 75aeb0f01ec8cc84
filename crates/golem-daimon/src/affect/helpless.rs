//! Learned helplessness: a golem that has felt powerless for long. It is told, and small successes then count for more.

use super::Pad;
use super::emotion::Emotion;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// Nominal ticks in a bucket.
const BUCKET: u64 = 10;
/// Buckets in the window: 200 nominal ticks.
const BUCKETS: usize = 20;
/// Below this mean dominance a golem is helpless.
const HELPLESS: f64 = -0.3;
/// Above this it no longer is.
const RELIEVED: f64 = -0.2;

/// The dominance of the last 200 nominal ticks.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Helplessness {
    means: [f64; BUCKETS],
    filled: u32,
    bucket: u64,
    sum: f64,
    samples: u32,
    helpless: bool,
}

impl Helplessness {
    /// Whether it is helpless.
    #[must_use]
    pub fn is_helpless(&self) -> bool {
        self.helpless
    }
    /// The mean of the window, once it is full.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.filled as usize >= BUCKETS).then(|| self.means.iter().sum::<f64>() / BUCKETS as f64)
    }
    /// One turn. Returns the mean when helplessness began or ended.
    pub(super) fn sample(&mut self, now: VirtualTime, dominance: f64) -> Option<f64> {
        let bucket = now.age().nominal_floor() / BUCKET;
        let mut turned = None;
        if bucket > self.bucket && self.samples > 0 {
            let mean = self.sum / f64::from(self.samples);
            // A turn longer than a bucket: what was felt last was felt all along.
            for b in self.bucket..bucket.min(self.bucket.saturating_add(BUCKETS as u64)) {
                self.means[(b % BUCKETS as u64) as usize] = mean;
                self.filled = self.filled.saturating_add(1).min(BUCKETS as u32);
            }
            (self.sum, self.samples) = (0.0, 0);
            turned = self.judge();
        }
        self.bucket = self.bucket.max(bucket);
        if self.samples < u32::MAX {
            self.sum += dominance;
            self.samples += 1;
        }
        turned
    }

    fn judge(&mut self) -> Option<f64> {
        let mean = self.mean()?;
        let now = if self.helpless { mean <= RELIEVED } else { mean < HELPLESS };
        let turned = now != self.helpless;
        self.helpless = now;
        turned.then_some(mean)
    }
}

/// The way out: while helpless, a small success is felt more strongly and gives back some of the power.
pub(super) fn encouraged(success: Emotion) -> Emotion {
    let strength = (1.5 * success.strength.get()).min(0.9);
    Emotion::new(success.label, success.pad.plus(Pad::new(0.0, 0.0, 0.3)), strength)
}
