//! How often a criterion holds anyway: what a claim must beat before its hits mean anything.

use super::Series;
use crate::claim::Claim;
use golem_core::observed::{Expression, Verdict};
use serde::{Deserialize, Serialize};

/// Rows that are asked at most; more would cost more than they tell.
const SAMPLES: u64 = 256;
/// The same where a condition must hold first.
const AFTER_SAMPLES: u64 = 1_024;

/// How often something held, of how many rows that could say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BaseRate {
    /// Rows in which it held.
    pub held: u32,
    /// Rows in which it held or did not; where a field was absent counts for nothing.
    pub n: u32,
}

impl BaseRate {
    /// The share; none when no row could say.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.n > 0).then(|| f64::from(self.held) / f64::from(self.n))
    }
}

impl Series {
    /// How often a criterion held at rows that a claim of this horizon could have ended in, by at most 256 rows that are
    /// spread evenly over the ring.
    #[must_use]
    pub fn base_rate(&self, criterion: &Expression, after_ticks: u32) -> BaseRate {
        let (mut rate, ticks) = (BaseRate::default(), self.ticks());
        let from = ticks.start.saturating_add(u64::from(after_ticks)).min(ticks.end);
        let rows = (ticks.end - from) / self.row_ticks();
        let samples = rows.min(SAMPLES);
        for i in 0..samples {
            let tick = from + i * rows / samples * self.row_ticks();
            match criterion.evaluate(&self.snapshot(tick, criterion.fields())) {
                Verdict::Holds => (rate.held, rate.n) = (rate.held + 1, rate.n + 1),
                Verdict::DoesNot => rate.n += 1,
                Verdict::Unknown { .. } | Verdict::Failed { .. } => (),
            }
        }
        rate
    }

    /// The same where something else would refute it: among the rows in which one of the two holds.
    #[must_use]
    pub fn base_rate_against(&self, then: &Expression, unless: Option<&Expression>, after_ticks: u32) -> BaseRate {
        let then = self.base_rate(then, after_ticks);
        let other = unless.map(|unless| self.base_rate(unless, after_ticks));
        BaseRate { n: other.map_or(then.n, |other| then.held.saturating_add(other.held)), ..then }
    }
    /// How often what a claim says comes true anyway; none where it cannot be asked or no row could say.
    #[must_use]
    pub fn claim_base_rate(&self, claim: &Claim) -> Option<f64> {
        let then = Expression::compile(&claim.then).ok()?;
        let unless = claim.unless.as_deref().map(Expression::compile).transpose().ok()?;
        self.base_rate_against(&then, unless.as_ref(), claim.after_ticks).rate()
    }

    /// How often a criterion held so many ticks after a condition did, by at most 1,024 rows that are spread evenly over the
    /// ring.
    #[must_use]
    pub fn rate_after(&self, when: &Expression, then: &Expression, after_ticks: u32) -> BaseRate {
        let (mut rate, ticks, after) = (BaseRate::default(), self.ticks(), u64::from(after_ticks));
        let last = ticks.end.saturating_sub(after).max(ticks.start);
        let rows = (last - ticks.start) / self.row_ticks();
        let samples = rows.min(AFTER_SAMPLES);
        for i in 0..samples {
            let tick = ticks.start + i * rows / samples * self.row_ticks();
            if when.evaluate(&self.snapshot(tick, when.fields())) != Verdict::Holds {
                continue;
            }
            match then.evaluate(&self.snapshot(tick + after, then.fields())) {
                Verdict::Holds => (rate.held, rate.n) = (rate.held + 1, rate.n + 1),
                Verdict::DoesNot => rate.n += 1,
                Verdict::Unknown { .. } | Verdict::Failed { .. } => (),
            }
        }
        rate
    }
}
