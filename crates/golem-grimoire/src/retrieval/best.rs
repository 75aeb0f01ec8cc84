//! The best few of many, with ties by key, so that the order of arrival does not show.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Something found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found<K> {
    /// Which.
    pub key: K,
    /// How alike: the cosine, from -1 to 1.
    pub cosine: f32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Scored<K> {
    pub(super) score: f32,
    pub(super) key: K,
    /// Its row.
    pub(super) at: usize,
}

/// The greatest is the worst: what a heap gives up first.
impl<K: Ord> Ord for Scored<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| self.key.cmp(&other.key))
    }
}
impl<K: Ord> PartialOrd for Scored<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<K: Ord> PartialEq for Scored<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<K: Ord> Eq for Scored<K> {}

/// The best so far, so many at most.
pub(super) struct Best<K>(BinaryHeap<Scored<K>>, usize);

impl<K: Ord + Copy> Best<K> {
    pub(super) fn new(at_most: usize) -> Self {
        Self(BinaryHeap::new(), at_most)
    }
    /// A first look that needs no key: an equal score may still win by its key.
    pub(super) fn would_take(&self, score: f32) -> bool {
        self.0.len() < self.1 || self.0.peek().is_some_and(|worst| score >= worst.score)
    }
    pub(super) fn put(&mut self, scored: Scored<K>) {
        self.0.push(scored);
        if self.0.len() > self.1 {
            self.0.pop();
        }
    }
    /// What was kept, in no order.
    pub(super) fn into_scored(self) -> impl Iterator<Item = Scored<K>> {
        self.0.into_iter()
    }
    /// What was kept, the best first, with scores that are cosines.
    pub(super) fn into_found(self) -> Vec<Found<K>> {
        let sorted = self.0.into_sorted_vec();
        sorted.into_iter().map(|scored| Found { key: scored.key, cosine: scored.score }).collect()
    }
}
