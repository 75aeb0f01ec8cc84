//! The finder: what is needed to find entries, derived from them and rebuilt at every start.

use super::applies::{LEAST, applies, factor};
use super::choose::{Chooser, Likeness, contrarian};
use super::fuse::Candidates;
use super::index::Indexes;
use super::query::{KnownEntry, Library, Query, Weighing};
use super::score::why;
use super::unicode61::distinct_numbers;
use super::why::{Ranks, Recall, TermOf, WhyFound};
use super::words::Words;
use crate::admission::{Near, Neighbours};
use crate::embed::{Embedder, MeasuredVector};
use crate::entry::{EntryBody, EntryId};
use crate::shelf::Shelf;
use crate::standing::EntryStatus;
use golem_core::VirtualTime;
use golem_core::door::Embedding;
use golem_core::observed::Expression;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The share of the best score without which nothing is recalled in a moment that was seen.
const ENOUGH: f64 = 0.6;

/// Entries by their words and vectors.
#[derive(Debug, Clone, Default)]
pub struct Finder {
    words: Words<EntryId>,
    vectors: Indexes<EntryId>,
    embeddings: BTreeMap<EntryId, MeasuredVector>,
    /// The distinct words of each text by their numbers, sorted: texts are compared with each other much more often than
    /// they are written.
    heard: BTreeMap<EntryId, Vec<u64>>,
    /// When claims hold, compiled once.
    conditions: BTreeMap<EntryId, Expression>,
}

impl Finder {
    /// Add an entry, or replace it.
    pub fn add(&mut self, id: EntryId, body: &EntryBody, embedding: Option<&Embedding>) {
        self.remove(id);
        self.words.add(id, &words_of(body));
        self.heard.insert(id, distinct_numbers(&body.text));
        let when = body.claim.as_ref().and_then(|claim| Expression::compile(&claim.when).ok());
        self.conditions.extend(when.map(|when| (id, when)));
        if let Some(embedding) = embedding.filter(|e| self.vectors.add(id, e)) {
            self.embeddings.insert(id, MeasuredVector::of(embedding));
        }
    }
    /// One more vector of an entry that is in it, by another embedder.
    pub fn lend(&mut self, id: EntryId, embedding: &Embedding) {
        if self.has(id) {
            self.vectors.add(id, embedding);
        }
    }
    /// Drop all vectors of an embedder.
    pub fn forget(&mut self, model: &str) {
        self.vectors.forget(model);
    }
    /// Take an entry out: when it is archived or burnt.
    pub fn remove(&mut self, id: EntryId) {
        self.words.remove(&id);
        self.heard.remove(&id);
        self.conditions.remove(&id);
        if self.embeddings.remove(&id).is_some() {
            self.vectors.remove(&id);
        }
    }
    /// Entries in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }
    /// Which they are.
    pub fn ids(&self) -> impl Iterator<Item = EntryId> + '_ {
        self.words.keys()
    }
    /// Whether an entry is in it.
    #[must_use]
    pub fn has(&self, id: EntryId) -> bool {
        self.words.has(&id)
    }
    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    /// The vector of an entry.
    #[must_use]
    pub fn embedding(&self, id: EntryId) -> Option<&Embedding> {
        self.embeddings.get(&id).map(|measured| &measured.embedding)
    }

    /// What matters for the question, as of its time, with the reasons. The same question to the same library gives the
    /// same answer, in whatever order things were added.
    #[must_use]
    pub fn retrieve(&self, library: &impl Library, query: &Query, by: &Weighing) -> Recall {
        let mut known = BTreeMap::new();
        library.as_of(query.as_of, &mut |k| {
            if is_usable(&k, query) {
                known.insert(k.id, k);
            }
        });
        let applying: BTreeMap<EntryId, Option<f64>> =
            known.values().map(|k| (k.id, applies(k, self.conditions.get(&k.id), query))).collect();
        let here = |id: &EntryId| applying.get(id).copied().flatten().is_none_or(|a| a >= LEAST);
        let about_now: BTreeMap<_, _> = known.iter().filter(|(id, _)| here(id)).map(|(id, k)| (*id, *k)).collect();
        let mut candidates = Candidates::gather(&about_now, &self.words, &self.vectors, query, by.list);
        // What says itself that it holds now needs no likeness of words to be heard.
        for (id, _) in self.conditions.iter().filter(|_| query.seen.is_some()) {
            if applying.get(id).copied().flatten().is_some_and(|a| a >= LEAST) {
                candidates.ranks.entry(*id).or_default();
            }
        }
        let weigh = |id: &EntryId, ranks: Ranks| {
            let known = known.get(id)?;
            let mut why = why(known, ranks, candidates.fused(&ranks), query, by);
            if query.seen.is_some() {
                why.boost(TermOf::Applies, factor(applying.get(id).copied().flatten()));
            }
            Some((*id, why))
        };
        let mut scored: Vec<_> = candidates.ranks.iter().filter_map(|(id, ranks)| weigh(id, *ranks)).collect();
        scored.sort_by(|(ia, a), (ib, b)| b.total().total_cmp(&a.total()).then_with(|| ia.cmp(ib)));
        if query.seen.is_some() {
            // Nothing is recalled because there is room for it.
            let least = scored.first().map_or(0.0, |(_, best)| best.total() * ENOUGH);
            scored.retain(|(_, why)| why.total() >= least);
        }
        let against = query.contrarian.then(|| contrarian(&known, query, scored.first().map(|(id, _)| *id))).flatten();
        let against = against.and_then(|id| weigh(&id, candidates.ranks.get(&id).copied().unwrap_or_default()));
        let against = against.map(|(id, why)| (id, WhyFound { contrarian: true, ..why }));
        Chooser::new(&known, query, by, KnownLikeness { finder: self, known: &known }).choose(scored, against)
    }
    /// A text's words; made anew for what is known and not in here.
    fn numbers(&self, known: &KnownEntry<'_>) -> Cow<'_, [u64]> {
        let heard = self.heard.get(&known.id).map(|heard| Cow::Borrowed(heard.as_slice()));
        heard.unwrap_or_else(|| Cow::Owned(distinct_numbers(&known.body.text)))
    }
}

