//! The heirloom: the one object in which what a golem leaves crosses its death. It is versioned, bounded and has exactly one
//! form in bytes; those bytes are what is signed, and signing happens elsewhere.
//!
//! The form is a line `bardo heirloom <version> <checksum>` and the heirloom as JSON. Nothing in it is believed by being in it:
//! it is examined entry by entry ([`crate::ingest`]), and its playbook is something to be held against, never to be obeyed.

mod bounds;
mod dream;
mod passage;
mod preview;
mod read;

pub use bounds::{HeirloomBound, MOST_ENTRY_BYTES, MOST_HEIRLOOM_BYTES, MOST_OPEN, MOST_VALIDATIONS};
pub use dream::{LineDream, MOST_DREAM_LINE, MOST_DREAM_LINES, MOST_DREAMS, dreams_to_leave};
pub use golem_grimoire::staging::UnfinishedHypothesis;
pub use passage::{TestamentPassage, passages_of};
pub use preview::{CONFIDENCE_BANDS, InheritancePreview};
pub use read::HeirloomError;

use crate::bottleneck::{BottleneckCandidate, compress_for_inheritance};
use crate::provenance::{
    HandedPassport, Lineage, Passport, PassportBook, TravelledValidation, TravellingEntry, ValidationWord,
};
use crate::world_time::LifeClock;
use golem_core::{Hash, Timestamp, VirtualTime, plain};
use golem_grimoire::causal::Edge;
use golem_grimoire::grimoire::Foreign;
use golem_grimoire::playbook::Playbook;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::Proposal;
use golem_grimoire::testament::Testament;
use golem_grimoire::{Claim, Entry, EntryBody, EntryId, EntryStatus};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version that this code writes and reads.
pub const HEIRLOOM_VERSION: u16 = 1;

/// What a golem leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heirloom {
    /// Whose it is, and the line it stands in.
    pub lineage: Lineage,
    /// When its life began.
    pub clock: LifeClock,
    /// When it was closed.
    pub closed: Timestamp,
    /// True when this life was little more than a repetition of the one before.
    pub low_divergence: bool,
    /// What came through the bottleneck, the best first.
    pub entries: Vec<TravellingEntry>,
    /// What it did not know, the best questions first. They take no place from answers.
    pub questions: Vec<TravellingEntry>,
    /// What it was still testing.
    pub hypotheses: Vec<UnfinishedHypothesis>,
    /// What drives what, as far as it had found out.
    pub edges: Vec<Edge>,
    /// What it lived by.
    pub playbook: Playbook,
    /// What was said of the entries in it, by whom.
    pub validations: Vec<TravelledValidation>,
    /// What it dreamt, and those before it; the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dreams: Vec<LineDream>,
    /// What its testament says of what is in it, and those of its ancestors where it says nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<TestamentPassage>,
}

/// What a life wrote down for those after it.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeftPages<'a> {
    /// Its testament, where it came to write one.
    pub testament: Option<&'a Testament>,
    /// What it dreamt.
    pub dreams: &'a [LineDream],
    /// Where it had what it was handed in its life.
    pub handed: &'a [HandedPassport],
}

/// A golem at its end, as far as its heirloom is made of it.
#[derive(Debug, Clone, Copy)]
pub struct Bequeather<'a> {
    pub lineage: &'a Lineage,
    pub clock: LifeClock,
    /// Its age.
    pub now: VirtualTime,
    /// What it knows.
    pub shelf: &'a Shelf,
    /// Where it has that from.
    pub book: &'a PassportBook,
    pub playbook: &'a Playbook,
    /// What it was left itself.
    pub before: Option<&'a Heirloom>,
    /// What it was left to test: what it never came to is left again.
    pub untried: &'a [UnfinishedHypothesis],
    pub pages: LeftPages<'a>,
    pub low_divergence: bool,
}

impl Heirloom {
    /// Make it: what comes through the bottleneck, with everything that belongs to it.
    #[must_use]
    pub fn assemble<'a>(
        of: &Bequeather<'_>,
        edges: impl Iterator<Item = &'a Edge>,
        proposals: impl Iterator<Item = &'a Proposal>,
        budget: usize,
    ) -> Self {
        let worth_leaving = of.shelf.entries().filter(|e| is_left(e));
        let known: BTreeMap<EntryId, (&Entry, Passport)> =
            worth_leaving.map(|e| (e.id, (e, of.book.present(e, of.shelf, of.lineage, of.clock)))).collect();
        let pick = |questions: bool, most: usize| -> Vec<TravellingEntry> {
            let of_kind = known.values().filter(|(e, _)| e.body.is_question == questions);
            let all: Vec<_> = of_kind.map(|(e, passport)| BottleneckCandidate::of(e, passport)).collect();
            let kept = compress_for_inheritance(&all, most).kept;
            kept.iter()
                .filter_map(|id| known.get(id))
                .map(|(e, passport)| travelling(e, passport, of.lineage))
                .collect()
        };
        let (entries, questions) = (pick(false, budget), pick(true, MOST_OPEN));
        let left = || entries.iter().chain(&questions);
        let (validations, passages) = (validations(of, left()), passages(of, &known, left()));
        Self {
            lineage: of.lineage.clone(),
            clock: of.clock,
            closed: of.clock.at(of.now),
            low_divergence: of.low_divergence,
            hypotheses: unfinished(of, &proposals.collect::<Vec<_>>()),
            edges: edges.filter(|e| e.holds()).take(golem_grimoire::causal::MAX_EDGES).cloned().collect(),
            playbook: of.playbook.clone(),
            entries,
            questions,
            validations,
            dreams: dreams_to_leave(of.pages.dreams.iter().chain(of.before.iter().flat_map(|b| &b.dreams)).cloned()),
            passages,
        }
    }
    /// What is signed: its one form in bytes.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let body = plain::json(self);
        read::FIRST_LINE.before(checksum(body.as_bytes()), &body)
    }
    /// The hash that stands in its first line.
    #[must_use]
    pub fn checksum(&self) -> Hash {
        checksum(plain::json(self).as_bytes())
    }
}

