//! An inheritance: an heirloom, and which part of it its heir was given. It is fixed at birth, so everything that follows from
//! it (the heir's line, the passports, the order of validation) is computed anew at every start and never stored.
//!
//! What is taken in is examined entry by entry by [`crate::ingest`]; nothing is believed for having been left.

use crate::as_of::told_beside;
use crate::heirloom::{Heirloom, InheritancePreview, LineDream, TestamentPassage, UnfinishedHypothesis};
use crate::ingest::{
    ChainSaid, IngestMoment, IngestVerdict, KnowledgeCloud, KnowledgeSource, asked_of_chain, ingest, speaks_to_reader,
    vouched_for,
};
use crate::knowledge_domain::KnowledgeDomain;
use crate::novelty::rank_by_novelty;
use crate::provenance::{Lineage, Passport, PassportBook, TravellingEntry};
use crate::survived::{InnateCandidate, innate_candidates};
use crate::world_time::LifeClock;
use golem_core::door::ClaimRequest;
use golem_core::{Birth, Elapsed, GolemId, Hash, Timestamp, VirtualTime};
use golem_grimoire::causal::{Edge, MOST_TOLD_EDGES};
use golem_grimoire::curator::domain_of;
use golem_grimoire::decay::{ceiling, crossed};
use golem_grimoire::grimoire::as_hearsay;
use golem_grimoire::retrieval::ToldEntries;
use golem_grimoire::shelf::Shelf;
use golem_grimoire::staging::{Staged, ValidationRow};
use golem_grimoire::{Entry, EntryBody, EntryKind, EntryOrigin, Grimoire, Provenance};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Age at which an heir takes up what its predecessor was still testing: before that it has no base rates of its own.
pub const HYPOTHESES_AT: VirtualTime = VirtualTime(Elapsed::secs(86_400).0);

/// The same for an heir that dreams: until then its dreams take it up, a few each night.
pub const DREAMERS_HYPOTHESES_AT: VirtualTime = VirtualTime(Elapsed::secs(10 * 86_400).0);

/// Which part of an heirloom is given to an heir.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InheritanceChoice {
    /// Only these fields of knowledge; all of them when empty.
    pub domains: Vec<String>,
    /// None of these.
    pub exclude: Vec<String>,
    /// None of what has these roots: what its testament advises against, where that advice was taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Hash>,
}

impl InheritanceChoice {
    /// Whether an entry is given.
    #[must_use]
    pub fn gives(&self, one: &TravellingEntry) -> bool {
        self.covers(&one.entry.body) && !self.without.contains(&one.passport.root)
    }
    /// Whether its field is given. A field goes by its whole name, or by the part before the slash.
    fn covers(&self, body: &EntryBody) -> bool {
        let field = KnowledgeDomain::of(body);
        let named = |words: &[String]| words.iter().any(|word| is_within(field.as_str(), word));
        (self.domains.is_empty() || named(&self.domains)) && !named(&self.exclude)
    }
    /// The same for a cause: it belongs where its causal link would.
    fn gives_cause(&self, edge: &Edge) -> bool {
        let nobody = EntryOrigin { golem: GolemId([0; 16]), generation: 0 };
        let body = EntryBody::own(EntryKind::CausalLink, String::new(), nobody, VirtualTime(0));
        self.covers(&EntryBody { edge: Some(edge.id.to_string()), domain: domain_of(edge.to.name()), ..body })
    }
    /// The words that name no field of these entries, so that a slip of the pen does not pass for a choice.
    pub fn idle<'a>(&'a self, entries: &'a [TravellingEntry]) -> impl Iterator<Item = &'a str> {
        let fields: Vec<KnowledgeDomain> = entries.iter().map(|e| KnowledgeDomain::of(&e.entry.body)).collect();
        let known = move |word: &str| fields.iter().any(|field| is_within(field.as_str(), word));
        self.domains.iter().chain(&self.exclude).map(String::as_str).filter(move |word| !known(word))
    }
}

fn is_within(field: &str, word: &str) -> bool {
    field == word || field.strip_prefix(word).is_some_and(|rest| rest.starts_with('/'))
}

/// What an heir is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Inheritance {
    /// What was left.
    pub heirloom: Heirloom,
    /// Which part of it.
    pub choice: InheritanceChoice,
}

