//! What became of what dreams proposed: reality has judged it, or its owner has.

use crate::entry::{EntryId, Provenance};
use crate::staging::{Proposal, SettledProposals, Swept};
use std::collections::BTreeMap;

/// What became of something that a dream proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedDream {
    /// The proposal's number.
    pub proposal: u64,
    pub end: DreamtEnd,
    /// The entry that speaks for it, where it came true.
    pub entry: Option<EntryId>,
    /// In words.
    pub text: String,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DreamtEnd {
    /// It came true and passed the gate: it is believed.
    CameTrue,
    /// It came true, and the gate would not have it: it is known already, or does not help.
    TurnedAway,
    Refuted,
    /// It had its chances.
    Expired,
    /// Its owner has said yes or no to it, so that reality had not.
    ByOwner,
}

impl DreamtEnd {
    /// True when reality has judged it.
    #[must_use]
    pub fn is_by_reality(self) -> bool {
        self != Self::ByOwner
    }
}

/// What a sweep and the gate behind it say of dreams: what ripened came true, and is believed if it passed the gate; what was
/// refuted or had its chances did not come true.
pub(super) fn judged_dreams(swept: &Swept, settled: &SettledProposals) -> Vec<JudgedDream> {
    let promoted: BTreeMap<u64, Option<EntryId>> = settled.promoted.iter().copied().collect();
    let ripe = swept.ripe.iter().map(|p| match promoted.get(&p.number) {
        Some(entry) if !settled.known.contains(&p.number) => (p, DreamtEnd::CameTrue, *entry),
        _ => (p, DreamtEnd::TurnedAway, None),
    });
    let refuted = swept.refuted.iter().map(|p| (p, DreamtEnd::Refuted, None));
    let expired = swept.expired.iter().map(|p| (p, DreamtEnd::Expired, None));
    told(ripe.chain(refuted).chain(expired))
}

/// What its owner has said yes or no to.
pub(super) fn judged_by_owner(swept: &Swept) -> Vec<JudgedDream> {
    told(swept.ripe.iter().chain(&swept.refuted).map(|p| (p, DreamtEnd::ByOwner, None)))
}

fn told<'a>(all: impl Iterator<Item = (&'a Proposal, DreamtEnd, Option<EntryId>)>) -> Vec<JudgedDream> {
    // What a dream took up from a predecessor is a dream's too; whose it is, the dreamer remembers.
    let dreamt = |p: &Proposal| matches!(p.source, Provenance::Dream | Provenance::Testament);
    let text = |p: &Proposal| p.change.text();
    all.filter(|(p, ..)| dreamt(p))
        .map(|(p, end, entry)| JudgedDream { proposal: p.number, end, entry, text: text(p) })
        .collect()
}
