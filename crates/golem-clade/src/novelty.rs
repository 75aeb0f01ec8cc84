//! What is inherited, in the order in which it is worth validating: what surprises the heir first, what it knows already last.
//!
//! Surprise is how far an entry lies from everything that the heir knows and from everything that stands before it in the row.
//! Same means same fields: words decide only how far apart two different things are.

use golem_core::VirtualTime;
use golem_grimoire::EntryBody;
use golem_grimoire::embed::{Embedder, MeasuredVector};
use golem_grimoire::family::ClaimFamily;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::subject::{Statement, statement};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Surprise of what differs from something known in bounds and lags only: it says one thing, and that is known.
pub const KIN_SURPRISE: f64 = 0.1;
/// Below this, validating can wait.
pub const DEFERRED_BELOW: f64 = 0.2;

/// When something inherited is worth validating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationTurn {
    /// It contradicts what the heir believes, or is unlike anything that it knows.
    First,
    /// In the order of its surprise.
    InOrder,
    /// It is known already.
    Deferred,
}

/// A place in the row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoveltyRank {
    /// Which of the inherited, by its place in the list that was given.
    pub at: usize,
    /// From 0 (known) to 1 (unheard of).
    pub surprise: f64,
    /// When it is worth validating.
    pub turn: ValidationTurn,
}

/// Surprise from which something is validated first.
const FIRST_FROM: f64 = 0.6;

/// The inherited in the order in which they are worth validating. The same order however they are given.
#[doc(alias = "SUPER")]
#[must_use]
pub fn rank_by_novelty(
    inherited: &[&EntryBody],
    known: &Shelf,
    embedder: &impl Embedder,
    now: VirtualTime,
) -> Vec<NoveltyRank> {
    let heir = HeirKnowledge::of(known, embedder);
    let mut open: Vec<Unranked> = inherited.iter().enumerate().map(|(at, b)| heir.unranked(at, b, embedder)).collect();
    for one in &mut open {
        one.contradicts = known.contradicting(inherited[one.at], now).is_some();
    }
    // Ties are decided by what is said, so that the order of the list does not matter.
    open.sort_by_key(|one| one.statement);
    let mut row = Vec::with_capacity(open.len());
    let mut families = BTreeSet::new();
    while let Some(best) = open.iter().enumerate().reduce(|a, b| if b.1.surprise() > a.1.surprise() { b } else { a }) {
        let (place, surprise) = (best.0, best.1.surprise());
        let chosen = open.remove(place);
        for other in &mut open {
            other.hear(&chosen, &families);
        }
        families.extend(chosen.family);
        let turn = match surprise {
            s if s >= FIRST_FROM => ValidationTurn::First,
            s if s < DEFERRED_BELOW => ValidationTurn::Deferred,
            _ => ValidationTurn::InOrder,
        };
        row.push(NoveltyRank { at: chosen.at, surprise, turn });
    }
    row
}

/// What the heir knows, as far as likeness needs it.
struct HeirKnowledge {
    statements: BTreeSet<Statement>,
    families: BTreeSet<ClaimFamily>,
    vectors: Vec<MeasuredVector>,
}

/// Something that has no place yet.
struct Unranked {
    at: usize,
    statement: Statement,
    family: Option<ClaimFamily>,
    vector: MeasuredVector,
    /// The likeness of the most alike that is known or stands before it.
    nearest: f64,
    known: bool,
    kin: bool,
    contradicts: bool,
}

impl HeirKnowledge {
    fn of(known: &Shelf, embedder: &impl Embedder) -> Self {
        Self {
            statements: known.in_use().map(|e| statement(&e.body)).collect(),
            families: known.in_use().filter_map(|e| ClaimFamily::of_body(&e.body)).collect(),
            vectors: known.in_use().map(|e| MeasuredVector::of(&embedder.embed(&e.body.text))).collect(),
        }
    }
    fn unranked(&self, at: usize, body: &EntryBody, embedder: &impl Embedder) -> Unranked {
        let vector = MeasuredVector::of(&embedder.embed(&body.text));
        let (statement, family) = (statement(body), ClaimFamily::of_body(body));
        Unranked {
            nearest: self.vectors.iter().map(|known| likeness(known, &vector)).fold(0.0, f64::max),
            known: self.statements.contains(&statement),
            kin: family.as_ref().is_some_and(|f| self.families.contains(f)),
            contradicts: false,
            at,
            statement,
            family,
            vector,
        }
    }
}

impl Unranked {
    /// What would be learnt by validating it.
    fn surprise(&self) -> f64 {
        match () {
            () if self.known => 0.0,
            // What denies what is believed is the greatest news there is.
            () if self.contradicts => 1.0,
            () if self.kin => (1.0 - self.nearest).clamp(0.0, KIN_SURPRISE),
            () => (1.0 - self.nearest).clamp(0.0, 1.0),
        }
    }
    /// Something else stands before it now.
    fn hear(&mut self, before: &Self, families: &BTreeSet<ClaimFamily>) {
        self.nearest = self.nearest.max(likeness(&before.vector, &self.vector));
        self.known |= self.statement == before.statement;
        self.kin |= self.family.is_some()
            && (self.family == before.family || self.family.as_ref().is_some_and(|f| families.contains(f)));
    }
}

fn likeness(a: &MeasuredVector, b: &MeasuredVector) -> f64 {
    a.similarity(b).map_or(0.0, |cosine| f64::from(cosine).clamp(0.0, 1.0))
}
