//! World time beside a golem's own age: every life begins at age zero, so what one golem learnt can be dated for another
//! only by the time of the world.

use golem_core::{Elapsed, Timestamp, VirtualTime};
use serde::{Deserialize, Serialize};

/// When a life began in the time of its world: the date of the first thing it saw, also where that is a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LifeClock {
    /// World time at age zero.
    pub zero: Timestamp,
}

impl LifeClock {
    /// World time at an age.
    #[must_use]
    pub fn at(self, age: VirtualTime) -> Timestamp {
        self.zero.after(age.age())
    }
    /// The age at a world time; zero for whatever was before the birth.
    #[must_use]
    pub fn age_at(self, world: Timestamp) -> VirtualTime {
        let seconds = world.0.saturating_sub(self.zero.0);
        VirtualTime(Elapsed::secs(u64::try_from(seconds).unwrap_or(0)).0)
    }
    /// The first age at which it is this time or later: the same, and never too early where a date lies within a second.
    #[must_use]
    pub fn age_from(self, world: Timestamp) -> VirtualTime {
        let age = self.age_at(world);
        if self.at(age) < world { VirtualTime(u64::MAX) } else { age }
    }
}

/// When something was true, and when it was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldTimes {
    /// From when on it was true.
    pub true_from: Timestamp,
    /// Until when it was; `None` is still.
    pub true_until: Option<Timestamp>,
    /// When its first learner learnt it.
    pub learnt: Timestamp,
}

impl WorldTimes {
    /// True when somebody could have known it at that time, and it still held.
    #[must_use]
    pub fn known_at(&self, world: Timestamp) -> bool {
        self.learnt <= world && self.true_until.is_none_or(|until| until > world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_is_what_was_learnt_and_still_held() {
        let times = WorldTimes { true_from: Timestamp(10), true_until: Some(Timestamp(50)), learnt: Timestamp(20) };
        for (at, known) in [(9, false), (10, false), (19, false), (20, true), (49, true), (50, false), (99, false)] {
            assert_eq!(times.known_at(Timestamp(at)), known, "{at}");
        }
        assert!(WorldTimes { true_until: None, ..times }.known_at(Timestamp(i64::MAX)));
    }

    proptest! {
        #[test]
        fn ages_and_dates_go_back_and_forth(zero: i64, age in 0..1_u64 << 45, world: i64) {
            let clock = LifeClock { zero: Timestamp(zero) };
            let whole = VirtualTime(age / 1_000 * 1_000);
            if zero < i64::MAX - (1 << 45) {
                prop_assert_eq!(clock.age_at(clock.at(whole)), whole);
            }
            // Before the birth there is no age, whatever the date.
            if world <= zero {
                prop_assert_eq!(clock.age_at(Timestamp(world)), VirtualTime(0));
            }
        }
    }
}
