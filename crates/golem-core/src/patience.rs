//! How often somebody outside is asked again: pauses between attempts, and the memory of who keeps failing.
//! Pure: the moment, on whatever clock, and the chance are arguments.

use core::ops::Add;
use core::time::Duration;

/// Chance in [0, 1), for the pauses between attempts. Given from outside, so that a test or a replay can repeat it.
pub type Chance = Box<dyn FnMut() -> f64 + Send>;

/// The pause before the next attempt: anything between nothing and a bound that doubles from the first ("full jitter"),
/// so that many who failed together do not come back together. `chance` lies in [0, 1).
#[must_use]
pub fn pause(first: Duration, attempt: u32, chance: f64) -> Duration {
    const MOST: Duration = Duration::from_secs(5);
    let bound = first.saturating_mul(1 << attempt.min(10)).min(MOST);
    let chance = if chance.is_finite() { chance.clamp(0.0, 1.0) } else { 1.0 };
    bound.mul_f64(chance)
}

/// What is remembered of somebody who is asked: one who keeps failing is left alone for a while, longer each time.
#[derive(Debug, Clone, Copy)]
pub struct Circuit<T> {
    failures: u32,
    rests_until: Option<T>,
}

/// Failures in a row that are forgiven.
const FORGIVEN: u32 = 3;

/// However long somebody asks to be left alone, it is tried again after this.
const LONGEST_REST: Duration = Duration::from_secs(600);

impl<T> Default for Circuit<T> {
    fn default() -> Self {
        Self { failures: 0, rests_until: None }
    }
}

impl<T: Copy + Ord + Add<Duration, Output = T>> Circuit<T> {
    /// It answered.
    pub fn worked(&mut self) {
        *self = Self::default();
    }
    /// It did not.
    pub fn failed(&mut self, now: T) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FORGIVEN {
            self.rest(now, Duration::from_secs(1u64 << (self.failures - FORGIVEN).min(8)));
        }
    }
    /// It asked to be left alone for so long.
    pub fn rest(&mut self, now: T, how_long: Duration) {
        let until = now + how_long.min(LONGEST_REST);
        self.rests_until = self.rests_until.max(Some(until));
    }
    /// True when it may be asked: it has not failed lately, or has rested.
    #[must_use]
    pub fn may_be_asked(&self, now: T) -> bool {
        self.rests_until.is_none_or(|until| now >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(1_000_000);

    #[test]
    fn pauses_grow_to_a_bound_and_never_exceed_it() {
        for (first, attempt, chance, ms) in [
            (100, 0, 0.0, 0),
            (100, 0, 1.0, 100),
            (100, 1, 0.5, 100),
            (100, 3, 1.0, 800),
            (200, 3, 1.0, 1_600),
            (100, 9, 1.0, 5_000),
            (200, u32::MAX, 1.0, 5_000),
            (200, 2, f64::NAN, 800),
        ] {
            let got = pause(Duration::from_millis(first), attempt, chance);
            assert_eq!(got, Duration::from_millis(ms), "{first} {attempt} {chance}");
        }
    }

    #[test]
    fn one_who_keeps_failing_rests_longer_each_time() {
        let mut circuit = Circuit::default();
        circuit.failed(START);
        circuit.failed(START);
        assert!(circuit.may_be_asked(START));
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256] {
            circuit.failed(START);
            assert!(!circuit.may_be_asked(START + Duration::from_millis(seconds * 1_000 - 1)));
            assert!(circuit.may_be_asked(START + Duration::from_secs(seconds)));
        }
        (0..100).for_each(|_| circuit.failed(START));
        assert!(circuit.may_be_asked(START + Duration::from_secs(256)));
        circuit.worked();
        assert!(circuit.may_be_asked(START));
        circuit.failed(START);
        assert!(circuit.may_be_asked(START), "the first is forgiven again");
    }

    #[test]
    fn a_rest_that_was_asked_for_is_kept_within_reason() {
        let mut circuit = Circuit::default();
        circuit.rest(START, Duration::from_secs(20));
        circuit.rest(START, Duration::from_secs(3));
        assert!(!circuit.may_be_asked(START + Duration::from_secs(19)));
        assert!(circuit.may_be_asked(START + Duration::from_secs(20)));
        circuit.rest(START, Duration::from_secs(u64::MAX));
        assert!(!circuit.may_be_asked(START + LONGEST_REST - Duration::from_millis(1)));
        assert!(circuit.may_be_asked(START + LONGEST_REST));
    }
}
