//! Deep validation: beliefs against each other, against the domains they serve, and against the record.

use super::{CuratorMaterial, CuratorRooms};
use crate::admission::{ESTABLISHED, MERGE_ABOVE, says_the_same};
use crate::credit;
use crate::entry::{Entry, EntryId, EntryKind};
use crate::quality::quality;
use crate::series::Series;
use crate::shelf::Shelf;
use crate::staging::{PlaybookWish, wilson_lower, wilson_upper};
use crate::standing::EntryStatus;
use crate::standing::Support;
use crate::subject::contradict;
use golem_core::observed::{Expression, Verdict};
use golem_core::{Elapsed, VirtualTime};
use golem_mortality::Domain;
use serde::{Deserialize, Serialize};
use std::ops::Bound::{Excluded, Unbounded};

/// Domains below this fitness (four percent more loss than naive) have their unproven entries archived at once.
const FAILING: f64 = 0.1;
/// Entries below this effective confidence go with a failing domain.
const UNPROVEN: f64 = 0.4;
/// Recent entries whose neighbours are looked up.
const MOST_LOOKED_UP: usize = 32;
/// Beliefs held against the record in one pass: each asks hundreds of rows.
const MOST_CHECKED: usize = 2;
/// Rows of the record between two that are asked.
const STRIDE: u64 = 8;
/// Independent occurrences without which the record says nothing.
const LEAST_OCCURRENCES: u32 = 8;
/// By how many validations one side of a contradiction must lead.
const CLEAR_LEAD: i64 = 3;
/// How far proposals have come is written down so often: for people, since the checkpoint knows it anyway.
const PROGRESS_TURNS: u64 = 2_000;
/// Time between two deep validations, roughly: entries that moved since get a new quality.
const SINCE: Elapsed = Elapsed::nominal(2 * super::DEEP_TURNS);

/// What a deep validation did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeepReport {
    /// Pairs of entries in use that cannot both be right.
    pub contradictions: u32,
    /// Entries kept aside because of that.
    pub quarantined: u32,
    /// Entries that went into another that says the same, or made way for a better one of their family.
    pub merged: u32,
    /// Entries archived with a failing domain.
    pub failed_with_domain: u32,
    /// Beliefs that the record confirms.
    pub confirmed: u32,
    /// Beliefs that the record contradicts.
    pub refuted: u32,
    /// For the playbook's writer.
    #[serde(skip)]
    pub playbook: Vec<PlaybookWish>,
}

pub(super) fn deep(desk: &mut CuratorRooms<'_>, told: &CuratorMaterial<'_>, checked: &mut EntryId) -> DeepReport {
    let mut report = DeepReport::default();
    let rules: Vec<EntryId> =
        desk.shelf.active().filter(|e| e.body.kind == EntryKind::Heuristic).map(|e| e.id).collect();
    merge(desk.shelf, told, &mut report);
    report.merged += super::claims::keep_best(desk.shelf, told.now);
    resolve(desk.shelf, told.now, &mut report);
    drop_failing(desk.shelf, told, &mut report);
    hold_against_record(desk, told, checked, &mut report);
    refresh_quality(desk.shelf, told.now);
    desk.staging.write_rows(desk.shelf, told.tick.is_every(PROGRESS_TURNS));
    let gone = |id: &&EntryId| desk.shelf.entry(**id).is_none_or(|e| e.standing.status != EntryStatus::Active);
    report.playbook = rules.iter().filter(gone).map(|id| PlaybookWish::Remove(*id)).collect();
    report
}

