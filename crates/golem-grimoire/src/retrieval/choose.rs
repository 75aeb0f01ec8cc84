//! Which candidates are shown: relevant and not all the same (MMR), within a budget of tokens, and no origin elsewhere with
//! more than its share of it.

use super::query::{KnownEntry, Query, Weighing, tokens};
use super::score::{congruence, is_external};
use super::why::{Hit, Recall, WhyFound};
use crate::admission::says_the_same;
use crate::entry::{EntryBody, EntryId, EntryKind};
use crate::subject::speaks_well;
use golem_core::GolemId;
use std::collections::BTreeMap;

/// Two entries this alike in vectors and this alike in words say the same.
const SAME_VECTOR: f64 = 0.95;
const SAME_WORDS: f64 = 0.8;

/// Says how alike two entries are.
pub(super) trait Likeness {
    /// By their vectors, or by their words where a vector is missing; from 0 to 1.
    fn overall(&self, a: &EntryId, b: &EntryId) -> f64;
    /// The share of words that both have.
    fn words(&self, a: &EntryId, b: &EntryId) -> f64;
}

pub(super) struct Chooser<'a, S> {
    known: &'a BTreeMap<EntryId, KnownEntry<'a>>,
    query: &'a Query,
    by: &'a Weighing,
    alike: S,
    spent: BTreeMap<GolemId, u32>,
    chosen: Recall,
}

/// A candidate that waits, with the nearest likeness to those of the chosen that it was held against.
struct WaitingCandidate {
    id: EntryId,
    score: f64,
    why: WhyFound,
    repeats: bool,
    /// How many of the chosen those are: the first ones.
    held_against: usize,
}

impl<'a, S: Likeness> Chooser<'a, S> {
    pub(super) fn new(
        known: &'a BTreeMap<EntryId, KnownEntry<'a>>,
        query: &'a Query,
        by: &'a Weighing,
        alike: S,
    ) -> Self {
        Self { known, query, by, alike, spent: BTreeMap::new(), chosen: Recall::default() }
    }
    /// Chooses from the candidates; the contrarian, where there is one, has its place first.
    pub(super) fn choose(
        mut self,
        candidates: Vec<(EntryId, WhyFound)>,
        contrarian: Option<(EntryId, WhyFound)>,
    ) -> Recall {
        let waiting = |(id, why): (EntryId, WhyFound)| WaitingCandidate {
            id,
            score: why.total(),
            why,
            repeats: false,
            held_against: 0,
        };
        let mut left: Vec<_> = candidates.into_iter().map(waiting).collect();
        if let Some(against) = contrarian.map(waiting) {
            left.retain(|w| w.id != against.id);
            self.take(against);
        }
        while self.chosen.hits.len() < self.by.at_most && !left.is_empty() {
            let worth = |w: &WaitingCandidate| self.by.lambda * w.score - (1.0 - self.by.lambda) * w.why.alike;
            let better = |a: &&(usize, &WaitingCandidate), b: &&(usize, &WaitingCandidate)| {
                worth(a.1).total_cmp(&worth(b.1)).then_with(|| b.1.id.cmp(&a.1.id))
            };
            let Some((at, _)) = left.iter().enumerate().max_by(|a, b| better(&a, &b)) else { break };
            // To be held against more of the chosen makes no candidate better: only the best so far has to be.
            if left[at].held_against < self.chosen.hits.len() {
                self.compare(&mut left[at]);
            } else {
                self.take(left.swap_remove(at));
            }
        }
        self.chosen
    }
    /// Takes a candidate, if it says something new and there is room for it.
    fn take(&mut self, next: WaitingCandidate) {
        let Some(known) = self.known.get(&next.id) else { return };
        let cost = tokens(&known.body.text);
        let total = self.chosen.tokens.saturating_add(cost);
        let share = is_external(known).then(|| {
            let origin = known.body.origin.golem;
            (origin, self.spent.get(&origin).copied().unwrap_or(0).saturating_add(cost))
        });
        let over = |(_, spent): &(GolemId, u32)| f64::from(*spent) > self.by.share * f64::from(self.query.budget);
        if next.repeats {
            self.chosen.alike += 1;
        } else if total > self.query.budget {
            self.chosen.too_long += 1;
        } else if share.as_ref().is_some_and(over) {
            self.chosen.over_share += 1;
        } else {
            self.spent.extend(share);
            self.chosen.tokens = total;
            self.chosen.hits.push(Hit { id: next.id, score: next.score, tokens: cost, why: next.why });
        }
    }
    /// Hold a candidate against those of the chosen that it was not held against yet.
    fn compare(&self, waiting: &mut WaitingCandidate) {
        for Hit { id: chosen, .. } in &self.chosen.hits[waiting.held_against..] {
            let alike = self.alike.overall(&waiting.id, chosen);
            waiting.why.alike = waiting.why.alike.max(alike);
            // What differs in one word, or in its claim only, can be the opposite: that is no repetition.
            let sounds_same = alike >= SAME_VECTOR && self.alike.words(&waiting.id, chosen) >= SAME_WORDS;
            let likeness = if sounds_same { 1.0 } else { 0.0 };
            let bodies = self.known.get(&waiting.id).zip(self.known.get(chosen));
            waiting.repeats |= bodies.is_some_and(|(a, b)| says_the_same(a.body, b.body, likeness, SAME_VECTOR));
        }
        waiting.held_against = self.chosen.hits.len();
    }
}

/// What speaks against the rest: the least congruent feeling where affect is on; otherwise what speaks ill where the best
/// candidate speaks well (or the reverse), and of those the one about the most distant situation.
pub(super) fn contrarian(
    known: &BTreeMap<EntryId, KnownEntry<'_>>,
    query: &Query,
    best: Option<EntryId>,
) -> Option<EntryId> {
    let leaning = best.and_then(|id| known.get(&id)).and_then(|k| valence(k.body));
    let key = |k: &KnownEntry<'_>| {
        let feeling = congruence(query.affect, k.affect);
        let agrees = leaning.is_none() || valence(k.body).is_none_or(|well| Some(well) == leaning);
        let near = query.situation.as_ref().zip(k.body.prototype.as_ref()).map(|(a, b)| f64::from(a.cosine(b)));
        (feeling.unwrap_or(0.5), agrees, near.unwrap_or(1.0))
    };
    let others = known.values().filter(|k| Some(k.id) != best);
    let opposed = |((feeling, agrees, near), _): &((f64, bool, f64), EntryId)| *feeling < 0.5 || !agrees || *near < 0.0;
    let order = |((fa, ga, na), ia): &((f64, bool, f64), EntryId), ((fb, gb, nb), ib): &((f64, bool, f64), EntryId)| {
        fa.total_cmp(fb).then(ga.cmp(gb)).then(na.total_cmp(nb)).then(ia.cmp(ib))
    };
    others.map(|k| (key(k), k.id)).filter(opposed).min_by(order).map(|(_, id)| id)
}

/// Whether it encourages or warns, where it does either.
fn valence(body: &EntryBody) -> Option<bool> {
    speaks_well(body).or((body.kind == EntryKind::Warning).then_some(false))
}
