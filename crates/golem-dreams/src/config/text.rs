//! Amounts and spans that owners write as text: `"$0.50"`, `"5m"`. What cannot be read is kept and told as a problem,
//! and counts as the cautious value until then: no money, no time.

use golem_core::{Elapsed, Problem, Usdc};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Dollars with their sign, such as `"$0.50"`: the keys of the budget do not name a unit, so the text must.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum DreamMoney {
    Known(Usdc),
    Unread(String),
}

impl DreamMoney {
    /// The amount; nothing when it cannot be read.
    #[must_use]
    pub fn usdc(&self) -> Usdc {
        match self {
            Self::Known(amount) => *amount,
            Self::Unread(_) => Usdc::ZERO,
        }
    }
    pub(super) fn problem(&self, key: &str) -> Option<Problem> {
        match self {
            Self::Known(amount) if *amount <= Usdc::whole(1_000_000) => None,
            Self::Known(_) => Some(Problem::new(key, format!("{self} is more than any dream is worth"))),
            Self::Unread(text) => {
                let hint = "write dollars with their sign and up to six decimals, such as \"$0.50\"";
                Some(Problem::new(key, format!("{:?} is not an amount of money: {hint}", shortened(text))))
            }
        }
    }
}

impl From<String> for DreamMoney {
    fn from(text: String) -> Self {
        let amount = text.strip_prefix('$').and_then(|digits| digits.parse().ok());
        amount.map_or(Self::Unread(text), Self::Known)
    }
}

impl From<DreamMoney> for String {
    fn from(money: DreamMoney) -> Self {
        money.to_string()
    }
}

impl fmt::Display for DreamMoney {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(amount) => write!(f, "${amount}"),
            Self::Unread(text) => f.write_str(text),
        }
    }
}

/// A stretch of virtual time such as `"30s"`, `"5m"`, `"2h"` or `"1d"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum DreamSpan {
    Known(Elapsed),
    Unread(String),
}

/// Units from the largest: a span is spelled in the largest that divides it.
const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];
const LONGEST_S: u64 = 30 * 86_400;

impl DreamSpan {
    #[must_use]
    pub const fn secs(s: u64) -> Self {
        Self::Known(Elapsed::secs(s))
    }
    /// The stretch; none at all when it cannot be read.
    #[must_use]
    pub fn elapsed(&self) -> Elapsed {
        match self {
            Self::Known(span) => *span,
            Self::Unread(_) => Elapsed(0),
        }
    }
    pub(super) fn problem(&self, key: &str) -> Option<Problem> {
        match self {
            Self::Known(span) if (Elapsed::secs(1)..=Elapsed::secs(LONGEST_S)).contains(span) => None,
            Self::Known(_) => {
                Some(Problem::new(key, format!("{self} is out of range; it must lie between 1s and 30d")))
            }
            Self::Unread(text) => {
                let hint = "write a whole number and a unit (s, m, h, d), such as \"5m\"";
                Some(Problem::new(key, format!("{:?} is not a span of time: {hint}", shortened(text))))
            }
        }
    }
}

impl From<String> for DreamSpan {
    fn from(text: String) -> Self {
        let read = || {
            let unit = text.chars().last()?;
            let (_, seconds) = UNITS.into_iter().find(|(letter, _)| *letter == unit)?;
            let digits = text.strip_suffix(unit)?;
            let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let ms = digits.parse::<u64>().ok().filter(|_| whole)?.checked_mul(seconds)?.checked_mul(1_000)?;
            Some(Elapsed(ms))
        };
        read().map_or(Self::Unread(text), Self::Known)
    }
}

impl From<DreamSpan> for String {
    fn from(span: DreamSpan) -> Self {
        span.to_string()
    }
}

impl fmt::Display for DreamSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(span) => {
                let s = span.0 / 1_000;
                let (unit, seconds) =
                    UNITS.into_iter().find(|(_, n)| s >= *n && s.is_multiple_of(*n)).unwrap_or(('s', 1));
                write!(f, "{}{unit}", s / seconds)
            }
            Self::Unread(text) => f.write_str(text),
        }
    }
}

pub(super) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
