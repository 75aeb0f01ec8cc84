//! A life at its end, as far as inheritance looks at it: what it made of what it had inherited, and what it leaves in turn.

use crate::divergence::{AntiProletarianizationConfig, DivergenceReport, LifeWork, PlaybookDistance, judge_divergence};
use crate::heirloom::{Bequeather, Heirloom, LeftPages};
use crate::inheritance::Inheritance;
use crate::provenance::{Lineage, PassportBook};
use crate::world_time::LifeClock;
use golem_core::{Birth, VirtualTime};
use golem_grimoire::EntryBody;
use golem_grimoire::causal::Edge;
use golem_grimoire::embed::StaticEmbedder;
use golem_grimoire::playbook::Playbook;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::Proposal;

/// A life at its end.
#[derive(Clone, Copy)]
pub struct LifeLeft<'a> {
    pub birth: &'a Birth,
    /// What it had inherited itself.
    pub inheritance: Option<&'a Inheritance>,
    /// The age at which it took that in.
    pub taken_in: VirtualTime,
    /// Its age.
    pub now: VirtualTime,
    /// What it knew.
    pub shelf: &'a Shelf,
    /// What it lived by.
    pub playbook: &'a Playbook,
    /// What it wrote down for those after it.
    pub pages: LeftPages<'a>,
    /// What its owner asks of it before its way of life counts as its own.
    pub asked: &'a AntiProletarianizationConfig,
}

impl LifeLeft<'_> {
    /// The line that it stood in.
    #[must_use]
    pub fn lineage(&self) -> Lineage {
        self.inheritance.map_or_else(|| Lineage::of(self.birth, None), |own| own.lineage(self.birth))
    }
    /// Where it had what it knew from.
    #[must_use]
    pub fn passports(&self) -> PassportBook {
        let own = self.inheritance;
        let mut book = own.map(|own| own.passports(self.birth.id, self.taken_in, self.shelf)).unwrap_or_default();
        // A passport that names another carrier is no passport of this golem's.
        for handed in self.pages.handed.iter().filter(|h| h.passport.crossings.carrier == self.birth.id) {
            book.accept(handed.entry, handed.passport.clone());
        }
        book.retain(|id| self.shelf.entry(id).is_some() || self.shelf.ashes().contains_key(&id));
        book
    }
    /// What it did with what it had inherited, and beyond it.
    #[must_use]
    pub fn work(&self) -> LifeWork {
        let given = self.inheritance.into_iter().flat_map(Inheritance::given);
        let bodies: Vec<&EntryBody> = given.map(|one| &one.entry.body).collect();
        LifeWork::of(self.shelf, &self.passports(), &bodies)
    }
    /// Whether it was more than a repetition; a first ancestor is not judged.
    #[must_use]
    pub fn divergence(&self) -> Option<DivergenceReport> {
        let before = &self.inheritance?.heirloom.playbook;
        let distance = PlaybookDistance::between(before, self.playbook, &StaticEmbedder::bundled());
        Some(judge_divergence(distance, self.work(), self.asked))
    }
    /// The flag that what it leaves carries: as its testament has it, and of older lives as it is judged now.
    fn has_low_divergence(&self) -> bool {
        match self.pages.testament.and_then(|testament| testament.divergence.as_ref()) {
            Some(written) => written.low_divergence,
            None => self.divergence().is_some_and(|report| report.low_divergence),
        }
    }
    /// What it leaves, at most so many entries. With none, it leaves its name and what it lived by, to be held against.
    #[must_use]
    pub fn heirloom<'b>(
        &'b self,
        edges: impl Iterator<Item = &'b Edge>,
        proposals: impl Iterator<Item = &'b Proposal>,
        budget: usize,
    ) -> Heirloom {
        let (lineage, book) = (self.lineage(), self.passports());
        let of = Bequeather {
            lineage: &lineage,
            clock: LifeClock { zero: self.birth.born_at },
            now: self.now,
            shelf: self.shelf,
            book: &book,
            playbook: self.playbook,
            before: self.inheritance.map(|own| &own.heirloom),
            untried: &self.inheritance.map(Inheritance::unfinished).unwrap_or_default(),
            pages: self.pages,
            low_divergence: self.has_low_divergence(),
        };
        let mut left = Heirloom::assemble(&of, edges, proposals, budget);
        if budget == 0 {
            (left.questions, left.hypotheses, left.edges) = (Vec::new(), Vec::new(), Vec::new());
            (left.validations, left.dreams, left.passages) = (Vec::new(), Vec::new(), Vec::new());
        }
        left
    }
}
