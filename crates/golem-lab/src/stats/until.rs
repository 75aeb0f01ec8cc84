//! How many paths a comparison goes on to. Of its lines only the widths are asked.

use super::judge::ComparisonLine;
use super::needed::more_units;
use crate::compare::ComparePlan;

/// How many paths it must come to; nothing when its intervals are as narrow as its plan wants them, or there may be no more.
#[must_use]
pub fn wanted_paths(plan: &ComparePlan, lines: &[ComparisonLine]) -> Option<u64> {
    let until = plan.until.as_ref()?;
    let wanted = |line: &ComparisonLine| Some((line.width(), *until.widths.get(line.outcome.as_str())?));
    // A line without a difference on any path has no width to narrow.
    let told = lines.iter().filter(|line| line.units > 0 && !line.is_identical);
    // Where there is no width yet, twice as many may have one.
    let more = more_units(&told.filter_map(wanted).collect::<Vec<_>>()).unwrap_or(plan.paths());
    Some(plan.paths().saturating_add(more).min(until.most)).filter(|all| *all > plan.paths())
}
