//! The grimoire of one golem: every part of it in the order of a turn.
//!
//! A turn is [`Grimoire::observe`], then, where a decision is made, [`Grimoire::recall`] and [`Grimoire::used`], then
//! [`Grimoire::record`] for what happened, and [`Grimoire::reflect`] at the end. What changed comes out of
//! [`Grimoire::take_changes`].

mod await_outcome;
mod born_with;
mod deathbed;
mod dream_desk;
mod edits;
mod hear_experts;
mod intake;
mod judged_dream;
mod lent;
mod owner_verdict;
mod playbook_writing;
mod relief;
mod shadowed;
mod state;
mod told;
mod twins;

pub use await_outcome::Awaited;
pub use dream_desk::{DreamDesk, REPLAY_STRENGTH};
pub use edits::EditReport;
pub use intake::{Foreign, STRANGER, Vouched, as_hearsay};
pub use judged_dream::{DreamtEnd, JudgedDream};
pub use owner_verdict::OwnerVerdict;
pub use shadowed::StagedRule;
pub use state::GrimoireState;
pub use twins::{AttributedProfit, TwinDifference, TwinPath, TwinRecord, Twins, WorthByTwin};

use crate::causal::Graph;
use crate::change::{Change, NamedTable, Remembered};
use crate::credit::{Credits, Used};
use crate::curator::{
    CYCLE_TURNS, Curator, CuratorMaterial, CuratorRooms, CycleReport, DEEP_TURNS, DeepReport, SeenEdge,
};
use crate::embed::{Embedder, StaticEmbedder};
use crate::entry::{EntryId, EntryKind, EntryOrigin, WarningSeverity};
use crate::episode::{Episode, EpisodeId};
use crate::experts::Experts;
use crate::lean::for_people;
use crate::micro::{Micro, MicroReport};
use crate::playbook::{Fired, Playbook, PlaybookWriter, RuleId, RuleSet};
use crate::relevance::WeatherWeights;
use crate::retrieval::{CONTRARIAN_EVERY, Episodes, Finder, Nearby, Query, Recall, ToldEntries, Weighing};
use crate::series::{Mining, Series, mine};
use crate::shelf::Shelf;
use crate::situation::{Normaliser, Situation, SituationAct};
use crate::staging::{ContextChange, PlaybookWish, Staging, SweepMoment, ValidationRow};
use golem_core::dice::Dice;
use golem_core::door::Embedding;
use golem_core::observed::Snapshot;
use golem_core::plain;
use golem_core::{Hash, Name, Regime, Tick, VirtualTime};
use golem_mortality::Domain;
use judged_dream::judged_dreams;
use lent::LentVectors;

/// What a golem knows.
#[derive(Debug)]
pub struct Grimoire {
    origin: EntryOrigin,
    shelf: Shelf,
    staging: Staging,
    curator: Curator,
    credits: Credits,
    micro: Micro,
    normaliser: Normaliser,
    series: Series,
    graph: Graph,
    writer: PlaybookWriter,
    rules: RuleSet,
    finder: Finder,
    episodes: Episodes,
    embedder: StaticEmbedder,
    /// Vectors by an embedder that is not part of the golem.
    lent: LentVectors,
    /// Vectors of this turn's episodes, until they are handed over.
    vectors: Vec<(EpisodeId, Embedding)>,
    awaited: Vec<Awaited>,
    /// What speaks beside the panels.
    experts: Experts,
    /// What would have been done without each rule.
    twins: Twins,
    weather: WeatherWeights,
    /// The weather before this one.
    before: Regime,
    /// The share of entries that the last cycle pruned, until the clock has felt it.
    pruned: Option<f64>,
    /// When something that speaks against the rest was last drawn.
    contrary: Tick,
    /// A hash over every change so far: memory is part of the state digest without being hashed again.
    head: Hash,
    /// Entries that the finder holds must be looked through again.
    stale: bool,
    /// What rules may scale: the parameters of the golem's own template.
    parameters: Vec<&'static str>,
    /// What was inherited, in the order in which it is worth validating.
    validate_first: ValidationRow,
    /// What is told beside what came from elsewhere.
    told: ToldEntries,
}

