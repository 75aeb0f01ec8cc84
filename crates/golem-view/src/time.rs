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
        (1.., 0, _) => format!("{d} d"),
        (1.., ..) => format!("{d} d {h} h"),
        (0, 1.., 0) => format!("{h} h"),
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

/// A moment as an owner names it: RFC 3339, a day, or how long before `now`: `90min`, `3h`, `2d`, `1w`.
///
/// # Errors
/// What could not be read, with what can.
pub fn since(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let text = text.trim();
    let bad = || format!("{text:?} is no time: write 2026-01-31, 2026-01-31T07:05:00Z, or how long ago: 90min, 3h, 2d");
    if let Some(seconds) = ago(text) {
        return Ok(Timestamp(now.0.saturating_sub(seconds)));
    }
    // Bare digits would be seconds since 1970, which nobody means here.
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let whole = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    whole.parse().map_err(|_| bad())
}

fn ago(text: &str) -> Option<i64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (count, unit) = text.split_at(digits);
    let each: i64 = match unit.trim() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    count.parse::<i64>().ok()?.checked_mul(each)
}