/// What became of an inheritance when it was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IntakeReport {
    /// Entries and questions that were offered.
    pub offered: u32,
    /// They may inform, and are tested.
    pub on_trial: u32,
    /// They are tested, and inform nobody before that.
    pub kept_aside: u32,
    /// They were known already.
    pub known: u32,
    /// They stay outside, by the name of the reason.
    pub refused: BTreeMap<String, u32>,
    /// Causes that wait for the heir's own rows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub causes: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Inheritance {
    /// The line that the heir stands in.
    #[must_use]
    pub fn lineage(&self, heir: &Birth) -> Lineage {
        Lineage::of(heir, Some(&self.heirloom.lineage))
    }
    /// The entries that are given, then the questions.
    pub fn given(&self) -> impl Iterator<Item = &TravellingEntry> {
        let all = self.heirloom.entries.iter().chain(&self.heirloom.questions);
        all.filter(|one| self.choice.gives(one))
    }
    /// What three generations or more of its own line have proven of what is given, the most often proven first. It becomes part
    /// of the heir without standing on trial, so it is held to all that can be held against it before that: whoever sends it
    /// has it, nothing of its passport is forged, the line is the heir's, and nothing was learnt after the heir was born.
    #[must_use]
    pub fn innate(&self, heir: &Birth) -> Vec<InnateCandidate> {
        let (source, left) = (self.source(), &self.heirloom);
        let sound = |one: &&TravellingEntry| {
            let passport = &one.passport;
            vouched_for(one, &source, heir.id, heir.lineage).is_some()
                && passport.forgery(&one.entry.body, &left.lineage, left.closed).is_none()
                && passport.lineage == left.lineage.id
                && passport.times.learnt <= heir.born_at
        };
        let given: Vec<(Entry, &Passport)> = self
            .given()
            .filter(sound)
            .map(|one| (Entry::new(one.entry.body.clone(), one.entry.standing.clone()), &one.passport))
            .collect();
        innate_candidates(given.iter().map(|(entry, passport)| (entry, *passport)))
    }
    /// What it would come to.
    #[must_use]
    pub fn preview(&self) -> InheritancePreview {
        let mut heirloom = self.heirloom.clone();
        heirloom.entries.retain(|one| self.choice.gives(one));
        heirloom.questions.retain(|one| self.choice.gives(one));
        InheritancePreview::of(&heirloom)
    }

    /// The passports of what the heir took in at an age, by its own ids; of what it has, or had and burnt.
    #[must_use]
    pub fn passports(&self, heir: GolemId, taken_in: VirtualTime, shelf: &Shelf) -> PassportBook {
        let (mut book, source) = (PassportBook::default(), self.source());
        for one in self.given() {
            let Some((vouched, passport)) = vouched_for(one, &source, heir, self.heirloom.lineage.id) else { continue };
            book.accept(as_hearsay(one.entry.body.clone(), &vouched, taken_in).id(), passport);
        }
        book.retain(|id| shelf.entry(id).is_some() || shelf.ashes().contains_key(&id));
        book
    }
    /// What is told beside what the heir took in at an age, by its own ids: when it could be known in the heir's world, and what
    /// a testament says of it. A passage that speaks to its reader is left out.
    #[must_use]
    pub fn told(&self, heir: &Birth, taken_in: VirtualTime) -> ToldEntries {
        let sound = |p: &&TestamentPassage| speaks_to_reader(&p.text).is_none();
        let said: BTreeMap<Hash, &str> =
            self.heirloom.passages.iter().filter(sound).map(|p| (p.about, p.text.as_str())).collect();
        let (mut told, source, clock) = (ToldEntries::new(), self.source(), LifeClock { zero: heir.born_at });
        for one in self.given() {
            let Some((vouched, passport)) = vouched_for(one, &source, heir.id, heir.lineage) else { continue };
            let beside = told_beside(&passport, clock, said.get(&passport.root).copied());
            told.insert(as_hearsay(one.entry.body.clone(), &vouched, taken_in).id(), beside);
        }
        told
    }
    /// The causes that are given, the surest first: what is left of their confidence after the death, and no more than a
    /// testament is worth. None before the life that found them is over.
    #[must_use]
    pub fn causes(&self, heir: &Birth, taken_in: VirtualTime) -> Vec<Edge> {
        if !self.is_past(LifeClock { zero: heir.born_at }.at(taken_in)) {
            return Vec::new();
        }
        let most = libm::round(ceiling(Provenance::Testament) * 10_000.0) as u16;
        let told = |edge: &Edge| edge.told(crossed(edge.confidence_bp, 1, 0).min(most), taken_in);
        let given = |edge: &&Edge| self.choice.gives_cause(edge);
        let mut all: Vec<Edge> =
            self.heirloom.edges.iter().filter(|e| e.holds()).filter(given).filter_map(told).collect();
        all.sort_by(|a, b| b.confidence_bp.cmp(&a.confidence_bp).then_with(|| a.id.cmp(&b.id)));
        all.dedup_by(|a, b| a.id == b.id);
        all.truncate(MOST_TOLD_EDGES);
        all
    }
    /// In which order what is given is worth validating, by the ids it has with the heir: what surprises first.
    #[must_use]
    pub fn validation_row(&self, heir: GolemId, taken_in: VirtualTime) -> ValidationRow {
        let source = self.source();
        // Only what can be asked of reality has a place; what has none does not push others back.
        let testable = self.given().filter(|one| one.entry.body.claim.is_some());
        let bodies: Vec<EntryBody> = testable
            .filter_map(|one| {
                let (vouched, _) = vouched_for(one, &source, heir, self.heirloom.lineage.id)?;
                Some(as_hearsay(one.entry.body.clone(), &vouched, taken_in))
            })
            .collect();
        let known = Shelf::default();
        let embedder = golem_grimoire::embed::StaticEmbedder::bundled();
        let row = rank_by_novelty(&bodies.iter().collect::<Vec<_>>(), &known, &embedder, taken_in);
        row.iter().enumerate().filter_map(|(place, rank)| Some((bodies.get(rank.at)?.id(), place))).collect()
    }

    /// What is to be asked of the heir's chain before it is taken in; none when nothing of it speaks of
    /// a chain.
    #[must_use]
    pub fn asked_of_chain(&self) -> Option<ClaimRequest> {
        asked_of_chain(self.given().map(|one| &one.entry.body))
    }

    /// Take it in, the best first. `world` is the time that the heir lives in: what was learnt later stays outside.
    pub fn take_in(
        &self,
        grimoire: &mut Grimoire,
        heir: GolemId,
        (now, world): (VirtualTime, Timestamp),
        chain: &ChainSaid,
    ) -> IntakeReport {
        let (source, embedder) = (self.source(), grimoire.embedder().clone());
        let mut report = IntakeReport { causes: grimoire.test_told_causes(), ..IntakeReport::default() };
        let cloud = KnowledgeCloud::of(grimoire.shelf(), &embedder);
        for one in self.given() {
            report.offered += 1;
            let (shelf, near) = grimoire.known();
            let (cloud, embedder, near) = (&cloud, &embedder, &near);
            let line = self.heirloom.lineage.id;
            let moment = IngestMoment { heir, line, now, world, shelf, near, cloud, embedder, chain };
            let (verdict, arrival) = ingest(one, &source, &moment);
            if let Some(arrival) = arrival {
                grimoire.take_in_vouched(arrival.entry, &arrival.vouched, now);
            }
            match verdict {
                IngestVerdict::OnTrial { .. } => report.on_trial += 1,
                IngestVerdict::KeptAside { .. } => report.kept_aside += 1,
                IngestVerdict::Known { .. } => report.known += 1,
                IngestVerdict::Refused { why } => *report.refused.entry(why.name().to_owned()).or_default() += 1,
            }
        }
        report
    }

    /// True when the life that left it was over by a time: what is dated by its end alone is news from the future before that.
    #[must_use]
    pub fn is_past(&self, world: Timestamp) -> bool {
        self.heirloom.closed <= world
    }
    /// What the predecessor was still testing, as far as it is given, the most promising first.
    #[must_use]
    pub fn unfinished(&self) -> Vec<UnfinishedHypothesis> {
        let nobody = EntryOrigin { golem: self.heirloom.lineage.golem, generation: self.heirloom.lineage.generation };
        let given = |left: &&UnfinishedHypothesis| self.choice.covers(&left.body(nobody, VirtualTime(0)));
        self.heirloom.hypotheses.iter().filter(given).cloned().collect()
    }
    /// What those before have dreamt, line by line, but for what speaks to its reader.
    pub fn dreamt(&self) -> impl Iterator<Item = &str> {
        let said = self.heirloom.dreams.iter().flat_map(|dream: &LineDream| &dream.said).map(String::as_str);
        said.filter(|line| speaks_to_reader(line).is_none())
    }

    /// Stage what the predecessor was still testing and nobody has taken up yet, by the heir's own base rates. What its record
    /// cannot speak of is left. Returns how many were staged.
    pub fn take_up_hypotheses(
        &self,
        grimoire: &mut Grimoire,
        heir: EntryOrigin,
        now: VirtualTime,
        taken: &mut BTreeSet<u32>,
    ) -> u32 {
        let mut many = 0;
        for (place, left) in (0u32..).zip(&self.unfinished()) {
            let rate = grimoire.series().claim_base_rate(&left.claim);
            let Some(own) = rate.filter(|_| taken.insert(place)) else { continue };
            let staged = grimoire.stage_from_elsewhere(left.draft(own, heir, now), now);
            many += u32::from(matches!(staged, Staged::Added(_)));
        }
        many
    }

    fn source(&self) -> KnowledgeSource<'_> {
        KnowledgeSource {
            channel: Provenance::Testament,
            signed: Some((&self.heirloom.lineage, self.heirloom.closed)),
            validations: &self.heirloom.validations,
            grave: false,
        }
    }
}
