//! Another pair's price over the last few turns: as much of it as its return over 45 nominal ticks needs.

use golem_core::{Elapsed, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The window of the return.
const WINDOW: Elapsed = Elapsed::nominal(45);
/// A footprint is left at most this often, which bounds their number.
const SPACING: Elapsed = Elapsed::secs(20);

/// Footprints of a log price, oldest first; the first is the last one that is at least the window old.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct LeadTrail {
    footprints: VecDeque<(VirtualTime, f64)>,
    last: f64,
}

impl LeadTrail {
    /// See the log price, if it is there.
    pub fn see(&mut self, level: Option<f64>, now: VirtualTime) {
        let Some(level) = level else { return };
        self.last = level;
        if self.footprints.back().is_none_or(|(at, _)| now.since(*at) >= SPACING) {
            self.footprints.push_back((now, level));
        }
        while self.footprints.get(1).is_some_and(|(at, _)| now.since(*at) >= WINDOW) {
            self.footprints.pop_front();
        }
    }
    /// What it did over the window, once that much has been seen.
    pub fn moved(&self, now: VirtualTime) -> Option<f64> {
        let &(at, level) = self.footprints.front()?;
        (now.since(at) >= WINDOW).then_some(self.last - level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_half_an_hour_and_no_more() {
        let (mut trail, at) = (LeadTrail::default(), |n| VirtualTime(0).after(Elapsed::nominal(n)));
        for n in 0..200 {
            trail.see(Some(n as f64), at(n));
            assert_eq!(trail.moved(at(n)), (n >= 45).then_some(45.0), "{n}");
            assert!(trail.footprints.len() <= 47);
        }
    }
}
