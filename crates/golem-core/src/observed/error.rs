//! Why a text is not an expression, in words that say what to write instead.

use super::check::FUNCTIONS;
use super::fields::{Field, UnknownField};
use super::gate::{MAX_BYTES, MAX_DEPTH, MAX_NODES};
use super::value::Kind;

/// Why a text is not an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// Nothing was written.
    #[error("the expression is empty: write a comparison such as market.price > 2000")]
    Empty,
    /// Too many bytes, as written or in its canonical form.
    #[error("the expression has {bytes} bytes, at most {MAX_BYTES} are read: split it")]
    TooLong {
        /// How many there are.
        bytes: usize,
    },
    /// Nested too deeply.
    #[error("the expression nests more than {MAX_DEPTH} levels: use fewer brackets, signs or steps in a row")]
    TooDeep,
    /// Too many parts.
    #[error("the expression has more than {MAX_NODES} parts: split it")]
    TooLarge,
    /// A character that no expression needs.
    #[error("{found:?} at byte {at} has no meaning here: write plain ASCII without braces, backslashes or backticks")]
    Character {
        /// The character.
        found: char,
        /// Where it begins.
        at: usize,
    },
    /// Not CEL.
    #[error("line {line}, column {column}: {why}")]
    Syntax {
        /// What the parser says.
        why: String,
        /// From 1.
        line: u32,
        /// From 1.
        column: u32,
    },
    /// A name that is not in the registry.
    #[error(transparent)]
    UnknownField(#[from] UnknownField),
    /// A word that is not in a text field's list.
    #[error("{field} is never {word:?}: it is one of {}{}", words(*.field), did_you_mean(.nearest))]
    UnknownWord {
        /// The field.
        field: Field,
        /// What was written, at most 60 characters of it.
        word: String,
        /// What it may have been meant for.
        nearest: Vec<&'static str>,
    },
    /// A function that is not on the list, or is called in another way.
    #[error("there is no {name} with {arguments} argument(s): there are {}", FUNCTIONS.join(", "))]
    UnknownFunction {
        /// What was written, at most 60 characters of it.
        name: String,
        /// How many arguments it was given.
        arguments: usize,
    },
    /// A part of CEL that has no use over scalars.
    #[error("{what} are not part of the language here: {instead}")]
    NotAvailable {
        /// Which part, in the plural.
        what: &'static str,
        /// What to write.
        instead: &'static str,
    },
    /// An operator or function on values that it does not take.
    #[error("{what}: {instead}")]
    WrongOperands {
        /// What does not go together.
        what: String,
        /// What to write.
        instead: &'static str,
    },
    /// A well-formed expression that is not a yes-or-no question.
    #[error("the expression gives {found}, not true or false: compare it with something")]
    NotAQuestion {
        /// What it gives.
        found: &'static str,
    },
}

impl ExpressionError {
    pub(super) fn unknown_word(field: Field, word: &str) -> Self {
        let word: String = word.chars().take(60).collect();
        let plain = word.to_ascii_lowercase();
        let near = |known: &&&'static str| strsim::osa_distance(&plain, known) <= 2;
        let nearest = vocabulary(field).iter().filter(near).copied().collect();
        Self::UnknownWord { field, word, nearest }
    }
}

/// The words a text field knows; none for other fields.
pub(super) fn vocabulary(field: Field) -> &'static [&'static str] {
    match field.kind() {
        Kind::Text(words) => words,
        Kind::Number | Kind::Integer | Kind::Bool => &[],
    }
}

fn words(field: Field) -> String {
    vocabulary(field).join(", ")
}

pub(super) fn did_you_mean(nearest: &[&str]) -> String {
    match nearest {
        [] => String::new(),
        [first @ .., last] if !first.is_empty() => format!("; did you mean {} or {last}?", first.join(", ")),
        [one, ..] => format!("; did you mean {one}?"),
    }
}
