//! Knowledge from elsewhere: what another golem has learnt comes in through the admission gate, believed as far as its
//! source is, until this golem has validated it itself.

use super::Grimoire;
use crate::admission::{MERGE_ABOVE, Neighbours as _, Ruling, admit};
use crate::entry::{EntryBody, Provenance};
use crate::retrieval::Nearby;
use crate::standing::Standing;
use crate::standing::Support;
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// What a hop between golems leaves of stored confidence, in percent.
const HOP_PERCENT: u32 = 80;
/// Confirmations by others that count at the gate: more of them are no better evidence here.
const MOST_CONFIRMED: u32 = 5;

/// An entry as another golem's file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foreign {
    /// What is believed.
    pub body: EntryBody,
    /// How it stood there.
    pub standing: Standing,
}

impl Grimoire {
    /// Take in what somebody else knows. Its confidence is what is left after the hop, and no more than its source is worth
    /// here.
    pub fn take_in(&mut self, foreign: Foreign, now: VirtualTime) -> Ruling {
        self.refresh();
        let Foreign { body, standing } = foreign;
        let provenance = match body.provenance {
            Provenance::SelfGenerated | Provenance::Owner | Provenance::Dream => Provenance::Clade,
            other => other,
        };
        // Episodes have numbers of another life; times are this golem's own.
        let body = EntryBody { provenance, episodes: Vec::new(), true_from: now, learnt_at: now, ..body };
        let near = Nearby { finder: &self.finder, embedder: &self.embedder };
        // What is known already gains nothing by being told again.
        let known = near.nearest(&body).is_some_and(|n| n.cosine > MERGE_ABOVE);
        let confirmed = if known { 0 } else { standing.validated.min(MOST_CONFIRMED) };
        let contradicted = if known { 0 } else { standing.contradicted };
        let support = Support { confirmed, contradicted };
        let (verdict, id) = admit(&mut self.shelf, body, support, &near, now);
        let hopped = (u32::from(standing.confidence_bp.min(10_000)) * HOP_PERCENT / 100) as u16;
        if let (Ruling::Admit { confidence_bp }, Some(id)) = (verdict.ruling, id) {
            self.shelf.stand(id, |s| s.confidence_bp = confidence_bp.min(hopped));
        }
        self.stale = true;
        verdict.ruling
    }
}
