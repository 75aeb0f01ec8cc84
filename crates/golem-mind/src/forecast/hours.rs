//! What an hour of the day is usually like: 24 running means, so that a rhythm of any shape can be learnt.

use crate::math::{DAY, HOUR, clip};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

const DAY_MS: u64 = 86_400_000;
/// Memory of an hour's mean, in nominal ticks of that hour: nine days of it.
const MEMORY: f64 = 9.0 * HOUR;
/// An hour is at most this far from the day's mean, on the log scale.
const BOUND: f64 = 3.0;

/// Means of each hour of the virtual day, which begins when the golem was born.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Hours {
    means: [f32; 24],
    /// Nominal ticks behind each mean.
    seen: [f32; 24],
}

impl Hours {
    /// Learn from a level as a distance from its mean over a day; `dt` is in nominal ticks, times the rate of learning.
    pub(crate) fn learn(&mut self, now: VirtualTime, away: f64, dt: f64) {
        let dt = dt.min(DAY);
        if dt <= 0.0 {
            return;
        }
        let at = position(now) as usize % 24;
        let (mean, seen) = (f64::from(self.means[at]), f64::from(self.seen[at]));
        let seen = (seen + dt).min(MEMORY);
        let gain = (dt / seen).min(1.0);
        self.means[at] = (mean + gain * (clip(away, BOUND) - mean)) as f32;
        self.seen[at] = seen as f32;
    }
    /// How far the level usually goes from now until then; 0 where one of the two hours has not been lived yet.
    pub(crate) fn step(&self, now: VirtualTime, by: Elapsed) -> f64 {
        match (self.at(now), self.at(now.after(by))) {
            (Some(here), Some(there)) => there - here,
            _ => 0.0,
        }
    }
    /// The mean at a moment: between the middles of two hours.
    fn at(&self, now: VirtualTime) -> Option<f64> {
        let from = position(now) + 23.5;
        let (before, part) = (libm::floor(from), from - libm::floor(from));
        let (a, b) = (before as usize % 24, (before as usize + 1) % 24);
        let lived = |i: usize| (self.seen[i] > 0.0).then(|| f64::from(self.means[i]));
        Some((1.0 - part) * lived(a)? + part * lived(b)?)
    }
}

/// The hour of the day, with its fraction.
fn position(now: VirtualTime) -> f64 {
    (now.0 % DAY_MS) as f64 * 24.0 / DAY_MS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rhythm_that_is_no_sine_is_learnt() {
        let busy = |now: VirtualTime| if (14..18).contains(&(now.0 / 3_600_000 % 24)) { 1.0 } else { -0.2 };
        let mut hours = Hours::default();
        let at = |minute: u64| VirtualTime(minute * 60_000);
        assert!(hours.step(at(0), Elapsed::secs(600)).abs() < 1e-12);
        for minute in 0..60 * 24 * 12 {
            hours.learn(at(minute), busy(at(minute)), 1.5);
        }
        let step = |hour: u64, minute: u64| hours.step(at(60 * hour + minute), Elapsed::secs(3_600));
        assert!((step(13, 30) - 1.2).abs() < 1e-5 && (step(17, 30) + 1.2).abs() < 1e-5);
        assert!(step(3, 10).abs() < 1e-5 && step(15, 20).abs() < 1e-5 && step(23, 45).abs() < 1e-5);
    }
}