/// What an observed turn came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observed {
    /// Proposals that became knowledge.
    pub promoted: u32,
    /// Proposals that did not come true.
    pub refuted: u32,
    /// Proposals that had their chances.
    pub expired: u32,
    /// Revision of the playbook that came of it.
    pub revised: Option<u32>,
    /// What dreams had proposed and reality has judged.
    pub dreamt: Vec<JudgedDream>,
    /// More room in what a model is shown, as dreams have proposed and life has borne out.
    pub context: Vec<ContextChange>,
    /// Watched beliefs whose block of checks is full, and whether it speaks for them.
    pub blocks: Vec<(EntryId, bool)>,
}

/// What a reflecting turn came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reflected {
    /// The pass over the newest episodes.
    pub micro: MicroReport,
    /// The curator's cycle, every 50 turns.
    pub cycle: Option<CycleReport>,
    /// Deep validation, every 250.
    pub deep: Option<DeepReport>,
    /// Revision of the playbook that came of it.
    pub revised: Option<u32>,
    /// Rules that hold nine turns in ten, in words: they left the playbook, and the owner may make settings of them.
    pub settings: Vec<String>,
}

impl Grimoire {
    /// An empty one.
    #[must_use]
    pub fn new(name: Name, origin: EntryOrigin) -> Self {
        let writer = PlaybookWriter::new(name, origin.golem);
        let rules = RuleSet::new(writer.playbook(), &Default::default());
        Self {
            origin,
            shelf: Shelf::default(),
            staging: Staging::default(),
            curator: Curator::default(),
            credits: Credits::default(),
            micro: Micro::default(),
            normaliser: Normaliser::default(),
            series: Series::new(),
            graph: Graph::new(),
            writer,
            rules,
            finder: Finder::default(),
            episodes: Episodes::default(),
            embedder: StaticEmbedder::bundled(),
            lent: LentVectors::default(),
            vectors: Vec::new(),
            awaited: Vec::new(),
            experts: Experts::default(),
            twins: Twins::default(),
            weather: WeatherWeights::default(),
            before: Regime::Unknown,
            pruned: None,
            contrary: Tick(0),
            head: Hash::default(),
            stale: false,
            parameters: Vec::new(),
            validate_first: ValidationRow::new(),
            told: ToldEntries::new(),
        }
    }
    /// Say which parameters the golem's own template has: its rules scale nothing else. Part of how it was born, so it is said
    /// at every start.
    #[must_use]
    pub fn with_parameters(mut self, parameters: impl IntoIterator<Item = &'static str>) -> Self {
        self.parameters = parameters.into_iter().collect();
        self
    }
    /// Say in which order what was inherited is worth validating. It follows from how the golem was born, so it is said at
    /// every start.
    #[must_use]
    pub fn validating(mut self, row: ValidationRow) -> Self {
        self.validate_first = row;
        self
    }

    /// A turn has been seen: what is usual moves, causes fire, rules are asked, proposals and beliefs are held against it.
    pub fn observe(&mut self, tick: Tick, now: VirtualTime, regime: Regime, seen: &Snapshot) -> Observed {
        self.normaliser.observe(seen);
        self.series.push(now, seen);
        self.graph.observe(now, seen);
        if regime != self.weather.regime {
            (self.before, self.weather.since) = (self.weather.regime, now);
        }
        self.weather = WeatherWeights::changing(self.before, regime, self.weather.since, now);
        self.rules.fire(seen, tick);
        self.settle_awaited(seen, now);
        self.settle_twins(seen, now);
        self.sweep(now, seen)
    }

    /// The same for a turn that is slept through: what falls due is settled, and staging goes on being asked. Nothing is
    /// learnt of what is usual, and no rule fires.
    pub fn observe_asleep(&mut self, now: VirtualTime, seen: &Snapshot) -> Observed {
        self.settle_awaited(seen, now);
        self.sweep(now, seen)
    }

