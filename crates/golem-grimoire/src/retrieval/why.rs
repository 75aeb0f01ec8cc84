//! Why a hit is there: its places in the lists and what each term gave. The terms add up to the score.

use crate::entry::EntryId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a retrieval brought.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recall {
    /// The hits, in the order in which they were chosen.
    pub hits: Vec<Hit>,
    /// Tokens of all of them, estimated.
    pub tokens: u32,
    /// How many were left out because they say what another hit says.
    pub alike: u32,
    /// How many did not fit the budget.
    pub too_long: u32,
    /// How many were left out because their origin had its share.
    pub over_share: u32,
}

/// Something found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Which entry.
    pub id: EntryId,
    /// How well it scored: what the terms of its [`WhyFound`] add up to.
    pub score: f64,
    /// Its tokens, estimated.
    pub tokens: u32,
    /// Why it is here.
    pub why: WhyFound,
}

/// The reasons for a hit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WhyFound {
    /// Its places in the lists of candidates.
    pub ranks: Ranks,
    /// What was added up, in this order.
    pub terms: Vec<Term>,
    /// True when it was drawn because it speaks against the rest, not because it matches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contrarian: bool,
    /// How alike it is to the nearest hit before it, which counts against it when hits are chosen and not in its score.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alike: f64,
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// Places in the lists of candidates, from 1; `None` where it is not in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ranks {
    /// Among the most similar situations.
    pub situation: Option<u32>,
    /// Among the texts that have the words.
    pub words: Option<u32>,
    /// Among the most similar texts.
    pub text: Option<u32>,
}

/// One summand. In JSON it is a list of three: of what, the value, what it gives.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(TermOf, f64, f64)", into = "(TermOf, f64, f64)")]
pub struct Term {
    /// Of what.
    pub of: TermOf,
    /// The value, from 0 to 1, or the factor of a boost.
    pub value: f64,
    /// What it gives to the score: the value times its weight, or what the factor adds to the sum so far.
    pub gives: f64,
}

impl From<(TermOf, f64, f64)> for Term {
    fn from((of, value, gives): (TermOf, f64, f64)) -> Self {
        Self { of, value, gives }
    }
}
impl From<Term> for (TermOf, f64, f64) {
    fn from(term: Term) -> Self {
        (term.of, term.value, term.gives)
    }
}

/// What a term is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermOf {
    /// How well it matches.
    Rank,
    /// Effective confidence.
    Confidence,
    /// Quality.
    Quality,
    /// How lately it was validated.
    Recency,
    /// How well it fits the weather.
    Regime,
    /// How alike it feels.
    Affect,
    /// It is tied to a death.
    Bloodstain,
    /// It came from elsewhere and is not validated here.
    Unvalidated,
    /// It is about this moment, or about another one.
    Applies,
}

impl TermOf {
    fn word(self) -> &'static str {
        match self {
            Self::Rank => "match",
            Self::Confidence => "confidence",
            Self::Quality => "quality",
            Self::Recency => "recency",
            Self::Regime => "regime",
            Self::Affect => "affect",
            Self::Bloodstain => "bloodstain",
            Self::Unvalidated => "unvalidated",
            Self::Applies => "applies",
        }
    }
}

impl WhyFound {
    /// The sum of the terms, added in their order.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.terms.iter().fold(0.0, |sum, term| sum + term.gives)
    }
    /// Adds a term: a value from 0 to 1 and its weight.
    pub(super) fn add(&mut self, of: TermOf, value: f64, weight: f64) {
        self.terms.push(Term { of, value, gives: value * weight });
    }
    /// Adds what a factor makes of the sum so far.
    pub(super) fn boost(&mut self, of: TermOf, factor: f64) {
        let gives = (factor - 1.0) * self.total();
        self.terms.push(Term { of, value: factor, gives });
    }
}

/// `0.512 = match 0.284 (situation 1, words 3) + confidence 0.180 + ... - unvalidated 0.128 (x0.8)`
impl fmt::Display for WhyFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} =", self.total())?;
        for (i, term) in self.terms.iter().enumerate() {
            let sign = match (i, term.gives < 0.0) {
                (0, false) => "",
                (_, true) => " -",
                (_, false) => " +",
            };
            write!(f, "{sign} {} {:.3}", term.of.word(), term.gives.abs())?;
            match term.of {
                TermOf::Rank => write!(f, " ({})", self.ranks)?,
                TermOf::Bloodstain | TermOf::Unvalidated => write!(f, " (x{})", term.value)?,
                TermOf::Applies => write!(f, " (x{:.2})", term.value)?,
                _ => {}
            }
        }
        if self.contrarian { f.write_str("; drawn because it speaks against the rest") } else { Ok(()) }
    }
}

/// `situation 1, words 3`
impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [("situation", self.situation), ("words", self.words), ("text", self.text)];
        let mut any = false;
        for (name, rank) in lists {
            if let Some(rank) = rank {
                write!(f, "{}{name} {rank}", if any { ", " } else { "" })?;
                any = true;
            }
        }
        if any { Ok(()) } else { f.write_str("in no list") }
    }
}
