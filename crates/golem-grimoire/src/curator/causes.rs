//! From the causal graph to entries: an edge that holds is a causal link; one that stopped holding is history.

use super::rules::domain_of;
use super::{CuratorMaterial, Distilled, learn, own};
use crate::causal::Edge;
use crate::credit;
use crate::entry::{DecayClass, EntryBody, EntryId, EntryKind};
use crate::shelf::Shelf;
use crate::standing::EntryStatus;
use crate::standing::Support;
use crate::subject::SIGN_TAG;
use golem_core::Elapsed;
use golem_core::observed::Field;

/// An edge that still holds validates its entry once in this time.
const AGAIN_AFTER: Elapsed = Elapsed::secs(86_400);

/// An edge of the causal graph, as far as its entry needs to know it.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenEdge {
    /// Its stable id.
    pub id: String,
    /// What drives.
    pub cause: Field,
    /// What is driven.
    pub effect: Field,
    /// Nominal ticks in between.
    pub lag_ticks: u32,
    /// True when more of the cause is more of the effect.
    pub rises: bool,
    /// Independent observations behind it.
    pub evidence: u32,
    /// True while it holds.
    pub holds: bool,
}

impl From<&Edge> for SeenEdge {
    fn from(edge: &Edge) -> Self {
        Self {
            id: edge.id.to_string(),
            cause: edge.from,
            effect: edge.to,
            lag_ticks: edge.lag,
            rises: edge.weight > 0.0,
            evidence: edge.held,
            holds: edge.holds(),
        }
    }
}

pub(super) fn distil(shelf: &mut Shelf, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    for edge in told.edges {
        let body = link(edge, told);
        if edge.holds {
            turn_over(shelf, edge, told, out);
        }
        let known = shelf.saying(&body).find(|e| e.is_in_use()).map(|e| (e.id, e.standing.last_validated));
        match (known, edge.holds) {
            (Some((id, last)), true) if told.now.since(last) >= AGAIN_AFTER => {
                shelf.stand(id, |s| credit::validate(s, told.now));
                out.upvotes += 1;
            }
            (Some((id, _)), false) => {
                // What was true until now stays known as such.
                shelf.stand(id, |s| {
                    credit::contradict(s);
                    (s.status, s.true_until) = (EntryStatus::Archived(told.now), Some(told.now));
                });
                out.downvotes += 1;
            }
            (None, true) => begin(shelf, body, edge, told, out),
            (Some(_), true) | (None, false) => {}
        }
    }
}

/// An edge that goes the other way now: what said that it goes this way is history.
fn turn_over(shelf: &mut Shelf, edge: &SeenEdge, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    let other_way = link(&SeenEdge { rises: !edge.rises, ..edge.clone() }, told);
    let past: Vec<EntryId> = shelf.saying(&other_way).filter(|e| e.is_in_use()).map(|e| e.id).collect();
    for id in past {
        shelf.stand(id, |s| {
            credit::contradict(s);
            (s.status, s.true_until) = (EntryStatus::Archived(told.now), Some(told.now));
        });
        out.downvotes += 1;
    }
}

fn begin(shelf: &mut Shelf, body: EntryBody, edge: &SeenEdge, told: &CuratorMaterial<'_>, out: &mut Distilled) {
    let archived = |e: &&crate::Entry| matches!(e.standing.status, EntryStatus::Archived(_));
    let old = shelf.saying(&body).find(archived).map(|e| e.id);
    if let Some(id) = old {
        shelf.stand(id, |s| {
            credit::validate(s, told.now);
            (s.status, s.true_until) = (EntryStatus::Candidate, None);
        });
        out.upvotes += 1;
    } else if learn(shelf, body, Support { confirmed: edge.evidence, contradicted: 0 }, told).is_some() {
        out.links += 1;
    }
}

fn link(edge: &SeenEdge, told: &CuratorMaterial<'_>) -> EntryBody {
    let (cause, effect) = (edge.cause.name(), edge.effect.name());
    let way = if edge.rises { "rises" } else { "falls" };
    EntryBody {
        edge: Some(edge.id.clone()),
        decay_class: DecayClass::Regime,
        domain: domain_of(effect),
        tags: vec![format!("{SIGN_TAG}{way}")],
        ..own(
            told,
            EntryKind::CausalLink,
            format!("When {cause} rises, {effect} {way} {} ticks later.", edge.lag_ticks),
        )
    }
}
