//! From what the series supports to what is tested: mined claims are staged, never believed at once. One family of claims
//! has one place: what differs in a bound or a lag only is no other claim.

use super::rules::domain_of;
use super::{CuratorMaterial, CuratorRooms, Distilled, own};
use crate::entry::{Entry, EntryId, EntryKind};
use crate::experts::LevelShare;
use crate::family::ClaimFamily;
use crate::series::MinedClaim;
use crate::shelf::Shelf;
use crate::staging::{ProposalDraft, Proposed, Staged};
use crate::standing::EntryStatus;
use golem_core::{Elapsed, VirtualTime};
use std::collections::BTreeMap;

/// Confidence that a mined claim begins with.
const BEGIN_BP: u16 = 2_500;
/// How many times better than the member of its family that is being tested another one must look to be tested beside it.
const CLEARLY_BETTER: f64 = 1.25;

pub(super) fn distil(desk: &mut CuratorRooms<'_>, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    for mined in told.mined {
        // What no forecast and no rule is about cannot be used, however true it is.
        let Some(domain) = domain_of(&mined.claim.then) else { continue };
        if is_spoken_for(desk, mined) {
            continue;
        }
        let minutes = Elapsed::nominal(u64::from(mined.claim.after_ticks)).0 / 60_000;
        let text = format!("When {}, then {} about {minutes} minutes later.", mined.claim.when, mined.claim.then);
        let mut body = own(told, EntryKind::Insight, text);
        body.domain = Some(domain);
        body.claim = Some(mined.claim.clone());
        let draft = ProposalDraft {
            change: Proposed::Entry(Box::new(body)),
            claim: mined.claim.clone(),
            base_rate: mined.base_rate,
            confidence_bp: BEGIN_BP,
            utility: worth(mined),
            liminal: false,
            source: crate::Provenance::SelfGenerated,
            among: LevelShare::Staged,
        };
        if matches!(desk.staging.stage(desk.shelf, draft, told.now), Staged::Added(_)) {
            out.staged += 1;
        }
    }
}

/// What it would add to what is known anyway.
fn worth(mined: &MinedClaim) -> f64 {
    f64::from(mined.hits) / f64::from(mined.n.max(1)) - mined.base_rate
}

/// True when a claim of its family is believed, or two are being tested, or one that is not clearly worse.
fn is_spoken_for(desk: &CuratorRooms<'_>, mined: &MinedClaim) -> bool {
    let Some(family) = ClaimFamily::of(&mined.claim) else { return false };
    let is_kin = |claim: &crate::Claim| ClaimFamily::of(claim).as_ref() == Some(&family);
    let believed = |e: &Entry| e.body.kind == EntryKind::Insight && e.body.claim.as_ref().is_some_and(is_kin);
    if desk.shelf.in_use().any(|e| !e.is_hearsay() && believed(e)) {
        return true;
    }
    let (mut open, mut best) = (0, 0.0f64);
    for proposal in desk.staging.proposals().filter(|p| is_kin(&p.claim)) {
        open += 1;
        best = best.max(f64::from(proposal.utility_bp) / 10_000.0);
    }
    open > 1 || (open == 1 && worth(mined) < best * CLEARLY_BETTER)
}

/// Of each family of claims, and of the rules made of it, the best proven stays in use. Returns how many went.
pub(super) fn keep_best(shelf: &mut Shelf, now: VirtualTime) -> u32 {
    let mut families: BTreeMap<(EntryKind, Option<golem_core::Regime>, ClaimFamily), Vec<&Entry>> = BTreeMap::new();
    let claims = shelf.in_use().filter(|e| matches!(e.body.kind, EntryKind::Insight | EntryKind::Heuristic));
    for entry in claims {
        if let Some(family) = ClaimFamily::of_body(&entry.body) {
            families.entry((entry.body.kind, entry.body.regime, family)).or_default().push(entry);
        }
    }
    let mut going: Vec<EntryId> = Vec::new();
    for mut members in families.into_values().filter(|m| m.len() > 1) {
        members.sort_by_key(|e| (std::cmp::Reverse(e.standing.confidence_bp), super::deep::rank(e)));
        members.sort_by_key(|e| e.is_hearsay());
        going.extend(members.iter().skip(1).map(|e| e.id));
    }
    for id in &going {
        shelf.stand(*id, |s| (s.status, s.true_until) = (EntryStatus::Archived(now), Some(now)));
    }
    u32::try_from(going.len()).unwrap_or(u32::MAX)
}
