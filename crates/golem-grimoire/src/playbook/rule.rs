//! One rule of the playbook: when it applies, what it does, why, and what speaks for it.

use super::spell;
use crate::decay::ceiling;
use crate::entry::{Entry, EntryId, Provenance, RuleAction};
use golem_core::VirtualTime;
use golem_core::observed::Expression;
use golem_core::words::one_line;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The longest heading.
const MAX_TITLE: usize = 100;
/// The longest reason.
const MAX_BECAUSE: usize = 600;
/// A rule may multiply a parameter by this much at most, and by its inverse at least.
pub(super) const MOST_FACTOR: f64 = 2.0;
/// An owner's rule may raise risk up to this.
pub(super) const MOST_OWNERS_RISK: f64 = 2.0;

/// A rule's id. A rule that the golem learnt has the id of its entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RuleId(String);

/// Not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no id of a rule: use 1 to 40 of a-z, 0-9 and '-'")]
pub struct BadRuleId(String);

impl RuleId {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// The entry that it was made from, if it was.
    #[must_use]
    pub fn entry(&self) -> Option<EntryId> {
        let digit = |i: usize| self.0.get(i..i + 2).and_then(|s| u8::from_str_radix(s, 16).ok());
        if self.0.len() != 32 {
            return None;
        }
        let mut bytes = [0; 16];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = digit(2 * i)?;
        }
        Some(EntryId(bytes))
    }
    /// An id for a rule that was written without one: what it says decides.
    pub(super) fn of(when: &Expression, action: &RuleAction) -> Self {
        let said = format!("{when}\n{}", spell::action(action));
        Self(format!("own-{}", &blake3::hash(said.as_bytes()).to_hex()[..12]))
    }
}

impl From<EntryId> for RuleId {
    fn from(id: EntryId) -> Self {
        Self(id.to_string())
    }
}
impl From<RuleId> for String {
    fn from(id: RuleId) -> Self {
        id.0
    }
}
impl TryFrom<String> for RuleId {
    type Error = BadRuleId;
    fn try_from(s: String) -> Result<Self, BadRuleId> {
        s.parse()
    }
}
impl FromStr for RuleId {
    type Err = BadRuleId;
    fn from_str(s: &str) -> Result<Self, BadRuleId> {
        let ok =
            (1..=40).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if ok { Ok(Self(s.to_owned())) } else { Err(BadRuleId(s.chars().take(60).collect())) }
    }
}
impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What a rule is made of. [`Rule::new`] brings it into its one form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleWords {
    /// Its id.
    pub id: RuleId,
    /// Its heading.
    pub title: String,
    /// When it applies.
    pub when: Expression,
    /// What it does.
    pub action: RuleAction,
    /// Why, in words.
    pub because: String,
    /// How sure, in basis points.
    pub confidence_bp: u16,
    /// How often reality confirmed it.
    pub validated: u32,
    /// How often reality contradicted it.
    pub contradicted: u32,
    /// Episodes it was distilled from.
    pub episodes: u32,
    /// Where it came from.
    pub source: Provenance,
    /// Since when it stands here.
    pub since: VirtualTime,
    /// Words below it, as they were written.
    pub note: String,
}

/// A rule that can stand in a playbook: its texts are bounded and plain, its factors within their limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RuleWords", into = "RuleWords")]
pub struct Rule(RuleWords);

/// Why something is no rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadRule {
    /// A factor beyond its limits.
    #[error("a rule scales by {least} to {MOST_FACTOR}, not by {factor}", least = 1.0 / MOST_FACTOR)]
    Factor {
        /// What was asked for.
        factor: f64,
    },
    /// More risk than its source may ask for.
    #[error("risk is from 0 to {most}, not {factor}{}", if *.most < MOST_OWNERS_RISK { ": only an owner's rule can raise it" } else { "" })]
    Risk {
        /// What was asked for.
        factor: f64,
        /// What could have been.
        most: f64,
    },
    /// A parameter's key that cannot be one.
    #[error("{0:?} is no key of a parameter: write it like lp_management.range_sigmas")]
    Parameter(String),
}

impl Rule {
    /// A rule of these words, in its one form.
    ///
    /// # Errors
    /// When a factor or a key is none.
    pub fn new(mut words: RuleWords) -> Result<Self, BadRule> {
        match &words.action {
            RuleAction::Scale { parameter, factor } => {
                let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'.';
                if !(1..=80).contains(&parameter.len()) || !parameter.bytes().all(plain) {
                    return Err(BadRule::Parameter(parameter.chars().take(60).collect()));
                }
                if !(1.0 / MOST_FACTOR..=MOST_FACTOR).contains(factor) {
                    return Err(BadRule::Factor { factor: *factor });
                }
            }
            RuleAction::Risk { factor } => {
                let most = if words.source == Provenance::Owner { MOST_OWNERS_RISK } else { 1.0 };
                if !(0.0..=most).contains(factor) {
                    return Err(BadRule::Risk { factor: *factor, most });
                }
            }
            RuleAction::StandAside => (),
        }
        words.title = one_line(&words.title, MAX_TITLE);
        if words.title.is_empty() {
            words.title = format!("Rule {}", words.id);
        }
        words.because = one_line(&words.because, MAX_BECAUSE);
        words.confidence_bp = words.confidence_bp.min(10_000);
        words.note = spell::paragraph(&words.note);
        Ok(Self(words))
    }
    /// The rule that a heuristic (or any entry with a condition and an action) makes; none when its condition does not
    /// compile, or its action is none or beyond the limits, or it is a stranger's to scale this golem's parameters: a factor
    /// can make anything larger. When its claim proves true here, the golem writes a rule of its own about it.
    #[must_use]
    pub fn from_entry(entry: &Entry, now: VirtualTime) -> Option<Self> {
        let body = &entry.body;
        let strange = ceiling(body.provenance) < 1.0;
        if entry.is_hearsay() || (strange && matches!(body.action, Some(RuleAction::Scale { .. }))) {
            return None;
        }
        let when = Expression::compile(&body.claim.as_ref()?.when).ok()?;
        let title = body.text.split(['.', ';', '\n']).next().unwrap_or_default().to_owned();
        let words = RuleWords {
            id: entry.id.into(),
            title,
            when,
            action: body.action.clone()?,
            because: body.text.clone(),
            confidence_bp: entry.standing.confidence_bp,
            validated: entry.standing.validated,
            contradicted: entry.standing.contradicted,
            episodes: u32::try_from(body.episodes.len()).unwrap_or(u32::MAX),
            source: body.provenance,
            since: now,
            note: String::new(),
        };
        Self::new(words).ok()
    }
    /// On one line: when it applies and what it does.
    #[must_use]
    pub fn in_words(&self) -> String {
        format!("when {}: {}", self.0.when, spell::action(&self.0.action))
    }
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &RuleId {
        &self.0.id
    }
    /// All of it.
    #[must_use]
    pub fn words(&self) -> &RuleWords {
        &self.0
    }
    /// True when the owner wrote or rewrote it.
    #[must_use]
    pub fn is_owners(&self) -> bool {
        self.0.source == Provenance::Owner
    }
}

impl TryFrom<RuleWords> for Rule {
    type Error = BadRule;
    fn try_from(words: RuleWords) -> Result<Self, BadRule> {
        Self::new(words)
    }
}
impl From<Rule> for RuleWords {
    fn from(rule: Rule) -> Self {
        rule.0
    }
}
