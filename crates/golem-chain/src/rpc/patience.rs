//! How long and how often a node is asked: the turn's budget, pauses between attempts, and the memory of bad nodes.
//! Pure: the time is an argument.

use std::time::{Duration, Instant};

/// Time left in a turn. Whatever a turn waits for is waited for out of this, so the turn ends on time.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    until: Instant,
}

impl Budget {
    /// A budget that ends at some time.
    #[must_use]
    pub fn until(until: Instant) -> Self {
        Self { until }
    }
    /// What is left of it.
    #[must_use]
    pub fn left(&self, now: Instant) -> Duration {
        self.until.saturating_duration_since(now)
    }
    /// How long one answer may take: no longer than the rest.
    #[must_use]
    pub fn patience(&self, now: Instant, most: Duration) -> Option<Duration> {
        let left = self.left(now);
        (!left.is_zero()).then(|| left.min(most))
    }
}

/// The pause before the next attempt: anything between nothing and a bound that doubles ("full jitter"), so that many
/// who failed together do not come back together. `chance` lies in [0, 1).
#[must_use]
pub fn pause(attempt: u32, chance: f64) -> Duration {
    const FIRST: Duration = Duration::from_millis(100);
    const MOST: Duration = Duration::from_secs(5);
    let bound = FIRST.saturating_mul(1 << attempt.min(10)).min(MOST);
    let chance = if chance.is_finite() { chance.clamp(0.0, 1.0) } else { 1.0 };
    bound.mul_f64(chance)
}

/// What is remembered of a node: one that keeps failing is left alone for a while, longer each time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Circuit {
    failures: u32,
    closed_until: Option<Instant>,
}

/// Failures in a row that are forgiven.
const FORGIVEN: u32 = 3;

impl Circuit {
    /// It answered.
    pub fn worked(&mut self) {
        *self = Self::default();
    }
    /// It did not.
    pub fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FORGIVEN {
            let seconds = 1u64 << (self.failures - FORGIVEN).min(8);
            self.closed_until = now.checked_add(Duration::from_secs(seconds));
        }
    }
    /// True when it may be asked: it has not failed lately, or has rested.
    #[must_use]
    pub fn may_be_asked(&self, now: Instant) -> bool {
        self.closed_until.is_none_or(|until| now >= until)
    }
    /// Failures in a row.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound_and_never_exceed_it() {
        for (attempt, chance, ms) in
            [(0, 0.0, 0), (0, 1.0, 100), (1, 0.5, 100), (3, 1.0, 800), (9, 1.0, 5_000), (u32::MAX, 1.0, 5_000)]
        {
            assert_eq!(pause(attempt, chance), Duration::from_millis(ms), "{attempt} {chance}");
        }
        assert_eq!(pause(2, f64::NAN), Duration::from_millis(400));
    }

    #[test]
    fn a_node_that_keeps_failing_rests_longer_each_time() {
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
        assert!(circuit.may_be_asked(start) && circuit.failures() == 0);
    }

    #[test]
    fn a_spent_budget_has_patience_for_nothing() {
        let start = Instant::now();
        let budget = Budget::until(start + Duration::from_millis(100));
        assert_eq!(budget.patience(start, Duration::from_secs(9)), Some(Duration::from_millis(100)));
        assert_eq!(budget.patience(start, Duration::from_millis(7)), Some(Duration::from_millis(7)));
        assert_eq!(budget.patience(start + Duration::from_millis(100), Duration::from_secs(9)), None);
    }
}
