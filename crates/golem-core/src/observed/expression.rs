//! A compiled expression: one canonical text, and what it takes to ask it about a snapshot.

use super::check::{Checker, Gives, Piece};
use super::direct::DirectQuestion;
use super::distance::{Comparison, Distance, comparisons, farthest};
use super::error::ExpressionError;
use super::evaluate::{Verdict, verdict};
use super::fields::Field;
use super::gate;
use super::snapshot::Snapshot;
use cel::parser::Expression as Tree;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

/// A yes-or-no question about observed fields. It is its canonical text: two with the same text are the same, and
/// that text is what is stored, sent and compiled again. Cloning is cheap.
#[derive(Clone)]
pub struct Expression(Arc<Compiled>);

struct Compiled {
    source: String,
    fields: Vec<Field>,
    tree: Tree,
    plain: Option<Vec<Comparison>>,
    /// The same question where it need not go through CEL.
    direct: Option<DirectQuestion>,
}

impl Expression {
    /// Compile a CEL text. See [`super::FUNCTIONS`] for its functions and [`Field::ALL`] for its names.
    ///
    /// # Errors
    /// When the text is too long, too deep, not CEL, names something that is not there, or is not a question.
    pub fn compile(source: &str) -> Result<Self, ExpressionError> {
        let (piece, fields) = check(source)?;
        // What runs is the canonical text's own tree, so that a life replayed from the text asks the same questions in
        // the same order.
        let (piece, fields) = if piece.text == source { (piece, fields) } else { check(&piece.text)? };
        let plain = comparisons(&piece.tree);
        let direct = DirectQuestion::of(&piece.tree);
        Ok(Self(Arc::new(Compiled { source: piece.text, fields, tree: piece.tree, plain, direct })))
    }
    /// The canonical text: one space around operators, double quotes, no bracket that changes nothing.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }
    /// The fields it refers to, in the order of their first mention.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.0.fields
    }
    /// What it says of a snapshot. An absent field makes it unknown, unless the answer is the same for every value that
    /// the field could have.
    #[must_use]
    pub fn evaluate(&self, snapshot: &Snapshot) -> Verdict {
        match &self.0.direct {
            Some(question) => question.ask(snapshot),
            None => self.evaluate_by_cel(snapshot),
        }
    }
    fn evaluate_by_cel(&self, snapshot: &Snapshot) -> Verdict {
        verdict(&self.0.tree, &self.0.fields, snapshot)
    }
    /// How far it is from holding: for plain comparisons of a field with a constant, joined by `&&`, the one that is
    /// farthest off in proportion. None for anything else, and when one of the fields was not observed.
    #[must_use]
    pub fn distance(&self, snapshot: &Snapshot) -> Option<Distance> {
        farthest(self.0.plain.as_deref()?, snapshot)
    }
}

fn check(source: &str) -> Result<(Piece, Vec<Field>), ExpressionError> {
    let tree = gate::parse(source)?;
    let mut checker = Checker::default();
    let piece = checker.piece(&tree)?;
    match piece.gives {
        Gives::Bool => Ok((piece, checker.fields)),
        other => Err(ExpressionError::NotAQuestion { found: other.noun() }),
    }
}

impl FromStr for Expression {
    type Err = ExpressionError;
    fn from_str(source: &str) -> Result<Self, ExpressionError> {
        Self::compile(source)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.source())
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.source()).finish()
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Expression {}

impl PartialOrd for Expression {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expression {
    fn cmp(&self, other: &Self) -> Ordering {
        self.source().cmp(other.source())
    }
}

impl Hash for Expression {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source().hash(state);
    }
}

impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.source())
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::compile(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::Value;
    use proptest::prelude::*;

    fn amount() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("market.price".to_owned()),
            Just("market.gas_ratio".to_owned()),
            Just("goals.failed".to_owned()),
            Just("golem.tick".to_owned()),
            (-3i32..4).prop_map(|n| n.to_string()),
            (-3i32..4).prop_map(|n| format!("{n}.0")),
            Just("1e308".to_owned()),
        ];
        leaf.prop_recursive(2, 6, 2, |inner| {
            (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/", "%"]), inner)
                .prop_map(|(a, sign, b)| format!("({a} {sign} {b})"))
        })
    }

    fn question() -> impl Strategy<Value = String> {
        let sign = || prop::sample::select(vec!["<", "<=", "==", "!=", ">=", ">"]);
        let leaf = prop_oneof![
            4 => (amount(), sign(), amount()).prop_map(|(a, sign, b)| format!("{a} {sign} {b}")),
            1 => Just("golem.senescent".to_owned()),
            1 => Just("true".to_owned()),
            1 => Just("has(market.price)".to_owned()),
            1 => Just("market.regime == \"volatile\"".to_owned()),
            1 => Just("\"volatile\" != market.regime".to_owned()),
            1 => Just("market.regime in [\"volatile\", \"unknown\"]".to_owned()),
            1 => Just("golem.tick in [1, 2.0]".to_owned()),
        ];
        leaf.prop_recursive(4, 16, 2, |inner| {
            prop_oneof![
                (inner.clone(), prop::sample::select(vec!["&&", "||"]), inner.clone())
                    .prop_map(|(a, sign, b)| format!("({a} {sign} {b})")),
                inner.clone().prop_map(|a| format!("!({a})")),
                (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn asked_directly_or_by_cel_the_answer_is_the_same(
            text in question(),
            numbers in prop::collection::vec(prop::option::of(prop_oneof![-4.0..4.0, Just(0.0), Just(1e308)]), 2),
            whole in prop::collection::vec(prop::option::of(-3i64..4), 2),
            word in prop::option::of(0usize..5),
            senescent: Option<bool>,
        ) {
            let mut seen = Snapshot::new();
            let mut put = |field, value: Option<Value>| {
                if let Some(value) = value {
                    seen.set(field, value).unwrap();
                }
            };
            put(Field::MarketPrice, numbers[0].and_then(Value::number));
            put(Field::MarketGasRatio, numbers[1].and_then(Value::number));
            put(Field::GoalsFailed, whole[0].map(Value::Integer));
            put(Field::GolemTick, whole[1].map(Value::Integer));
            put(Field::MarketRegime, word.map(|i| Value::Text(crate::observed::REGIMES[i])));
            put(Field::GolemSenescent, senescent.map(Value::Bool));
            // Some of what is made up is refused: whole numbers are not divided, fractions leave no rest.
            if let Ok(asked) = Expression::compile(&text) {
                prop_assert_eq!(asked.evaluate(&seen), asked.evaluate_by_cel(&seen), "{}", asked);
            }
        }
    }

    #[test]
    fn the_usual_shapes_are_asked_directly() {
        for text in [
            "market.gas_ratio > 1.5",
            "market.regime == \"volatile\" && !(market.return_90 < -0.01 || golem.tick >= 7)",
            "market.price * 2.0 > market.volume + 1.0",
            "market.regime in [\"volatile\", \"unknown\"] && has(market.price)",
        ] {
            assert!(Expression::compile(text).unwrap().0.direct.is_some(), "{text}");
        }
    }
}
