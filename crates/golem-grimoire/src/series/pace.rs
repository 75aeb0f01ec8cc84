//! How long a row of the ring is: a nominal tick, or a bar where the world tells nothing in between.

use super::MAX_REPEATS;
use serde::{Deserialize, Serialize};

/// So many gaps in a row that do not fit are another pace, and not a pause.
const SURE_AFTER: u8 = 3;

/// The pace at which rows come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct RowPace {
    /// Nominal ticks in a row beyond the first one.
    more: u64,
    /// The nominal tick that was seen last.
    last: u64,
    /// Gaps in a row that do not fit, and the shortest of them.
    unfit: u8,
    gap: u64,
}

impl RowPace {
    /// Nominal ticks in a row.
    pub(super) fn row_ticks(&self) -> u64 {
        self.more + 1
    }
    /// The nominal tick that was seen last.
    pub(super) fn last_seen(&self) -> u64 {
        self.last
    }
    /// See a tick; true when rows have another length from now on.
    pub(super) fn see(&mut self, tick: u64, first: bool) -> bool {
        let gap = tick.saturating_sub(self.last);
        if first || gap == 0 {
            self.last = self.last.max(tick);
            return false;
        }
        self.last = tick;
        // Longer than what is filled in between two turns; or turns that are at least twice as quick as rows.
        let unfit = if self.more == 0 { gap > MAX_REPEATS } else { gap * 2 <= self.row_ticks() };
        if !unfit {
            self.unfit = 0;
            return false;
        }
        self.gap = if self.unfit == 0 { gap } else { self.gap.min(gap) };
        self.unfit += 1;
        if self.unfit < SURE_AFTER {
            return false;
        }
        self.unfit = 0;
        self.more = if self.gap > MAX_REPEATS { self.gap - 1 } else { 0 };
        true
    }
}
