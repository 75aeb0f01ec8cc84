//! What an entry says and what it is about, apart from who learnt it and when: how the same belief is known again, and
//! how two beliefs are seen to contradict each other.

use crate::claim::Claim;
use crate::entry::{EntryBody, EntryKind, RuleAction};
use golem_core::plain;

/// The tag that names the action an entry speaks of: `action:buy`.
pub const ACTION_TAG: &str = "action:";
/// The tag of an entry that speaks well of its action.
pub const WENT_WELL: &str = "went:well";
/// The tag of an entry that speaks ill of its action.
pub const WENT_BADLY: &str = "went:badly";
/// The tag that names the action by which a strategy gets in: `enter:buy`.
pub const ENTER_TAG: &str = "enter:";
/// The tag that names the action by which it gets out.
pub const LEAVE_TAG: &str = "leave:";
/// The tag that names the weather in which it gets out; the weather it gets in is the entry's own.
pub const LEAVE_IN_TAG: &str = "leave_in:";
/// The tag that says which way an effect goes with its cause: `sign:rises`.
pub const SIGN_TAG: &str = "sign:";
/// The tag of what was found in the residuals of a panel.
pub const FOUND_TAG: &str = "found:residual";
/// The tag of a link that is the other way round while the field it names is below what is usual.
pub const TURN_TAG: &str = "turns:";

/// What is said. Two bodies with the same statement say the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement(pub [u8; 16]);

/// What is spoken of. Only bodies on the same topic can contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(pub [u8; 16]);

/// What a body says, without its provenance, evidence and time.
#[must_use]
pub fn statement(body: &EntryBody) -> Statement {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 grimoire statement");
    put(&mut hasher, &[body.kind as u8, u8::from(body.is_question)]);
    put(&mut hasher, body.regime.map_or("any", golem_core::Regime::name).as_bytes());
    put(&mut hasher, body.domain.map_or("general", golem_mortality::Domain::name).as_bytes());
    put(&mut hasher, &[body.severity.map_or(0, |s| s as u8 + 1)]);
    put(&mut hasher, &plain::bytes(&body.action));
    // Whatever is said is said: a claim and an edge both count where both are there.
    put(&mut hasher, &plain::bytes(&(&body.claim, &body.edge)));
    said_by_tags(body).for_each(|tag| put(&mut hasher, tag.as_bytes()));
    if !is_said_by_fields(body) {
        let words: Vec<String> = body.text.split_whitespace().map(str::to_lowercase).collect();
        put(&mut hasher, words.join(" ").as_bytes());
    }
    Statement(short(&hasher))
}

/// True when two bodies have the same statement, without hashing either.
#[must_use]
pub fn same_statement(a: &EntryBody, b: &EntryBody) -> bool {
    let frame = |x: &EntryBody| (x.kind, x.is_question, x.regime, x.domain, x.severity);
    let words = |x: &EntryBody| x.text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    frame(a) == frame(b)
        && (&a.action, &a.claim, &a.edge) == (&b.action, &b.claim, &b.edge)
        && said_by_tags(a).eq(said_by_tags(b))
        && (is_said_by_fields(a) || words(a) == words(b))
}

/// The tags that say something which can be true or not, in order; the others only help to find it.
pub fn said_by_tags(body: &EntryBody) -> impl Iterator<Item = &str> {
    let says = [ACTION_TAG, "went:", ENTER_TAG, LEAVE_TAG, LEAVE_IN_TAG, SIGN_TAG, TURN_TAG];
    let mut said: Vec<&str> =
        body.tags.iter().map(String::as_str).filter(|tag| says.iter().any(|s| tag.starts_with(s))).collect();
    said.sort_unstable();
    said.dedup();
    said.into_iter()
}

/// True when fields say all of it, so that its words say nothing more: a claim that reality can check, an edge, an action
/// and how it goes, or a way in and a way out.
#[must_use]
pub fn is_said_by_fields(body: &EntryBody) -> bool {
    let has = |prefix: &str| body.tags.iter().any(|t| t.starts_with(prefix));
    body.claim.is_some()
        || body.edge.is_some()
        || (action_of(body).is_some() && speaks_well(body).is_some())
        || (has(ENTER_TAG) && has(LEAVE_TAG) && has(LEAVE_IN_TAG))
}

/// What a body is about; none when nothing could contradict it.
#[must_use]
pub fn topic(body: &EntryBody) -> Option<Topic> {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 grimoire topic");
    if let Some(claim) = &body.claim {
        put(&mut hasher, b"claim");
        put(&mut hasher, claim.when.as_bytes());
        put(&mut hasher, &claim.after_ticks.to_le_bytes());
        put(&mut hasher, claim.then.split_whitespace().next().unwrap_or_default().as_bytes());
    } else {
        put(&mut hasher, b"action");
        put(&mut hasher, action_of(body)?.as_bytes());
        put(&mut hasher, body.regime.map_or("any", golem_core::Regime::name).as_bytes());
    }
    Some(Topic(short(&hasher)))
}

