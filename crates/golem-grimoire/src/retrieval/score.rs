//! What a candidate is worth: how well it matches, and how far it is to be believed.

use super::query::{KnownEntry, Query, Weighing};
use super::why::{Ranks, TermOf, WhyFound};
use crate::decay::effective;
use crate::entry::Provenance;
use golem_core::Unit;

/// True when it came from another golem.
pub(super) fn is_external(known: &KnownEntry<'_>) -> bool {
    match known.body.provenance {
        Provenance::SelfGenerated | Provenance::Owner | Provenance::Dream => false,
        Provenance::Clade | Provenance::Replicant | Provenance::Marketplace | Provenance::Testament => true,
    }
}

/// The reasons, which add up to the score.
pub(super) fn why(known: &KnownEntry<'_>, ranks: Ranks, fused: f64, query: &Query, by: &Weighing) -> WhyFound {
    let (body, standing) = (known.body, known.standing);
    let idle = query.as_of.since(standing.last_validated.min(query.as_of)).0 as f64;
    let recency = libm::exp2(-idle / (by.fades_in.0.max(1) as f64));
    let unit = |x: f64| Unit::clamped(x).get();
    let mut why = WhyFound { ranks, ..WhyFound::default() };
    why.add(TermOf::Rank, fused, by.rank);
    why.add(TermOf::Confidence, unit(effective(body, standing, query.as_of)), by.confidence);
    why.add(TermOf::Quality, unit(f64::from(standing.quality)), by.quality);
    why.add(TermOf::Recency, unit(recency), by.recency);
    why.add(TermOf::Regime, unit(query.weather.relevance(body.regime)), by.regime);
    if let Some(alike) = congruence(query.affect, known.affect) {
        why.add(TermOf::Affect, alike, by.affect);
    }
    if body.is_bloodstain {
        why.boost(TermOf::Bloodstain, by.bloodstain);
    }
    if is_external(known) && !standing.own_validation {
        why.boost(TermOf::Unvalidated, by.unvalidated);
    }
    why
}

/// How alike two feelings are, from 0 (opposite) to 1; `None` where either is not known or is no feeling at all.
pub(super) fn congruence(a: Option<[f32; 3]>, b: Option<[f32; 3]>) -> Option<f64> {
    let (a, b) = (a?.map(f64::from), b?.map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    (norms > 0.0 && norms.is_finite()).then(|| Unit::clamped((1.0 + dot(a, b) / norms) / 2.0).get())
}
