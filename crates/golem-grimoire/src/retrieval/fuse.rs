//! Three lists of candidates become one: each list gives 1/(60 + place), and the sum is taken as a share of the best
//! that was possible.

use super::index::Indexes;
use super::query::{KnownEntry, Query};
use super::why::Ranks;
use super::words::Words;
use crate::entry::EntryId;
use std::collections::BTreeMap;

/// Softens the first places against the later ones.
const SOFTENING: f64 = 60.0;

/// The candidates with their places, and how many lists were asked.
pub(super) struct Candidates {
    pub(super) ranks: BTreeMap<EntryId, Ranks>,
    lists: u32,
}

impl Candidates {
    /// The best `list` of each way of matching, among what is known.
    pub(super) fn gather(
        known: &BTreeMap<EntryId, KnownEntry<'_>>,
        words: &Words<EntryId>,
        vectors: &Indexes<EntryId>,
        query: &Query,
        list: usize,
    ) -> Self {
        let mut all = Self { ranks: BTreeMap::new(), lists: 0 };
        let among = |id: &EntryId| known.contains_key(id);
        if let Some(here) = &query.situation {
            let alike = |k: &KnownEntry<'_>| Some((k.id, f64::from(k.body.prototype.as_ref()?.cosine(here))));
            let mut near: Vec<_> = known.values().filter_map(alike).filter(|(_, cosine)| *cosine > 0.0).collect();
            near.sort_by(|(ia, a), (ib, b)| b.total_cmp(a).then_with(|| ia.cmp(ib)));
            all.take(near.into_iter().map(|(id, _)| id).take(list), |ranks| &mut ranks.situation);
        }
        if !query.text.is_empty() {
            let found = words.search(&query.text, list, among);
            all.take(found.into_iter().map(|(id, _)| id), |ranks| &mut ranks.words);
        }
        if let Some(embedding) = &query.embedding {
            let found = vectors.nearest(embedding, list, among);
            let near = found.into_iter().filter(|found| found.cosine > 0.0).map(|found| found.key);
            all.take(near, |ranks| &mut ranks.text);
        }
        all
    }
    fn take(&mut self, list: impl Iterator<Item = EntryId>, place: impl Fn(&mut Ranks) -> &mut Option<u32>) {
        self.lists += 1;
        for (rank, id) in (1u32..).zip(list) {
            *place(self.ranks.entry(id).or_default()) = Some(rank);
        }
    }
    /// From 0 to 1: 1 is the first place in every list that was asked.
    pub(super) fn fused(&self, ranks: &Ranks) -> f64 {
        share_of_best([ranks.situation, ranks.words, ranks.text], self.lists)
    }
}

/// The sum of 1/(60 + place) over the lists, as a share of what first places in all of them would give.
pub(super) fn share_of_best(places: [Option<u32>; 3], lists: u32) -> f64 {
    let sum = places.into_iter().flatten().fold(0.0, |sum, place| sum + 1.0 / (SOFTENING + f64::from(place)));
    let best = f64::from(lists) / (SOFTENING + 1.0);
    if best > 0.0 { (sum / best).min(1.0) } else { 0.0 }
}
