//! The gate that everything passes before it becomes an entry: is it useful, supported, new, fresh, and of a kind that
//! usually helps?
//!
//! A verdict always says why. Nothing is admitted because it is well worded.

mod bounds;
mod factors;
mod form;
mod meaning;

pub use bounds::{MOST_LIST, MOST_TAG, MOST_TEXT, is_tidy, one_line};
pub use form::{HollowClaim, hollow};
pub use meaning::{is_free_text, says_the_same};

use crate::entry::{Entry, EntryBody, EntryId, EntryKind, Provenance};
use crate::quality::quality;
use crate::shelf::Shelf;
use crate::standing::{EntryStatus, Standing, Support};
use factors::{SUPPORTED_ABOVE, factual, novelty, recency, utility, weigh};
use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// A score below this is refused.
pub const REFUSE_BELOW: f64 = 0.45;
/// A score up to this is admitted on trial, with [`TRIAL_BP`] at most.
pub const TRIAL_UP_TO: f64 = 0.55;
/// Confidence on trial.
pub const TRIAL_BP: u16 = 3_000;
/// More alike than this, and of the same kind: evidence for what is known already.
pub const MERGE_ABOVE: f64 = 0.9;
/// More alike than this: nothing new at all.
pub const SKIP_ABOVE: f64 = 0.95;
/// Knowledge from others that resembles nothing that is known by at least this much is off the subject.
pub const OFF_TOPIC_BELOW: f64 = 0.5;
/// Effective confidence from which an entry counts as well established.
pub const ESTABLISHED: f64 = 0.7;

/// Something like it that is known already.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Near {
    /// Which entry.
    pub id: EntryId,
    /// How alike, from -1 to 1.
    pub cosine: f64,
}

/// Whoever can say what is like a text: the index over entries, where there is an embedder.
pub trait Neighbours {
    /// The nearest entry in use, if any.
    fn nearest(&self, body: &EntryBody) -> Option<Near>;
}

/// Nobody can say: only what says exactly the same is known again.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoNeighbours;

impl Neighbours for NoNeighbours {
    fn nearest(&self, _: &EntryBody) -> Option<Near> {
        None
    }
}

/// The five factors, each from 0 to 1, before weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    /// What it is good for.
    pub utility: f64,
    /// What speaks for it.
    pub factual: f64,
    /// How new it is.
    pub novelty: f64,
    /// How fresh its evidence is.
    pub recency: f64,
    /// How often its kind helps.
    pub prior: f64,
}

/// What the gate said, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdmissionVerdict {
    /// What happens to it.
    pub ruling: Ruling,
    /// The weighted sum of what counted.
    pub score: f64,
    /// What it was made of.
    pub factors: Factors,
    /// What counted against it.
    pub reasons: Vec<AdmissionReason>,
}

/// What happens to something at the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ruling")]
pub enum Ruling {
    /// It becomes an entry.
    Admit {
        /// With this stored confidence at most.
        confidence_bp: u16,
    },
    /// It is evidence for an entry that is there.
    Merge {
        /// Which.
        into: EntryId,
    },
    /// It is there already.
    Skip {
        /// Where.
        same: EntryId,
    },
    /// It contradicts what is well established and has little behind it: kept aside.
    Quarantine {
        /// What it contradicts.
        against: EntryId,
    },
    /// It is not worth keeping.
    Refuse,
}

/// What counted against something at the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdmissionReason {
    /// Too little use.
    NotUseful,
    /// Too little support.
    NotSupported,
    /// Too much like what is known.
    NotNew,
    /// From somebody else, and about nothing that is known.
    OffTopic,
    /// Its evidence is old.
    Stale,
    /// It contradicts an entry in use.
    Contradicts,
    /// Its text is out of bounds, or its claim cannot be asked.
    Untidy,
    /// Its claim is true or false by its own form: reality has no say in it.
    Hollow,
}

/// What a source is worth before anything else is known: the stored confidence that its entries begin with.
#[must_use]
pub fn initial_confidence_bp(provenance: Provenance) -> u16 {
    match provenance {
        Provenance::SelfGenerated | Provenance::Owner => 7_000,
        Provenance::Clade | Provenance::Testament => 4_000,
        Provenance::Dream | Provenance::Replicant | Provenance::Marketplace => 3_000,
    }
}

/// How often a kind of knowledge turns out to help.
#[must_use]
pub fn type_prior(kind: EntryKind) -> f64 {
    match kind {
        EntryKind::Warning => 0.9,
        EntryKind::CausalLink => 0.7,
        EntryKind::Heuristic => 0.6,
        EntryKind::Insight => 0.5,
        EntryKind::StrategyFragment => 0.4,
    }
}