    fn sweep(&mut self, now: VirtualTime, seen: &Snapshot) -> Observed {
        let swept = self.staging.sweep(&SweepMoment { now, snapshot: seen });
        if swept.ripe.is_empty() && swept.refuted.is_empty() && swept.expired.is_empty() && swept.beliefs.is_empty() {
            return Observed::default();
        }
        // What is judged new must not depend on when memory was last asked, or a restart would judge otherwise.
        if !swept.ripe.is_empty() {
            self.refresh();
        }
        let near = Nearby { finder: &self.finder, embedder: &self.embedder };
        let settled = self.staging.settle(&mut self.shelf, &swept, &near, now);
        self.stale = true;
        Observed {
            promoted: settled.promoted.len() as u32,
            refuted: swept.refuted.len() as u32,
            expired: swept.expired.len() as u32,
            revised: self.amend(&settled.playbook, now),
            context: settled.context.clone(),
            dreamt: judged_dreams(&swept, &settled),
            blocks: swept.beliefs,
        }
    }

    /// Where the golem stands, with what it does if it does something.
    #[must_use]
    pub fn situation(&self, seen: &Snapshot, act: Option<SituationAct<'_>>) -> Situation {
        self.normaliser.situation(seen, act)
    }

    /// What matters now. What is found is counted as retrieved, and kept for people with its reasons.
    pub fn recall(&mut self, tick: Tick, query: &Query) -> Recall {
        self.refresh();
        let mut query = query.clone();
        // Recalls come when they come: the first one of every hundred turns draws.
        if tick.0 / CONTRARIAN_EVERY > self.contrary.0 / CONTRARIAN_EVERY {
            (query.contrarian, self.contrary) = (true, tick);
        }
        query.weather = self.weather;
        if query.embedding.is_none() && !query.text.is_empty() {
            query.embedding = Some(self.embedder.embed(&query.text));
        }
        let usual = Weighing::default();
        let by = Weighing { lambda: query.lambda.unwrap_or(usual.lambda), ..usual };
        let found = self.finder.retrieve(&self.dated(), &query, &by);
        let ids: Vec<EntryId> = found.hits.iter().map(|hit| hit.id).collect();
        crate::credit::retrieved(&mut self.shelf, &ids);
        let body = for_people(&found, 4);
        self.shelf.put_row(NamedTable::Recall, format!("{:012}", tick.0), query.text, body);
        found
    }

    /// What fits a question that is asked on the way. LevelShare as retrieved, and not kept.
    pub fn look_up(&mut self, query: &Query) -> Recall {
        self.refresh();
        let mut query = Query { weather: self.weather, ..query.clone() };
        query.embedding.get_or_insert_with(|| self.embedder.embed(&query.text));
        let found = self.finder.retrieve(&self.dated(), &query, &Weighing::default());
        let ids: Vec<EntryId> = found.hits.iter().map(|hit| hit.id).collect();
        crate::credit::retrieved(&mut self.shelf, &ids);
        found
    }

    /// The warnings among what was recalled, with how bad each would be to ignore.
    pub fn warnings<'a>(&'a self, found: &'a Recall) -> impl Iterator<Item = (EntryId, WarningSeverity)> + 'a {
        let warning = |id: EntryId| {
            let entry = self.shelf.entry(id).filter(|e| e.body.kind == EntryKind::Warning && !e.body.is_question)?;
            Some((id, entry.body.severity.unwrap_or(WarningSeverity::Low)))
        };
        found.hits.iter().filter_map(move |hit| warning(hit.id))
    }

    /// What the playbook's rules that hold say together.
    #[must_use]
    pub fn fired(&self) -> &Fired {
        self.rules.now()
    }
    /// What they would say without one of them.
    #[must_use]
    pub fn fired_without(&self, out: &RuleId) -> Fired {
        self.rules.without(out)
    }
    /// Rules that were promoted and never fired since.
    #[must_use]
    pub fn never_fired(&self) -> usize {
        self.rules.never_fired()
    }

    /// Entries that a deliberation was shown: they are of use, and no outcome is theirs.
    pub fn shown(&mut self, entries: &[EntryId]) {
        for id in entries {
            self.shelf.stand(*id, |s| s.uses = s.uses.saturating_add(1));
        }
    }

    /// A decision used these entries; what comes of it flows back to them.
    pub fn used(&mut self, decision: u64, used: Used) {
        self.credits.open(&mut self.shelf, decision, used);
    }

