//! The usual shapes of a question, asked without CEL: comparisons of fields, sums and constants, joined by `&&`, `||` and
//! `!`. Rules and claims are asked in every turn, and CEL builds a value on the heap for each part of them.
//!
//! The answer is CEL's to the letter, also where a field is absent; a test asks both the same questions. What has another
//! shape is left to CEL.

use super::evaluate::{ADD, DIVIDE, Fault, MULTIPLY, PRESENCE, SUBTRACT, Verdict};
use super::fields::Field;
use super::snapshot::Snapshot;
use super::value::Value;
use cel::common::ast::{CallExpr, Expr, ListExpr, LiteralValue, operators as op};
use cel::parser::Expression as Tree;
use std::cmp::Ordering;

/// A question that can be asked directly.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DirectQuestion {
    Constant(bool),
    /// Whether a field was observed.
    Has(Field),
    /// A field that is true or false.
    Yes(Field),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Compare(Relation, DirectAmount, DirectAmount),
    /// Whether a field's word is one of these.
    OneOf(Field, Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Relation {
    Less,
    AtMost,
    Equal,
    Unequal,
    AtLeast,
    More,
}

/// A number of either kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DirectAmount {
    Whole(i64),
    Number(f64),
    Field(Field),
    Reckoned(Sign, Box<(Self, Self)>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sign {
    Plus,
    Minus,
    Times,
    By,
}

/// What a part comes to.
#[derive(Clone, Copy)]
enum Scalar {
    Whole(i64),
    Number(f64),
}

/// Why a part has no answer: the verdict that the whole then has, unless the rest decides without it.
type DirectAnswer<T> = Result<T, Verdict>;

impl DirectQuestion {
    /// The question of a checked tree; none when it has another shape.
    pub fn of(tree: &Tree) -> Option<Self> {
        let call = match &tree.expr {
            Expr::Literal(LiteralValue::Boolean(b)) => return Some(Self::Constant(*b.inner())),
            Expr::Ident(name) => {
                return match name.strip_prefix(PRESENCE) {
                    Some(name) => Field::named(name).map(Self::Has),
                    None => Field::named(name).map(Self::Yes),
                };
            }
            Expr::Call(CallExpr { target: None, func_name, args }) => (func_name.as_str(), args.as_slice()),
            _ => return None,
        };
        let part = |tree| Self::of(tree).map(Box::new);
        match call {
            (op::LOGICAL_NOT, [a]) => Some(Self::Not(part(a)?)),
            (op::LOGICAL_AND, [a, b]) => Some(Self::And(part(a)?, part(b)?)),
            (op::LOGICAL_OR, [a, b]) => Some(Self::Or(part(a)?, part(b)?)),
            (op::IN, [a, list]) => words(list).and_then(|words| Some(Self::OneOf(named(a)?, words))),
            (name, [a, b]) => Self::relation(Relation::of(name)?, a, b),
            _ => None,
        }
    }

    fn relation(relation: Relation, a: &Tree, b: &Tree) -> Option<Self> {
        if let (Some(a), Some(b)) = (DirectAmount::of(a), DirectAmount::of(b)) {
            return Some(Self::Compare(relation, a, b));
        }
        // A field and its word, in either order: only these are left for == and !=.
        let (field, word) = match (named(a), word(b)) {
            (Some(field), Some(word)) => (field, word),
            _ => (named(b)?, word(a)?),
        };
        let same = Self::OneOf(field, vec![word]);
        match relation {
            Relation::Equal => Some(same),
            Relation::Unequal => Some(Self::Not(Box::new(same))),
            _ => None,
        }
    }

    /// What it says of a snapshot.
    pub fn ask(&self, seen: &Snapshot) -> Verdict {
        match self.holds(seen) {
            Ok(true) => Verdict::Holds,
            Ok(false) => Verdict::DoesNot,
            Err(verdict) => verdict,
        }
    }

    fn holds(&self, seen: &Snapshot) -> DirectAnswer<bool> {
        match self {
            Self::Constant(b) => Ok(*b),
            Self::Has(field) => Ok(seen.get(*field).is_some()),
            Self::Yes(field) => match observed(*field, seen)? {
                Value::Bool(b) => Ok(b),
                _ => Err(ODD),
            },
            Self::Not(a) => a.holds(seen).map(|b| !b),
            Self::And(a, b) => joined(a, b, false, seen),
            Self::Or(a, b) => joined(a, b, true, seen),
            Self::Compare(relation, a, b) => {
                let (a, b) = (a.of_seen(seen)?, b.of_seen(seen)?);
                a.against(b).map(|ordering| relation.holds(ordering)).ok_or(ODD)
            }
            Self::OneOf(field, words) => match observed(*field, seen)? {
                Value::Text(word) => Ok(words.iter().any(|w| w == word)),
                _ => Err(ODD),
            },
        }
    }
}

/// The evaluator would refuse it; the checker lets nothing of the kind through.
const ODD: Verdict = Verdict::Failed { why: Fault::Evaluator };

fn observed(field: Field, seen: &Snapshot) -> DirectAnswer<Value> {
    seen.get(field).ok_or(Verdict::Unknown { missing: field })
}

/// Two parts of which one that is `decides` is enough, whatever the other is, even unknown.
fn joined(a: &DirectQuestion, b: &DirectQuestion, decides: bool, seen: &Snapshot) -> DirectAnswer<bool> {
    let left = a.holds(seen);
    if left == Ok(decides) {
        return left;
    }
    match (left, b.holds(seen)?) {
        (_, right) if right == decides => Ok(decides),
        (left, _) => left,
    }
}

/// The text field that a part is, if it is one.
fn named(tree: &Tree) -> Option<Field> {
    match &tree.expr {
        Expr::Ident(name) => Field::named(name).filter(|f| matches!(f.kind(), super::Kind::Text(_))),
        _ => None,
    }
}

fn word(tree: &Tree) -> Option<String> {
    match &tree.expr {
        Expr::Literal(LiteralValue::String(word)) => Some(word.inner().to_owned()),
        _ => None,
    }
}

fn words(list: &Tree) -> Option<Vec<String>> {
    match &list.expr {
        Expr::List(ListExpr { elements, .. }) => elements.iter().map(word).collect(),
        _ => None,
    }
}

impl Relation {
    fn of(operator: &str) -> Option<Self> {
        Some(match operator {
            op::LESS => Self::Less,
            op::LESS_EQUALS => Self::AtMost,
            op::EQUALS => Self::Equal,
            op::NOT_EQUALS => Self::Unequal,
            op::GREATER_EQUALS => Self::AtLeast,
            op::GREATER => Self::More,
            _ => return None,
        })
    }
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::Equal => ordering.is_eq(),
            Self::Unequal => ordering.is_ne(),
            Self::AtLeast => ordering.is_ge(),
            Self::More => ordering.is_gt(),
        }
    }
}