/// Entries that say the same become one: the best proven stays and takes over the evidence. Hearsay goes into what is known
/// here, never the other way round.
fn merge(shelf: &mut Shelf, told: &CuratorMaterial<'_>, report: &mut DeepReport) {
    let in_use = |id: &EntryId| shelf.entry(*id).is_some_and(Entry::is_in_use);
    let (said, _) = shelf.groups();
    let mut pairs: Vec<(EntryId, EntryId)> = Vec::new();
    for group in said.filter(|g| g.len() > 1) {
        let mut same: Vec<EntryId> = group.iter().copied().filter(|id| in_use(id)).collect();
        same.sort_by_key(|id| shelf.entry(*id).map(rank));
        pairs.extend(same.iter().skip(1).map(|other| (same[0], *other)));
    }
    let mut recent: Vec<&Entry> = shelf.in_use().filter(|e| told.now.since(e.body.learnt_at) < SINCE).collect();
    recent.sort_by_key(|e| (std::cmp::Reverse(e.body.learnt_at), e.id));
    for entry in recent.into_iter().take(MOST_LOOKED_UP) {
        let near = told.neighbours.nearest(&entry.body).filter(|n| n.cosine > MERGE_ABOVE && n.id != entry.id);
        let Some(other) = near
            .and_then(|n| shelf.entry(n.id))
            .filter(|o| o.is_in_use() && says_the_same(&o.body, &entry.body, 1.0, MERGE_ABOVE))
        else {
            continue;
        };
        let mut both = [entry, other];
        both.sort_by_key(|e| rank(e));
        pairs.push((both[0].id, both[1].id));
    }
    for (keep, other) in pairs {
        report.merged += u32::from(merge_pair(shelf, keep, other, told.now));
    }
}

/// What is known here first, then the better proven, then the older one.
pub(super) fn rank(entry: &Entry) -> (bool, std::cmp::Reverse<i64>, VirtualTime, EntryId) {
    (entry.is_hearsay(), std::cmp::Reverse(lead(entry)), entry.body.learnt_at, entry.id)
}

fn lead(entry: &Entry) -> i64 {
    i64::from(entry.standing.validated) - i64::from(entry.standing.contradicted)
}

fn merge_pair(shelf: &mut Shelf, keep: EntryId, other: EntryId, now: VirtualTime) -> bool {
    let Some(from) = shelf.entry(other).filter(|e| e.is_in_use()).map(|e| e.standing.clone()) else { return false };
    if !shelf.entry(keep).is_some_and(Entry::is_in_use) {
        return false;
    }
    if shelf.entry(other).is_some_and(Entry::is_hearsay) && !shelf.entry(keep).is_some_and(Entry::is_hearsay) {
        // It says what is known, and has nothing to add to it.
        return shelf.stand(other, |s| (s.status, s.true_until) = (EntryStatus::Archived(now), Some(now)));
    }
    shelf.stand(keep, |s| {
        s.validated = s.validated.saturating_add(from.validated);
        s.contradicted = s.contradicted.saturating_add(from.contradicted);
        s.uses = s.uses.saturating_add(from.uses);
        s.retrievals = s.retrievals.saturating_add(from.retrievals);
        s.validators = s.validators.max(from.validators);
        s.strength = s.strength.max(from.strength);
        s.confidence_bp = s.confidence_bp.max(from.confidence_bp);
        s.last_validated = s.last_validated.max(from.last_validated);
        s.own_validation |= from.own_validation;
        s.dream_validated |= from.dream_validated;
        if from.status == EntryStatus::Active {
            s.status = EntryStatus::Active;
        }
    });
    shelf.stand(other, |s| (s.status, s.true_until) = (EntryStatus::Archived(now), Some(now)))
}

/// Of two that cannot both be right, the one that is clearly better proven stays; otherwise both are kept aside until
/// reality has decided.
fn resolve(shelf: &mut Shelf, now: VirtualTime, report: &mut DeepReport) {
    let mut aside: Vec<EntryId> = Vec::new();
    let (_, about) = shelf.groups();
    for group in about.filter(|g| g.len() > 1) {
        let entries: Vec<&Entry> = group.iter().filter_map(|id| shelf.entry(*id)).filter(|e| e.is_in_use()).collect();
        for (i, a) in entries.iter().enumerate() {
            for b in entries.iter().skip(i + 1).filter(|b| contradict(&a.body, &b.body)) {
                report.contradictions += 1;
                // Hearsay puts nothing aside that was learnt here, or two lines from a stranger could take a rule away.
                let wins = |x: &Entry, y: &Entry| {
                    let proven = x.standing.own_validation && x.effective(now) >= ESTABLISHED;
                    (proven && lead(x) >= lead(y) + CLEAR_LEAD) || (y.is_hearsay() && !x.is_hearsay())
                };
                match (wins(a, b), wins(b, a)) {
                    (true, _) => aside.push(b.id),
                    (_, true) => aside.push(a.id),
                    _ => aside.extend([a.id, b.id]),
                }
            }
        }
    }
    aside.sort_unstable();
    aside.dedup();
    for id in aside {
        shelf.stand(id, |s| s.status = EntryStatus::Quarantined(now));
        report.quarantined += 1;
    }
}

