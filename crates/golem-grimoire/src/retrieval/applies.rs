//! Whether an entry is about this moment: what says itself when it holds (a condition, a weather, a situation) is recalled
//! where that is so, and not wherever it is well believed.

use super::query::{KnownEntry, Query};
use golem_core::observed::{Expression, Verdict};

/// What applies less than this is about another moment, and is not recalled.
pub(super) const LEAST: f64 = 0.25;
/// What the score of an entry is multiplied by that does not say when it holds.
const ANY_TIME: f64 = 0.6;
/// What it is multiplied by where it does not apply at all, and what is added where it does.
const ELSEWHERE: f64 = 0.2;
const HERE: f64 = 1.2;

/// How far an entry applies to the moment asked about, from 0 to 1; none when it does not say when it holds, or nobody can
/// tell. `condition` is that of its claim.
pub(super) fn applies(known: &KnownEntry<'_>, condition: Option<&Expression>, query: &Query) -> Option<f64> {
    let seen = query.seen.as_ref()?;
    let body = known.body;
    let weather = body.regime.map(|regime| query.weather.weight(regime).clamp(0.0, 1.0));
    let holds = match condition.map(|when| when.evaluate(seen)) {
        Some(Verdict::Holds) => Some(1.0),
        Some(Verdict::DoesNot) => Some(0.0),
        // What was not observed is not held against it.
        Some(Verdict::Unknown { .. } | Verdict::Failed { .. }) | None => None,
    };
    let alike = body.prototype.as_ref().zip(query.situation.as_ref());
    let alike = alike.map(|(there, here)| f64::from(there.cosine(here)).clamp(0.0, 1.0));
    match (holds, weather, alike) {
        // A condition says all of when; a situation it was once seen in says nothing more.
        (Some(holds), weather, _) => Some(holds * weather.unwrap_or(1.0)),
        (None, Some(weather), Some(alike)) => Some(weather * (0.3 + 0.7 * alike)),
        (None, weather, alike) => weather.or(alike),
    }
}

/// What a score is multiplied by.
pub(super) fn factor(applies: Option<f64>) -> f64 {
    applies.map_or(ANY_TIME, |a| ELSEWHERE + HERE * a)
}