fn checksum(body: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 heirloom");
    hasher.update(body);
    Hash(*hasher.finalize().as_bytes())
}

/// What is in use is left, and what is tied to a death also from the archive. What is kept aside was never believed.
fn is_left(entry: &Entry) -> bool {
    entry.is_in_use() || (entry.body.is_bloodstain && matches!(entry.standing.status, EntryStatus::Archived(_)))
}

/// Only those of its line can vouch for blood: what strangers died of is a warning like any other.
fn travelling(entry: &Entry, passport: &Passport, line: &Lineage) -> TravellingEntry {
    let blood = passport.blood.filter(|of| line.has(*of));
    let body = EntryBody { is_bloodstain: blood.is_some(), ..entry.body.clone() };
    let entry = Foreign { body, standing: entry.standing.clone() };
    TravellingEntry { entry, passport: Passport { blood, ..passport.clone() } }
}

/// What was said of what is left, by whoever said it before, and by this golem of what it has seen come true or fail.
fn validations<'a>(of: &Bequeather<'_>, left: impl Iterator<Item = &'a TravellingEntry>) -> Vec<TravelledValidation> {
    let (mut roots, mut all) = (BTreeSet::new(), BTreeSet::new());
    for one in left {
        let (root, standing) = (one.passport.root, &one.entry.standing);
        let word = match one.passport.crossings.validated_here {
            true => Some(ValidationWord::Confirmed),
            false => (standing.contradicted > standing.validated).then_some(ValidationWord::Contradicted),
        };
        all.extend(word.map(|word| TravelledValidation { entry: root, validator: of.lineage.golem, word }));
        roots.insert(root);
    }
    let told = of.before.iter().flat_map(|b| &b.validations).chain(of.pages.handed.iter().flat_map(|h| &h.validations));
    // Nobody else speaks for this golem: what it says of an entry is what its own life says.
    all.extend(told.filter(|v| roots.contains(&v.entry) && v.validator != of.lineage.golem));
    all.into_iter().take(MOST_VALIDATIONS).collect()
}

/// What it was testing, and what it was left to test and never came to, the most promising first. What it has tested or come to
/// believe is finished.
fn unfinished(of: &Bequeather<'_>, proposals: &[&Proposal]) -> Vec<UnfinishedHypothesis> {
    let tried: BTreeSet<&Claim> = proposals.iter().map(|p| &p.claim).collect();
    let believed: BTreeSet<&Claim> = of.shelf.entries().filter_map(|e| e.body.claim.as_ref()).collect();
    let untried = of.untried.iter().filter(|left| !tried.contains(&left.claim) && !believed.contains(&left.claim));
    let own = proposals.iter().filter_map(|p| UnfinishedHypothesis::of(p));
    let mut all: Vec<UnfinishedHypothesis> = own.chain(untried.cloned()).collect();
    UnfinishedHypothesis::in_order(&mut all);
    all.truncate(MOST_OPEN);
    all
}

/// What is said in testaments of what is left: its own word, or else that of whoever left it to this golem.
fn passages<'a>(
    of: &Bequeather<'_>,
    known: &BTreeMap<EntryId, (&Entry, Passport)>,
    left: impl Iterator<Item = &'a TravellingEntry>,
) -> Vec<TestamentPassage> {
    let roots: BTreeSet<Hash> = left.map(|one| one.passport.root).collect();
    let mut by_root: BTreeMap<Hash, TestamentPassage> = BTreeMap::new();
    for (id, (section, text)) in of.pages.testament.map(passages_of).unwrap_or_default() {
        let Some(about) = known.get(&id).map(|(_, passport)| passport.root).filter(|root| roots.contains(root)) else {
            continue;
        };
        by_root.entry(about).or_insert(TestamentPassage { about, by: of.lineage.golem, section, text });
    }
    for older in of.before.iter().flat_map(|b| &b.passages).filter(|p| roots.contains(&p.about)) {
        by_root.entry(older.about).or_insert_with(|| older.clone());
    }
    by_root.into_values().collect()
}
