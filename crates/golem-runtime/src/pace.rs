//! How fast a golem lives: the schedule of turns against the monotonic clock.
//!
//! A stall never makes a burst: whoever was away for a thousand intervals owes one turn, not a thousand.

use golem_core::Elapsed;
use std::str::FromStr;

/// How virtual time relates to the clock on the wall.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pace {
    /// A virtual second takes a second; every turn is a commit of its own.
    #[default]
    Real,
    /// As fast as it goes.
    Max,
    /// So many virtual seconds a second.
    Times(f64),
}

impl Pace {
    /// How long an interval takes on the clock; `None` when there is no waiting at all.
    #[must_use]
    pub fn period_ms(self, interval: Elapsed) -> Option<u64> {
        match self {
            Self::Max => None,
            Self::Real => Some(interval.0),
            // Rounded to whole milliseconds; a factor is above zero and finite by construction.
            Self::Times(factor) => Some((interval.0 as f64 / factor.max(1e-9)).round() as u64),
        }
    }
}

/// Why a text is no pace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a speed: use real, max, or x and a factor, such as x60")]
pub struct BadPace(String);

impl FromStr for Pace {
    type Err = BadPace;
    fn from_str(s: &str) -> Result<Self, BadPace> {
        let bad = || BadPace(s.chars().take(40).collect());
        match s {
            "real" => Ok(Self::Real),
            "max" => Ok(Self::Max),
            _ => {
                let factor: f64 = s.strip_prefix('x').ok_or_else(bad)?.parse().map_err(|_| bad())?;
                if (0.001..=1e6).contains(&factor) { Ok(Self::Times(factor)) } else { Err(bad()) }
            }
        }
    }
}

/// When the next turn is due.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pace: Pace,
    due_ms: u64,
}

impl Schedule {
    pub(crate) fn starting(pace: Pace, now_ms: u64) -> Self {
        Self { pace, due_ms: now_ms }
    }
    pub(crate) fn due_ms(&self) -> u64 {
        self.due_ms
    }
    pub(crate) fn is_real(&self) -> bool {
        self.pace == Pace::Real
    }
    /// True when nothing is ever waited for.
    pub(crate) fn is_flat_out(&self) -> bool {
        self.pace == Pace::Max
    }
    /// A turn that began at `begun_ms` is over: fix the next one. Returns by how much it missed its deadline: the moment
    /// at which the next one should have begun, or its own beginning when the machine slept through whole intervals.
    pub(crate) fn turn_over(&mut self, interval: Elapsed, begun_ms: u64, now_ms: u64) -> u64 {
        let Some(period) = self.pace.period_ms(interval) else {
            self.due_ms = now_ms;
            return 0;
        };
        let behind = begun_ms.saturating_sub(self.due_ms);
        let (base, slept) = match behind {
            // Before its time (a paused golem that answers), or after whole intervals were missed: count from here.
            _ if begun_ms < self.due_ms => (begun_ms, 0),
            _ if behind >= period => (begun_ms, behind),
            _ => (self.due_ms, 0),
        };
        let next = base.saturating_add(period);
        self.due_ms = next.max(now_ms);
        slept.max(now_ms.saturating_sub(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_keep_step_and_never_burst() {
        let mut s = Schedule::starting(Pace::Real, 1_000);
        let interval = Elapsed::secs(40);
        assert_eq!((s.turn_over(interval, 1_000, 1_300), s.due_ms()), (0, 41_000), "its own time does not drift in");
        assert_eq!((s.turn_over(interval, 41_200, 41_900), s.due_ms()), (0, 81_000), "nor does a small delay");
        // The machine slept for a day: one turn, and then the usual interval.
        let woke = 86_400_000;
        assert_eq!((s.turn_over(interval, woke, woke + 5), s.due_ms()), (woke - 81_000, woke + 40_000));
        // A turn that takes longer than its interval: the next one at once, and no more than that one.
        let begun = woke + 40_000;
        assert_eq!((s.turn_over(interval, begun, begun + 100_000), s.due_ms()), (60_000, begun + 100_000));
        // A paused golem answers before its time.
        assert_eq!((s.turn_over(interval, begun, begun + 10), s.due_ms()), (0, begun + 40_000));
    }

    #[test]
    fn speeds_are_read() {
        assert_eq!("x60".parse(), Ok(Pace::Times(60.0)));
        assert_eq!(Pace::Times(60.0).period_ms(Elapsed::secs(40)), Some(667));
        for bad in ["", "x", "x0", "x-1", "xNaN", "xinf", "60", "fast"] {
            assert!(bad.parse::<Pace>().is_err(), "{bad}");
        }
    }
}
