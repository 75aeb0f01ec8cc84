//! Days as people say them.

use golem_core::Timestamp;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Year, month from 1 and day; none for times beyond the calendar.
fn parts(at: Timestamp) -> Option<(i64, usize, u32)> {
    let text = at.to_string();
    let (date, _) = text.split_once('T')?;
    let mut fields = date.rsplitn(3, '-');
    let (day, month, year) = (fields.next()?, fields.next()?, fields.next()?);
    Some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
}

/// `17 February`.
#[must_use]
pub fn day(at: Timestamp) -> String {
    match parts(at).and_then(|(_, month, day)| Some((day, MONTHS.get(month.checked_sub(1)?)?))) {
        Some((day, month)) => format!("{day} {month}"),
        None => at.to_string(),
    }
}

/// `17 February 2026`.
#[must_use]
pub fn date(at: Timestamp) -> String {
    match parts(at) {
        Some((year, ..)) => format!("{} {year}", day(at)),
        None => at.to_string(),
    }
}

/// `17 Feb`: six columns at most.
#[must_use]
pub fn short(at: Timestamp) -> String {
    match day(at).split_once(' ') {
        Some((day, month)) => format!("{day:>2} {}", month.get(..3).unwrap_or(month)),
        None => at.to_string(),
    }
}

/// From one day to another, with as much of the year as is needed: `1 January to 9 March 2026`.
#[must_use]
pub fn stretch(from: Timestamp, until: Timestamp) -> String {
    let year = |at| parts(at).map(|(year, ..)| year);
    match (day(from) == day(until), year(from) == year(until)) {
        (true, true) => date(until),
        (_, true) => format!("{} to {}", day(from), date(until)),
        _ => format!("{} to {}", date(from), date(until)),
    }
}
