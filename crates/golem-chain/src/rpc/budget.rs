//! How long nodes are waited for in a turn. Pure: the time is an argument.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_budget_has_patience_for_nothing() {
        let start = Instant::now();
        let budget = Budget::until(start + Duration::from_millis(100));
        assert_eq!(budget.patience(start, Duration::from_secs(9)), Some(Duration::from_millis(100)));
        assert_eq!(budget.patience(start, Duration::from_millis(7)), Some(Duration::from_millis(7)));
        assert_eq!(budget.patience(start + Duration::from_millis(100), Duration::from_secs(9)), None);
    }
}
