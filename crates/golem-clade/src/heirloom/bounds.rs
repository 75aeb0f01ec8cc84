//! How large an heirloom may be, and what may stand in it. Its form has no word for a number that is none: such a one is written
//! as nothing, and nothing cannot be read.

use super::Heirloom;
use super::dream::{LineDream, MOST_DREAMS};
use crate::bottleneck::INHERITANCE_BUDGET;
use crate::provenance::TravellingEntry;
use golem_core::words::one_line;
use golem_core::{Hash, plain};
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
/// Characters of a passage of a testament: as long as a sentence of one may be.
const MOST_PASSAGE: usize = 600;
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
    /// Too many dreams, or one that is too large.
    #[error("more dreams than {MOST_DREAMS}, or too large")]
    Dreams,
    /// Passages about what is not in it, twice about the same, or too large.
    #[error("passages that are too many, too large, or about nothing in it")]
    Passages,
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
        (of.dreams.len() > MOST_DREAMS || !of.dreams.iter().all(LineDream::is_bounded), HeirloomBound::Dreams),
        (!passages_fit(of), HeirloomBound::Passages),
        (of.lineage.ancestors.len() > MOST_ANCESTORS || !of.lineage.is_sound(), HeirloomBound::Lineage),
    ];
    checks.into_iter().find(|(is, _)| *is).map(|(_, what)| what)
}

/// One passage at most for each of what is left, in the order of what they are about, each on a line.
fn passages_fit(of: &Heirloom) -> bool {
    let roots: BTreeSet<Hash> = of.entries.iter().chain(&of.questions).map(|e| e.passport.root).collect();
    let is_one = |text: &str| !text.is_empty() && one_line(text, MOST_PASSAGE) == text;
    of.passages.iter().all(|p| roots.contains(&p.about) && is_one(&p.text))
        && of.passages.windows(2).all(|pair| pair[0].about < pair[1].about)
}