/// Where forecasts fail altogether, what is not proven of that domain need not fade slowly.
fn drop_failing(shelf: &mut Shelf, told: &CuratorMaterial<'_>, report: &mut DeepReport) {
    let failing = |d: Domain| told.fitness[d.index()].is_some_and(|f| f < FAILING);
    let goes = |e: &Entry| {
        let is_own = e.body.kind != EntryKind::Warning && !e.body.is_question;
        is_own && e.body.domain.is_some_and(failing) && e.effective(told.now) < UNPROVEN
    };
    let going: Vec<EntryId> = shelf.in_use().filter(|e| goes(e)).map(|e| e.id).collect();
    for id in going {
        shelf.stand(id, |s| s.status = EntryStatus::Archived(told.now));
        report.failed_with_domain += 1;
    }
}

/// Beliefs that the waking sweep does not watch, a few at a time, against what was observed of late.
fn hold_against_record(
    desk: &mut CuratorRooms<'_>,
    told: &CuratorMaterial<'_>,
    checked: &mut EntryId,
    report: &mut DeepReport,
) {
    let ids: std::collections::BTreeSet<EntryId> = desk
        .shelf
        .in_use()
        .filter(|e| e.body.claim.is_some() && !desk.staging.is_watched(e.id))
        .map(|e| e.id)
        .collect();
    let after = ids.range((Excluded(*checked), Unbounded)).chain(ids.range(..=*checked));
    for id in after.take(MOST_CHECKED) {
        *checked = *id;
        let Some(claim) = desk.shelf.entry(*id).and_then(|e| e.body.claim.clone()) else { continue };
        let Some((seen, base_rate)) = tally(told.series, &claim) else { continue };
        let all = seen.confirmed + seen.contradicted;
        if wilson_lower(seen.confirmed, all) > base_rate {
            // The record is looked at again and again: that proves nothing of what is still to be proven.
            let unproven = desk.shelf.entry(*id).is_some_and(|e| e.is_hearsay() || e.is_hunch());
            let step = if unproven { credit::confirm } else { credit::validate };
            desk.shelf.stand(*id, |s| step(s, told.now));
            report.confirmed += 1;
        } else if wilson_upper(seen.confirmed, all) < base_rate {
            desk.shelf.stand(*id, credit::contradict);
            report.refuted += 1;
        }
    }
}

/// How often a claim came true in the record, at independent moments, and how often its end holds anyway.
fn tally(series: &Series, claim: &crate::Claim) -> Option<(Support, f64)> {
    let (when, then) = (Expression::compile(&claim.when).ok()?, Expression::compile(&claim.then).ok()?);
    let (ticks, after) = (series.ticks(), u64::from(claim.after_ticks.max(1)));
    let apart = after.max(u64::from(crate::staging::INDEPENDENT_TICKS));
    let (mut seen, mut tick) = (Support::default(), ticks.start);
    while tick.saturating_add(after) < ticks.end {
        if !when.evaluate(&series.snapshot(tick, when.fields())).holds() {
            tick += STRIDE.max(series.row_ticks());
            continue;
        }
        match then.evaluate(&series.snapshot(tick + after, then.fields())) {
            Verdict::Holds => seen.confirmed += 1,
            Verdict::DoesNot => seen.contradicted += 1,
            Verdict::Unknown { .. } | Verdict::Failed { .. } => {}
        }
        tick += apart;
    }
    let base_rate = series.base_rate(&then, claim.after_ticks).rate()?;
    (seen.confirmed + seen.contradicted >= LEAST_OCCURRENCES).then_some((seen, base_rate))
}

/// Quality moves with evidence; what is like it does not have to be looked up again for that.
fn refresh_quality(shelf: &mut Shelf, now: VirtualTime) {
    let moved: Vec<(EntryId, f32)> = shelf
        .in_use()
        .filter(|e| now.since(e.standing.last_validated) < SINCE && e.standing.last_validated > e.body.learnt_at)
        .map(|e| (e.id, quality(&e.body, &e.standing, None)))
        .collect();
    for (id, quality) in moved {
        shelf.stand(id, |s| s.quality = quality);
    }
}
