//! How one stressor grows: a line in virtual time, the same however often it is asked.

use golem_core::{Elapsed, Unit, VirtualTime};
use serde::{Deserialize, Serialize};

/// The course of a severity. What was lived is a whole number of milliseconds, so growing by a and then by b is exactly
/// growing by a + b.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Course {
    pub(super) onset: VirtualTime,
    start: Unit,
    lived: Elapsed,
    peak: Unit,
}

impl Course {
    pub(super) fn new(onset: VirtualTime, start: f64) -> Self {
        let start = Unit::clamped(start);
        Self { onset, start, lived: Elapsed(0), peak: start }
    }
    /// One that has already been worse.
    pub(super) fn with_peak(self, peak: f64) -> Self {
        Self { peak: Unit::clamped(self.peak.get().max(peak)), ..self }
    }
    pub(super) fn grow(&mut self, by: Elapsed) {
        self.lived = self.lived.plus(by);
    }
    /// In [0, 1].
    pub(super) fn severity(&self, rate_per_day: f64) -> f64 {
        Unit::clamped(self.start.get() + rate_per_day * self.lived.as_days()).get()
    }
    /// The worst it has been; never below the severity.
    pub(super) fn peak(&self, rate_per_day: f64) -> f64 {
        self.peak.get().max(self.severity(rate_per_day))
    }
    /// Go on from a share of the present severity, keeping onset and peak.
    pub(super) fn scale(&mut self, share: f64, rate_per_day: f64) {
        let (severity, peak) = (self.severity(rate_per_day), self.peak(rate_per_day));
        *self = Self::new(self.onset, severity * share).with_peak(peak);
    }
}