impl DirectAmount {
    fn of(tree: &Tree) -> Option<Self> {
        match &tree.expr {
            Expr::Literal(LiteralValue::Int(n)) => Some(Self::Whole(*n.inner())),
            Expr::Literal(LiteralValue::Double(x)) => Some(Self::Number(*x.inner())),
            Expr::Ident(name) => {
                use super::Kind::{Integer, Number};
                Field::named(name).filter(|f| matches!(f.kind(), Number | Integer)).map(Self::Field)
            }
            Expr::Call(CallExpr { target: None, func_name, args }) => {
                let [a, b] = args.as_slice() else { return None };
                Some(Self::Reckoned(Sign::of(func_name)?, Box::new((Self::of(a)?, Self::of(b)?))))
            }
            _ => None,
        }
    }

    fn of_seen(&self, seen: &Snapshot) -> DirectAnswer<Scalar> {
        match self {
            Self::Whole(n) => Ok(Scalar::Whole(*n)),
            Self::Number(x) => Ok(Scalar::Number(*x)),
            Self::Field(field) => match observed(*field, seen)? {
                Value::Number(x) => Ok(Scalar::Number(x.get())),
                Value::Integer(n) => Ok(Scalar::Whole(n)),
                _ => Err(ODD),
            },
            Self::Reckoned(sign, parts) => {
                match (parts.0.of_seen(seen)?, parts.1.of_seen(seen)?) {
                    (Scalar::Number(a), Scalar::Number(b)) => sign.reckon(a, b).map(Scalar::Number),
                    // Arithmetic of ours is on doubles: the checker converts the rest.
                    _ => Err(ODD),
                }
            }
        }
    }
}

impl Sign {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            ADD => Self::Plus,
            SUBTRACT => Self::Minus,
            MULTIPLY => Self::Times,
            DIVIDE => Self::By,
            _ => return None,
        })
    }
    fn reckon(self, a: f64, b: f64) -> DirectAnswer<f64> {
        let failed = |why| Err(Verdict::Failed { why });
        let x = match self {
            Self::Plus => a + b,
            Self::Minus => a - b,
            Self::Times => a * b,
            Self::By if b == 0.0 => return failed(Fault::DivisionByZero),
            Self::By => a / b,
        };
        if x.is_finite() { Ok(x) } else { failed(Fault::Overflow) }
    }
}

impl Scalar {
    fn against(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => Some(a.cmp(&b)),
            (a, b) => a.number().partial_cmp(&b.number()),
        }
    }
    fn number(self) -> f64 {
        match self {
            Self::Whole(n) => n as f64,
            Self::Number(x) => x,
        }
    }
}