/// The action that a body's tags name.
#[must_use]
pub fn action_of(body: &EntryBody) -> Option<&str> {
    body.tags.iter().find_map(|t| t.strip_prefix(ACTION_TAG))
}

/// Whether a body speaks well (`Some(true)`) or ill of its action.
#[must_use]
pub fn speaks_well(body: &EntryBody) -> Option<bool> {
    let has = |tag: &str| body.tags.iter().any(|t| t == tag);
    if has(WENT_WELL) { Some(true) } else { has(WENT_BADLY).then_some(false) }
}

/// True when both cannot be right: the same situation, and opposite claims, advice or experience. Questions contradict
/// nothing.
#[must_use]
pub fn contradict(a: &EntryBody, b: &EntryBody) -> bool {
    // A warning of what can happen does not deny what usually happens.
    let warns = |x: &EntryBody| x.kind == EntryKind::Warning;
    if warns(a) != warns(b) || a.is_question || b.is_question || topic(a).is_none() || topic(a) != topic(b) {
        return false;
    }
    // Different weather excuses opposite claims.
    if a.regime.is_some() && b.regime.is_some() && a.regime != b.regime {
        return false;
    }
    match (&a.claim, &b.claim) {
        (Some(x), Some(y)) => claims_oppose(x, y) || actions_oppose(a.action.as_ref(), b.action.as_ref()),
        _ => matches!((speaks_well(a), speaks_well(b)), (Some(x), Some(y)) if x != y),
    }
}

fn claims_oppose(a: &Claim, b: &Claim) -> bool {
    let refutes = |x: &Claim, y: &Claim| x.unless.as_deref() == Some(y.then.as_str());
    refutes(a, b) || refutes(b, a) || oppose(&a.then, &b.then)
}

fn actions_oppose(a: Option<&RuleAction>, b: Option<&RuleAction>) -> bool {
    match (a, b) {
        (Some(RuleAction::Scale { parameter: p, factor: x }), Some(RuleAction::Scale { parameter: q, factor: y })) => {
            p == q && (x - 1.0) * (y - 1.0) < 0.0
        }
        _ => false,
    }
}

/// True when two expressions in canonical text can never hold together, as far as plain comparisons show it.
#[must_use]
pub fn oppose(a: &str, b: &str) -> bool {
    if negation_of(a) == Some(b) || negation_of(b) == Some(a) {
        return true;
    }
    let (Some((field, x)), Some((other, y))) = (comparison(a), comparison(b)) else { return false };
    field == other && x.excludes(y)
}

fn negation_of(text: &str) -> Option<&str> {
    text.strip_prefix("!(")?.strip_suffix(')')
}

/// What a plain comparison leaves of a field.
#[derive(Clone, Copy)]
enum Left<'a> {
    /// Numbers between two ends; whether each end belongs to it.
    Between((f64, bool), (f64, bool)),
    /// One word.
    Word(&'a str),
    /// Any word but one.
    NotWord(&'a str),
}

impl Left<'_> {
    fn excludes(self, other: Left<'_>) -> bool {
        match (self, other) {
            (Left::Between(low, high), Left::Between(from, to)) => {
                let apart =
                    |end: (f64, bool), start: (f64, bool)| end.0 < start.0 || (end.0 <= start.0 && !(end.1 && start.1));
                apart(high, from) || apart(to, low)
            }
            (Left::Word(x), Left::Word(y)) => x != y,
            (Left::Word(x), Left::NotWord(y)) | (Left::NotWord(y), Left::Word(x)) => x == y,
            _ => false,
        }
    }
}

fn comparison(text: &str) -> Option<(&str, Left<'_>)> {
    let mut parts = text.split(' ');
    let (field, operator, value) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (open, shut) = ((f64::NEG_INFINITY, false), (f64::INFINITY, false));
    let left = match (operator, value.parse::<f64>()) {
        (">", Ok(x)) => Left::Between((x, false), shut),
        (">=", Ok(x)) => Left::Between((x, true), shut),
        ("<", Ok(x)) => Left::Between(open, (x, false)),
        ("<=", Ok(x)) => Left::Between(open, (x, true)),
        ("==", Ok(x)) => Left::Between((x, true), (x, true)),
        ("==", Err(_)) => Left::Word(value),
        ("!=", Err(_)) => Left::NotWord(value),
        _ => return None,
    };
    Some((field, left))
}

/// Lengths go in first, so that no two lists of pieces run into the same bytes.
fn put(hasher: &mut blake3::Hasher, piece: &[u8]) {
    hasher.update(&(piece.len() as u64).to_le_bytes());
    hasher.update(piece);
}

fn short(hasher: &blake3::Hasher) -> [u8; 16] {
    let mut out = [0; 16];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    out
}