/// Judge a body. `nearest` is what the index found, beside the exact twins that the shelf finds itself.
#[must_use]
pub fn judge(
    shelf: &Shelf,
    body: &EntryBody,
    support: Support,
    nearest: Option<Near>,
    now: VirtualTime,
) -> AdmissionVerdict {
    let twin = shelf.saying(body).find(|e| e.is_in_use()).map(|e| Near { id: e.id, cosine: 1.0 });
    // How alike two sentences sound says nothing about what is said by fields.
    let nearest = twin.or(nearest.filter(|n| n.cosine.is_finite() && is_free_text(body)));
    let against = shelf.contradicting(body, now);
    let factors = Factors {
        utility: utility(body),
        factual: factual(body.provenance, support, against.is_some()),
        novelty: novelty(body.provenance, nearest),
        recency: recency(body, now),
        prior: type_prior(body.kind),
    };
    let (score, mut reasons) = weigh(&factors, body.provenance, nearest);
    if against.is_some() {
        reasons.push(AdmissionReason::Contradicts);
    }
    let tidy = is_tidy(body);
    if !tidy {
        reasons.push(AdmissionReason::Untidy);
    }
    let is_hollow = tidy && body.claim.as_ref().is_some_and(|claim| hollow(claim).is_some());
    if is_hollow {
        reasons.push(AdmissionReason::Hollow);
    }
    let ruling = match (meaning::same(shelf, body, nearest), against) {
        _ if !tidy || is_hollow => Ruling::Refuse,
        (Some(ruling), _) => ruling,
        (None, Some((entry, sure))) if sure >= ESTABLISHED && factors.factual <= SUPPORTED_ABOVE => {
            Ruling::Quarantine { against: entry.id }
        }
        _ if score < REFUSE_BELOW => Ruling::Refuse,
        _ => {
            let usual = initial_confidence_bp(body.provenance);
            Ruling::Admit { confidence_bp: if score <= TRIAL_UP_TO { usual.min(TRIAL_BP) } else { usual } }
        }
    };
    AdmissionVerdict { ruling, score, factors, reasons }
}

/// Take a body through the gate and do what the verdict says: a new entry on trial, evidence for an old one, one kept
/// aside, or nothing. Returns the entry that now speaks for it, if any.
pub fn admit(
    shelf: &mut Shelf,
    body: EntryBody,
    support: Support,
    neighbours: &dyn Neighbours,
    now: VirtualTime,
) -> (AdmissionVerdict, Option<EntryId>) {
    let nearest = neighbours.nearest(&body);
    let verdict = judge(shelf, &body, support, nearest, now);
    let cosine = nearest.map(|n| n.cosine);
    let id = match verdict.ruling {
        Ruling::Refuse => None,
        Ruling::Skip { same } => Some(same),
        Ruling::Merge { into } => {
            crate::credit::evidence(shelf, into, support, now);
            Some(into)
        }
        Ruling::Quarantine { .. } => {
            let usual = initial_confidence_bp(body.provenance).min(TRIAL_BP);
            keep(shelf, body, Standing::first(EntryStatus::Quarantined(now), usual, support, now), cosine)
        }
        Ruling::Admit { confidence_bp } => {
            keep(shelf, body, Standing::first(EntryStatus::Candidate, confidence_bp, support, now), cosine)
        }
    };
    (verdict, id)
}

/// Keep a body with its quality; none when it burnt once.
pub(crate) fn keep(
    shelf: &mut Shelf,
    body: EntryBody,
    mut standing: Standing,
    nearest: Option<f64>,
) -> Option<EntryId> {
    standing.quality = quality(&body, &standing, nearest);
    let entry = Entry::new(body, standing);
    let id = entry.id;
    shelf.add(entry).then_some(id)
}

impl Standing {
    /// How something stands that has just been learnt.
    #[must_use]
    pub fn first(status: EntryStatus, confidence_bp: u16, support: Support, now: VirtualTime) -> Self {
        Self {
            status,
            confidence_bp,
            quality: 0.0,
            validated: support.confirmed,
            contradicted: support.contradicted,
            validators: 0,
            own_validation: false,
            dream_validated: false,
            strength: 1.0,
            uses: 0,
            retrievals: 0,
            last_validated: now,
            true_until: None,
            low_cycles: 0,
            expects: None,
        }
    }
}
