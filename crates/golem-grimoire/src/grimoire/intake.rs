//! Knowledge from elsewhere: what another golem has learnt comes in through the admission gate, believed as far as its
//! source is, until this golem has validated it itself.
//!
//! Whatever an entry says of itself that nobody here can check is dropped at the door: who learnt it, in which generation,
//! whose blood is on it, what it was made of, how often it comes true anyway, and that it would never fade.

use super::Grimoire;
use crate::admission::{Neighbours as _, Ruling, admit, judge};
use crate::entry::{DecayClass, EntryBody, EntryKind, EntryOrigin, Provenance};
use crate::retrieval::Nearby;
use crate::staging::BASE_RATE_TAG;
use crate::standing::Standing;
use crate::standing::Support;
use golem_core::{Elapsed, GolemId, VirtualTime};
use serde::{Deserialize, Serialize};

/// What a hop between golems leaves of stored confidence, in percent.
const HOP_PERCENT: u32 = 80;
/// Confirmations by others that count at the gate: more of them are no better evidence here.
const MOST_CONFIRMED: u32 = 5;
/// The origin of what nobody has signed: all strangers are one, so that many names are no more than one.
pub const STRANGER: EntryOrigin = EntryOrigin { golem: GolemId([0; 16]), generation: 0 };
/// How long a stranger's warning holds at most without being confirmed here.
const LONGEST_WARNING: Elapsed = Elapsed::secs(7 * 86_400);

/// An entry as another golem's file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foreign {
    /// What is believed.
    pub body: EntryBody,
    /// How it stood there.
    pub standing: Standing,
}

/// What is left of a stranger's word: what it says, without what it says of itself.
#[must_use]
pub fn as_hearsay(body: EntryBody, now: VirtualTime) -> EntryBody {
    let provenance = match body.provenance {
        Provenance::Replicant | Provenance::Marketplace => body.provenance,
        // Own experience, an owner, a dream, a will: of somebody else, who has not signed it.
        _ => Provenance::Clade,
    };
    let decay_class = match body.decay_class {
        DecayClass::Structural => DecayClass::Regime,
        fades => fades,
    };
    let time_to_live = match body.kind {
        EntryKind::Warning => Some(body.time_to_live.map_or(LONGEST_WARNING, |ttl| ttl.min(LONGEST_WARNING))),
        _ => body.time_to_live,
    };
    let mut tags = body.tags;
    tags.retain(|tag| !tag.starts_with(BASE_RATE_TAG));
    EntryBody {
        provenance,
        decay_class,
        time_to_live,
        tags,
        origin: STRANGER,
        is_bloodstain: false,
        // Numbers of another life, which could be those of this one.
        episodes: Vec::new(),
        parents: Vec::new(),
        // Times are this golem's own.
        true_from: now,
        learnt_at: now,
        ..body
    }
}

impl Grimoire {
    /// Take in what somebody else knows. Its confidence is what is left after the hop, and no more than its source is worth
    /// here.
    pub fn take_in(&mut self, foreign: Foreign, now: VirtualTime) -> Ruling {
        self.refresh();
        let Foreign { body, standing } = foreign;
        let body = as_hearsay(body, now);
        // What is known already gains nothing by being told again.
        let known = self.shelf.saying(&body).next().is_some();
        let confirmed = if known { 0 } else { standing.validated.min(MOST_CONFIRMED) };
        let contradicted = if known { 0 } else { standing.contradicted };
        let support = Support { confirmed, contradicted };
        let near = Nearby { finder: &self.finder, embedder: &self.embedder };
        let verdict = judge(&self.shelf, &body, support, near.nearest(&body), now);
        // Nor does somebody else's wording of it make it truer.
        if let Ruling::Merge { .. } | Ruling::Skip { .. } = verdict.ruling {
            return verdict.ruling;
        }
        let (verdict, id) = admit(&mut self.shelf, body, support, &near, now);
        let hopped = (u32::from(standing.confidence_bp.min(10_000)) * HOP_PERCENT / 100) as u16;
        if let (Ruling::Admit { confidence_bp }, Some(id)) = (verdict.ruling, id) {
            self.shelf.stand(id, |s| {
                s.confidence_bp = confidence_bp.min(hopped);
                // What reality said elsewhere was weighed at the gate; here it has said nothing yet.
                (s.validated, s.contradicted) = (0, 0);
                // What it has learnt to expect is where its own learning begins, at little weight.
                s.expects = standing.expects;
            });
        }
        self.stale = true;
        verdict.ruling
    }
}
