//! What a field can hold: a number, a whole number, true or false, or one word of a closed list.

use crate::{Finite, Positive, ProtocolState, Regime, Tick, Unit, Usdc};
use serde::Serialize;
use std::fmt;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any finite number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Bool,
    /// One of these words.
    Text(&'static [&'static str]),
}

impl Kind {
    /// As it stands in a sentence: "takes a number".
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Integer => "a whole number",
            Self::Bool => "true or false",
            Self::Text(_) => "a text",
        }
    }
}

/// One observed value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Any finite number.
    Number(Finite),
    /// A whole number.
    Integer(i64),
    /// True or false.
    Bool(bool),
    /// A word from the field's list.
    Text(&'static str),
}

impl Value {
    /// A number, if it is finite.
    #[must_use]
    pub fn number(x: f64) -> Option<Self> {
        Finite::new(x).map(Self::Number)
    }
    /// As a float, if it is a number of either kind. Whole numbers beyond 2^53 are rounded.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Self::Number(x) => Some(x.get()),
            Self::Integer(n) => Some(n as f64),
            Self::Bool(_) | Self::Text(_) => None,
        }
    }
    /// True when a field of this kind can hold it.
    #[must_use]
    pub fn fits(self, kind: Kind) -> bool {
        match (self, kind) {
            (Self::Number(_), Kind::Number) | (Self::Integer(_), Kind::Integer) | (Self::Bool(_), Kind::Bool) => true,
            (Self::Text(word), Kind::Text(words)) => words.contains(&word),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => x.fmt(f),
            Self::Integer(n) => n.fmt(f),
            Self::Bool(b) => b.fmt(f),
            Self::Text(word) => f.pad(word),
        }
    }
}

macro_rules! from {
    ($($t:ty, $x:ident => $value:expr;)+) => {
        $(impl From<$t> for Value {
            fn from($x: $t) -> Self {
                $value
            }
        })+
    };
}
from! {
    Finite, x => Self::Number(x);
    Positive, x => Self::Number(Finite::new(x.get()).unwrap_or_default());
    Unit, x => Self::Number(Finite::new(x.get()).unwrap_or_default());
    Usdc, x => Self::Number(Finite::new(x.as_f64()).unwrap_or_default());
    i64, n => Self::Integer(n);
    u32, n => Self::Integer(i64::from(n));
    Tick, t => Self::Integer(i64::try_from(t.0).unwrap_or(i64::MAX));
    bool, b => Self::Bool(b);
    &'static str, word => Self::Text(word);
    Regime, r => Self::Text(r.name());
    ProtocolState, p => Self::Text(p.name());
}
