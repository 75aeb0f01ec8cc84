//! Simple reasoning about conditions: which values of which fields an expression asks for, where that is plain to see.

use golem_core::observed::{Expression, Field, Kind};
use std::collections::BTreeMap;

/// Values of one field that are still possible.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    /// Numbers between two bounds; the flags say that the bound itself is out.
    Between { low: f64, low_out: bool, high: f64, high_out: bool },
    /// Words, or `true` and `false`.
    Words(Vec<String>),
}

impl Values {
    fn all(field: Field) -> Self {
        let (low, high) = match field.unit() {
            "0 to 1" => (0.0, 1.0),
            "of the last 40" => (0.0, 40.0),
            "fraction" => (f64::NEG_INFINITY, f64::INFINITY),
            _ => (0.0, f64::INFINITY),
        };
        match field.kind() {
            Kind::Number | Kind::Integer => Self::Between { low, low_out: false, high, high_out: false },
            Kind::Bool => Self::Words(vec!["true".into(), "false".into()]),
            Kind::Text(words) => Self::Words(words.iter().map(|w| (*w).to_owned()).collect()),
        }
    }
    fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (
                Self::Between { low: a, low_out: ao, high: b, high_out: bo },
                Self::Between { low: c, low_out: co, high: d, high_out: d_out },
            ) => {
                let (low, low_out) = if a > c || (a >= c && *ao) { (*a, *ao) } else { (*c, *co) };
                let (high, high_out) = if b < d || (b <= d && *bo) { (*b, *bo) } else { (*d, *d_out) };
                Self::Between { low, low_out, high, high_out }
            }
            (Self::Words(a), Self::Words(b)) => Self::Words(a.iter().filter(|w| b.contains(w)).cloned().collect()),
            _ => Self::Words(Vec::new()),
        }
    }
    fn none(&self) -> bool {
        match self {
            Self::Between { low, low_out, high, high_out } => low > high || (low >= high && (*low_out || *high_out)),
            Self::Words(words) => words.is_empty(),
        }
    }
}

/// What an expression asks for, as far as it is plain: every value outside of it makes the expression false.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Region(BTreeMap<Field, Values>);

impl Region {
    /// The region of an expression. What is not plain narrows nothing.
    pub fn of(expression: &Expression) -> Self {
        let mut region = Self::default();
        for term in terms(expression.source()) {
            if let Some((field, values)) = constraint(term) {
                let so_far = region.0.get(&field).cloned().unwrap_or_else(|| Values::all(field));
                region.0.insert(field, so_far.meet(&values));
            }
        }
        region
    }
    /// A field that would need a value that it cannot have.
    pub fn impossible(&self) -> Option<Field> {
        self.0.iter().find(|(_, values)| values.none()).map(|(field, _)| *field)
    }
    /// True when the two can hold at once, as far as is plain.
    pub fn meets(&self, other: &Self) -> bool {
        let apart = |(field, values): (&Field, &Values)| other.0.get(field).is_some_and(|o| values.meet(o).none());
        !self.0.iter().any(apart)
    }
}

/// The parts of a canonical text that are joined by `&&` at the outside; the whole text when it is joined by anything
/// else.
fn terms(source: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start, mut parts) = (0i32, false, 0, Vec::new());
    for (i, c) in source.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            '|' | '?' if !quoted && depth == 0 => return vec![source],
            '&' if !quoted && depth == 0 && source[i..].starts_with("&& ") => {
                parts.push(source[start..i].trim());
                start = i + 3;
            }
            _ => (),
        }
    }
    parts.push(source[start.min(source.len())..].trim());
    parts
}

/// A field and the values that a plain term leaves it.
fn constraint(term: &str) -> Option<(Field, Values)> {
    let words = |values: &[&str]| Values::Words(values.iter().map(|w| (*w).to_owned()).collect());
    if let Some(field) = Field::named(term.trim_start_matches('!')) {
        return Some((field, words(&[if term.starts_with('!') { "false" } else { "true" }])));
    }
    if let Some((name, list)) = term.split_once(" in [") {
        let field = Field::named(name).filter(|f| matches!(f.kind(), Kind::Text(_)))?;
        let members: Vec<&str> = list.trim_end_matches(']').split(", ").map(|w| w.trim_matches('"')).collect();
        return Some((field, words(&members)));
    }
    let parts: Vec<&str> = term.split(' ').collect();
    let [left, sign, right] = parts.as_slice() else { return None };
    let (field, sign, value) = match (Field::named(left), Field::named(right)) {
        (Some(field), None) => (field, *sign, *right),
        (None, Some(field)) => (field, mirrored(sign)?, *left),
        _ => return None,
    };
    match field.kind() {
        Kind::Number | Kind::Integer => Some((field, bounded(sign, value.parse().ok()?)?)),
        Kind::Bool if sign == "==" => Some((field, words(&[value]))),
        Kind::Text(all) => {
            let value = value.trim_matches('"');
            let left: Vec<&str> = all.iter().copied().filter(|w| (*w == value) == (sign == "==")).collect();
            matches!(sign, "==" | "!=").then(|| (field, words(&left)))
        }
        Kind::Bool => None,
    }
}

fn mirrored(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        "==" => "==",
        _ => return None,
    })
}

fn bounded(sign: &str, x: f64) -> Option<Values> {
    let (low, low_out, high, high_out) = match sign {
        "<" => (f64::NEG_INFINITY, false, x, true),
        "<=" => (f64::NEG_INFINITY, false, x, false),
        ">" => (x, true, f64::INFINITY, false),
        ">=" => (x, false, f64::INFINITY, false),
        "==" => (x, false, x, false),
        _ => return None,
    };
    Some(Values::Between { low, low_out, high, high_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(source: &str) -> Region {
        Region::of(&Expression::compile(source).expect("it compiles"))
    }

    #[test]
    fn what_can_never_hold_is_seen_where_it_is_plain() {
        let dead = [
            "market.gas_ratio > 3 && market.gas_ratio < 2.0",
            "market.gas_ratio > 2 && market.gas_ratio < 2.0",
            "vitality.composite > 1.0",
            "market.volume < 0",
            "market.regime == \"volatile\" && market.regime in [\"unknown\", \"range_bound\"]",
            "market.regime == \"volatile\" && market.regime != \"volatile\"",
            "golem.senescent && !golem.senescent",
            "2.0 > market.gas_ratio && market.gas_ratio >= 2.0 && market.price * 2.0 > 1.0",
        ];
        for source in dead {
            assert!(region(source).impossible().is_some(), "{source}");
        }
        let alive = [
            "market.gas_ratio >= 2 && market.gas_ratio <= 2.0",
            "market.gas_ratio > 3 || market.gas_ratio < 2.0",
            "market.return_90 < -0.1",
            "!(market.gas_ratio > 3 && market.gas_ratio < 2.0)",
            "market.regime != \"volatile\"",
            "(market.gas_ratio > 3 ? 1 : 0) == 1 && market.gas_ratio < 2.0",
        ];
        for source in alive {
            assert_eq!(region(source).impossible(), None, "{source}");
        }
    }

    #[test]
    fn conditions_on_opposite_sides_never_meet() {
        let high = region("market.gas_ratio > 2.0 && market.volume > 5.0");
        assert!(!high.meets(&region("market.gas_ratio < 1.5")));
        assert!(!high.meets(&region("market.gas_ratio <= 2.0")));
        assert!(high.meets(&region("market.gas_ratio > 1.0")));
        assert!(high.meets(&region("market.regime == \"volatile\"")));
    }
}