/// How alike known entries are. Their words are looked at only where they matter.
struct KnownLikeness<'a> {
    finder: &'a Finder,
    known: &'a BTreeMap<EntryId, KnownEntry<'a>>,
}

impl Likeness for KnownLikeness<'_> {
    fn overall(&self, a: &EntryId, b: &EntryId) -> f64 {
        let vectors = self.finder.embeddings.get(a).zip(self.finder.embeddings.get(b));
        let vectors = vectors.and_then(|(a, b)| a.similarity(b));
        vectors.map_or_else(|| self.words(a, b), |v| f64::from(v).clamp(0.0, 1.0))
    }
    fn words(&self, a: &EntryId, b: &EntryId) -> f64 {
        let known = self.known.get(a).zip(self.known.get(b));
        known.map_or(0.0, |(a, b)| shared(&self.finder.numbers(a), &self.finder.numbers(b)))
    }
}

/// What full text finds an entry by.
#[must_use]
pub fn words_of(body: &EntryBody) -> String {
    body.tags.iter().fold(body.text.clone(), |all, tag| all + " " + tag)
}

/// Learnt by then, still true, in use or on trial, and an answer unless questions are wanted.
fn is_usable(known: &KnownEntry<'_>, query: &Query) -> bool {
    let standing = known.standing;
    known.body.learnt_at <= query.as_of
        && standing.true_until.is_none_or(|until| until > query.as_of)
        && matches!(standing.status, EntryStatus::Active | EntryStatus::Candidate)
        && (query.questions || !known.body.is_question)
}

/// The share of distinct words that two texts have in common.
fn shared(a: &[u64], b: &[u64]) -> f64 {
    let (mut i, mut j, mut both) = (0, 0, 0);
    // Which of the two goes on cannot be foretold: added, not branched on.
    while let Some((x, y)) = a.get(i).zip(b.get(j)) {
        both += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    let either = a.len() + b.len() - both;
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}

/// What is on the shelf, as it stands now. An earlier time is asked of a shelf that was rebuilt as of then; this one never
/// gives what it learnt after the time asked about, but it knows present standings only.
impl Library for Shelf {
    fn as_of<'a>(&'a self, t: VirtualTime, give: &mut dyn FnMut(KnownEntry<'a>)) {
        let learnt = self.in_use().filter(|entry| entry.body.learnt_at <= t);
        learnt.for_each(|e| {
            give(KnownEntry { id: e.id, body: &e.body, standing: &e.standing, affect: self.felt(&e.body) })
        });
    }
}

impl Shelf {
    /// How it felt when something was learnt: the mean over its episodes, as far as their bodies are in memory.
    fn felt(&self, body: &EntryBody) -> Option<[f32; 3]> {
        let felt = body.episodes.iter().filter_map(|id| self.episode(*id)?.affect);
        let (n, sum) =
            felt.fold((0.0f32, [0.0f32; 3]), |(n, sum), x| (n + 1.0, std::array::from_fn(|i| sum[i] + x[i])));
        (n > 0.0).then(|| sum.map(|x| x / n))
    }
}

/// A finder with the embedder that its vectors come from: says which entry is nearest to a new body.
#[derive(Debug, Clone, Copy)]
pub struct Nearby<'a, E> {
    /// Where to look.
    pub finder: &'a Finder,
    /// What makes the vectors.
    pub embedder: &'a E,
}

impl<E: Embedder> Neighbours for Nearby<'_, E> {
    /// Something else than itself: an entry that is in use is nearest to itself.
    fn nearest(&self, body: &EntryBody) -> Option<Near> {
        let own = body.id();
        let found = self.finder.vectors.nearest(&self.embedder.embed(&body.text), 1, |id| *id != own);
        found.first().map(|found| Near { id: found.key, cosine: f64::from(found.cosine) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::unicode61::distinct;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_shared_by_number_as_they_are_by_letter(a in "[ab]{1,2}( [abcÄé]{1,2}){0,9}", b in "([abcä]{1,2} ){0,9}") {
            let (left, right) = (distinct(&a), distinct(&b));
            let both = left.iter().filter(|word| right.contains(word)).count();
            let either = left.len() + right.len() - both;
            let plain = if either == 0 { 1.0 } else { both as f64 / either as f64 };
            prop_assert_eq!(shared(&distinct_numbers(&a), &distinct_numbers(&b)).to_bits(), plain.to_bits());
        }
    }
}
