//! The path that the world outside has taken, told again up to the present. This is the one place that decides what may
//! be known: nobody behind it can ask for a tick that has not been lived.

use crate::market::{Outside, OutsideTick};
use std::collections::BTreeMap;

/// Steps between two moments that are kept to begin again from.
pub(in crate::floor) const STRIDE: u64 = 128;

/// A stretch of the lived path, told as far as somebody has asked.
#[derive(Debug)]
pub(in crate::floor) struct LivedPath {
    step_ticks: u64,
    /// The last step that was lived, if there was one.
    last: Option<u64>,
    /// The tick of the first that is told here.
    first: u64,
    told: Vec<OutsideTick>,
    /// Where the world outside stood before it told a tick, now and then.
    states: BTreeMap<u64, Vec<u8>>,
}

/// True when a moment is kept before this tick is told.
pub(in crate::floor) fn is_marked(tick: u64, step_ticks: u64, stride: u64) -> bool {
    (tick / step_ticks.max(1)).is_multiple_of(stride)
}

impl LivedPath {
    /// The path up to the last step, with nothing told yet.
    pub fn until(last: Option<u64>, step_ticks: u64) -> Self {
        Self { step_ticks: step_ticks.max(1), last, first: 0, told: Vec::new(), states: BTreeMap::new() }
    }

    /// Tell from this tick on, with the world outside brought back to where it stood before it.
    pub fn begin(&mut self, tick: u64, outside: &mut dyn Outside, state: &[u8]) -> Result<(), String> {
        outside.restore(state)?;
        self.first = tick;
        self.told.clear();
        self.states.clear();
        Ok(())
    }

    /// True when this tick can be told, and nothing that lies far before it needs to be.
    pub fn reaches(&self, tick: u64) -> bool {
        let soon = self.next().saturating_add(STRIDE.saturating_mul(self.step_ticks));
        !self.told.is_empty() && self.first <= tick && tick <= soon
    }

    /// What was told at a tick; nothing after the last step that was lived.
    pub fn at(&mut self, outside: &mut dyn Outside, tick: u64) -> Option<OutsideTick> {
        if Some(tick) > self.last {
            return None;
        }
        while self.next() <= tick {
            let next = self.next();
            if is_marked(next, self.step_ticks, STRIDE) {
                self.states.insert(next, outside.save());
            }
            self.told.push(outside.at(next)?);
        }
        let n = tick.checked_sub(self.first)? / self.step_ticks;
        self.told.get(usize::try_from(n).ok()?).copied()
    }

    /// Where the world outside stood before it told a tick that is marked.
    pub fn before(&self, outside: &dyn Outside, tick: u64) -> Option<Vec<u8>> {
        self.states.get(&tick).cloned().or_else(|| (self.next() == tick).then(|| outside.save()))
    }

    /// The tick that is told next.
    fn next(&self) -> u64 {
        self.first.saturating_add((self.told.len() as u64).saturating_mul(self.step_ticks))
    }
}
