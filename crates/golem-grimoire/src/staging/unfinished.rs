//! What a golem was still testing when it died: an heir may test it too, from the beginning and by its own base rates.

use super::proposal::{Proposal, ProposalDraft, ProposalStatus, Proposed};
use crate::claim::Claim;
use crate::entry::{EntryBody, EntryKind, EntryOrigin, Provenance};
use crate::experts::LevelShare;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Confidence that an heir begins with, in basis points: that of a fragment.
const BEGIN_BP: u16 = 1_500;

/// A hypothesis that was not finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnfinishedHypothesis {
    pub text: String,
    pub kind: EntryKind,
    /// How reality judges it.
    pub claim: Claim,
    /// How often it came true there.
    pub hits: u32,
    /// How often it did not.
    pub misses: u32,
}

impl UnfinishedHypothesis {
    /// What was staged; none for what would have changed an entry of the dead.
    #[must_use]
    pub fn of(proposal: &Proposal) -> Option<Self> {
        let body = proposal.change.body().filter(|_| proposal.status == ProposalStatus::Staged)?;
        let (trial, claim) = (proposal.trial, proposal.claim.clone());
        Some(Self { text: body.text.clone(), kind: body.kind, claim, hits: trial.hits, misses: trial.misses })
    }
    /// How it would enter the heir's own record, before anybody has tested it.
    #[must_use]
    pub fn body(&self, heir: EntryOrigin, now: VirtualTime) -> EntryBody {
        EntryBody {
            claim: Some(self.claim.clone()),
            provenance: Provenance::Testament,
            ..EntryBody::own(self.kind, self.text.clone(), heir, now)
        }
    }
    /// As something for the heir's staging. What it came to elsewhere counts for nothing but its place in the row.
    #[must_use]
    pub fn draft(&self, own_base_rate: f64, heir: EntryOrigin, now: VirtualTime) -> ProposalDraft {
        ProposalDraft {
            change: Proposed::Entry(Box::new(self.body(heir, now))),
            claim: self.claim.clone(),
            base_rate: own_base_rate,
            confidence_bp: BEGIN_BP,
            utility: self.promise(),
            liminal: true,
            source: Provenance::Testament,
            among: LevelShare::Staged,
        }
    }
    /// How often it may be expected to come true, by what it came to there.
    #[must_use]
    pub fn promise(&self) -> f64 {
        let tried = f64::from(self.hits) + f64::from(self.misses);
        (f64::from(self.hits) + 1.0) / (tried + 2.0)
    }
    /// The most promising first; of two alike the one that was nearer to its end, and then by what they say.
    pub fn in_order(all: &mut [Self]) {
        let tried = |one: &Self| one.hits.saturating_add(one.misses);
        all.sort_by(|a, b| {
            let alike = b.promise().total_cmp(&a.promise()).then(Reverse(tried(a)).cmp(&Reverse(tried(b))));
            alike.then_with(|| (&a.text, &a.claim.when, &a.claim.then).cmp(&(&b.text, &b.claim.when, &b.claim.then)))
        });
    }
}
