//! Ticks, virtual time and nominal ticks.
//!
//! A *tick* is one turn of the loop. A *nominal tick* is 40 s of virtual time: hazard, age, senescence and horizons
//! count nominal ticks, so that a golem which doubles its interval to save money does not age more slowly.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Seconds of virtual time in one nominal tick.
pub const NOMINAL_TICK_S: u64 = 40;
const NOMINAL_TICK_MS: u64 = NOMINAL_TICK_S * 1_000;
/// Nominal ticks in a virtual day.
pub const NOMINAL_TICKS_PER_DAY: u64 = 86_400 / NOMINAL_TICK_S;

/// The number of a turn: 0 is birth, 1 the first turn. Never goes back, never repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Tick(pub u64);

impl Tick {
    /// The turn after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
    /// True once every `n` turns; never at birth, never for `n` = 0.
    #[must_use]
    pub fn is_every(self, n: u64) -> bool {
        n != 0 && self.0 != 0 && self.0.is_multiple_of(n)
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A stretch of virtual time, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Elapsed(pub u64);

impl Elapsed {
    /// From whole seconds.
    #[must_use]
    pub const fn secs(s: u64) -> Self {
        Self(s.saturating_mul(1_000))
    }
    /// From nominal ticks.
    #[must_use]
    pub const fn nominal(n: u64) -> Self {
        Self(n.saturating_mul(NOMINAL_TICK_MS))
    }
    /// As nominal ticks, fractions included.
    #[must_use]
    pub fn as_nominal(self) -> f64 {
        self.0 as f64 / NOMINAL_TICK_MS as f64
    }
    /// As whole nominal ticks, rounded down.
    #[must_use]
    pub fn nominal_floor(self) -> u64 {
        self.0 / NOMINAL_TICK_MS
    }
    /// As hours.
    #[must_use]
    pub fn as_hours(self) -> f64 {
        self.0 as f64 / 3_600_000.0
    }
    /// As days.
    #[must_use]
    pub fn as_days(self) -> f64 {
        self.0 as f64 / 86_400_000.0
    }
    /// The sum, at most the largest stretch there is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Virtual time since birth, in milliseconds: the golem's age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct VirtualTime(pub u64);

impl VirtualTime {
    /// Age as a stretch.
    #[must_use]
    pub fn age(self) -> Elapsed {
        Elapsed(self.0)
    }
    /// This moment plus a stretch.
    #[must_use]
    pub fn after(self, by: Elapsed) -> Self {
        Self(self.0.saturating_add(by.0))
    }
    /// How long since an earlier moment; zero when that moment lies ahead.
    #[must_use]
    pub fn since(self, earlier: Self) -> Elapsed {
        Elapsed(self.0.saturating_sub(earlier.0))
    }
    /// The whole virtual day of life, 0 at birth.
    #[must_use]
    pub fn day(self) -> u64 {
        self.0 / 86_400_000
    }
    /// Nominal ticks of age, fractions included.
    #[must_use]
    pub fn nominal(self) -> f64 {
        self.age().as_nominal()
    }
}

/// Unix seconds. Explains when something was; nothing is ever ordered or aged by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This moment plus a stretch, rounded down to seconds.
    #[must_use]
    pub fn after(self, by: Elapsed) -> Self {
        Self(self.0.saturating_add_unsigned(by.0 / 1_000))
    }
}
