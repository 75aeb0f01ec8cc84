//! How large an heirloom may be, and what may stand in it. Its form has no word for a number that is none: such a one is written
//! as nothing, and nothing cannot be read.

use super::Heirloom;
use crate::bottleneck::INHERITANCE_BUDGET;
use crate::provenance::TravellingEntry;
use golem_core::plain;
use golem_grimoire::EntryId;
use golem_grimoire::causal::MAX_EDGES;
use golem_grimoire::playbook::MAX_RULES;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bytes of an heirloom.
pub const MOST_HEIRLOOM_BYTES: usize = 32 * 1024 * 1024;
/// Bytes of an entry in it.
pub const MOST_ENTRY_BYTES: usize = 16 * 1024;
/// Questions and hypotheses, each.
pub const MOST_OPEN: usize = 128;
/// Validations.
pub const MOST_VALIDATIONS: usize = 8 * INHERITANCE_BUDGET;
/// Bytes of a playbook.
const MOST_PLAYBOOK_BYTES: usize = 1024 * 1024;
/// Generations of a line.
const MOST_ANCESTORS: usize = 4_096;

/// What is out of bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum HeirloomBound {
    /// More entries than the bottleneck lets through.
    #[error("more entries than {INHERITANCE_BUDGET}")]
    Entries,
    /// An entry that is too large.
    #[error("an entry of more than {MOST_ENTRY_BYTES} bytes")]
    Entry,
    /// An entry stands in it twice.
    #[error("an entry that stands in it twice")]
    Twice,
    /// Too many questions, or a question that is none, or an answer that is one.
    #[error("questions among the entries, or more than {MOST_OPEN}")]
    Questions,
    /// Too many hypotheses, or one that is too large.
    #[error("more hypotheses than {MOST_OPEN}, or too large")]
    Hypotheses,
    /// Too many causes.
    #[error("more edges than {MAX_EDGES}")]
    Edges,
    /// A playbook that is too large.
    #[error("a playbook of more than {MAX_RULES} rules, or too large")]
    Playbook,
    /// Too many validations.
    #[error("more validations than {MOST_VALIDATIONS}")]
    Validations,
    /// A line that is too long, or contradicts itself.
    #[error("a lineage that is too long or contradicts itself")]
    Lineage,
}

/// What is out of bounds in an heirloom, if anything is.
pub(super) fn out_of_bounds(of: &Heirloom) -> Option<HeirloomBound> {
    let all = || of.entries.iter().chain(&of.questions);
    let ids: BTreeSet<EntryId> = all().map(|e| e.entry.body.id()).collect();
    let asks = |e: &TravellingEntry| e.entry.body.is_question;
    let odd = of.entries.iter().any(asks) || !of.questions.iter().all(asks);
    let checks = [
        (of.entries.len() > INHERITANCE_BUDGET, HeirloomBound::Entries),
        (all().any(|e| plain::json(e).len() > MOST_ENTRY_BYTES), HeirloomBound::Entry),
        (ids.len() != of.entries.len() + of.questions.len(), HeirloomBound::Twice),
        (odd || of.questions.len() > MOST_OPEN, HeirloomBound::Questions),
        (
            of.hypotheses.len() > MOST_OPEN || of.hypotheses.iter().any(|h| plain::json(h).len() > MOST_ENTRY_BYTES),
            HeirloomBound::Hypotheses,
        ),
        (of.edges.len() > MAX_EDGES, HeirloomBound::Edges),
        (
            of.playbook.rules().count() > MAX_RULES || plain::json(&of.playbook).len() > MOST_PLAYBOOK_BYTES,
            HeirloomBound::Playbook,
        ),
        (of.validations.len() > MOST_VALIDATIONS, HeirloomBound::Validations),
        (of.lineage.ancestors.len() > MOST_ANCESTORS || !of.lineage.is_sound(), HeirloomBound::Lineage),
    ];
    checks.into_iter().find(|(is, _)| *is).map(|(_, what)| what)
}
