//! One observed level on the log scale: its last value and what it has been lately, at any spacing of turns.

use crate::math::{DAY, HOUR, clip};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// Time constants of the running means, in nominal ticks: an hour, six hours, a day.
pub const MEMORIES: [f64; 3] = [HOUR, 6.0 * HOUR, DAY];
/// The furthest that one observation can pull a running mean. A broken quote is far outside, a crash is inside.
const PULL: f64 = 2.0;

/// How far each running mean follows in a turn of a given length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gains {
    dt: f64,
    gains: [f64; 3],
}

impl Gains {
    /// The gains over `dt` nominal ticks.
    pub(crate) fn over(dt: f64) -> Self {
        Self { dt, gains: MEMORIES.map(|memory| -libm::expm1(-dt / memory)) }
    }
}

/// A log level with three running means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gauge {
    /// The last value seen.
    pub last: f64,
    /// Running means, one for each of [`MEMORIES`].
    pub means: [f64; 3],
    /// When it was last seen.
    pub at: VirtualTime,
    /// Nominal ticks behind the means: before a mean has its full memory it is the plain mean so far.
    age: f64,
}

impl Gauge {
    /// The first sight of a level. It stands for an hour until more is known.
    pub(crate) fn first(level: f64, now: VirtualTime) -> Self {
        Self { last: level, means: [level; 3], at: now, age: HOUR }
    }
    /// See the next value. `gains` may be those of another interval: then they are made anew.
    pub(crate) fn see(&mut self, level: f64, now: VirtualTime, gains: &Gains) {
        let dt = now.since(self.at).as_nominal();
        let fresh;
        let gains = if (gains.dt - dt).abs() < f64::EPSILON {
            gains
        } else {
            fresh = Gains::over(dt);
            &fresh
        };
        let plain = dt / (self.age + dt);
        for (mean, gain) in self.means.iter_mut().zip(gains.gains) {
            *mean += gain.max(plain) * clip(level - *mean, PULL);
        }
        self.age = (self.age + dt).min(2.0 * DAY);
        self.last = level;
        self.at = now;
    }
}

/// The running mean and spread of a level: what is usual.
///
/// Bounded steps make it robust, and since the bound grows with the spread it still finds a level that has moved for
/// good, in about a tenth of its memory per doubling.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Usual {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub spread: f64,
    /// Nominal ticks behind it.
    age: f64,
}

/// A spread below this is measurement noise: two percent.
const SMALLEST_SPREAD: f64 = 0.02;
/// And above this nothing is unusual any more.
const LARGEST_SPREAD: f64 = 50.0;

impl Usual {
    /// From the first value and a guess of the spread that counts as much as `age` nominal ticks of data.
    pub(crate) fn guess(mean: f64, spread: f64, age: f64) -> Self {
        Self { mean, spread, age }
    }
    /// Learn from a value that stands for `dt` nominal ticks. A `rate` of 0 learns nothing.
    pub(crate) fn learn(&mut self, x: f64, dt: f64, memory: f64, rate: f64) {
        let dt = dt.min(memory) * rate;
        if dt <= 0.0 {
            return;
        }
        let gain = (dt / (self.age + dt)).max(dt / memory).min(1.0);
        let step = clip(x - self.mean, 4.0 * self.spread);
        self.mean += gain * step;
        let var = (1.0 - gain) * (self.spread * self.spread + gain * step * step);
        self.spread = libm::sqrt(var).clamp(SMALLEST_SPREAD, LARGEST_SPREAD);
        self.age = (self.age + dt).min(memory);
    }
    /// How many spreads away a value is, at most `bound`.
    pub(crate) fn z(&self, x: f64, bound: f64) -> f64 {
        clip((x - self.mean) / self.spread, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Elapsed;

    #[test]
    fn one_long_turn_equals_many_short_ones() {
        let gains = Gains::over(1.0);
        let mut short = Gauge::first(0.0, VirtualTime(0));
        short.age = 2.0 * DAY;
        let mut long = short;
        for n in 1..=90 {
            short.see(1.0, VirtualTime(0).after(Elapsed::nominal(n)), &gains);
        }
        long.see(1.0, VirtualTime(0).after(Elapsed::nominal(90)), &gains);
        for (a, b) in short.means.iter().zip(long.means) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        assert!((long.means[0] - (1.0 - libm::exp(-1.0))).abs() < 1e-12);
    }

    #[test]
    fn an_outlier_moves_little_and_a_shift_is_found() {
        let mut usual = Usual::guess(0.0, 0.3, 90.0);
        for n in 0..4_000 {
            usual.learn(if n % 2 == 0 { 0.1 } else { -0.1 }, 1.0, 4_320.0, 1.0);
        }
        let before = usual;
        usual.learn(27.6, 1.0, 4_320.0, 1.0);
        assert!((usual.mean - before.mean).abs() < 0.001 && usual.spread < 1.01 * before.spread);
        for _ in 0..4_320 {
            usual.learn(2.0, 1.0, 4_320.0, 1.0);
        }
        assert!(usual.mean > 1.0 && usual.z(2.0, 3.0) < 2.0, "{usual:?}");
        let frozen = usual;
        usual.learn(9.0, 1.0, 4_320.0, 0.0);
        assert_eq!(usual, frozen);
    }
}
