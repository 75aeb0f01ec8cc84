//! What comes out of staging: ripe proposals go through the admission gate, watched beliefs move by a step.

use super::Staging;
use super::proposal::{ContextChange, Proposal, ProposalStatus, Proposed, ProposedRevision};
use super::sweep::Swept;
use super::watch::BASE_RATE_TAG;
use crate::admission::{AdmissionVerdict, Neighbours, Ruling, TRIAL_UP_TO, admit};
use crate::credit;
use crate::entry::{Entry, EntryBody, EntryId, EntryKind, Provenance};
use crate::shelf::Shelf;
use crate::standing::{EntryStatus, Standing, Support};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// The most that a proposal can move a confidence, in basis points.
const MOST_MOVED_BP: i16 = 2_000;

/// What the playbook's one writer is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaybookWish {
    /// Put this heuristic in.
    Add(EntryId),
    /// Take this one out.
    Remove(EntryId),
}

/// What a turn's sweep came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SettledProposals {
    /// Proposals that passed the gate, with the entry that speaks for each (none for a rule that was retired).
    pub promoted: Vec<(u64, Option<EntryId>)>,
    /// Those of them that nothing new came of: the gate found them known already, or keeps them aside.
    pub known: Vec<u64>,
    /// Proposals that the gate turned away, with what it said.
    pub turned_away: Vec<(u64, AdmissionVerdict)>,
    /// For the playbook's writer.
    pub playbook: Vec<PlaybookWish>,
    /// For whoever keeps the context policy.
    pub context: Vec<ContextChange>,
    /// Beliefs that were validated.
    pub validated: Vec<EntryId>,
    /// Beliefs that were contradicted.
    pub contradicted: Vec<EntryId>,
}

impl Staging {
    /// Carry out what a sweep found, and put the rows of what was closed. To be called after every sweep that found
    /// something.
    pub fn settle(
        &mut self,
        shelf: &mut Shelf,
        swept: &Swept,
        near: &dyn Neighbours,
        now: VirtualTime,
    ) -> SettledProposals {
        let mut settled = SettledProposals::default();
        for proposal in &swept.ripe {
            let status = promote(shelf, proposal, near, now, &mut settled);
            let mut closed = proposal.clone();
            closed.status = status;
            self.remember_failure(closed.key(), status);
            self.closed.push(closed);
        }
        for (id, better) in &swept.beliefs {
            let proven = swept.proven.contains(id);
            let own = proven || shelf.entry(*id).is_some_and(|e| !e.is_hearsay());
            let hunch = !proven && shelf.entry(*id).is_some_and(Entry::is_hunch);
            let moved = match *better {
                true if hunch => shelf.stand(*id, |s| revive(s, now, credit::confirm)),
                true => shelf.stand(*id, |s| {
                    revive(s, now, credit::validate);
                    s.own_validation = own;
                }),
                false => shelf.stand(*id, credit::contradict),
            };
            if moved {
                if *better { &mut settled.validated } else { &mut settled.contradicted }.push(*id);
            }
        }
        // In the same turn: a proposal that is closed here and open in the file would come back after a restart.
        self.write_rows(shelf, false);
        settled
    }
}

/// A belief kept aside that reality confirms is on trial again.
fn revive(standing: &mut Standing, now: VirtualTime, step: fn(&mut Standing, VirtualTime)) {
    if matches!(standing.status, EntryStatus::Quarantined(_)) {
        standing.status = EntryStatus::Candidate;
    }
    step(standing, now);
}

