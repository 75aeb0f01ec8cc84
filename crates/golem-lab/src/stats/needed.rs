//! How many paths a question takes. Nothing here sees a mean or its sign.

use super::student::normal_quantile;

/// The chance with which a margin should be seen.
const POWER: f64 = 0.8;

/// What may be known of an interval before one decides to go on: how many units it stands on and how wide it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalWidth {
    pub units: u64,
    /// Half of it.
    pub half: f64,
}

/// Units that see a margin with a chance of 80 %: a deviation of 1 % and one line need 32 for 0.5 %, 197 for 0.2 %. None
/// where there is no telling.
#[must_use]
pub fn units_to_see(margin: f64, deviation: f64, critical: f64) -> Option<u64> {
    whole((critical + normal_quantile(POWER)) * deviation / margin)
}

/// Units that decide in any case: with half a margin to either side an interval excludes 0 or lies within the margin.
#[must_use]
pub fn units_to_decide(margin: f64, deviation: f64, critical: f64) -> Option<u64> {
    whole(2.0 * critical * deviation / margin)
}

fn whole(root: f64) -> Option<u64> {
    let n = libm::ceil(root * root);
    (n.is_finite() && n < 1e15).then_some(n as u64)
}

/// How many more units until every interval is as narrow as wanted; `None` where one has no width yet.
#[must_use]
pub fn more_units(widths: &[(IntervalWidth, f64)]) -> Option<u64> {
    let mut more = 0;
    for (width, wanted) in widths {
        let shrink = width.half / wanted;
        let all = if shrink <= 1.0 { width.units } else { whole(shrink * libm::sqrt(width.units as f64))? };
        more = more.max(all.saturating_sub(width.units));
    }
    Some(more)
}
