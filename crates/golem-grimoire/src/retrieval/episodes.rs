//! Finding episodes: by situation and by vector in memory. Their words stay in the golem's file and come in as a ready
//! list. Of the latest, whose bodies are in memory too, everything is kept; of older ones only their situations, in
//! less than half the room, so that a long life stays small.

use super::ages::Ages;
use super::best::{Best, Found, Scored};
use super::directions::Directions;
use super::fuse::share_of_best;
use super::index::Indexes;
use super::runs::EpisodeRuns;
use super::why::Ranks;
use crate::episode::EpisodeId;
use crate::shelf::RECENT_EPISODES;
use crate::situation::{Situation, WIDTH};
use golem_core::VirtualTime;
use golem_core::door::Embedding;
use golem_core::dot::dot;
use std::collections::{BTreeMap, VecDeque};

/// Of each list, so many are fused.
const LIST: usize = 20;

/// The situations of all episodes of a life, and the vectors of the latest: about 510 bytes each with the bundled
/// embedder, and 40 of each older one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Episodes {
    ids: EpisodeRuns,
    ages: Ages,
    /// Each brought to length 1, so that a product is a cosine; older ones are rounded.
    older: Directions,
    latest: VecDeque<[f32; WIDTH]>,
    /// Of the latest.
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
        if self.ids.last().is_some_and(|last| last >= id) || self.ages.last().is_some_and(|last| last > age) {
            return false;
        }
        let norm = here.norm();
        self.ids.push(id);
        self.ages.push(age);
        self.latest.push_back(here.0.map(|x| if norm > 0.0 { x / norm } else { 0.0 }));
        if let Some(embedding) = embedding {
            self.vectors.add(id, embedding);
        }
        if self.latest.len() > RECENT_EPISODES {
            self.grow_old();
        }
        true
    }
    /// The first of the latest is so no longer: nobody can be shown its words, so nobody asks for them.
    fn grow_old(&mut self) {
        if let (Some(direction), Some(id)) = (self.latest.pop_front(), self.ids.get(self.older.len())) {
            self.vectors.remove(&id);
            self.older.push(&direction);
        }
    }
    /// The directions of all episodes from a place on.
    fn directions(&self, from: usize) -> impl Iterator<Item = [f32; WIDTH]> {
        let latest = self.latest.iter().skip(from.saturating_sub(self.older.len())).copied();
        self.older.from(from).chain(latest)
    }
    /// One more vector of an episode that is in it, by another embedder.
    pub fn lend(&mut self, id: EpisodeId, embedding: &Embedding) {
        let latest = self.ids.get(self.older.len()).is_some_and(|first| first <= id);
        if latest && self.age(id).is_some() {
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
        let from = self.ids.below(from);
        for (at, direction) in (from..self.ages.by(as_of)).zip(self.directions(from)) {
            let score = dot(&direction, &here.0) / norm;
            if best.would_take(score) {
                let Some(key) = self.ids.get(at) else { break };
                best.put(Scored { score, key, at });
            }
        }
        best.into_found()
    }
    /// Of the latest episodes those with the most similar texts, the best first.
    fn said_like(
        &self,
        from: EpisodeId,
        text: &Embedding,
        as_of: VirtualTime,
        at_most: usize,
    ) -> Vec<Found<EpisodeId>> {
        let Some(last) = self.ages.by(as_of).checked_sub(1).and_then(|at| self.ids.get(at)) else { return Vec::new() };
        self.vectors.nearest(text, at_most, |id| *id >= from && *id <= last)
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
            let near =
                self.said_like(query.from, embedding, query.as_of, LIST).into_iter().filter(|found| found.cosine > 0.0);
            (1..).zip(near).for_each(|(rank, f)| all.entry(f.key).or_default().text = Some(rank));
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
        let at = self.ids.below(id);
        self.ids.get(at).filter(|there| *there == id).and_then(|_| self.ages.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Embedder as _, StaticEmbedder};

    #[test]
    fn of_older_episodes_only_the_situation_is_kept() {
        let embedder = StaticEmbedder::bundled();
        let mut episodes = Episodes::default();
        let late = VirtualTime(u64::MAX);
        let situation = |n: u64| {
            let mut here = Situation::default();
            here.0.iter_mut().enumerate().for_each(|(i, x)| *x = ((n * 31 + i as u64 * 17) % 23) as f32 / 11.0 - 1.0);
            here
        };
        let text = |n: u64| embedder.embed(&format!("gas at {n} gwei and rising"));
        let count = RECENT_EPISODES as u64 + 500;
        for n in 1..=count {
            episodes.add(EpisodeId(n), VirtualTime(n), &situation(n), Some(&text(n)));
        }
        assert_eq!((episodes.len(), episodes.latest.len()), (count as usize, RECENT_EPISODES));
        let kept = episodes.vectors.of(embedder.id()).map_or(0, super::super::index::VectorIndex::len);
        assert_eq!(kept, RECENT_EPISODES, "vectors do not grow with age");
        // An old one is still known by its situation, as well as before to four digits.
        let found = episodes.like(&situation(7), VirtualTime(20), 1);
        assert!((found[0].cosine - 1.0).abs() < 1e-4, "{found:?}");
        let from = EpisodeId(count - RECENT_EPISODES as u64 + 1);
        assert_eq!(episodes.said_like(EpisodeId(0), &text(count), late, 1)[0].key, EpisodeId(count));
        assert!(episodes.said_like(EpisodeId(0), &text(3), late, 20).iter().all(|found| found.key >= from));
    }
}
