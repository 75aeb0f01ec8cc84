//! What an hour of the day is usually like: 24 running means, so that a rhythm of any shape can be learnt.

use crate::math::{DAY, HOUR, clip};
use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};

const DAY_MS: u64 = 86_400_000;
/// Memory of an hour's mean, in nominal ticks of that hour: nine days of it for what has a plain rhythm, a month for what shows
/// one only in the mean of many days.
pub(crate) const NINE_DAYS: f64 = 9.0 * HOUR;
pub(crate) const MONTH: f64 = 30.0 * HOUR;
/// So many days of an hour are as good a reason to believe its mean as there is to believe that no hour differs.
const DOUBT: f64 = 10.0 * HOUR;
/// An hour is at most this far from the day's mean, on the log scale.
const BOUND: f64 = 3.0;

/// Means of each hour of the virtual day, which begins when the golem was born.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Hours {
    means: [f32; 24],
    /// Whole nominal ticks behind each mean, and what is left of one that is not whole yet.
    seen: [u16; 24],
    rest: f32,
}

impl Hours {
    /// Learn from a level as a distance from its mean over a day; `dt` is in nominal ticks, times the rate of learning.
    pub(crate) fn learn(&mut self, now: VirtualTime, away: f64, dt: f64, memory: f64) {
        let dt = dt.min(DAY);
        if dt <= 0.0 {
            return;
        }
        let at = position(now) as usize % 24;
        let (mean, rest) = (f64::from(self.means[at]), f64::from(self.rest) + dt);
        let gain = (dt / (f64::from(self.seen[at]) + rest).min(memory)).min(1.0);
        self.means[at] = (mean + gain * (clip(away, BOUND) - mean)) as f32;
        let whole = libm::floor(rest);
        self.seen[at] = (f64::from(self.seen[at]) + whole).min(memory) as u16;
        self.rest = (rest - whole) as f32;
    }
    /// How far the level usually goes from now until then; 0 where one of the two hours has not been lived yet.
    pub(crate) fn step(&self, now: VirtualTime, by: Elapsed) -> f64 {
        match (self.at(now), self.at(now.after(by))) {
            (Some(here), Some(there)) => there - here,
            _ => 0.0,
        }
    }
    /// How far from the day's mean the level usually is at a moment, as far as there is reason to believe it: an hour that was seen
    /// on few days says little.
    pub(crate) fn usually(&self, at: VirtualTime) -> f64 {
        self.blended(at, |i| {
            let seen = f64::from(self.seen[i]);
            Some(f64::from(self.means[i]) * seen / (seen + DOUBT))
        })
        .unwrap_or(0.0)
    }
    /// The mean at a moment.
    fn at(&self, now: VirtualTime) -> Option<f64> {
        self.blended(now, |i| (self.seen[i] > 0).then(|| f64::from(self.means[i])))
    }
    /// Between the middles of two hours.
    fn blended(&self, now: VirtualTime, of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        let from = position(now) + 23.5;
        let (before, part) = (libm::floor(from), from - libm::floor(from));
        let (a, b) = (before as usize % 24, (before as usize + 1) % 24);
        Some((1.0 - part) * of(a)? + part * of(b)?)
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
            hours.learn(at(minute), busy(at(minute)), 1.5, NINE_DAYS);
        }
        let step = |hour: u64, minute: u64| hours.step(at(60 * hour + minute), Elapsed::secs(3_600));
        assert!((step(13, 30) - 1.2).abs() < 1e-5 && (step(17, 30) + 1.2).abs() < 1e-5);
        assert!(step(3, 10).abs() < 1e-5 && step(15, 20).abs() < 1e-5 && step(23, 45).abs() < 1e-5);
    }

    /// The same rhythm is believed day by day: never more of it than was seen, nothing before anything was, and most of it after
    /// a month.
    #[test]
    fn what_was_seen_on_few_days_is_hardly_believed() {
        let at = |hour: u64| VirtualTime(hour * 3_600_000 + 1_800_000);
        let busy = |hour: u64| if hour % 24 == 15 { 1.0 } else { 0.0 };
        let (mut hours, mut told) = (Hours::default(), vec![0.0]);
        assert!(hours.usually(at(15)).abs() < 1e-12);
        for day in 0..30 {
            (24 * day..24 * (day + 1)).for_each(|hour| hours.learn(at(hour), busy(hour), HOUR, MONTH));
            told.push(hours.usually(at(15)));
        }
        assert!(told.is_sorted() && told[1] < 0.1 && told[10] > 0.45 && told[30] > 0.7 && told[30] < 0.8, "{told:?}");
        assert!(hours.usually(at(3)).abs() < 1e-9);
    }
}
