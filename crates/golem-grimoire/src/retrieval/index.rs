//! The nearest vectors: rows of whole numbers with a scale each, scanned in full, and the best looked at again exactly.
//!
//! It is derived from what the golem's file holds and can be rebuilt at any time. One index holds vectors of one embedder;
//! [`Indexes`] keeps those of several apart.

use super::best::{Best, Found, Scored};
use golem_core::door::Embedding;
use pulp::{Arch, Simd, WithSimd};
use std::collections::BTreeMap;

/// How many of the best by whole numbers are looked at again.
pub const LOOKED_AT_AGAIN: usize = 40;
/// Wider vectors are not taken: no embedder makes them.
const WIDEST: usize = 16_384;
/// Places in memory that are read at once: the processor fetches ahead in each of them.
const STREAMS: usize = 4;
/// Rows of each that are multiplied before their results are looked at.
const BLOCK: usize = 128;
/// The largest number in a row that is looked at first.
const ROUGHEST: f32 = 127.0;

/// Vectors of one width under keys, each key once.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorIndex<K> {
    width: usize,
    keys: Vec<K>,
    /// Rows that fit a byte, with what each must be multiplied by: all of them are looked at.
    rough: Vec<i8>,
    rough_scales: Vec<f32>,
    /// The rows as they are stored: the best are looked at again.
    rows: Vec<i16>,
    scales: Vec<f32>,
}

impl<K: Ord + Copy> VectorIndex<K> {
    /// An empty index for vectors of this width.
    #[must_use]
    pub fn new(width: usize) -> Self {
        let (rough, rough_scales) = (Vec::new(), Vec::new());
        Self { width, keys: Vec::new(), rough, rough_scales, rows: Vec::new(), scales: Vec::new() }
    }
    /// Vectors in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }
    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
    /// Make room, when it is known how many will come.
    pub fn reserve(&mut self, more: usize) {
        self.keys.reserve(more);
        self.rough.reserve(more.saturating_mul(self.width));
        self.rough_scales.reserve(more);
        self.rows.reserve(more.saturating_mul(self.width));
        self.scales.reserve(more);
    }
    /// Add a vector; its key must not be in here yet. False when it has another width or a scale that is no number.
    pub fn add(&mut self, key: K, vector: &Embedding) -> bool {
        let Embedding { row, scale, .. } = vector;
        let fits = row.len() == self.width && self.width <= WIDEST && scale.is_finite() && *scale >= 0.0;
        if fits {
            let most = largest(row);
            self.keys.push(key);
            self.rough.extend(rough(row, most));
            self.rough_scales.push(scale * f32::from(most) / ROUGHEST);
            self.rows.extend_from_slice(row);
            self.scales.push(*scale);
        }
        fits
    }
    /// Take a vector out. Looks at every key: for what is seldom done.
    pub fn remove(&mut self, key: &K) -> bool {
        let Some(at) = self.keys.iter().position(|k| k == key) else { return false };
        self.keys.swap_remove(at);
        self.rough_scales.swap_remove(at);
        self.scales.swap_remove(at);
        close_gap(&mut self.rough, at, self.width);
        close_gap(&mut self.rows, at, self.width);
        true
    }
    /// The most similar vectors among those for which `among` says yes, the best first, ties by key.
    #[must_use]
    pub fn nearest(&self, to: &Embedding, at_most: usize, among: impl Fn(&K) -> bool) -> Vec<Found<K>> {
        let most = largest(&to.row);
        if to.row.len() != self.width || self.width == 0 || most == 0 {
            return Vec::new();
        }
        let query: Vec<i16> = rough(&to.row, most).map(i16::from).collect();
        let mut best = Best::new(at_most.max(LOOKED_AT_AGAIN));
        let mut look = |at: usize, sum: i32| {
            let Some((key, scale)) = self.keys.get(at).zip(self.rough_scales.get(at)) else { return };
            let score = sum as f32 * scale;
            if best.would_take(score) && among(key) {
                best.put(Scored { score, key: *key, at });
            }
        };
        let arch = Arch::new();
        let quarter = self.keys.len() / STREAMS;
        let mut sums = [[0; STREAMS]; BLOCK];
        for begin in (0..quarter).step_by(BLOCK) {
            let rows = BLOCK.min(quarter - begin);
            let streams = std::array::from_fn(|stream| self.rough(stream * quarter + begin, rows));
            arch.dispatch(Multiply { streams, query: &query, sums: &mut sums });
            for (i, sums) in sums.iter().take(rows).enumerate() {
                sums.iter().enumerate().for_each(|(stream, sum)| look(stream * quarter + begin + i, *sum));
            }
        }
        let rest = STREAMS * quarter..self.keys.len();
        rest.for_each(|at| look(at, product(self.rough(at, 1), &query)));
        let again = |scored: Scored<K>| Found { key: scored.key, cosine: self.cosine(scored.at, to) };
        let mut found: Vec<_> = best.into_scored().map(again).collect();
        found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| a.key.cmp(&b.key)));
        found.truncate(at_most);
        found
    }

    fn rough(&self, at: usize, count: usize) -> &[i8] {
        self.rough.get(at * self.width..(at + count) * self.width).unwrap_or_default()
    }
    /// By the rows as they are stored. The sum is of whole numbers: the same in any order.
    fn cosine(&self, at: usize, to: &Embedding) -> f32 {
        let row = self.rows.get(at * self.width..(at + 1) * self.width).unwrap_or_default();
        let sum = crate::embed::product(row, &to.row);
        let scale = f64::from(self.scales.get(at).copied().unwrap_or(0.0)) * f64::from(to.scale);
        (sum as f64 * scale) as f32
    }
}

