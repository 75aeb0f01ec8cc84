//! What one golem has used of its budgets. What it used in the last hour is used, also where the relay was started again in between.

use crate::store::RecentUse;
use styx_wire::{BucketRate, DeltaLane, RateBucket, RelayLimits};

/// What is paid from which budget.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RelayBudget {
    Lane(DeltaLane, u64),
    Pulse,
    Deposit,
    Archive(u64),
}

/// What one golem has used.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceMeter {
    knowledge: RateBucket,
    warnings: RateBucket,
    pulses: RateBucket,
    deposits: RateBucket,
    archive: RateBucket,
}

fn used(rate: BucketRate, n: u64, now_ms: u64) -> RateBucket {
    let mut bucket = RateBucket::full(rate, now_ms);
    let _all_of_it = bucket.take(rate, n.min(rate.burst), now_ms);
    bucket
}

impl SourceMeter {
    /// Of one who has told this lately.
    pub fn after(recent: RecentUse, limits: &RelayLimits, now_ms: u64) -> Self {
        Self {
            knowledge: used(limits.knowledge, recent.batch, now_ms),
            warnings: used(limits.warnings, recent.urgent, now_ms),
            pulses: RateBucket::full(limits.pulses, now_ms),
            deposits: RateBucket::full(limits.deposits, now_ms),
            archive: RateBucket::full(limits.archive_bytes, now_ms),
        }
    }

    /// Pay for something, or say after how many milliseconds it can be paid.
    pub fn pay(&mut self, what: RelayBudget, limits: &RelayLimits, now_ms: u64) -> Result<(), u64> {
        match what {
            RelayBudget::Lane(DeltaLane::Batch, _) => self.knowledge.take(limits.knowledge, 1, now_ms),
            RelayBudget::Lane(DeltaLane::Urgent, _) => self.warnings.take(limits.warnings, 1, now_ms),
            RelayBudget::Pulse => self.pulses.take(limits.pulses, 1, now_ms),
            RelayBudget::Deposit => self.deposits.take(limits.deposits, 1, now_ms),
            RelayBudget::Archive(bytes) => self.archive.take(limits.archive_bytes, bytes, now_ms),
        }
    }
}
