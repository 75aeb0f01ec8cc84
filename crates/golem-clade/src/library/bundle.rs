//! Collections: those that the owner names, the starter kit of each archetype, and those that a library proposes because
//! several golems came to the same within a week.

use super::holding::{Archetype, HoldingId, LibraryHolding};
use super::owner::{LibraryTable, OwnerLibrary};
use crate::provenance::ValidationWord;
use golem_core::{GolemId, Name, Timestamp};
use golem_grimoire::embed::{Embedder, MeasuredVector};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Entries of a starter kit beside those that belong to every bundle of its archetype.
pub const STARTER_SIZE: usize = 20;
/// How alike two entries are, above which they say something similar.
pub const ALIKE_ABOVE: f32 = 0.85;
/// Distinct golems that must have come to it.
pub const PROPOSED_FROM: usize = 3;
/// Within how many seconds of world time.
pub const PROPOSED_WITHIN_S: i64 = 7 * 86_400;
/// Distinct golems that must have seen something of it come true before it is published.
pub const PUBLISHED_FROM: usize = 2;
/// Holdings that are compared at most: the best.
const MOST_COMPARED: usize = 2_048;

/// Where a collection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BundleStanding {
    /// The owner made it.
    Made,
    /// The library proposes it, and too few golems have seen anything of it come true.
    Proposed,
    /// It was proposed, and enough have.
    Published,
}

/// A collection with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedBundle {
    /// For which kind of golem; none for any.
    pub archetype: Option<Archetype>,
    /// What is in it.
    pub entries: Vec<HoldingId>,
    /// Where it stands.
    pub standing: BundleStanding,
    /// When it was made, by the wall.
    pub made: Timestamp,
}

/// What the starter kit of an archetype is called.
#[must_use]
pub fn starter_name(archetype: &Archetype) -> String {
    format!("{}-starter", archetype.as_str())
}

impl OwnerLibrary {
    /// The collections, by name.
    pub fn bundles(&self) -> impl Iterator<Item = (&str, &NamedBundle)> {
        self.bundles.iter().map(|(name, bundle)| (name.as_str(), bundle))
    }
    /// One of them.
    #[must_use]
    pub fn bundle(&self, name: &str) -> Option<&NamedBundle> {
        self.bundles.get(name)
    }

    /// Make a collection, or add to one. What is not held is not put in.
    pub fn collect(&mut self, name: &Name, archetype: Option<Archetype>, add: &[HoldingId], now: Timestamp) {
        let held: Vec<HoldingId> = add.iter().copied().filter(|id| self.holdings.contains_key(id)).collect();
        let fresh = NamedBundle { archetype: None, entries: Vec::new(), standing: BundleStanding::Made, made: now };
        let bundle = self.bundles.entry(name.to_string()).or_insert(fresh);
        bundle.archetype = archetype.or(bundle.archetype.take());
        for id in held {
            if !bundle.entries.contains(&id) {
                bundle.entries.push(id);
            }
        }
        self.touch(LibraryTable::Bundle, name.as_str());
    }

    /// What is in a collection, the defaults of its archetype first; a starter kit is there without being made. None when there
    /// is no such collection.
    #[must_use]
    pub fn contents(&self, name: &str, now: Timestamp) -> Option<Vec<HoldingId>> {
        let Some(bundle) = self.bundles.get(name) else {
            let archetype = Archetype::named(name.strip_suffix("-starter")?);
            return Some(self.starter(&archetype, now)).filter(|kit| !kit.is_empty());
        };
        let mut all = bundle.archetype.as_ref().map(|kind| self.defaults(kind)).unwrap_or_default();
        let rest = bundle.entries.iter().filter(|id| self.holdings.contains_key(id) && !all.contains(id));
        let rest: Vec<HoldingId> = rest.copied().collect();
        all.extend(rest);
        Some(all)
    }

    /// What belongs to every bundle of an archetype: given to enough of its golems, and seen by them to come true.
    #[must_use]
    pub fn defaults(&self, archetype: &Archetype) -> Vec<HoldingId> {
        let is = |held: &LibraryHolding| held.is_default_of(archetype) && held.is_offered();
        self.holdings().filter(|(_, held)| is(held)).map(|(id, _)| id).collect()
    }

    /// The starter kit of an archetype: its defaults, and the best of what such golems have had.
    #[must_use]
    pub fn starter(&self, archetype: &Archetype, now: Timestamp) -> Vec<HoldingId> {
        let mut kit = self.defaults(archetype);
        let of_kind = self.of_archetype(archetype);
        let fitting = of_kind.into_iter().filter(|id| !kit.contains(id));
        let mut rest: Vec<(f64, HoldingId)> =
            fitting.filter_map(|id| Some((self.holding(id)?.rank(now), id))).collect();
        rest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        kit.extend(rest.into_iter().take(STARTER_SIZE).map(|(_, id)| id));
        kit
    }

