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
    /// How long an interval takes on the clock, in microseconds; `None` when there is no waiting at all.
    #[must_use]
    pub fn period_us(self, interval: Elapsed) -> Option<u64> {
        let real = interval.0.saturating_mul(1_000);
        match self {
            Self::Max => None,
            Self::Real => Some(real),
            // A factor is above zero and finite by construction.
            Self::Times(factor) => Some((real as f64 / factor.max(1e-9)).round() as u64),
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

/// In accelerated time a delay of this much is made up for: the clock has whole milliseconds, and many turns may fit
/// into one of them. Longer ones are stalls.
const CATCH_UP_US: u64 = 50_000;

/// When the next turn is due. Counted in microseconds, so that a day can pass in a second; the clock has milliseconds.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pace: Pace,
    due_us: u64,
}

impl Schedule {
    pub(crate) fn starting(pace: Pace, now_ms: u64) -> Self {
        Self { pace, due_us: now_ms.saturating_mul(1_000) }
    }
    pub(crate) fn due_ms(&self) -> u64 {
        self.due_us.div_ceil(1_000)
    }
    pub(crate) fn is_real(&self) -> bool {
        self.pace == Pace::Real
    }
    /// True when nothing is ever waited for.
    pub(crate) fn is_flat_out(&self) -> bool {
        self.pace == Pace::Max
    }
    /// A turn that began at `begun_ms` is over: fix the next one. Returns by how many milliseconds it missed its
    /// deadline: the moment at which the next one should have begun, or its own beginning when the machine slept through
    /// whole intervals.
    pub(crate) fn turn_over(&mut self, interval: Elapsed, begun_ms: u64, now_ms: u64) -> u64 {
        let (begun, now) = (begun_ms.saturating_mul(1_000), now_ms.saturating_mul(1_000));
        let Some(period) = self.pace.period_us(interval) else {
            self.due_us = now;
            return 0;
        };
        let patience = if self.is_real() { period } else { period.max(CATCH_UP_US) };
        let behind = begun.saturating_sub(self.due_us);
        let (base, slept) = match behind {
            // Before its time (a paused golem that answers), or after whole intervals were missed: count from here.
            _ if begun_ms < self.due_ms() => (begun, 0),
            _ if behind >= patience => (begun, behind),
            _ => (self.due_us, 0),
        };
        let next = base.saturating_add(period);
        let late = slept.max(now.saturating_sub(next));
        self.due_us = if late < patience && !self.is_real() { next } else { next.max(now) };
        if late < patience && !self.is_real() { 0 } else { late / 1_000 }
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
    fn many_turns_fit_into_a_millisecond_and_a_stall_is_still_one_turn() {
        // A virtual day in half a second: 4,320 turns a second, a little over four in a millisecond.
        let (mut s, interval) = (Schedule::starting(Pace::Times(172_800.0), 0), Elapsed::secs(40));
        let (mut turns, mut now) = (0, 0);
        while now < 1_000 {
            if s.due_ms() > now {
                now += 1;
                continue;
            }
            s.turn_over(interval, now, now);
            turns += 1;
        }
        assert!((4_300..=4_330).contains(&turns), "{turns}");
        let woke = now + 60_000;
        assert!(s.turn_over(interval, woke, woke) >= 59_000);
        assert!(s.due_ms() > woke, "nothing is made up for after a stall");
    }

    #[test]
    fn speeds_are_read() {
        assert_eq!("x60".parse(), Ok(Pace::Times(60.0)));
        assert_eq!(Pace::Times(60.0).period_us(Elapsed::secs(40)), Some(666_667));
        for bad in ["", "x", "x0", "x-1", "xNaN", "xinf", "60", "fast"] {
            assert!(bad.parse::<Pace>().is_err(), "{bad}");
        }
    }
}