    /// The number that the next episode will have.
    #[must_use]
    pub fn next_episode(&self) -> EpisodeId {
        self.shelf.next_episode()
    }
    /// Something happened.
    pub fn record(&mut self, episode: Episode) {
        let embedding = self.embedder.embed(&episode.text);
        let (id, age, situation) = (episode.id, episode.age, episode.situation);
        if self.shelf.record(episode) {
            self.episodes.add(id, age, &situation, Some(&embedding));
            self.vectors.push((id, embedding));
        }
    }
    /// What an action comes to will be known later.
    pub fn await_outcome(&mut self, awaited: Awaited) {
        self.awaited.push(awaited);
    }

    /// The end of a turn: the newest episodes are held against what is known; now and then the curator works.
    pub fn reflect(
        &mut self,
        tick: Tick,
        now: VirtualTime,
        fitness: [Option<f64>; Domain::ALL.len()],
        dice: &Dice,
        learns: bool,
    ) -> Reflected {
        let mut done = Reflected { micro: self.micro.pass(&mut self.shelf, now), ..Reflected::default() };
        if !tick.is_every(CYCLE_TURNS) || !learns {
            return done;
        }
        self.refresh();
        let deep = tick.is_every(DEEP_TURNS);
        if deep {
            for change in self.graph.learn(&self.series, now, dice, tick) {
                if let Change::Row { table, key, text, body } = change {
                    self.shelf.put_row(table, key, text, body);
                }
            }
        }
        let mined = if deep { mine(&self.series, &Mining::default(), dice, tick) } else { Vec::new() };
        let edges: Vec<SeenEdge> = self.graph.edges().map(SeenEdge::from).collect();
        let near = Nearby { finder: &self.finder, embedder: &self.embedder };
        let told = CuratorMaterial {
            tick,
            now,
            weather: self.weather,
            origin: self.origin,
            fitness,
            mined: &mined,
            edges: &edges,
            series: &self.series,
            neighbours: &near,
            parameters: &self.parameters,
            validate_first: &self.validate_first,
        };
        let mut desk = CuratorRooms { shelf: &mut self.shelf, staging: &mut self.staging };
        let report = self.curator.cycle(&mut desk, &told);
        done.deep = deep.then(|| self.curator.deep(&mut desk, &told));
        self.hear_experts(now);
        let mut wishes: Vec<PlaybookWish> =
            report.playbook.iter().chain(done.deep.iter().flat_map(|d| &d.playbook)).copied().collect();
        (done.settings, wishes) = self.propose_settings(wishes, now);
        self.micro.choose(&self.shelf);
        self.staging.write_rows(&mut self.shelf, false);
        done.revised = self.amend(&wishes, now);
        self.pruned = Some(report.pruned_share);
        self.stale = true;
        done.cycle = Some(report);
        done
    }

    /// The share that the last cycle pruned, once.
    pub fn take_pruned(&mut self) -> Option<f64> {
        self.pruned.take()
    }

    /// Keep something for people.
    pub fn note<T: serde::Serialize>(&mut self, table: NamedTable, key: String, of: &T) {
        let body = for_people(of, 6);
        self.shelf.put_row(table, key, String::new(), body);
    }

    /// Keep something exactly, to be rebuilt from.
    pub fn keep<T: serde::Serialize>(&mut self, table: NamedTable, key: String, of: &T) {
        self.shelf.put_row(table, key, String::new(), plain::json(of));
    }

    /// What the turn changed, for the file.
    pub fn take_changes(&mut self) -> Vec<Change> {
        let mut changes = self.shelf.take_changes();
        let mut vectors = std::mem::take(&mut self.vectors).into_iter();
        for change in &mut changes {
            match change {
                // Both are in the order in which the episodes were written.
                Change::Episode { episode, embedding } => {
                    *embedding = vectors.find(|(id, _)| *id == episode.id).map(|(_, vector)| vector);
                }
                Change::Entry { entry, embedding } => *embedding = Some(self.embedder.embed(&entry.body.text)),
                _ => {}
            }
        }
        changes.append(&mut self.lent.take_changes());
        if !changes.is_empty() {
            let mut hasher = blake3::Hasher::new_derive_key("bardo 2026 grimoire changes");
            hasher.update(&self.head.0);
            for change in &changes {
                hasher.update(&plain::bytes(change));
            }
            self.head = Hash(*hasher.finalize().as_bytes());
        }
        changes
    }

