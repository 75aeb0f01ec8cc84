//! Sessions: one night of an owner's window, or, outside of windows, a day of its life. Each has its own count of
//! cycles and its own bill, so that a nap between two stretches of a day does not give the day its cycles anew.

use crate::schedule::windows::SleepNight;
use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// What a session has had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionTally {
    pub cycles: u32,
    pub spent: Usdc,
}

/// The night's tally and the day's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DreamSessions {
    night: Option<SleepNight>,
    day: u64,
    at_night: SessionTally,
    by_day: SessionTally,
    /// Whether a window is open.
    is_night: bool,
}

impl DreamSessions {
    /// A night or a day that has not been counted yet begins from nothing.
    pub fn at(&mut self, night: Option<SleepNight>, day: u64) {
        if night.is_some() && night != self.night {
            (self.night, self.at_night) = (night, SessionTally::default());
        }
        if day != self.day {
            (self.day, self.by_day) = (day, SessionTally::default());
        }
        self.is_night = night.is_some();
    }
    /// The session of the latest turn.
    #[must_use]
    pub fn now(&self) -> SessionTally {
        if self.is_night { self.at_night } else { self.by_day }
    }
    /// Whether a window was open in the latest turn.
    #[must_use]
    pub fn is_night(&self) -> bool {
        self.is_night
    }
    pub(super) fn opened(&mut self) {
        let tally = self.tally();
        tally.cycles = tally.cycles.saturating_add(1);
    }
    /// A cycle is paid for by the session in which it began: no turn is considered while it lasts.
    pub(super) fn book(&mut self, cost: Usdc) {
        let tally = self.tally();
        tally.spent = tally.spent.plus(cost);
    }
    fn tally(&mut self) -> &mut SessionTally {
        if self.is_night { &mut self.at_night } else { &mut self.by_day }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_does_not_give_the_day_its_cycles_anew() {
        let night = |window, day| Some(SleepNight { window, day });
        let mut sessions = DreamSessions::default();
        for (night, day, before) in [
            (None, 0, 0),
            (None, 0, 1),
            (night(0, 5), 0, 0),
            (night(0, 5), 0, 1),
            // Midnight of its life within the same night.
            (night(0, 5), 1, 2),
            (None, 1, 0),
            (night(0, 5), 1, 3),
            (None, 1, 1),
            (night(0, 6), 1, 0),
            (night(1, 6), 1, 0),
        ] {
            sessions.at(night, day);
            assert_eq!(
                sessions.now(),
                SessionTally { cycles: before, spent: Usdc(10 * u64::from(before)) },
                "{night:?} {day}"
            );
            sessions.opened();
            sessions.book(Usdc(10));
        }
    }
}
