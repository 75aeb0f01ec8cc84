//! Full text in memory: the ranking of SQLite's FTS5 (`bm25`, one column) over a few thousand texts.
//!
//! Which texts are looked at is the caller's choice for each search, and they alone make the statistics: what was not
//! known at the time asked about cannot even move a rank.

use super::unicode61::{distinct, words};
use std::collections::BTreeMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// FTS5 never lets a word count for nothing or less, however common it is.
const LEAST_IDF: f64 = 1e-6;

/// Texts by their words. `K` names a text.
#[derive(Debug, Clone)]
pub struct Words<K> {
    places: BTreeMap<K, usize>,
    /// A place that was given up is taken by the next text.
    texts: Vec<Option<IndexedText<K>>>,
    free: Vec<usize>,
    /// The places of the texts that have a word, and how often they have it.
    having: BTreeMap<String, Vec<(usize, u32)>>,
}

#[derive(Debug, Clone)]
struct IndexedText<K> {
    key: K,
    length: u32,
    words: Vec<String>,
}

impl<K> Default for Words<K> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), texts: Vec::new(), free: Vec::new(), having: BTreeMap::new() }
    }
}

impl<K: Ord + Copy> Words<K> {
    /// Texts in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }
    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
    /// True when a text of this name is in it.
    #[must_use]
    pub fn has(&self, key: &K) -> bool {
        self.places.contains_key(key)
    }
    /// The names of all texts, in order.
    pub fn keys(&self) -> impl Iterator<Item = K> + '_ {
        self.places.keys().copied()
    }
    /// Distinct words in it.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.having.len()
    }
    /// Add a text, or replace the one of this name.
    pub fn add(&mut self, key: K, text: &str) {
        self.remove(&key);
        let mut length = 0u32;
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        words(text, |word| {
            length = length.saturating_add(1);
            match counts.get_mut(word) {
                Some(times) => *times = times.saturating_add(1),
                None => drop(counts.insert(word.to_owned(), 1)),
            }
        });
        let place = self.free.pop().unwrap_or(self.texts.len());
        self.texts.resize_with(self.texts.len().max(place + 1), || None);
        for (word, times) in &counts {
            match self.having.get_mut(word) {
                Some(having) => having.push((place, *times)),
                None => drop(self.having.insert(word.clone(), vec![(place, *times)])),
            }
        }
        if let Some(slot) = self.texts.get_mut(place) {
            *slot = Some(IndexedText { key, length, words: counts.into_keys().collect() });
        }
        self.places.insert(key, place);
    }
    /// Take a text out.
    pub fn remove(&mut self, key: &K) {
        let Some(place) = self.places.remove(key) else { return };
        let Some(text) = self.texts.get_mut(place).and_then(Option::take) else { return };
        self.free.push(place);
        for word in text.words {
            if let Some(having) = self.having.get_mut(&word) {
                having.retain(|(at, _)| *at != place);
                if having.is_empty() {
                    self.having.remove(&word);
                }
            }
        }
    }
    /// The texts that have any word of the query, the best first, ties by name. Texts for which `among` says no are not
    /// there at all. The score is FTS5's `bm25` with its sign turned: more is better.
    #[must_use]
    pub fn search(&self, query: &str, at_most: usize, among: impl Fn(&K) -> bool) -> Vec<(K, f64)> {
        // For each place its length, where the text is there at all.
        let counted =
            |text: &Option<IndexedText<K>>| text.as_ref().filter(|text| among(&text.key)).map(|text| text.length);
        let lengths: Vec<Option<u32>> = self.texts.iter().map(counted).collect();
        let count = lengths.iter().flatten().count() as u64;
        let total: u64 = lengths.iter().flatten().map(|length| u64::from(*length)).sum();
        let mean_length = total as f64 / count as f64;
        let mut scores = vec![0.0; lengths.len()];
        for word in distinct(query) {
            let having = self.having.get(&word).map_or(&[][..], Vec::as_slice);
            let there = having.iter().filter_map(|(at, times)| Some((*at, *times, (*lengths.get(*at)?)?)));
            let idf = idf(count, there.clone().count() as u64);
            for (at, times, length) in there {
                let times = f64::from(times);
                let part = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * f64::from(length) / mean_length));
                if let Some(score) = scores.get_mut(at) {
                    *score += idf * part;
                }
            }
        }
        let key = |at: usize| self.texts.get(at).and_then(Option::as_ref).map(|text| text.key);
        let found = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0);
        let mut best: Vec<_> = found.filter_map(|(at, score)| Some((key(at)?, score))).collect();
        best.sort_by(|(ka, a), (kb, b)| b.total_cmp(a).then_with(|| ka.cmp(kb)));
        best.truncate(at_most);
        best
    }
}

fn idf(count: u64, having: u64) -> f64 {
    let (count, having) = (count as f64, having as f64);
    let idf = libm::log((count - having + 0.5) / (having + 0.5));
    if idf <= 0.0 { LEAST_IDF } else { idf }
}
