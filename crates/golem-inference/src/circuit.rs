//! How often a provider is asked again: pauses between attempts, and the memory of providers that keep failing.
//! Pure: the time and the chance are arguments.

use std::time::{Duration, Instant};

/// The pause before the next attempt: anything between nothing and a bound that doubles ("full jitter"), so that many
/// who failed together do not come back together. `chance` lies in [0, 1).
pub(crate) fn pause(attempt: u32, chance: f64) -> Duration {
    const FIRST: Duration = Duration::from_millis(200);
    const MOST: Duration = Duration::from_secs(5);
    let bound = FIRST.saturating_mul(1 << attempt.min(10)).min(MOST);
    let chance = if chance.is_finite() { chance.clamp(0.0, 1.0) } else { 1.0 };
    bound.mul_f64(chance)
}

/// What is remembered of a provider: one that keeps failing is left alone for a while, longer each time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Circuit {
    failures: u32,
    open_until: Option<Instant>,
}

/// Failures in a row that are forgiven.
const FORGIVEN: u32 = 3;

/// However long a provider asks to be left alone, it is tried again after this.
const LONGEST_REST: Duration = Duration::from_secs(600);

impl Circuit {
    /// It answered.
    pub(crate) fn worked(&mut self) {
        *self = Self::default();
    }
    /// It did not.
    pub(crate) fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FORGIVEN {
            self.rest(now, Duration::from_secs(1u64 << (self.failures - FORGIVEN).min(8)));
        }
    }
    /// It asked to be left alone for so long.
    pub(crate) fn rest(&mut self, now: Instant, how_long: Duration) {
        let until = now.checked_add(how_long.min(LONGEST_REST));
        self.open_until = self.open_until.max(until);
    }
    /// True when it may be asked: it has not failed lately, or has rested.
    pub(crate) fn may_be_asked(&self, now: Instant) -> bool {
        self.open_until.is_none_or(|until| now >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound_and_never_exceed_it() {
        for (attempt, chance, ms) in
            [(0, 0.0, 0), (0, 1.0, 200), (1, 0.5, 200), (3, 1.0, 1_600), (9, 1.0, 5_000), (u32::MAX, 1.0, 5_000)]
        {
            assert_eq!(pause(attempt, chance), Duration::from_millis(ms), "{attempt} {chance}");
        }
        assert_eq!(pause(2, f64::NAN), Duration::from_millis(800));
    }

    #[test]
    fn a_provider_that_keeps_failing_rests_longer_each_time() {
        let start = Instant::now();
        let mut circuit = Circuit::default();
        circuit.failed(start);
        circuit.failed(start);
        assert!(circuit.may_be_asked(start));
        for seconds in [1, 2, 4, 8] {
            circuit.failed(start);
            assert!(!circuit.may_be_asked(start + Duration::from_millis(seconds * 1_000 - 1)));
            assert!(circuit.may_be_asked(start + Duration::from_secs(seconds)));
        }
        (0..100).for_each(|_| circuit.failed(start));
        assert!(circuit.may_be_asked(start + Duration::from_secs(256)));
        circuit.worked();
        assert!(circuit.may_be_asked(start));
    }

    #[test]
    fn a_rest_that_was_asked_for_is_kept_within_reason() {
        let start = Instant::now();
        let mut circuit = Circuit::default();
        circuit.rest(start, Duration::from_secs(20));
        circuit.rest(start, Duration::from_secs(3));
        assert!(!circuit.may_be_asked(start + Duration::from_secs(19)));
        assert!(circuit.may_be_asked(start + Duration::from_secs(20)));
        circuit.rest(start, Duration::from_secs(u64::MAX));
        assert!(circuit.may_be_asked(start + LONGEST_REST));
    }
}
