//! Taking an inheritance in, bit by bit: the most surprising first, no more at a time than can be tested, and nothing before its
//! time. What is refused is dropped with its reason; what has not been learnt yet in the heir's world waits.

use crate::heirloom::Heirloom;
use crate::ingest::{
    ChainTruth, IngestMoment, IngestRefusal, IngestVerdict, KnowledgeCloud, KnowledgeSource, ingest, quarantine,
};
use crate::novelty::rank_by_novelty;
use crate::provenance::{Lineage, PassportBook, TravelledValidation, TravellingEntry};
use crate::world_time::LifeClock;
use golem_core::{GolemId, Hash, Timestamp, VirtualTime};
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::MOST_WATCHED;
use golem_grimoire::{EntryBody, EntryId, Grimoire, Provenance};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An inheritance that is not taken in yet. Whoever makes one has checked the signature over the heirloom's bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InheritanceQueue {
    from: Lineage,
    closed: Timestamp,
    validations: Vec<TravelledValidation>,
    waiting: VecDeque<TravellingEntry>,
}

/// The heir, while it takes something in.
pub struct HeirDesk<'a> {
    /// Who it is.
    pub heir: GolemId,
    pub grimoire: &'a mut Grimoire,
    pub book: &'a mut PassportBook,
    /// Its age.
    pub now: VirtualTime,
    pub clock: LifeClock,
    /// What the chain knows.
    pub chain: &'a dyn ChainTruth,
}

/// What became of one inherited entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TakenIn {
    /// Which, by its root.
    pub root: Hash,
    /// What the examination said.
    pub verdict: IngestVerdict,
    /// The entry that was made of it.
    pub entry: Option<EntryId>,
}

impl InheritanceQueue {
    /// Everything of an heirloom, in the order in which it is worth validating: by how much it would surprise the heir.
    #[must_use]
    pub fn of(heirloom: Heirloom, heir: &Grimoire, now: VirtualTime) -> Self {
        let Heirloom { lineage: from, closed, validations, entries, questions, .. } = heirloom;
        let mut all: Vec<Option<TravellingEntry>> = entries.into_iter().chain(questions).map(Some).collect();
        let bodies: Vec<&EntryBody> = all.iter().flatten().map(|one| &one.entry.body).collect();
        let order = rank_by_novelty(&bodies, heir.shelf(), heir.embedder(), now);
        let waiting = order.iter().filter_map(|rank| all.get_mut(rank.at)?.take()).collect();
        Self { from, closed, validations, waiting }
    }
    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
    /// True when everything was taken in or refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
    /// How many can be tested beside those that are being tested.
    #[must_use]
    pub fn room(shelf: &Shelf, now: VirtualTime) -> usize {
        let tested = quarantine(shelf, now).iter().filter(|one| !one.untestable).count();
        MOST_WATCHED.saturating_sub(tested)
    }
    /// Take the next ones in, at most so many. What was not learnt yet goes back to the end of the row.
    pub fn take(&mut self, desk: &mut HeirDesk<'_>, most: usize) -> Vec<TakenIn> {
        let embedder = desk.grimoire.embedder().clone();
        let cloud = KnowledgeCloud::of(desk.grimoire.shelf(), &embedder);
        let (mut taken, mut later) = (Vec::new(), Vec::new());
        while taken.len() < most {
            let Some(one) = self.waiting.pop_front() else { break };
            let (shelf, near) = desk.grimoire.known();
            let heir = IngestMoment {
                heir: desk.heir,
                now: desk.now,
                world: desk.clock.at(desk.now),
                shelf,
                near: &near,
                cloud: &cloud,
                embedder: &embedder,
                chain: desk.chain,
            };
            let signed = Some((&self.from, self.closed));
            let source = KnowledgeSource { channel: Provenance::Testament, signed, validations: &self.validations };
            let (verdict, arrival) = ingest(&one, &source, &heir);
            if let IngestVerdict::Refused { why: IngestRefusal::NotYetLearnt { .. } } = verdict {
                later.push(one);
                continue;
            }
            let entry = arrival.and_then(|arrival| {
                let (_, id) = desk.grimoire.take_in_vouched(arrival.entry, &arrival.vouched, desk.now);
                desk.book.accept(id?, arrival.passport);
                id
            });
            taken.push(TakenIn { root: one.passport.root, verdict, entry });
        }
        self.waiting.extend(later);
        taken
    }
}
