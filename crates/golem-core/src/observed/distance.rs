//! How far an expression is from holding, where that can be said in one line: plain comparisons joined by `&&`.

use super::fields::Field;
use super::snapshot::Snapshot;
use super::value::Kind;
use cel::common::ast::{Expr, LiteralValue, operators as op};
use cel::parser::Expression as Tree;
use serde::Serialize;
use std::fmt;

/// On which side of the bound a comparison holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `==`
    Exactly,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
}

impl Side {
    /// The side that a comparison's operator asks for. `!=` has no distance: it holds almost everywhere.
    fn of(operator: &str) -> Option<Self> {
        Some(match operator {
            op::LESS => Self::Below,
            op::LESS_EQUALS => Self::AtMost,
            op::EQUALS => Self::Exactly,
            op::GREATER_EQUALS => Self::AtLeast,
            op::GREATER => Self::Above,
            _ => return None,
        })
    }
    /// The side when the comparison is read from right to left.
    fn mirrored(self) -> Self {
        match self {
            Self::Below => Self::Above,
            Self::AtMost => Self::AtLeast,
            Self::Exactly => Self::Exactly,
            Self::AtLeast => Self::AtMost,
            Self::Above => Self::Below,
        }
    }
    fn words(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::AtMost => "at or below",
            Self::Exactly => "at",
            Self::AtLeast => "at or above",
            Self::Above => "above",
        }
    }
    #[expect(clippy::float_cmp, reason = "CEL's == on doubles is exact, and this must agree with it")]
    fn holds(self, now: f64, bound: f64) -> bool {
        match self {
            Self::Below => now < bound,
            Self::AtMost => now <= bound,
            Self::Exactly => now == bound,
            Self::AtLeast => now >= bound,
            Self::Above => now > bound,
        }
    }
}

/// A comparison of a field with a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Comparison {
    field: Field,
    side: Side,
    bound: f64,
}

/// How far a field is from where it must be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distance {
    /// The field.
    pub field: Field,
    /// What it is.
    pub now: f64,
    /// On which side of the bound it must be.
    pub side: Side,
    /// The bound.
    pub bound: f64,
    /// How far it has to go, in the field's unit; zero when it is there, or at a bound that it must pass.
    pub gap: f64,
    /// Whether it is there.
    pub holds: bool,
}

/// The comparisons of a checked tree, in order; none when it is made of anything else.
pub(super) fn comparisons(tree: &Tree) -> Option<Vec<Comparison>> {
    let Expr::Call(call) = &tree.expr else { return None };
    let [a, b] = call.args.as_slice() else { return None };
    if call.func_name == op::LOGICAL_AND {
        let mut all = comparisons(a)?;
        all.extend(comparisons(b)?);
        return Some(all);
    }
    let side = Side::of(&call.func_name)?;
    let (field, side, bound) = match (&a.expr, &b.expr) {
        (Expr::Ident(name), bound) => (name, side, bound),
        (bound, Expr::Ident(name)) => (name, side.mirrored(), bound),
        _ => return None,
    };
    let bound = match bound {
        Expr::Literal(LiteralValue::Double(x)) => *x.inner(),
        Expr::Literal(LiteralValue::Int(n)) => *n.inner() as f64,
        _ => return None,
    };
    Some(vec![Comparison { field: Field::named(field)?, side, bound }])
}

/// The farthest of some comparisons; none when there are none or a field was not observed.
pub(super) fn farthest(comparisons: &[Comparison], snapshot: &Snapshot) -> Option<Distance> {
    let mut worst: Option<Distance> = None;
    for Comparison { field, side, bound } in comparisons.iter().copied() {
        let now = snapshot.get(field)?.as_f64()?;
        let holds = side.holds(now, bound);
        let gap = if holds { 0.0 } else { (now - bound).abs().min(f64::MAX) };
        let next = Distance { field, now, side, bound, gap, holds };
        let farther = |w: Distance| if w.holds == next.holds { w.share() < next.share() } else { w.holds };
        if worst.is_none_or(farther) {
            worst = Some(next);
        }
    }
    worst
}

impl Distance {
    /// The gap as a share of the larger of the two numbers: what makes gwei and dollars comparable.
    #[must_use]
    pub fn share(&self) -> f64 {
        let scale = self.now.abs().max(self.bound.abs());
        if scale > 0.0 { self.gap / scale } else { 0.0 }
    }
    /// In a line, with the caller's verb: "goals.failure_rate 0.46, eases below 0.30".
    #[must_use]
    pub fn say(&self, verb: &str) -> String {
        let digits = self.digits();
        let verb = if self.holds { String::new() } else { format!("{verb} ") };
        let (now, bound) = (shown(self.now, digits), shown(self.bound, digits));
        format!("{} {now}, {verb}{} {bound}", self.field, self.side.words())
    }
    /// Enough decimals to tell the two numbers apart and to show the bound as it was compared, and at least two unless
    /// both are whole by kind.
    fn digits(&self) -> usize {
        let whole = self.field.kind() == Kind::Integer && self.bound.fract() == 0.0;
        if whole {
            return 0;
        }
        let finest = [self.now.abs(), self.bound.abs(), self.gap].into_iter().filter(|x| *x > 0.0).fold(1.0, f64::min);
        // 0.95 and not 1: a gap of 0.46 - 0.45 is a little less than 0.01.
        let apart = (2..8).find(|&d| finest * libm::pow(10.0, f64::from(d)) >= 0.95).unwrap_or(8) as usize;
        apart.max(written_decimals(self.bound))
    }
}

/// The decimals of a number as a person would have written it, as far as they are shown at all.
fn written_decimals(x: f64) -> usize {
    x.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len()).min(8)
}

/// A number for people: plain where that is short, with an exponent where it would be a row of zeros.
fn shown(x: f64, digits: usize) -> String {
    if x == 0.0 || (1e-8..1e15).contains(&x.abs()) { format!("{x:.digits$}") } else { format!("{x:e}") }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.say("holds"))
    }
}
