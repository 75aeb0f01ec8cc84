//! What a golem was still testing when it died: an heir may test it too, from the beginning and by its own base rates.

use golem_core::VirtualTime;
use golem_grimoire::experts::LevelShare;
use golem_grimoire::staging::{Proposal, ProposalDraft, ProposalStatus, Proposed};
use golem_grimoire::{Claim, EntryBody, EntryKind, EntryOrigin, Provenance};
use serde::{Deserialize, Serialize};

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
    /// As something for the heir's staging. What it came to elsewhere counts for nothing but its place in the row.
    #[must_use]
    pub fn draft(&self, own_base_rate: f64, heir: EntryOrigin, now: VirtualTime) -> ProposalDraft {
        let body = EntryBody {
            claim: Some(self.claim.clone()),
            provenance: Provenance::Testament,
            ..EntryBody::own(self.kind, self.text.clone(), heir, now)
        };
        let tried = f64::from(self.hits) + f64::from(self.misses);
        ProposalDraft {
            change: Proposed::Entry(Box::new(body)),
            claim: self.claim.clone(),
            base_rate: own_base_rate,
            confidence_bp: BEGIN_BP,
            utility: (f64::from(self.hits) + 1.0) / (tried + 2.0),
            liminal: true,
            source: Provenance::Testament,
            among: LevelShare::Staged,
        }
    }
}
