//! Times and stretches of time for people.

use golem_core::Timestamp;

/// The day, in UTC: `2026-01-31`.
#[must_use]
pub fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

/// Day and minute, in UTC: `2026-01-31 07:05`.
#[must_use]
pub fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    match (text.get(..10), text.get(11..16)) {
        (Some(day), Some(clock)) => format!("{day} {clock}"),
        _ => text,
    }
}

/// An age in days and hours.
#[must_use]
pub fn age(days: f64) -> String {
    span((days.max(0.0) * 86_400.0).round() as u64)
}

/// A stretch in its two largest units: `3 d 4 h`, `2 h 5 min`, `40 s`.
#[must_use]
pub fn span(seconds: u64) -> String {
    let (d, h, m, s) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    match (d, h, m) {
        (1.., ..) => format!("{d} d {h} h"),
        (0, 1.., _) => format!("{h} h {m} min"),
        (0, 0, 1..) => format!("{m} min"),
        _ => format!("{s} s"),
    }
}

/// When something will be, seen from now.
#[must_use]
pub fn ahead(seconds: u64) -> String {
    format!("in {}", span(seconds))
}
