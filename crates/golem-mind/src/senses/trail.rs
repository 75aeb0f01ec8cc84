//! The trail of realised variance: what the price has done in the last hour and the last three, at any spacing.

use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The short window: 90 nominal ticks.
pub const SHORT: Elapsed = Elapsed::nominal(90);
/// The long window: 270 nominal ticks.
pub const LONG: Elapsed = Elapsed::nominal(270);
/// A footprint is left at most this often, which bounds the trail at about 540 of them.
const SPACING: Elapsed = Elapsed::secs(20);
/// One turn counts at most a half: beyond that it is a broken quote, and it must not be the story of the day.
const LARGEST_STEP: f64 = 0.5;
/// An hour that moves less than one basis point counts as one, so that the logarithm of a dead feed is a number.
const SMALLEST_VARIANCE: f64 = 1e-8;

/// Running sums of squared and of plain log returns, with footprints to look back to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PriceTrail {
    total: f64,
    path: f64,
    /// When, the sum of squares, and the path; the path is only shown, so half the bits are enough.
    footprints: VecDeque<(VirtualTime, f64, f32)>,
    /// Index of the last footprint that is at least [`SHORT`] old.
    short: usize,
}

/// Log realised volatility, scaled to the short window: half the log of variance times window over elapsed.
#[must_use]
pub fn log_vol(variance: f64, elapsed: Elapsed) -> f64 {
    let scaled = variance * (SHORT.0 as f64 / elapsed.0.max(1) as f64);
    0.5 * libm::log(scaled.max(SMALLEST_VARIANCE))
}

impl PriceTrail {
    /// Add one turn's log return.
    pub fn step(&mut self, log_return: f64, now: VirtualTime) {
        let r = log_return.clamp(-LARGEST_STEP, LARGEST_STEP);
        self.total += r * r;
        self.path += r;
        if self.footprints.back().is_none_or(|last| now.since(last.0) >= SPACING) {
            self.footprints.push_back((now, self.total, self.path as f32));
        }
        while self.footprints.get(1).is_some_and(|f| now.since(f.0) >= LONG) {
            self.footprints.pop_front();
            self.short = self.short.saturating_sub(1);
        }
        while self.footprints.get(self.short + 1).is_some_and(|f| now.since(f.0) >= SHORT) {
            self.short += 1;
        }
    }
    /// The sum so far: a forecast keeps it, and the difference is what was realised since.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }
    /// Log realised volatility of the last 90 nominal ticks, once that much has been seen.
    #[must_use]
    pub fn short(&self, now: VirtualTime) -> Option<f64> {
        self.since(self.short, now, SHORT)
    }
    /// The same per 90 ticks over the last 270, once that much has been seen.
    #[must_use]
    pub fn long(&self, now: VirtualTime) -> Option<f64> {
        self.since(0, now, LONG)
    }
    /// Log return over the last 90 nominal ticks, once that much has been seen.
    #[must_use]
    pub fn short_return(&self, now: VirtualTime) -> Option<f64> {
        let &(at, _, path) = self.footprints.get(self.short)?;
        (now.since(at) >= SHORT).then_some(self.path - f64::from(path))
    }
    /// Log return over a shorter window, once that much has been seen.
    #[must_use]
    pub fn return_over(&self, window: Elapsed, now: VirtualTime) -> Option<f64> {
        let &(_, _, path) = self.footprints.iter().rev().find(|(at, ..)| now.since(*at) >= window)?;
        Some(self.path - f64::from(path))
    }
    fn since(&self, index: usize, now: VirtualTime, window: Elapsed) -> Option<f64> {
        let &(at, total, _) = self.footprints.get(index)?;
        let elapsed = now.since(at);
        (elapsed >= window).then(|| log_vol(self.total - total, elapsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_what_they_say() {
        let mut trail = PriceTrail::default();
        let at = |n| VirtualTime(0).after(Elapsed::nominal(n));
        for n in 0..1_000u64 {
            trail.step(if n < 900 { 0.001 } else { 0.002 }, at(n));
            assert_eq!((trail.short(at(n)).is_some(), trail.long(at(n)).is_some()), (n >= 90, n >= 270), "{n}");
        }
        let expected = 0.5 * libm::log(90.0 * 0.002 * 0.002);
        assert!((trail.short(at(999)).unwrap() - expected).abs() < 1e-9);
        assert!((trail.short_return(at(999)).unwrap() - 90.0 * 0.002).abs() < 1e-6);
        let mixed: f64 = (170.0 * 1e-6 + 100.0 * 4e-6) / 3.0;
        assert!((trail.long(at(999)).unwrap() - 0.5 * libm::log(mixed)).abs() < 1e-9);
        assert!(trail.footprints.len() <= 272);
    }

    #[test]
    fn bars_and_broken_quotes() {
        let mut trail = PriceTrail::default();
        let at = |n: u64| VirtualTime(n * 3_600_000);
        trail.step(0.0, at(0));
        assert_eq!(trail.short(at(0)), None);
        trail.step(0.01, at(1));
        assert!((trail.short(at(1)).unwrap() - libm::log(0.01)).abs() < 1e-12);
        trail.step(27.6, at(3));
        let two_hours = 0.5 * libm::log(0.25 / 2.0);
        assert!((trail.short(at(3)).unwrap() - two_hours).abs() < 1e-12);
        trail.step(0.0, at(4));
        assert!((trail.short(at(4)).unwrap() - libm::log(1e-4)).abs() < 1e-12, "a dead hour counts as one basis point");
    }
}
