//! Finding episodes: by situation and by vector in memory, where a life of them fits; their words stay in the golem's file
//! and come in as a ready list.

use super::best::{Best, Found, Scored};
use super::fuse::share_of_best;
use super::index::Indexes;
use super::why::Ranks;
use crate::episode::EpisodeId;
use crate::situation::{Situation, WIDTH};
use golem_core::VirtualTime;
use golem_core::door::Embedding;
use golem_core::dot::dot;
use std::collections::BTreeMap;

/// Of each list, so many are fused.
const LIST: usize = 20;

/// The situations and vectors of all episodes of a life: about 510 bytes each with the bundled embedder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Episodes {
    ids: Vec<EpisodeId>,
    ages: Vec<VirtualTime>,
    /// Each brought to length 1, so that a product is a cosine.
    directions: Vec<[f32; WIDTH]>,
    vectors: Indexes<EpisodeId>,
}

/// A question about episodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeQuery<'a> {
    /// Nothing that happened later.
    pub as_of: VirtualTime,
    /// Nothing before this one: for whoever needs the bodies, which are kept of the latest only.
    pub from: EpisodeId,
    /// Situations like this one.
    pub situation: Option<Situation>,
    /// Texts like this one.
    pub embedding: Option<&'a Embedding>,
    /// What full text found in the golem's file, the best first.
    pub words: Option<&'a [EpisodeId]>,
}

/// An episode that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpisodeHit {
    /// Which.
    pub id: EpisodeId,
    /// From 0 to 1: 1 is the first place in every list that was asked.
    pub score: f64,
    /// Its places.
    pub ranks: Ranks,
}

impl Episodes {
    /// Make room, when it is known how many will come.
    pub fn reserve(&mut self, more: usize) {
        self.ids.reserve(more);
        self.ages.reserve(more);
        self.directions.reserve(more);
    }
    /// Episodes in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }
    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
    /// Add the next episode. False when its number or its age is not after the last one's.
    pub fn add(&mut self, id: EpisodeId, age: VirtualTime, here: &Situation, embedding: Option<&Embedding>) -> bool {
        if self.ids.last().is_some_and(|last| *last >= id) || self.ages.last().is_some_and(|last| *last > age) {
            return false;
        }
        let norm = here.norm();
        self.ids.push(id);
        self.ages.push(age);
        self.directions.push(here.0.map(|x| if norm > 0.0 { x / norm } else { 0.0 }));
        if let Some(embedding) = embedding {
            self.vectors.add(id, embedding);
        }
        true
    }
    /// One more vector of an episode that is in it, by another embedder.
    pub fn lend(&mut self, id: EpisodeId, embedding: &Embedding) {
        if self.age(id).is_some() {
            self.vectors.add(id, embedding);
        }
    }
    /// Drop all vectors of an embedder.
    pub fn forget(&mut self, model: &str) {
        self.vectors.forget(model);
    }
    /// The episodes in the most similar situations, the best first.
    #[must_use]
    pub fn like(&self, here: &Situation, as_of: VirtualTime, at_most: usize) -> Vec<Found<EpisodeId>> {
        self.like_since(EpisodeId(0), here, as_of, at_most)
    }
    fn like_since(
        &self,
        from: EpisodeId,
        here: &Situation,
        as_of: VirtualTime,
        at_most: usize,
    ) -> Vec<Found<EpisodeId>> {
        let norm = here.norm();
        if norm <= 0.0 {
            return Vec::new();
        }
        let mut best = Best::new(at_most);
        let then = self.ages.partition_point(|age| *age <= as_of);
        let first = self.ids.partition_point(|id| *id < from);
        for (at, (key, direction)) in self.ids.iter().zip(&self.directions).enumerate().take(then).skip(first) {
            let score = dot(direction, &here.0) / norm;
            if best.would_take(score) {
                best.put(Scored { score, key: *key, at });
            }
        }
        best.into_found()
    }
    /// The episodes with the most similar texts, the best first.
    #[must_use]
    pub fn said_like(&self, text: &Embedding, as_of: VirtualTime, at_most: usize) -> Vec<Found<EpisodeId>> {
        self.said_like_since(EpisodeId(0), text, as_of, at_most)
    }
    fn said_like_since(
        &self,
        from: EpisodeId,
        text: &Embedding,
        as_of: VirtualTime,
        at_most: usize,
    ) -> Vec<Found<EpisodeId>> {
        let then = self.ages.partition_point(|age| *age <= as_of);
        let Some(last) = then.checked_sub(1).and_then(|at| self.ids.get(at)) else { return Vec::new() };
        self.vectors.nearest(text, at_most, |id| *id >= from && id <= last)
    }
    /// All ways of matching together.
    #[must_use]
    pub fn recall(&self, query: &EpisodeQuery<'_>, at_most: usize) -> Vec<EpisodeHit> {
        let mut all: BTreeMap<EpisodeId, Ranks> = BTreeMap::new();
        let mut lists = 0;
        if let Some(here) = &query.situation {
            lists += 1;
            let near =
                self.like_since(query.from, here, query.as_of, LIST).into_iter().filter(|found| found.cosine > 0.0);
            (1..).zip(near).for_each(|(rank, f)| all.entry(f.key).or_default().situation = Some(rank));
        }
        if let Some(embedding) = query.embedding {
            lists += 1;
            let near = self
                .said_like_since(query.from, embedding, query.as_of, LIST)
                .into_iter()
                .filter(|found| found.cosine > 0.0);
            (1..).zip(near).for_each(|(rank, f)| all.entry(f.key).or_default().text = Some(rank));
        }
        if let Some(words) = query.words {
            lists += 1;
            let by_then =
                words.iter().filter(|id| **id >= query.from && self.age(**id).is_some_and(|age| age <= query.as_of));
            (1..).zip(by_then.take(LIST)).for_each(|(rank, id)| all.entry(*id).or_default().words = Some(rank));
        }
        let score = |r: &Ranks| share_of_best([r.situation, r.words, r.text], lists);
        let mut hits: Vec<_> =
            all.into_iter().map(|(id, ranks)| EpisodeHit { id, score: score(&ranks), ranks }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        hits.truncate(at_most);
        hits
    }
    /// The golem's age at an episode.
    #[must_use]
    pub fn age(&self, id: EpisodeId) -> Option<VirtualTime> {
        self.ids.binary_search(&id).ok().and_then(|at| self.ages.get(at)).copied()
    }
}
