//! Hourly closes of the log price over twenty days: what moving averages and breakouts are made of.

use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Hours that are kept.
pub const HOURS: u32 = 480;
const HOUR_MS: u64 = 3_600_000;

/// The last price of every hour in which there was one. Single precision is enough for what is only compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Closes {
    /// The hour of life and its close; the last one is still open.
    bars: VecDeque<(u32, f32)>,
}

/// Where the log price has been.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PriceTrend {
    /// Mean over the fast window, the open hour included.
    pub fast: f64,
    /// Mean over the slow window.
    pub slow: f64,
    /// Highest close of the channel; the open hour does not count.
    pub high: f64,
    /// Lowest close of the channel.
    pub low: f64,
}

impl Closes {
    /// See a log price.
    pub(crate) fn see(&mut self, level: f64, now: VirtualTime) {
        let (hour, level) = (hour_of(now), level as f32);
        match self.bars.back_mut() {
            Some(last) if last.0 == hour => last.1 = level,
            _ => self.bars.push_back((hour, level)),
        }
        // One bar beyond the longest window stays: it tells that the window has been seen.
        while self.bars.get(1).is_some_and(|b| hour.saturating_sub(b.0) >= HOURS) {
            self.bars.pop_front();
        }
    }

    /// Means and channel as of now, once the fast window and the channel have been seen; the slow mean is over as much of
    /// its window as there is.
    pub(crate) fn trend(&self, now: VirtualTime, fast: u32, slow: u32, channel: u32) -> Option<PriceTrend> {
        let hour = hour_of(now);
        if hour.saturating_sub(self.bars.front()?.0) < fast.max(channel).min(HOURS) {
            return None;
        }
        let longest = fast.max(slow).max(channel);
        let (mut fast_sum, mut slow_sum) = ((0.0, 0u32), (0.0, 0u32));
        let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
        for &(at, close) in self.bars.iter().rev() {
            let (age, close) = (hour.saturating_sub(at), f64::from(close));
            if age > longest {
                break;
            }
            if age < fast {
                fast_sum = (fast_sum.0 + close, fast_sum.1 + 1);
            }
            if age < slow {
                slow_sum = (slow_sum.0 + close, slow_sum.1 + 1);
            }
            if (1..=channel).contains(&age) {
                (high, low) = (high.max(close), low.min(close));
            }
        }
        let mean = |(sum, n): (f64, u32)| (n > 0).then(|| sum / f64::from(n));
        // A channel without a single close is no channel: the feed was silent for all of it.
        (high >= low).then_some(())?;
        Some(PriceTrend { fast: mean(fast_sum)?, slow: mean(slow_sum)?, high, low })
    }
}

/// Hours that the relative strength index looks at.
const STRENGTH_HOURS: usize = 14;

impl Closes {
    /// The relative strength index of the last fourteen closed hours (Wilder 1978, with plain sums): 100 when every hour
    /// rose, 0 when every hour fell; 50 when nothing moved.
    pub(crate) fn strength(&self) -> Option<f64> {
        let closes = self.bars.iter().rev().skip(1).map(|bar| f64::from(bar.1));
        let (mut up, mut down, mut steps, mut after) = (0.0, 0.0, 0, None);
        for close in closes.take(STRENGTH_HOURS + 1) {
            if let Some(after) = after.replace(close) {
                let step: f64 = after - close;
                (up, down, steps) = (up + step.max(0.0), down - step.min(0.0), steps + 1);
            }
        }
        let moved: f64 = up + down;
        (steps == STRENGTH_HOURS).then(|| if moved > 0.0 { 100.0 * up / moved } else { 50.0 })
    }
}

