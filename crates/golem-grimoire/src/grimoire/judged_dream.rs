//! What became of what dreams proposed: reality has judged it.

use crate::entry::Provenance;
use crate::staging::{Proposal, Swept};

/// What became of something that a dream proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedDream {
    /// The proposal's number.
    pub proposal: u64,
    pub end: DreamtEnd,
    /// In words.
    pub text: String,
}

/// How reality judged it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DreamtEnd {
    CameTrue,
    Refuted,
    /// It had its chances.
    Expired,
}

/// What a sweep says of dreams: what ripened came true, and what was refuted or had its chances did not.
pub(super) fn judged_dreams(swept: &Swept) -> Vec<JudgedDream> {
    let ends = [
        (&swept.ripe, DreamtEnd::CameTrue),
        (&swept.refuted, DreamtEnd::Refuted),
        (&swept.expired, DreamtEnd::Expired),
    ];
    // What a dream took up from a predecessor is a dream's too; whose it is, the dreamer remembers.
    let dreamt = |p: &&Proposal| matches!(p.source, Provenance::Dream | Provenance::Testament);
    let text = |p: &Proposal| p.change.body().map(|b| b.text.clone()).unwrap_or_default();
    ends.into_iter()
        .flat_map(|(all, end)| all.iter().filter(dreamt).map(move |p| (p, end)))
        .map(|(p, end)| JudgedDream { proposal: p.number, end, text: text(p) })
        .collect()
}
