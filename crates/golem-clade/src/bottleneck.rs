//! The bottleneck: of all that a golem knows, at most 2,048 entries are passed on. To be small is the point: what is left is
//! what was worth keeping, and every field of knowledge keeps a place.

use crate::knowledge_domain::KnowledgeDomain;
use crate::provenance::Passport;
use crate::survived::has_survived;
use golem_core::VirtualTime;
use golem_grimoire::{Entry, EntryId};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Entries that are passed on at most.
pub const INHERITANCE_BUDGET: usize = 2_048;

/// An entry, as far as the bottleneck looks at it.
#[derive(Debug, Clone, PartialEq)]
pub struct BottleneckCandidate {
    pub id: EntryId,
    pub domain: KnowledgeDomain,
    /// From 0 to 1; what is no number counts as worst.
    pub quality: f64,
    pub last_validated: VirtualTime,
    pub is_bloodstain: bool,
    /// True when at least three generations validated it.
    pub survived: bool,
}

impl BottleneckCandidate {
    /// An entry with the passport that it has now.
    #[must_use]
    pub fn of(entry: &Entry, passport: &Passport) -> Self {
        Self {
            id: entry.id,
            domain: KnowledgeDomain::of(&entry.body),
            quality: f64::from(entry.standing.quality),
            last_validated: entry.standing.last_validated,
            is_bloodstain: entry.body.is_bloodstain,
            survived: has_survived(entry, passport),
        }
    }
    /// Better comes first: quality, then how lately it was validated, then the id.
    fn before(&self, other: &Self) -> Ordering {
        let quality = |c: &Self| if c.quality.is_finite() { c.quality } else { f64::NEG_INFINITY };
        quality(other)
            .total_cmp(&quality(self))
            .then_with(|| other.last_validated.cmp(&self.last_validated))
            .then_with(|| self.id.cmp(&other.id))
    }
}

/// What came through, and on which ground.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PassedOn {
    /// The entries, the best first.
    pub kept: Vec<EntryId>,
    /// How many of them as bloodstains.
    pub blood: usize,
    /// How many because generations validated them.
    pub survived: usize,
    /// How many in the rotation of domains.
    pub rotated: usize,
    /// How many by quality alone.
    pub filled: usize,
}

/// Choose what is passed on: bloodstains up to half of the budget, what three generations validated up to a quarter, domains in
/// rotation for two thirds of what is left, and the rest by quality. As many as the budget allows, or all that there is; the
/// same set for any order of the candidates.
#[doc(alias = "genomic bottleneck")]
#[must_use]
pub fn compress_for_inheritance(candidates: &[BottleneckCandidate], budget: usize) -> PassedOn {
    let ranked = ranked(candidates);
    let mut chosen = BTreeSet::new();
    let mut passed = PassedOn {
        blood: take(&mut chosen, budget / 2, ranked.iter().copied().enumerate().filter(|(_, c)| c.is_bloodstain)),
        survived: take(&mut chosen, budget / 4, ranked.iter().copied().enumerate().filter(|(_, c)| c.survived)),
        ..PassedOn::default()
    };
    let turns = (budget - chosen.len()) * 2 / 3;
    passed.rotated = rotate(&ranked, &mut chosen, turns);
    let left = budget - chosen.len();
    passed.filled = take(&mut chosen, left, ranked.iter().copied().enumerate());
    passed.kept = chosen.into_iter().filter_map(|at| ranked.get(at)).map(|c| c.id).collect();
    passed
}

/// Every entry once, the best first. Of several with one id the best counts.
fn ranked(candidates: &[BottleneckCandidate]) -> Vec<&BottleneckCandidate> {
    let mut all: Vec<&BottleneckCandidate> = candidates.iter().collect();
    let rest = |c: &BottleneckCandidate| (c.is_bloodstain, c.survived);
    all.sort_by(|a, b| a.before(b).then_with(|| rest(b).cmp(&rest(a))).then_with(|| a.domain.cmp(&b.domain)));
    let mut seen = BTreeSet::new();
    all.retain(|c| seen.insert(c.id));
    all
}

/// Choose up to `most` that are not chosen yet, in order. Returns how many.
fn take<'a>(
    chosen: &mut BTreeSet<usize>,
    most: usize,
    from: impl Iterator<Item = (usize, &'a BottleneckCandidate)>,
) -> usize {
    let new: Vec<usize> = from.map(|(at, _)| at).filter(|at| !chosen.contains(at)).take(most).collect();
    chosen.extend(&new);
    new.len()
}

/// One of each domain in turn, the domain with the best entry first, until so many are chosen or nothing is left. Returns how
/// many.
fn rotate(ranked: &[&BottleneckCandidate], chosen: &mut BTreeSet<usize>, turns: usize) -> usize {
    let mut fields: BTreeMap<&KnowledgeDomain, Vec<usize>> = BTreeMap::new();
    for (at, candidate) in ranked.iter().enumerate().filter(|(at, _)| !chosen.contains(at)) {
        fields.entry(&candidate.domain).or_default().push(at);
    }
    // Places are ranks, so the domain whose first place is lowest has the best entry.
    let mut rows: Vec<Vec<usize>> = fields.into_values().collect();
    rows.sort_unstable_by_key(|row| row.first().copied());
    let deepest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..deepest).flat_map(|round| rows.iter().filter_map(move |row| row.get(round).copied()));
    let before = chosen.len();
    chosen.extend(in_turn.take(turns));
    chosen.len() - before
}