fn hour_of(now: VirtualTime) -> u32 {
    u32::try_from(now.0 / HOUR_MS).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_rising_price_is_above_its_means_and_its_channel() {
        let mut closes = Closes::default();
        for minute in 0..60 * 200u64 {
            let now = VirtualTime(minute * 60_000);
            closes.see(7.0 + minute as f64 * 1e-5, now);
            assert_eq!(closes.trend(now, 10, 100, 50).is_some(), minute >= 60 * 50, "{minute}");
        }
        let now = VirtualTime(60 * 200 * 60_000 - 1);
        let trend = closes.trend(now, 10, 100, 50).unwrap();
        // Closes are 60e-5 apart; ten of them have their mean 4.5 closes back, a hundred 49.5.
        let close = 7.0 + 11_999.0 * 1e-5;
        for (got, back) in [(trend.fast, 4.5), (trend.slow, 49.5), (trend.high, 1.0), (trend.low, 50.0)] {
            assert!((got - (close - back * 60e-5)).abs() < 2e-6, "{got} {back}");
        }
    }

    #[test]
    fn strength_goes_from_falling_to_rising() {
        let strength = |step: fn(u64) -> f64| {
            let (mut closes, mut level) = (Closes::default(), 7.0);
            for hour in 0..40 {
                assert_eq!(closes.strength().is_some(), hour > 15, "fourteen steps between closed hours: {hour}");
                level += step(hour);
                closes.see(level, VirtualTime(hour * HOUR_MS));
            }
            closes.strength().unwrap()
        };
        for (step, expected) in [
            ((|_| 0.01) as fn(u64) -> f64, 100.0),
            (|_| -0.01, 0.0),
            (|_| 0.0, 50.0),
            (|h| if h % 2 == 0 { 0.03 } else { -0.01 }, 75.0),
        ] {
            assert!((strength(step) - expected).abs() < 0.1, "{} {expected}", strength(step));
        }
    }

    #[test]
    fn a_flash_within_the_hour_leaves_no_trace_and_the_memory_is_bounded() {
        let mut closes = Closes::default();
        for minute in 0..60 * 1_000u64 {
            closes.see(if minute % 60 == 30 { 27.0 } else { 7.0 }, VirtualTime(minute * 60_000));
        }
        let trend = closes.trend(VirtualTime(999 * HOUR_MS), 12, 72, 48).unwrap();
        assert!([trend.fast, trend.slow, trend.high, trend.low].iter().all(|x| (x - 7.0).abs() < 1e-6), "{trend:?}");
        assert!(closes.bars.len() <= HOURS as usize + 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..Default::default() })]
        /// Whatever the spacing, the same as looking through the whole history.
        #[test]
        fn windows_equal_a_plain_search(
            steps in prop::collection::vec((1u64..20_000, -3.0f32..3.0), 1..400),
            (fast, slow, channel) in (1u32..60, 1u32..=HOURS, 1u32..=HOURS),
        ) {
            let (mut closes, mut all, mut now) = (Closes::default(), Vec::new(), 0u64);
            for (secs, level) in steps {
                now += secs * 1_000;
                closes.see(f64::from(level), VirtualTime(now));
                all.push((now / HOUR_MS, level));
            }
            let hour = now / HOUR_MS;
            let is_close = |i: usize| all.get(i + 1).is_none_or(|next| next.0 != all[i].0);
            let ages: Vec<(u64, f64)> =
                (0..all.len()).filter(|i| is_close(*i)).map(|i| (hour - all[i].0, f64::from(all[i].1))).collect();
            let mean = |n: u32| {
                let within: Vec<f64> = ages.iter().filter(|a| a.0 < u64::from(n)).map(|a| a.1).collect();
                within.iter().sum::<f64>() / within.len() as f64
            };
            let inside: Vec<f64> = ages.iter().filter(|a| (1..=u64::from(channel)).contains(&a.0)).map(|a| a.1).collect();
            let seen = hour - all[0].0 >= u64::from(fast.max(channel));
            let expected = (seen && !inside.is_empty()).then(|| (mean(fast), mean(slow)));
            let got = closes.trend(VirtualTime(now), fast, slow, channel);
            prop_assert_eq!(got.is_some(), expected.is_some());
            if let (Some(got), Some((fast, slow))) = (got, expected) {
                prop_assert!((got.fast - fast).abs() < 1e-9 && (got.slow - slow).abs() < 1e-9);
                prop_assert!(inside.iter().all(|x| got.low <= *x && *x <= got.high));
                prop_assert!(inside.contains(&got.low) && inside.contains(&got.high));
            }
        }
    }
}
