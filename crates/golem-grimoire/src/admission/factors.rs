//! The five factors of the gate, and how they are weighed.

use super::{AdmissionReason, Factors, MERGE_ABOVE, Near, OFF_TOPIC_BELOW, Support};
use crate::decay::ceiling;
use crate::entry::{EntryBody, EntryKind, Provenance};
use crate::subject::action_of;
use golem_core::{Elapsed, VirtualTime};

const USEFUL_ABOVE: f64 = 0.4;
pub(super) const SUPPORTED_ABOVE: f64 = 0.3;
const FRESH_ABOVE: f64 = 0.2;
/// Evidence loses half of its freshness in this time.
const FRESHNESS: Elapsed = Elapsed::secs(7 * 86_400);

/// How fresh its evidence is.
pub(super) fn recency(body: &EntryBody, now: VirtualTime) -> f64 {
    libm::exp2(-(now.since(body.true_from).0 as f64) / FRESHNESS.0 as f64)
}

pub(super) fn weigh(f: &Factors, provenance: Provenance, nearest: Option<Near>) -> (f64, Vec<AdmissionReason>) {
    let off_topic = f.novelty <= 0.0 && is_foreign(provenance) && nearest.is_some_and(|n| n.cosine < OFF_TOPIC_BELOW);
    let not_new = nearest.is_some_and(|n| n.cosine > MERGE_ABOVE);
    let counts = [
        (0.25, f.utility, f.utility > USEFUL_ABOVE, Some(AdmissionReason::NotUseful)),
        (0.25, f.factual, f.factual > SUPPORTED_ABOVE, Some(AdmissionReason::NotSupported)),
        (0.20, f.novelty, !off_topic, Some(AdmissionReason::OffTopic)),
        (0.15, f.recency, f.recency > FRESH_ABOVE, Some(AdmissionReason::Stale)),
        (0.15, f.prior, true, None),
    ];
    let score = counts.iter().filter(|(.., enough, _)| *enough).map(|(weight, factor, ..)| weight * factor).sum();
    let mut reasons: Vec<AdmissionReason> =
        counts.iter().filter(|(.., enough, _)| !enough).filter_map(|c| c.3).collect();
    if not_new {
        reasons.push(AdmissionReason::NotNew);
    }
    (score, reasons)
}

fn is_foreign(provenance: Provenance) -> bool {
    ceiling(provenance) < 1.0
}

pub(super) fn utility(body: &EntryBody) -> f64 {
    let from_kind = match body.kind {
        EntryKind::Warning => 0.9,
        EntryKind::CausalLink | EntryKind::StrategyFragment => 0.7,
        EntryKind::Heuristic | EntryKind::Insight => 0.3,
    };
    let from_parts = [
        (body.action.is_some(), 0.9),
        (body.claim.is_some(), 0.7),
        (action_of(body).is_some(), 0.6),
        (body.is_question, 0.5),
    ];
    from_parts.into_iter().filter(|(has, _)| *has).map(|(_, worth)| worth).fold(from_kind, f64::max)
}

/// What the source is worth counts like two observations; a contradiction in use halves the sum.
pub(super) fn factual(provenance: Provenance, support: Support, contradicted: bool) -> f64 {
    let source = match provenance {
        Provenance::Owner => 0.6,
        Provenance::SelfGenerated => 0.5,
        Provenance::Testament => 0.45,
        Provenance::Clade => 0.4,
        Provenance::Replicant => 0.35,
        Provenance::Dream | Provenance::Marketplace => 0.3,
    };
    let (hits, all) = (f64::from(support.confirmed), f64::from(support.confirmed) + f64::from(support.contradicted));
    (2.0 * source + hits) / (2.0 + all) * if contradicted { 0.5 } else { 1.0 }
}

pub(super) fn novelty(provenance: Provenance, nearest: Option<Near>) -> f64 {
    match nearest {
        None => 1.0,
        Some(n) if is_foreign(provenance) && n.cosine < OFF_TOPIC_BELOW => 0.0,
        Some(n) => 1.0 - n.cosine.clamp(0.0, 1.0),
    }
}
