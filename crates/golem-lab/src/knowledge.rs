//! Reading what golems have come to know: a playbook and the entries it uses most, held against each other, against the
//! world's written truth, and against what anybody could do with them.

use crate::world::{Agreement, Truth};
use golem_core::observed::Field;
use golem_grimoire::experts::ExpertSpec;
use golem_grimoire::family::ClaimFamily;
use golem_grimoire::playbook::lint;
use golem_grimoire::subject::same_statement;
use golem_grimoire::{Claim, Entry, EntryKind, Grimoire};
use serde::Serialize;
use std::fmt;

/// Entries that are read, the most used first.
pub const MOST_READ: usize = 20;

/// What is wrong with something that a golem knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeFaultKind {
    /// The playbook's own check complains about a rule.
    Lint,
    /// It says what another entry says, or differs from it in a bound or a lag only.
    Duplicate,
    /// The world has the opposite, or nothing of the kind.
    Untrue,
    /// No forecast and no decision could use it.
    Useless,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnowledgeFault {
    /// What kind of thing.
    pub kind: KnowledgeFaultKind,
    /// About what, in its own words.
    pub what: String,
}

/// What was read, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct KnowledgeReading {
    /// Rules of the playbook.
    pub rules: usize,
    /// Entries.
    pub entries: usize,
    /// Claims that the truth says are so.
    pub proven_true: usize,
    /// Everything that is wrong.
    pub faults: Vec<KnowledgeFault>,
}

impl fmt::Display for KnowledgeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            KnowledgeFaultKind::Lint => "playbook lint",
            KnowledgeFaultKind::Duplicate => "said twice",
            KnowledgeFaultKind::Untrue => "untrue",
            KnowledgeFaultKind::Useless => "of no use",
        };
        write!(f, "{kind}: {}", self.what)
    }
}

/// Read a golem's playbook and the entries that it uses most. `parameters` are those of its template.
#[must_use]
pub fn read_knowledge(grimoire: &Grimoire, parameters: &[&str], truth: &Truth) -> KnowledgeReading {
    let mut used: Vec<&Entry> =
        grimoire.shelf().in_use().filter(|e| e.standing.uses > 0 && !e.body.is_question).collect();
    used.sort_by_key(|e| (std::cmp::Reverse(e.standing.uses), e.id));
    used.truncate(MOST_READ);
    let mut reading =
        KnowledgeReading { rules: grimoire.playbook().rules().count(), entries: used.len(), ..Default::default() };
    let mut fault = |kind, what: String| reading.faults.push(KnowledgeFault { kind, what });
    for finding in lint(grimoire.playbook(), parameters) {
        fault(KnowledgeFaultKind::Lint, finding.to_string());
    }
    for (n, entry) in used.iter().enumerate() {
        if used[..n].iter().any(|earlier| is_said_twice(earlier, entry)) {
            fault(KnowledgeFaultKind::Duplicate, entry.body.text.clone());
        }
        if !can_be_used(entry) {
            fault(KnowledgeFaultKind::Useless, entry.body.text.clone());
        }
        match entry.body.claim.as_ref().and_then(|claim| agreement(claim, truth)) {
            Some(Agreement::False) => fault(KnowledgeFaultKind::Untrue, entry.body.text.clone()),
            Some(Agreement::True) => reading.proven_true += 1,
            Some(Agreement::Unknown) | None => {}
        }
    }
    reading
}

/// True when a rule of its playbook says something that is so.
#[must_use]
pub fn lives_by_the_truth(grimoire: &Grimoire, truth: &Truth) -> bool {
    let claims =
        grimoire.playbook().rules().filter_map(|rule| grimoire.shelf().entry(rule.id().entry()?)?.body.claim.as_ref());
    claims.into_iter().any(|claim| agreement(claim, truth) == Some(Agreement::True))
}

fn is_said_twice(a: &Entry, b: &Entry) -> bool {
    let family = |e: &Entry| e.body.claim.as_ref().and_then(ClaimFamily::of);
    let kin = a.body.kind == b.body.kind && a.body.regime == b.body.regime && family(a).is_some();
    same_statement(&a.body, &b.body) || (kin && family(a) == family(b))
}

/// True when a forecast hears it, a decision minds it, or a deliberation can be told of an action by it.
fn can_be_used(entry: &Entry) -> bool {
    let body = &entry.body;
    let guides = matches!(body.kind, EntryKind::Heuristic | EntryKind::Warning | EntryKind::StrategyFragment);
    let of_action = golem_grimoire::subject::action_of(body).is_some();
    guides || of_action || body.edge.is_some() || ExpertSpec::of(body).is_some()
}

/// What the truth says of a claim; none where it is no plain comparison of two fields.
#[must_use]
pub fn agreement(claim: &Claim, truth: &Truth) -> Option<Agreement> {
    let ((effect, to), lag) = (end(&claim.then)?, u64::from(claim.after_ticks));
    if let Some((cause, stretch)) = stretch(&claim.when) {
        return Some(truth.agrees_within(cause, stretch, effect, to, lag));
    }
    let (cause, from) = end(&claim.when)?;
    Some(truth.agrees(cause, effect, from * to, lag))
}

/// A stretch of the day: `market.hour >= 22.0 || market.hour < 4.0`.
fn stretch(when: &str) -> Option<(Field, (f64, f64))> {
    let mut ends = [" && ", " || "].iter().find_map(|joined| when.split_once(joined)).into_iter();
    let (first, second) = ends.next()?;
    let bound = |text: &str, operator: &str| {
        let (field, value) = text.split_once(operator)?;
        Some((Field::named(field)?, value.parse::<f64>().ok()?))
    };
    let ((field, from), (same, to)) = (bound(first, " >= ")?, bound(second, " < ")?);
    (field == same && field == Field::MarketHour).then_some((field, (from, to)))
}

/// The field of a plain comparison with a number, and which way it lies.
fn end(comparison: &str) -> Option<(Field, i8)> {
    let mut parts = comparison.split(' ');
    let (field, operator, value) = (Field::named(parts.next()?)?, parts.next()?, parts.next()?);
    let _number: f64 = value.parse().ok()?;
    match (operator, parts.next()) {
        (">" | ">=", None) => Some((field, 1)),
        ("<" | "<=", None) => Some((field, -1)),
        _ => None,
    }
}
