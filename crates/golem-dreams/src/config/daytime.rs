//! Times of day and zones, as owners write them. Zones come from the database inside the program, never from the machine.

use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Minutes after midnight, up to 24:00.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DayTime(u16);

impl DayTime {
    /// So many minutes after midnight.
    pub(crate) fn of_minutes(minutes: u16) -> Self {
        Self(minutes)
    }
    /// `HH:MM`, both with two digits.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (hours, minutes) = text.split_once(':')?;
        let two = |part: &str| -> Option<u16> {
            (part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok())?
        };
        let (hours, minutes) = (two(hours)?, two(minutes)?);
        let all = hours * 60 + minutes;
        (minutes < 60 && all <= 24 * 60).then_some(Self(all))
    }
}

/// The zone of an IANA name.
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    TimeZoneDatabase::bundled().get(name).ok().filter(|zone| !zone.is_unknown())
}
