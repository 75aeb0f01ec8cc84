//! The trail of net asset values of the last day: what a window began with, and the peak a drawdown is measured from.
//! Where half-hour slots blur the answer, it is the one that permits less.

use crate::limits::DAY;
use golem_core::{Elapsed, Usdc, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

const SLOT_MS: u64 = 1_800_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct TrailSlot {
    slot: u64,
    low: Usdc,
    last: Usdc,
    /// The highest, in the money of today: what was fed since raises it in proportion.
    high: Usdc,
}

/// Net asset values of the last day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct SpendingTrail {
    slots: VecDeque<TrailSlot>,
}

impl SpendingTrail {
    /// A net asset value was seen.
    pub(crate) fn see(&mut self, now: VirtualTime, nav: Usdc) {
        let slot = now.0 / SLOT_MS;
        match self.slots.back_mut() {
            Some(last) if last.slot == slot => {
                *last = TrailSlot { slot, low: last.low.min(nav), last: nav, high: last.high.max(nav) };
            }
            _ => self.slots.push_back(TrailSlot { slot, low: nav, last: nav, high: nav }),
        }
        // The last slot before the day stays: its value was in force when the day began.
        let first = first_slot(now, DAY);
        while self.slots.get(1).is_some_and(|second| second.slot < first) {
            self.slots.pop_front();
        }
    }
    /// The latest value.
    pub(crate) fn latest(&self) -> Option<Usdc> {
        self.slots.back().map(|slot| slot.last)
    }
    /// The value that a window of this length, ending now, began with; a life younger than that began with its first.
    pub(crate) fn began(&self, now: VirtualTime, length: Elapsed) -> Option<Usdc> {
        let first = first_slot(now, length);
        let before = self.slots.iter().rev().find(|slot| slot.slot < first).map(|slot| slot.last);
        let within = self.slots.iter().find(|slot| slot.slot >= first);
        match (before, within) {
            // In force until the first slot of the window, and perhaps no longer.
            (Some(before), Some(within)) if within.slot == first => Some(before.min(within.low)),
            (None, Some(within)) => Some(within.low),
            (before, _) => before,
        }
    }
    /// The highest value of the last day.
    pub(crate) fn peak(&self) -> Usdc {
        let (older, newer) = self.slots.as_slices();
        let highest = |slots: &[TrailSlot]| slots.iter().fold(Usdc::ZERO, |most, slot| most.max(slot.high));
        highest(older).max(highest(newer))
    }
    /// Money came in that is no gain. Peaks rise in proportion, so that the drawdown is the same as before in basis
    /// points: it is neither hidden nor faked.
    pub(crate) fn fed(&mut self, amount: Usdc) {
        let Some(back) = self.slots.back_mut() else { return };
        let (had, has) = (u128::from(back.last.0), u128::from(back.last.0) + u128::from(amount.0));
        back.last = back.last.plus(amount);
        for slot in &mut self.slots {
            let raised = u128::from(slot.high.0).saturating_mul(has).div_ceil(had.max(1));
            // Where there was nothing, no proportion is left, and the loss is at least kept as an amount.
            slot.high = Usdc(u64::try_from(raised).unwrap_or(u64::MAX)).max(slot.high.plus(amount));
        }
    }
    /// Money went home, which is no loss. What a window began with falls by it; peaks fall in proportion, rounded up, so that
    /// the drawdown stays what it was.
    pub(crate) fn sent_home(&mut self, amount: Usdc) {
        let Some(back) = self.slots.back_mut() else { return };
        let (had, has) = (u128::from(back.last.0), u128::from(back.last.minus(amount).0));
        for slot in &mut self.slots {
            (slot.low, slot.last) = (slot.low.minus(amount), slot.last.minus(amount));
            let lowered = u128::from(slot.high.0).saturating_mul(has).div_ceil(had.max(1));
            slot.high = Usdc(u64::try_from(lowered).unwrap_or(u64::MAX)).min(slot.high);
        }
    }
    /// Measure drawdowns anew from here.
    pub(crate) fn anchor(&mut self) {
        let Some(now) = self.latest() else { return };
        for slot in &mut self.slots {
            slot.high = now;
        }
    }
}

fn first_slot(now: VirtualTime, length: Elapsed) -> u64 {
    now.0.saturating_sub(length.0) / SLOT_MS
}
