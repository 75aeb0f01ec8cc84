//! How often forecasts move the holdings. Where the next one that is worth a trade comes in a few hours, going back to the
//! usual share in between costs more than it brings.

use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// Trades that the usual time between two is a mean of, about.
const MEMORY: f64 = 4.0;

/// When forecasts last moved the holdings, and how long it usually takes until one does again.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct TradePace {
    last: Option<VirtualTime>,
    usual_days: Option<f64>,
}

impl TradePace {
    /// A forecast moves the holdings now.
    pub(super) fn moved(&mut self, now: VirtualTime) {
        if let Some(last) = self.last.replace(now) {
            let days = now.since(last).as_days();
            let usual = self.usual_days.get_or_insert(days);
            *usual += (days - *usual) / MEMORY;
        }
    }

    /// Days until the next one, at most so many; the longer none came, the longer it may be until one does.
    pub(super) fn stay_days(&self, now: VirtualTime, at_most: f64) -> f64 {
        let usual = self.usual_days.zip(self.last);
        usual.map_or(at_most, |(days, last)| days.max(now.since(last).as_days()).min(at_most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Elapsed;

    #[test]
    fn what_comes_often_is_waited_for_and_what_no_longer_comes_is_not() {
        let at = |hours: u64| VirtualTime(0).after(Elapsed::secs(3_600 * hours));
        let mut pace = TradePace::default();
        assert!((pace.stay_days(at(0), 10.0) - 10.0).abs() < 1e-12, "nothing is known at first");
        pace.moved(at(0));
        assert!((pace.stay_days(at(6), 10.0) - 10.0).abs() < 1e-12, "one is no pace");
        pace.moved(at(6));
        assert!((pace.stay_days(at(7), 10.0) - 0.25).abs() < 1e-12);
        pace.moved(at(18));
        assert!((pace.stay_days(at(19), 10.0) - 0.3125).abs() < 1e-12, "a quarter of the way to half a day");
        assert!((pace.stay_days(at(18 + 48), 10.0) - 2.0).abs() < 1e-12, "two days without one");
        assert!((pace.stay_days(at(18 + 480), 10.0) - 10.0).abs() < 1e-12);
    }
}