    /// What golems of an archetype have had, as far as it is offered unasked.
    #[must_use]
    pub fn of_archetype(&self, archetype: &Archetype) -> Vec<HoldingId> {
        let fits = |held: &LibraryHolding| held.archetypes.contains(archetype) && held.is_offered();
        self.holdings().filter(|(_, held)| fits(held)).map(|(id, _)| id).collect()
    }

    /// Propose collections, publish those of earlier that have been confirmed since; the names of both. Each entry is in one
    /// proposal at most.
    pub fn propose(&mut self, embedder: &impl Embedder, now: Timestamp) -> Vec<String> {
        let mut named = self.publish();
        let mut taken: BTreeSet<HoldingId> = self
            .bundles
            .values()
            .filter(|b| b.standing != BundleStanding::Made)
            .flat_map(|b| b.entries.clone())
            .collect();
        let compared = self.compared(embedder, now);
        for (at, (id, vector)) in compared.iter().enumerate() {
            if taken.contains(id) {
                continue;
            }
            let alike = |other: &MeasuredVector| vector.similarity(other).is_some_and(|x| x > ALIKE_ABOVE);
            let near =
                compared.iter().enumerate().filter(|(n, (other, v))| *n == at || (!taken.contains(other) && alike(v)));
            let near: Vec<HoldingId> = near.map(|(_, (other, _))| *other).collect();
            let Some(entries) = self.within_a_week(&near) else { continue };
            taken.extend(entries.iter().copied());
            named.push(self.propose_one(entries, now));
        }
        named.extend(self.publish());
        named.sort();
        named.dedup();
        named
    }

    fn propose_one(&mut self, entries: Vec<HoldingId>, now: Timestamp) -> String {
        let first = entries.iter().min().map(ToString::to_string).unwrap_or_default();
        let name = format!("proposal-{}", first.get(..8).unwrap_or_default());
        let kinds: BTreeSet<&Archetype> =
            entries.iter().filter_map(|id| self.holding(*id)).flat_map(|held| &held.archetypes).collect();
        // What only one kind of golem came to is for that kind.
        let archetype = (kinds.len() == 1).then(|| kinds.first().map(|kind| (*kind).clone())).flatten();
        let bundle = NamedBundle { archetype, entries, standing: BundleStanding::Proposed, made: now };
        self.touch(LibraryTable::Bundle, &name);
        self.bundles.insert(name.clone(), bundle);
        name
    }

    /// The best of what is offered and was learnt by golems of one's own, as points.
    fn compared(&self, embedder: &impl Embedder, now: Timestamp) -> Vec<(HoldingId, MeasuredVector)> {
        let fit = self.holdings().filter(|(_, held)| held.is_offered() && !held.learners.is_empty());
        let mut all: Vec<(f64, HoldingId)> = fit.map(|(id, held)| (held.rank(now), id)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let point = |id: HoldingId| Some((id, MeasuredVector::of(&embedder.embed(&self.holding(id)?.body().text))));
        all.into_iter().take(MOST_COMPARED).filter_map(|(_, id)| point(id)).collect()
    }

    /// Those that were learnt within one week by enough distinct golems: the first such week, with all that was learnt in it.
    fn within_a_week(&self, near: &[HoldingId]) -> Option<Vec<HoldingId>> {
        let mut learnt: Vec<(Timestamp, GolemId, HoldingId)> = Vec::new();
        for id in near {
            let learners = self.holding(*id).into_iter().flat_map(|held| &held.learners);
            learnt.extend(learners.map(|(golem, when)| (*when, *golem, *id)));
        }
        learnt.sort_unstable();
        learnt.iter().enumerate().find_map(|(from, (first, ..))| {
            let week =
                learnt[from..].iter().take_while(|(when, ..)| when.0.saturating_sub(first.0) <= PROPOSED_WITHIN_S);
            let (golems, ids): (BTreeSet<GolemId>, BTreeSet<HoldingId>) =
                week.map(|(_, golem, id)| (*golem, *id)).unzip();
            (golems.len() >= PROPOSED_FROM).then(|| ids.into_iter().collect())
        })
    }

    /// Publish what was proposed and has been confirmed by enough distinct golems; the names.
    pub fn publish(&mut self) -> Vec<String> {
        let confirmed = |bundle: &NamedBundle| {
            let words = bundle.entries.iter().filter_map(|id| self.holding(*id)).flat_map(|held| &held.words);
            let by: BTreeSet<&GolemId> =
                words.filter(|(_, word)| **word == ValidationWord::Confirmed).map(|(golem, _)| golem).collect();
            by.len() >= PUBLISHED_FROM
        };
        let ripe = self.bundles.iter().filter(|(_, b)| b.standing == BundleStanding::Proposed && confirmed(b));
        let ripe: Vec<String> = ripe.map(|(name, _)| name.clone()).collect();
        for name in &ripe {
            if let Some(bundle) = self.bundles.get_mut(name) {
                bundle.standing = BundleStanding::Published;
            }
            self.touch(LibraryTable::Bundle, name);
        }
        ripe
    }
}