    /// Entries, episodes and marks.
    #[must_use]
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }
    /// What is staged.
    #[must_use]
    pub fn staging(&self) -> &Staging {
        &self.staging
    }
    /// What was observed of late.
    #[must_use]
    pub fn series(&self) -> &Series {
        &self.series
    }
    /// What drives what.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
    /// The episodes as they can be found.
    #[must_use]
    pub fn episodes(&self) -> &Episodes {
        &self.episodes
    }
    /// What the golem lives by.
    #[must_use]
    pub fn playbook(&self) -> &Playbook {
        self.writer.playbook()
    }
    /// PLAYBOOK.md as it should be.
    #[must_use]
    pub fn page(&self) -> String {
        self.writer.text()
    }
    /// The weather, as sure as it is.
    #[must_use]
    pub fn weather(&self) -> &WeatherWeights {
        &self.weather
    }
    /// Entries and what is like a text among them, brought up to date: what knowledge from elsewhere is held against.
    pub fn known(&mut self) -> (&Shelf, Nearby<'_, StaticEmbedder>) {
        self.refresh();
        (&self.shelf, Nearby { finder: &self.finder, embedder: &self.embedder })
    }
    /// The embedder that is part of the golem.
    #[must_use]
    pub fn embedder(&self) -> &StaticEmbedder {
        &self.embedder
    }

    /// Bring the finder up to date with what is in use.
    fn refresh(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let gone: Vec<EntryId> =
            self.finder.ids().filter(|id| !self.shelf.entry(*id).is_some_and(|e| e.is_in_use())).collect();
        gone.into_iter().for_each(|id| self.finder.remove(id));
        for entry in self.shelf.in_use() {
            if !self.finder.has(entry.id) {
                self.finder.add(entry.id, &entry.body, Some(&self.embedder.embed(&entry.body.text)));
                if let Some(embedding) = self.lent.entry(entry.id) {
                    self.finder.lend(entry.id, embedding);
                }
            }
        }
        self.lent.keep(|id| self.shelf.entry(id).is_some(), self.shelf.latest_from());
    }

    /// What the file remembers, with what the checkpoint kept.
    ///
    /// # Errors
    /// When the stored playbook cannot be read.
    pub fn rebuild(name: Name, origin: EntryOrigin, state: GrimoireState, memory: &Remembered) -> Result<Self, String> {
        let shelf = Shelf::rebuild(memory);
        let experts = Experts::rebuild(state.experts, &shelf);
        let staging = Staging::rebuild(memory, &state.staging, &shelf);
        let stored =
            memory.rows.iter().find(|(table, key, _)| *table == NamedTable::Playbook && key == PlaybookWriter::KEY);
        let writer = match stored {
            Some((_, _, body)) => PlaybookWriter::restore(body).map_err(|e| format!("the stored playbook: {e}"))?,
            None => PlaybookWriter::new(name.clone(), origin.golem),
        };
        let rules = RuleSet::new(writer.playbook(), &state.firings);
        let mut episodes = Episodes::default();
        let bundled = StaticEmbedder::bundled();
        for (episode, _, embedding) in &memory.episodes {
            // A file may come without its vectors.
            let made = (embedding.is_none() && !episode.text.is_empty()).then(|| bundled.embed(&episode.text));
            episodes.add(episode.id, episode.age, &episode.situation, embedding.as_ref().or(made.as_ref()));
        }
        let mut grimoire = Self {
            shelf,
            staging,
            writer,
            rules,
            episodes,
            curator: state.curator,
            credits: state.credits,
            micro: state.micro,
            normaliser: state.normaliser,
            series: state.series,
            graph: state.graph,
            awaited: state.awaited,
            experts,
            twins: state.twins,
            weather: state.weather,
            before: state.before,
            pruned: state.pruned,
            contrary: state.contrary,
            head: state.head,
            stale: true,
            ..Self::new(name, origin)
        };
        for (of, embedding) in &memory.vectors {
            grimoire.hold(*of, embedding);
        }
        grimoire.refresh();
        Ok(grimoire)
    }
}