fn promote(
    shelf: &mut Shelf,
    proposal: &Proposal,
    near: &dyn Neighbours,
    now: VirtualTime,
    settled: &mut SettledProposals,
) -> ProposalStatus {
    // What came true and does not help, tried on copies, is no rule to live by.
    if matches!(proposal.change, Proposed::Revision(_)) && proposal.shadow.is_some_and(|s| s.speaks_against()) {
        return ProposalStatus::TurnedAway(now);
    }
    let retired = match &proposal.change {
        Proposed::Confidence { entry, by_bp } => {
            let by = i32::from(*by_bp).clamp(-i32::from(MOST_MOVED_BP), i32::from(MOST_MOVED_BP));
            let moved = |bp: u16| u16::try_from(i32::from(bp).saturating_add(by).max(0)).unwrap_or(u16::MAX);
            shelf.stand(*entry, |s| s.confidence_bp = moved(s.confidence_bp));
            settled.promoted.push((proposal.number, Some(*entry)));
            return ProposalStatus::Promoted(now);
        }
        Proposed::Context(change) => {
            settled.context.push(*change);
            settled.promoted.push((proposal.number, None));
            return ProposalStatus::Promoted(now);
        }
        Proposed::Revision(ProposedRevision::Retire(old))
        | Proposed::Revision(ProposedRevision::Replace { old, .. }) => Some(*old),
        Proposed::Entry(_) | Proposed::Revision(ProposedRevision::Add(_)) => None,
    };
    let added = match proposal.change.body().map(|b| enter(shelf, proposal, b, near, now)) {
        Some((verdict, None)) => {
            settled.turned_away.push((proposal.number, verdict));
            return ProposalStatus::TurnedAway(now);
        }
        Some((verdict, added)) => {
            let is_new = matches!(verdict.ruling, Ruling::Admit { .. });
            settled.known.extend((!is_new).then_some(proposal.number));
            added
        }
        None => None,
    };
    if let Some(old) = retired {
        shelf.stand(old, |s| (s.status, s.true_until) = (EntryStatus::Archived(now), Some(now)));
        settled.playbook.push(PlaybookWish::Remove(old));
    }
    let is_rule = |id: &EntryId| shelf.entry(*id).is_some_and(|e| e.body.kind == EntryKind::Heuristic);
    settled.playbook.extend(added.filter(is_rule).map(PlaybookWish::Add));
    settled.promoted.push((proposal.number, added));
    ProposalStatus::Promoted(now)
}

/// Through the gate, with everything that the trial has shown.
fn enter(
    shelf: &mut Shelf,
    proposal: &Proposal,
    body: &EntryBody,
    near: &dyn Neighbours,
    now: VirtualTime,
) -> (AdmissionVerdict, Option<EntryId>) {
    let mut body = body.clone();
    body.claim.get_or_insert_with(|| proposal.claim.clone());
    body.tags.retain(|t| !t.starts_with(BASE_RATE_TAG));
    body.tags.push(format!("{BASE_RATE_TAG}{}", proposal.base_rate_bp));
    // It is true from when it was proposed, and was seen to be so until now.
    body.true_from = now;
    body.learnt_at = now;
    let support = Support { confirmed: proposal.trial.hits, contradicted: proposal.trial.misses };
    let (verdict, id) = admit(shelf, body, support, near, now);
    if let (Some(id), Ruling::Admit { .. }) = (id, verdict.ruling) {
        let on_trial = verdict.score <= TRIAL_UP_TO;
        shelf.stand(id, |s| {
            s.status = EntryStatus::Active;
            // Whoever proposed it: what reality has confirmed is believed as far as it confirmed it.
            s.confidence_bp = if on_trial { s.confidence_bp } else { proposal.confidence_bp };
            // An owner may say yes to what nothing speaks for yet: then it is in use, and reality has not validated it.
            let proven = proposal.trial.proves(proposal.level());
            s.own_validation = proven;
            s.validators = u32::from(proven);
            s.dream_validated = proven && proposal.source == Provenance::Dream;
        });
    }
    (verdict, id)
}

/// A warning on the evidence of what was executed, on a fork or in life. It needs no staging, because it can only ever
/// reduce risk; it still passes the gate. Anything but a warning is refused.
pub fn enter_executed_warning(
    shelf: &mut Shelf,
    body: EntryBody,
    runs: u32,
    near: &dyn Neighbours,
    now: VirtualTime,
) -> Option<EntryId> {
    if body.kind != EntryKind::Warning || body.action.is_some() {
        return None;
    }
    let foreign = crate::decay::ceiling(body.provenance) < 1.0;
    let (verdict, id) = admit(shelf, body, Support { confirmed: runs.max(1), contradicted: 0 }, near, now);
    if let (Some(id), Ruling::Admit { .. }, false) = (id, verdict.ruling, foreign) {
        shelf.stand(id, |s| (s.status, s.own_validation) = (EntryStatus::Active, true));
    }
    id
}
