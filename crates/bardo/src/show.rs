//! How things look to people on the command line; words and numbers are those of the view.

use golem_core::{ReferencePrice, Timestamp};
use golem_life::Status;

/// RFC 3339 in UTC.
pub fn time(at: Timestamp) -> String {
    at.to_string()
}

/// An age in days and hours.
pub fn age(days: f64) -> String {
    golem_view::time::age(days)
}

/// What a price is held against before value is given up.
pub fn reference(reference: Option<ReferencePrice>) -> String {
    reference.map_or("nothing: there is no reference, and nothing is opened".to_owned(), |reference| {
        format!("{} ({} min)", reference.kind.name(), reference.window_s / 60)
    })
}

/// One line about how a golem is; two, where its name is long.
pub fn line(s: &Status) -> String {
    let words = format!(
        "{} · turn {} · {} · {} · vitality {:.2} · fitness {:.3} · {:.2} USDC",
        s.name,
        s.tick,
        age(s.age_days),
        s.phase,
        s.vitality.composite,
        s.vitality.epistemic,
        s.balance.as_f64(),
    );
    crate::lines::folded(&words)
}
