//! A verdict per line: better, worse, no difference, or cannot tell.

use super::bootstrap::{UnitSums, critical};
use super::needed::{IntervalWidth, units_to_decide, units_to_see};
use super::pairing::{PairedLine, PairingError, pair};
use super::student::{normal_quantile, student_quantile};
use super::{JudgedOutcome, Judging};
use crate::compare::{LifeRow, OutcomeName, Preferred};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One line of a page: an arm against the first arm, in one world, by one outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonLine {
    pub world: String,
    pub template: String,
    pub arm: String,
    pub outcome: OutcomeName,
    pub preferred: Preferred,
    pub margin: f64,
    /// Mean of the first arm.
    pub mean_against: f64,
    /// Mean difference: this arm less the first.
    pub mean: f64,
    /// The interval; all of a page hold at once.
    pub low: f64,
    pub high: f64,
    /// Paths with a difference.
    pub pairs: u64,
    /// Independent units among them: paths, or clusters of paths.
    pub units: u64,
    /// Paths on which one of the two has nothing to say.
    pub unpaired: u64,
    /// Standard deviation of the difference between units.
    pub deviation: f64,
    /// Half widths are so many standard errors.
    pub critical: f64,
    /// No path shows any difference at all.
    pub is_identical: bool,
    pub verdict: LineVerdict,
    /// The differences, in the order of their paths.
    pub differences: Vec<f64>,
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineVerdict {
    Better,
    Worse,
    /// More of something of which neither way is better.
    Higher,
    /// Less of it.
    Lower,
    /// The interval lies within the margin and holds 0.
    NoDifference,
    CannotTell {
        /// Units that would be needed to see the margin.
        needed: Option<u64>,
    },
}

impl fmt::Display for LineVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Better => f.write_str("better"),
            Self::Worse => f.write_str("worse"),
            Self::Higher => f.write_str("higher"),
            Self::Lower => f.write_str("lower"),
            Self::NoDifference => f.write_str("no difference"),
            Self::CannotTell { needed: Some(n) } => write!(f, "cannot tell (needs {n})"),
            Self::CannotTell { needed: None } => f.write_str("cannot tell"),
        }
    }
}

impl ComparisonLine {
    /// All that may decide whether to go on.
    #[must_use]
    pub fn width(&self) -> IntervalWidth {
        IntervalWidth { units: self.units, half: 0.5 * (self.high - self.low) }
    }

    /// Whether what is too small to matter is all there can be, also where its sign is known.
    #[must_use]
    pub fn is_within_margin(&self) -> bool {
        -self.margin <= self.low && self.high <= self.margin
    }

    /// Whether it is at most by the margin worse, whatever else it is.
    #[must_use]
    pub fn is_not_worse(&self) -> bool {
        match self.preferred {
            Preferred::More => self.low >= -self.margin,
            Preferred::Less => self.high <= self.margin,
            Preferred::Neither => self.is_within_margin(),
        }
    }
}

/// Judge all lines of a page together.
pub fn judge(rows: &[LifeRow], plan: &Judging) -> Result<Vec<ComparisonLine>, PairingError> {
    let paired = pair(rows, plan)?;
    let mut units: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for line in &paired {
        let all = units.entry(&line.world).or_default();
        all.extend(line.differences.keys().map(|path| plan.unit(&line.world, *path)));
    }
    let places: BTreeMap<&str, BTreeMap<u64, usize>> = units
        .iter()
        .map(|(world, all)| (*world, all.iter().enumerate().map(|(i, unit)| (*unit, i)).collect()))
        .collect();
    let sums: Vec<UnitSums> = paired
        .iter()
        .map(|line| {
            let places = &places[line.world.as_str()];
            let placed = line.differences.iter().map(|(path, d)| (places[&plan.unit(&line.world, *path)], *d));
            UnitSums::of(&placed.collect::<Vec<_>>(), places.len())
        })
        .collect();
    let drawn: Vec<&UnitSums> = sums.iter().filter(|s| s.can_be_drawn()).collect();
    // Each line may err with the same chance; those that are drawn together pool theirs. What never differs cannot err by
    // chance, as its |t| is 0 in every drawing, and what has no pair says nothing.
    let says = sums.iter().filter(|s| s.differing > 0).count();
    let err_each = (1.0 - plan.level) / says.max(1) as f64;
    let together = critical(&drawn, 1.0 - err_each * drawn.len() as f64, plan.resamples, plan.seed);
    let mut together = together.into_iter();
    Ok(paired
        .into_iter()
        .zip(&sums)
        .map(|(line, sums)| {
            let critical = match sums.can_be_drawn() {
                true => together.next().unwrap_or(f64::INFINITY),
                false => student_quantile(1.0 - err_each / 2.0, sums.freedom()),
            };
            told(line, sums, critical, plan, err_each)
        })
        .collect())
}

fn told(line: PairedLine, sums: &UnitSums, critical: f64, plan: &Judging, err_each: f64) -> ComparisonLine {
    let JudgedOutcome { name, preferred, margin } = plan.outcomes[line.outcome].clone();
    let is_identical = sums.differing == 0 && sums.units > 0;
    // Two equal differences are no proof that all would be.
    let known = is_identical || sums.error > 0.0 || sums.units >= super::bootstrap::FEW;
    let half = match (known, is_identical) {
        (_, true) => 0.0,
        (false, _) => f64::INFINITY,
        _ => critical * sums.error,
    };
    let half = if half.is_nan() { f64::INFINITY } else { half };
    let deviation = match (is_identical, sums.units) {
        (true, _) => 0.0,
        (false, 0) => f64::INFINITY,
        (false, units) => sums.error * libm::sqrt(units as f64),
    };
    let mut told = ComparisonLine {
        world: line.world,
        template: line.template,
        arm: line.arm,
        outcome: name,
        preferred,
        margin,
        mean_against: line.mean_against,
        mean: sums.mean,
        low: sums.mean - half,
        high: sums.mean + half,
        pairs: line.differences.len() as u64,
        units: sums.units as u64,
        unpaired: line.unpaired,
        deviation,
        critical,
        is_identical,
        verdict: LineVerdict::NoDifference,
        differences: line.differences.into_values().collect(),
    };
    // With more paths a line is no longer one of few differences.
    told.verdict = verdict(&told, critical.min(normal_quantile(1.0 - err_each / 2.0)));
    told
}

fn verdict(line: &ComparisonLine, critical: f64) -> LineVerdict {
    if line.low > 0.0 || line.high < 0.0 {
        return match (line.preferred, line.low > 0.0) {
            (Preferred::Neither, true) => LineVerdict::Higher,
            (Preferred::Neither, false) => LineVerdict::Lower,
            (Preferred::More, up) | (Preferred::Less, up) if up == (line.preferred == Preferred::More) => {
                LineVerdict::Better
            }
            _ => LineVerdict::Worse,
        };
    }
    if line.is_within_margin() {
        return LineVerdict::NoDifference;
    }
    // Where the margin should have been seen already, the truth lies near its edge: narrower still.
    let see = units_to_see(line.margin, line.deviation, critical).filter(|n| *n > line.units);
    let needed = see.or_else(|| units_to_decide(line.margin, line.deviation, critical));
    LineVerdict::CannotTell { needed: needed.filter(|n| *n > line.units) }
}
