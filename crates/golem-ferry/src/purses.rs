//! What a golem may say in an hour, as the relay counts it: nothing is signed that would not be kept.

use crate::file::{FerryFault, FerryFile};
use crate::wall::now_ms;
use styx_wire::{BucketRate, RateBucket, RelayLimits};

/// Two budgets.
pub(crate) struct Purses {
    urgent: RateBucket,
    others: RateBucket,
}

impl Purses {
    /// What is left after what was made within the last hour: coming again fills no purse.
    pub(crate) fn of(file: &FerryFile) -> Result<Self, FerryFault> {
        let (now, limits) = (now_ms(), RelayLimits::default());
        let left = |rate: BucketRate, urgent: bool| {
            let mut purse = RateBucket::full(rate, now);
            let spent = file.made_since(now.saturating_sub(3_600_000), urgent)?.min(rate.burst);
            let _never_more_than_is_there = purse.take(rate, spent, now);
            Ok(purse)
        };
        Ok(Self { urgent: left(limits.warnings, true)?, others: left(limits.knowledge, false)? })
    }
    pub(crate) fn may(&mut self, urgent: bool) -> bool {
        let limits = RelayLimits::default();
        match urgent {
            true => self.urgent.take(limits.warnings, 1, now_ms()).is_ok(),
            false => self.others.take(limits.knowledge, 1, now_ms()).is_ok(),
        }
    }
}
