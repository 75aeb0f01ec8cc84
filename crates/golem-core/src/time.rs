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

/// Unix seconds, RFC 3339 wherever people read them. Explains when something was; nothing is ordered or aged by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.0) {
            Ok(t) => t.fmt(f),
            // Beyond the years that have an agreed spelling, seconds are still true.
            Err(_) => self.0.fmt(f),
        }
    }
}

impl std::str::FromStr for Timestamp {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let seconds = s.parse::<i64>().or_else(|_| s.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_second));
        seconds.map(Self).map_err(|e| format!("{s:?} is not a time: {e}"))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.collect_str(self) } else { self.0.serialize(s) }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if d.is_human_readable() {
            String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
        } else {
            i64::deserialize(d).map(Self)
        }
    }
}

impl Timestamp {
    /// This moment plus a stretch, rounded down to seconds.
    #[must_use]
    pub fn after(self, by: Elapsed) -> Self {
        Self(self.0.saturating_add_unsigned(by.0 / 1_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back_as_they_were() {
        for s in [0, 1_767_225_600, -1, 253_402_207_200, i64::MAX, i64::MIN] {
            let t = Timestamp(s);
            assert_eq!(t.to_string().parse::<Timestamp>(), Ok(t), "{t}");
        }
        assert_eq!(Timestamp(1_767_225_600).to_string(), "2026-01-01T00:00:00Z");
        assert!("yesterday".parse::<Timestamp>().is_err());
    }

    #[test]
    fn poverty_does_not_stretch_nominal_time() {
        assert_eq!(Elapsed::secs(80), Elapsed::nominal(2));
        assert!((Elapsed::secs(15).as_nominal() - 0.375).abs() < 1e-12);
        assert_eq!(VirtualTime(0).since(VirtualTime(5)), Elapsed(0));
    }
}
