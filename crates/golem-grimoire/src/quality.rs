//! How good an entry is as a piece of knowledge: specific, actionable, new, checkable, consistent; computed from what it
//! holds, never from how well it is worded.

use crate::entry::{EntryBody, EntryKind, Provenance};
use crate::standing::Standing;
use crate::subject::action_of;
use serde::{Deserialize, Serialize};

/// The longest text that is still a lesson.
pub const LONGEST_TEXT: usize = 600;
/// Taken off for each red flag.
const FLAG: f64 = 0.1;
/// Words by which a text claims more than any evidence can give.
const CERTAIN: &[&str] = &["always", "never", "guaranteed", "certain", "impossible", "100%"];

/// The five features, each from 0 to 1, and what looks wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// Says when, where and about what.
    pub specificity: f64,
    /// Says what to do.
    pub actionability: f64,
    /// Was not known before.
    pub novelty: f64,
    /// Can be checked by reality.
    pub verifiability: f64,
    /// Has not been contradicted.
    pub consistency: f64,
    /// What looks wrong.
    pub flags: Vec<RedFlag>,
}

/// What looks wrong with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedFlag {
    /// It says next to nothing.
    Empty,
    /// It goes on and on.
    TooLong,
    /// It knows no doubt.
    TooCertain,
    /// Nothing stands behind it: no episode, no parent, no claim, no edge.
    NoEvidence,
    /// It claims its own condition, or its own refutation.
    BadClaim,
    /// It names an address, a link or something invisible: knowledge has no use for that.
    Foreign,
}

impl Features {
    /// What can be seen of an entry. `nearest` is the cosine to the nearest other entry, if there is one.
    #[must_use]
    pub fn of(body: &EntryBody, standing: &Standing, nearest: Option<f64>) -> Self {
        let seen = f64::from(standing.validated.saturating_add(standing.contradicted));
        Self {
            specificity: specificity(body),
            actionability: actionability(body),
            novelty: nearest.map_or(1.0, |cosine| if cosine.is_nan() { 1.0 } else { 1.0 - cosine.clamp(0.0, 1.0) }),
            verifiability: verifiability(body),
            consistency: (f64::from(standing.validated) + 1.0) / (seen + 2.0),
            flags: red_flags(body),
        }
    }
    /// The score, from 0 to 1. A dream is judged less by its detail and more by whether it can be checked, unless it
    /// is a guard against a threat.
    #[must_use]
    pub fn score(&self, body: &EntryBody) -> f64 {
        let dreamt = body.provenance == Provenance::Dream;
        let [a, b, c, d, e] = match (dreamt, body.kind) {
            (false, _) => [0.25, 0.25, 0.20, 0.15, 0.15],
            (true, EntryKind::Warning) => [0.25, 0.25, 0.20, 0.20, 0.10],
            (true, _) => [0.10, 0.25, 0.20, 0.20, 0.25],
        };
        let sum = a * self.specificity
            + b * self.actionability
            + c * self.novelty
            + d * self.verifiability
            + e * self.consistency;
        (sum - FLAG * self.flags.len() as f64).clamp(0.0, 1.0)
    }
}

/// The quality of an entry, from 0 to 1.
#[must_use]
pub fn quality(body: &EntryBody, standing: &Standing, nearest: Option<f64>) -> f32 {
    Features::of(body, standing, nearest).score(body) as f32
}

fn specificity(body: &EntryBody) -> f64 {
    let parts = [
        (body.claim.is_some() || body.edge.is_some(), 0.35),
        (body.regime.is_some(), 0.2),
        (body.domain.is_some(), 0.2),
        (body.prototype.is_some(), 0.15),
        (action_of(body).is_some() || body.action.is_some(), 0.1),
    ];
    parts.into_iter().filter(|(has, _)| *has).map(|(_, worth)| worth).sum()
}

fn actionability(body: &EntryBody) -> f64 {
    match body.kind {
        _ if body.action.is_some() => 1.0,
        EntryKind::Warning if body.severity.is_some() => 0.8,
        _ if body.claim.is_some() => 0.7,
        EntryKind::StrategyFragment => 0.6,
        _ if action_of(body).is_some() || body.edge.is_some() => 0.5,
        _ if body.is_question => 0.3,
        _ => 0.1,
    }
}

fn verifiability(body: &EntryBody) -> f64 {
    match (&body.claim, &body.edge) {
        (Some(_), _) => 1.0,
        (None, Some(_)) => 0.8,
        _ if body.episodes.len() >= 3 => 0.5,
        _ if !body.episodes.is_empty() || !body.parents.is_empty() => 0.3,
        _ => 0.0,
    }
}

fn red_flags(body: &EntryBody) -> Vec<RedFlag> {
    let text = &body.text;
    let long = text.chars().count();
    let says = |words: &[&str]| text.split_whitespace().any(|w| words.contains(&w.to_lowercase().trim_matches('.')));
    let bare = body.episodes.is_empty() && body.parents.is_empty() && body.claim.is_none() && body.edge.is_none();
    // Whether it compiles at all is the gate's business.
    let bad_claim = body.claim.as_ref().is_some_and(|c| c.when == c.then || c.unless.as_ref() == Some(&c.then));
    let foreign = text.contains("0x") || text.contains("://") || text.chars().any(golem_core::words::is_hidden);
    let flags = [
        (long < 8, RedFlag::Empty),
        (long > LONGEST_TEXT, RedFlag::TooLong),
        (says(CERTAIN), RedFlag::TooCertain),
        (bare, RedFlag::NoEvidence),
        (bad_claim, RedFlag::BadClaim),
        (foreign, RedFlag::Foreign),
    ];
    flags.into_iter().filter(|(is, _)| *is).map(|(_, flag)| flag).collect()
}
