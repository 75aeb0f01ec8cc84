//! The crisis latch: entered at 0.90, left below 0.80, and how long it has held.

use crate::band::{CRISIS_ENTER, CRISIS_LEAVE};
use golem_core::Elapsed;
use serde::{Deserialize, Serialize};

/// One existence cycle of virtual time.
pub const EXISTENCE_CYCLE: Elapsed = Elapsed::secs(360);
/// A crisis of this many cycles in a row is broken by a respite.
pub const MOST_CRISIS_CYCLES: u64 = 3;

/// Whether a load is in crisis, with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Latch {
    pub(super) on: bool,
    held: Elapsed,
    /// Lived in crisis since the last turn, not counted yet.
    uncounted: Elapsed,
}

impl Latch {
    /// Look at a load. Entering and leaving begin the count anew.
    pub(super) fn look(&mut self, load: f64) {
        let on = if self.on { load >= CRISIS_LEAVE } else { load >= CRISIS_ENTER };
        if on != self.on {
            *self = Self { on, ..Self::default() };
        }
    }
    pub(super) fn live(&mut self, lived: Elapsed) {
        if self.on {
            self.uncounted = self.uncounted.plus(lived);
        }
    }
    /// Count the time since the last turn, at most one cycle: a golem that was away for a day had one chance to act in
    /// it, not 240.
    pub(super) fn count(&mut self) {
        self.held = self.held.plus(std::mem::take(&mut self.uncounted).min(EXISTENCE_CYCLE));
    }
    /// Whole cycles in crisis.
    pub(super) fn cycles(self) -> u64 {
        self.held.0 / EXISTENCE_CYCLE.0
    }
}
