//! A compiled expression: one canonical text, and what it takes to ask it about a snapshot.

use super::check::{Checker, Gives, Piece};
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
        Ok(Self(Arc::new(Compiled { source: piece.text, fields, tree: piece.tree, plain })))
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
