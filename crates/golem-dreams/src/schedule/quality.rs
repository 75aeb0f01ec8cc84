//! What dreams were worth, and what follows for how often it dreams: poor ones make the wait up to twice as long, good
//! ones let the schedule use what it otherwise leaves to urgent dreams.

use golem_core::{Elapsed, Unit, VirtualTime};
use serde::{Deserialize, Serialize};

/// Below this dreams are poor, and above [`GOOD`] they are good.
const POOR: f64 = 0.2;
const GOOD: f64 = 0.4;
/// Dreams that the running mean remembers.
const REMEMBERED: f64 = 10.0;
/// Poor for so long is worth telling the owner.
const ALARM_AFTER: Elapsed = Elapsed::secs(14 * 86_400);

/// The running mean of what dreams were worth.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct DreamWorth {
    mean: f64,
    count: u32,
    /// Since when dreams have been poor.
    poor_since: Option<VirtualTime>,
    /// Whether the owner knows that they have been for long.
    told: bool,
}

impl DreamWorth {
    /// One more dream, from 0 to 1; called again for the same dream when the waking world has shown what it was worth.
    pub fn learnt(&mut self, quality: f64, now: VirtualTime) {
        self.count = self.count.saturating_add(1);
        let step = 1.0 / f64::from(self.count).min(REMEMBERED);
        self.mean += step * (Unit::clamped(quality).get() - self.mean);
        self.poor_since = if self.mean < POOR { self.poor_since.or(Some(now)) } else { None };
    }
    /// The mean; nothing before the first dream.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }
    /// Factor for the interval of scheduled cycles: 2 for worthless dreams, 1 from 0.2 on.
    #[must_use]
    pub fn stretch(&self) -> f64 {
        let mean = self.mean().unwrap_or(POOR);
        1.0 + (1.0 - mean / POOR).clamp(0.0, 1.0)
    }
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.mean().is_some_and(|mean| mean > GOOD)
    }
    /// True when dreams have been poor for two weeks.
    #[must_use]
    pub fn alarm(&self, now: VirtualTime) -> bool {
        self.poor_since.is_some_and(|since| now.since(since) >= ALARM_AFTER)
    }
    /// The alarm, when it begins: their mean, and for how many days they have been poor. It is told once, and again after
    /// they were better.
    pub fn take_alarm(&mut self, now: VirtualTime) -> Option<(f64, u64)> {
        let rings = self.alarm(now);
        let was_told = std::mem::replace(&mut self.told, rings);
        let days = self.poor_since.map_or(0, |since| now.since(since).0 / 86_400_000);
        (rings && !was_told).then_some((self.mean, days))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(qualities: &[f64]) -> DreamWorth {
        let mut worth = DreamWorth::default();
        qualities.iter().for_each(|q| worth.learnt(*q, VirtualTime(0)));
        worth
    }

    #[test]
    fn poor_dreams_make_it_wait_and_good_ones_do_not() {
        for (qualities, stretch, good) in [
            (&[][..], 1.0, false),
            (&[0.0], 2.0, false),
            (&[0.1], 1.5, false),
            (&[0.2], 1.0, false),
            (&[0.4], 1.0, false),
            (&[0.41], 1.0, true),
            (&[0.0, 0.2], 1.5, false),
            (&[f64::NAN], 2.0, false),
            (&[f64::INFINITY], 1.0, true),
        ] {
            let worth = after(qualities);
            assert!((worth.stretch() - stretch).abs() < 1e-9, "{qualities:?}");
            assert_eq!(worth.is_good(), good, "{qualities:?}");
        }
    }

    #[test]
    fn the_mean_forgets_what_is_ten_dreams_old() {
        let mut qualities = vec![0.0; 100];
        assert_eq!(after(&qualities).mean(), Some(0.0));
        qualities.push(1.0);
        assert!((after(&qualities).mean().unwrap() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn two_weeks_of_poor_dreams_raise_the_alarm() {
        let day = |d: u64| VirtualTime(d * 86_400_000);
        let mut worth = DreamWorth::default();
        worth.learnt(0.1, day(0));
        worth.learnt(0.1, day(10));
        assert!(!worth.alarm(VirtualTime(day(14).0 - 1)) && worth.alarm(day(14)));
        assert_eq!(worth.take_alarm(day(13)), None);
        let (mean, days) = worth.take_alarm(day(14)).expect("its owner is told");
        assert!((mean - 0.1).abs() < 1e-9 && days == 14);
        assert_eq!(worth.take_alarm(day(15)), None, "once");
        worth.learnt(1.0, day(15));
        assert!(!worth.alarm(day(30)), "one good dream of three lifts the mean to 0.4");
        assert_eq!(worth.take_alarm(day(30)), None);
        (0..9).for_each(|_| worth.learnt(0.0, day(31)));
        assert!(worth.take_alarm(day(45)).is_some(), "and again after they were better");
    }
}