fn largest(row: &[i16]) -> u16 {
    row.iter().fold(0, |most, x| most.max(x.unsigned_abs()))
}

/// A row in numbers from -127 to 127.
fn rough(row: &[i16], most: u16) -> impl Iterator<Item = i8> {
    let by = if most == 0 { 0.0 } else { ROUGHEST / f32::from(most) };
    row.iter().map(move |x| (f32::from(*x) * by).round() as i8)
}

/// Moves the last row into the gap and cuts the end off.
fn close_gap<T: Copy>(rows: &mut Vec<T>, at: usize, width: usize) {
    let last = rows.len().saturating_sub(width);
    rows.copy_within(last.., at * width);
    rows.truncate(last);
}

/// Products of rows with the query, by the widest instructions that the machine has. Whole numbers: the sums are the same
/// whichever those are.
struct Multiply<'a> {
    streams: [&'a [i8]; STREAMS],
    query: &'a [i16],
    sums: &'a mut [[i32; STREAMS]],
}

impl WithSimd for Multiply<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let [a, b, c, d] = self.streams.map(|rows| rows.chunks_exact(self.query.len()));
        for ((((a, b), c), d), sums) in a.zip(b).zip(c).zip(d).zip(self.sums) {
            *sums = [a, b, c, d].map(|row| product(row, self.query));
        }
    }
}

/// Below 2^31 at any width that is taken: nothing can wrap, and checking for it would take the loop apart.
#[inline(always)]
fn product(row: &[i8], query: &[i16]) -> i32 {
    let one = |(x, y): (&i8, &i16)| i32::from(*x).wrapping_mul(i32::from(*y));
    row.iter().zip(query).map(one).fold(0, i32::wrapping_add)
}

/// Indexes by the embedder's id. What one embedder made is never compared with what another made.
#[derive(Debug, Clone, PartialEq)]
pub struct Indexes<K>(BTreeMap<String, VectorIndex<K>>);

impl<K> Default for Indexes<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Copy> Indexes<K> {
    /// Add a vector. False when it does not have the width of its embedder's others.
    pub fn add(&mut self, key: K, embedding: &Embedding) -> bool {
        if let Some(index) = self.0.get_mut(&embedding.model) {
            return index.add(key, embedding);
        }
        let mut index = VectorIndex::new(embedding.row.len());
        let added = index.add(key, embedding);
        self.0.insert(embedding.model.clone(), index);
        added
    }
    /// Take all vectors of a key out.
    pub fn remove(&mut self, key: &K) {
        self.0.values_mut().for_each(|index| {
            index.remove(key);
        });
    }
    /// Drop all vectors of an embedder.
    pub fn forget(&mut self, model: &str) {
        self.0.remove(model);
    }
    /// The most similar vectors of the same embedder.
    #[must_use]
    pub fn nearest(&self, to: &Embedding, at_most: usize, among: impl Fn(&K) -> bool) -> Vec<Found<K>> {
        self.0.get(&to.model).map_or_else(Vec::new, |index| index.nearest(to, at_most, among))
    }
    /// The index of one embedder.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<&VectorIndex<K>> {
        self.0.get(model)
    }
}
