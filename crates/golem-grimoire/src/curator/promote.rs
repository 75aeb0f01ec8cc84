//! What comes into use, and what goes back on trial.

use super::rules::rule_for;
use super::{CuratorMaterial, CycleReport, learn, own};
use crate::decay::ceiling;
use crate::entry::{Entry, EntryBody, EntryId, EntryKind};
use crate::family::ClaimFamily;
use crate::junk::is_unused;
use crate::shelf::Shelf;
use crate::staging::PlaybookWish;
use crate::standing::EntryStatus;
use crate::standing::Support;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is in use and falls below this effective confidence is on trial again. Lower than what it takes to come into
/// use, so that nothing flutters.
pub const DEMOTE_BELOW: f64 = 0.4;
/// A claim believed this much, in basis points, becomes a rule where one follows from it.
pub const RULE_BP: u16 = 7_000;

/// The effective confidence that a kind needs to come into use, in basis points. A warning needs none: it can only
/// reduce risk.
#[must_use]
pub fn needed_bp(kind: EntryKind) -> u16 {
    match kind {
        EntryKind::Insight | EntryKind::StrategyFragment => 6_000,
        EntryKind::Heuristic => 7_000,
        EntryKind::CausalLink => 5_000,
        EntryKind::Warning => 0,
    }
}

pub(super) fn promote(shelf: &mut Shelf, told: &CuratorMaterial<'_>, report: &mut CycleReport) {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for entry in shelf.in_use() {
        match entry.standing.status {
            EntryStatus::Candidate if waits_for(entry, told.now).is_none() => up.push((entry.id, entry.body.kind)),
            EntryStatus::Active if is_shaken(entry, told.now) => down.push((entry.id, entry.body.kind)),
            _ => {}
        }
    }
    for (id, kind) in up {
        shelf.stand(id, |s| s.status = EntryStatus::Active);
        report.promoted += 1;
        if kind == EntryKind::Heuristic {
            report.playbook.push(PlaybookWish::Add(id));
        }
    }
    for (id, kind) in down {
        shelf.stand(id, |s| s.status = EntryStatus::Candidate);
        report.demoted += 1;
        if kind == EntryKind::Heuristic {
            report.playbook.push(PlaybookWish::Remove(id));
        }
    }
    write_rules(shelf, told, report);
}

/// What an entry on trial still lacks before it comes into use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum PromotionWait {
    /// It came from elsewhere, and this golem has not seen it come true.
    #[error("this golem has not seen it come true")]
    Unproven,
    /// Reality spoke against it more often than for it.
    #[error("reality spoke against it more often than for it")]
    Contradicted,
    /// No decision and no forecast has used it.
    #[error("nothing has used it")]
    Unused,
    /// It was found in residuals, and nothing has proven it.
    #[error("it is a hunch")]
    Hunch,
    /// It is not believed enough for its kind.
    #[error("it is not believed enough for its kind")]
    TooUnsure,
}

/// What an entry on trial still lacks; none when it may come into use. What comes from others needs the golem's own
/// validation first, warnings included: a warning is the channel that a liar would choose. A hunch needs its proof.
#[must_use]
pub fn waits_for(entry: &Entry, now: VirtualTime) -> Option<PromotionWait> {
    let s = &entry.standing;
    let trusted = s.own_validation || ceiling(entry.body.provenance) >= 1.0;
    // On trial it may warn, forecast and inform; what nothing has made use of by then would only lie there. A rule is used
    // once it is in the playbook.
    let of_use = !is_unused(entry) || entry.body.kind == EntryKind::Heuristic;
    let sure = entry.effective(now) * 10_000.0 >= f64::from(needed_bp(entry.body.kind));
    let lacks = [
        (!trusted, PromotionWait::Unproven),
        (s.contradicted > s.validated, PromotionWait::Contradicted),
        (!of_use, PromotionWait::Unused),
        (entry.is_hunch(), PromotionWait::Hunch),
        (!sure, PromotionWait::TooUnsure),
    ];
    lacks.into_iter().find(|(lacks, _)| *lacks).map(|(_, what)| what)
}

fn is_shaken(entry: &Entry, now: VirtualTime) -> bool {
    let (s, body) = (&entry.standing, &entry.body);
    // A warning ends with its time, a question with its answer.
    let fades = body.kind != EntryKind::Warning && !body.is_question;
    s.contradicted > s.validated || (fades && entry.effective(now) < DEMOTE_BELOW)
}

/// Claims in use that are well believed, and have no rule yet, become rules; one for each family.
fn write_rules(shelf: &mut Shelf, told: &CuratorMaterial<'_>, report: &mut CycleReport) {
    let rules = shelf.entries().filter(|e| e.body.kind == EntryKind::Heuristic);
    let ruled: BTreeSet<EntryId> = rules.flat_map(|e| e.body.parents.iter().copied()).collect();
    let new = |e: &&Entry| deserves_rule(e) && !ruled.contains(&e.id);
    let believed: Vec<EntryId> = shelf.active().filter(new).map(|e| e.id).collect();
    for id in believed {
        let Some((rule, support)) = shelf.entry(id).and_then(|e| Some((rule(e, told)?, support(e)))) else { continue };
        if shelf.saying(&rule).next().is_some() || has_family(shelf, &rule) {
            continue;
        }
        let Some(new) = learn(shelf, rule, support, told) else { continue };
        let Some(confidence_bp) = shelf.entry(id).map(|e| e.standing.confidence_bp) else { continue };
        shelf.stand(new, |s| {
            (s.status, s.own_validation, s.confidence_bp) = (EntryStatus::Active, true, confidence_bp);
        });
        report.promoted += 1;
        report.playbook.push(PlaybookWish::Add(new));
    }
}

/// True when a rule of the same family is in use: two of them would do twice what one says.
fn has_family(shelf: &Shelf, rule: &EntryBody) -> bool {
    let family = |b: &EntryBody| Some(ClaimFamily::of_rule(&b.claim.as_ref()?.when, b.action.as_ref()?));
    let own = family(rule);
    shelf.in_use().any(|e| e.body.kind == EntryKind::Heuristic && !e.is_hearsay() && family(&e.body) == own)
}

fn deserves_rule(entry: &Entry) -> bool {
    let (s, body) = (&entry.standing, &entry.body);
    // A stranger's rule is not taken over: once its claim has proved true here, the golem says itself what follows.
    let told = body.kind == EntryKind::Heuristic && ceiling(body.provenance) < 1.0;
    (body.kind == EntryKind::Insight || told) && body.claim.is_some() && s.own_validation && s.confidence_bp >= RULE_BP
}

fn support(entry: &Entry) -> Support {
    Support { confirmed: entry.standing.validated, contradicted: entry.standing.contradicted }
}

fn rule(entry: &Entry, told: &CuratorMaterial<'_>) -> Option<EntryBody> {
    let claim = entry.body.claim.as_ref()?;
    let (action, words) = rule_for(claim, told.parameters)?;
    Some(EntryBody {
        action: Some(action),
        claim: Some(claim.clone()),
        domain: entry.body.domain,
        regime: entry.body.regime,
        decay_class: entry.body.decay_class,
        tags: entry.body.tags.clone(),
        parents: vec![entry.id],
        ..own(told, EntryKind::Heuristic, format!("{words}. {}", entry.body.text))
    })
}
