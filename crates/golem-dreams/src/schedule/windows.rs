//! Whether one of the owner's windows is open: by the clock on the wall of its zone, over midnight and over the days on
//! which that clock is set. An hour that the clock leaves out is in no window, and one that it shows twice is in it
//! twice.
//!
//! Zones come from the database inside the program, never from the machine: the same life sleeps at the same hours
//! everywhere.

use crate::config::{DayTime, SleepWindow, zone};
use golem_core::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// One night of one window: cycles and money of a session belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SleepNight {
    /// Which of the owner's windows.
    pub window: u32,
    /// The local day on which it began, in days since 1970.
    pub day: i32,
}

/// The first of the windows that is open at a moment. One that cannot be read is never open.
#[must_use]
pub fn open_window(windows: &[SleepWindow], at: Timestamp) -> Option<SleepNight> {
    let at = jiff::Timestamp::from_second(at.0).ok()?;
    windows.iter().zip(0..).find_map(|(window, n)| {
        let day = night_of(window, at)?;
        Some(SleepNight { window: n, day })
    })
}

fn night_of(window: &SleepWindow, at: jiff::Timestamp) -> Option<i32> {
    let (start, end) = (DayTime::read(&window.start)?, DayTime::read(&window.end)?);
    let local = zone(&window.timezone)?.to_datetime(at);
    let now = DayTime::of_minutes(u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).ok()?);
    let today = days_since_1970(local.date());
    let (after_start, before_end) = (now >= start, now < end);
    match start < end {
        true => (after_start && before_end).then_some(today),
        // Over midnight: after it, the night is still yesterday's.
        false if start == end => None,
        false if after_start => Some(today),
        false => before_end.then_some(today - 1),
    }
}

fn days_since_1970(date: Date) -> i32 {
    let days = date.duration_since(Date::constant(1970, 1, 1)).as_hours() / 24;
    i32::try_from(days).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DreamConfig;
    use proptest::prelude::*;

    fn window(start: &str, end: &str, timezone: &str) -> SleepWindow {
        SleepWindow { start: start.into(), end: end.into(), timezone: timezone.into() }
    }
    fn open(w: &SleepWindow, at: &str) -> bool {
        open_window(std::slice::from_ref(w), at.parse().unwrap()).is_some()
    }

    #[test]
    fn windows_open_by_the_clock_on_the_wall() {
        let (utc, berlin, late) = (
            window("02:00", "06:00", "UTC"),
            window("02:00", "06:00", "Europe/Berlin"),
            window("22:30", "01:15", "UTC"),
        );
        let (york, day) = (window("02:00", "03:00", "America/New_York"), window("00:00", "24:00", "Asia/Kathmandu"));
        for (w, at, expected) in [
            (&utc, "2026-01-10T01:59:59Z", false),
            (&utc, "2026-01-10T02:00:00Z", true),
            (&utc, "2026-01-10T05:59:59Z", true),
            (&utc, "2026-01-10T06:00:00Z", false),
            // An hour ahead in winter, two in summer.
            (&berlin, "2026-01-10T01:00:00Z", true),
            (&berlin, "2026-01-10T00:59:59Z", false),
            (&berlin, "2026-07-10T00:00:00Z", true),
            (&berlin, "2026-07-10T04:00:00Z", false),
            (&late, "2026-01-10T22:29:59Z", false),
            (&late, "2026-01-10T22:30:00Z", true),
            (&late, "2026-01-11T00:00:00Z", true),
            (&late, "2026-01-11T01:14:59Z", true),
            (&late, "2026-01-11T01:15:00Z", false),
            // The clock jumps from 02:00 to 03:00 on the 8th of March: the hour does not exist.
            (&york, "2026-03-08T06:30:00Z", false),
            (&york, "2026-03-08T07:30:00Z", false),
            // And it shows 01:00 to 02:00 twice on the 1st of November.
            (&york, "2026-11-01T06:59:59Z", false),
            (&york, "2026-11-01T07:00:00Z", true),
            (&day, "2026-11-01T18:15:00Z", true),
        ] {
            assert_eq!(open(w, at), expected, "{w:?} at {at}");
        }
        let twice = window("01:00", "02:00", "America/New_York");
        assert!(open(&twice, "2026-11-01T05:30:00Z") && open(&twice, "2026-11-01T06:30:00Z"));
    }

    #[test]
    fn a_night_over_midnight_is_one_night() {
        let night = |at: &str| open_window(&[window("22:00", "02:00", "UTC")], at.parse().unwrap()).unwrap().day;
        assert_eq!(night("2026-01-10T23:00:00Z"), night("2026-01-11T01:59:59Z"));
        assert_eq!(night("2026-01-10T23:00:00Z") + 1, night("2026-01-11T22:00:00Z"));
        assert_eq!(night("1970-01-01T22:00:00Z"), 0);
    }

    #[test]
    fn the_first_open_window_counts_and_a_bad_one_never_opens() {
        let windows =
            [window("9:00", "10:00", "UTC"), window("09:00", "12:00", "UTC"), window("09:00", "12:00", "Mars")];
        let at = "2026-01-10T09:30:00Z".parse().unwrap();
        assert_eq!(open_window(&windows, at).map(|n| n.window), Some(1));
        for bad in [
            window("25:00", "26:00", "UTC"),
            window("09:60", "12:00", "UTC"),
            window("", "12:00", "UTC"),
            window("09:00", "12:00", "Nowhere/Land"),
            window("09:00", "12:00", "Etc/Unknown"),
            window("09:00", "09:00", "UTC"),
        ] {
            assert_eq!(open_window(&[bad], at), None);
        }
        assert_eq!(open_window(&DreamConfig::default().windows.windows, Timestamp(i64::MAX)), None);
    }

    proptest! {
        #[test]
        fn a_window_and_the_rest_make_a_day(start in 0u16..1440, end in 0u16..1440, s in 0i64..4_000_000_000) {
            prop_assume!(start != end);
            let text = |m: u16| format!("{:02}:{:02}", m / 60, m % 60);
            let london = |from: u16, to: u16| window(&text(from), &text(to), "Europe/London");
            let (it, rest) = (london(start, end), london(end, start));
            let is_open = |w: &SleepWindow| open_window(std::slice::from_ref(w), Timestamp(s)).is_some();
            prop_assert!(is_open(&it) != is_open(&rest));
        }
        #[test]
        fn no_text_and_no_moment_panics(start: String, end: String, zone: String, s: i64) {
            let _open = open_window(&[window(&start, &end, &zone)], Timestamp(s));
        }
    }
}
