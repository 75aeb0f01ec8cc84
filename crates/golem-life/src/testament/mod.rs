//! Reflection: the testament, composed by rules from the records of this life. Every sentence names what it rests on; what
//! rests on something that nobody knows of is dropped before it is sealed. Where there is a model, it may tell the same in its
//! own words.

mod ask;
mod beliefs;
mod ending;
mod feelings;
mod figures;
mod heir;
mod owed;

use crate::fact::LifeFact;
use crate::life::Life;
use golem_clade::heirloom::LeftPages;
use golem_clade::life_left::LifeLeft;
use golem_core::plain;
use golem_core::{Hash, Tick};
use golem_grimoire::Change;
use golem_grimoire::change::NamedTable;
use golem_grimoire::testament::{
    MortalityMode, NarrativeArc, TESTAMENT_VERSION, Testament, TestamentAuthor, TestamentDivergence, TestamentSections,
    TestamentSource,
};
use golem_mortality::Death;
use golem_mortality::config::Deaths;

impl Life {
    /// Write the testament; says what came of it.
    pub(crate) fn leave_testament(&mut self) -> String {
        let Some(death) = self.state.mortality.death.clone() else { return "no death is on record".to_owned() };
        self.give_back_kept();
        let mut testament = self.testament(death);
        let told = self.let_it_be_told(&mut testament);
        let (checksum, arc) = (testament.checksum, testament.narrative_arc.kind);
        let sentences = u32::try_from(testament.sentences().count()).unwrap_or(u32::MAX);
        let last_words = testament.last_words.text().to_owned();
        let body = plain::json(&testament);
        let key = Testament::KEY.to_owned();
        self.turn.rows.push(Change::Row { table: NamedTable::Testament, key, text: String::new(), body });
        if let Some(deathbed) = &mut self.state.deathbed {
            deathbed.testament = Some(checksum);
        }
        let drafted = self.state.chronicle.draft.as_ref().map(|draft| draft.tick);
        self.tell(LifeFact::TestamentWritten { checksum, sentences, arc, last_words, drafted });
        let told = told.map_or(String::new(), |told| format!("; {told}"));
        format!("a testament of {sentences} sentences, each with its records{told}")
    }

    fn testament(&self, death: Death) -> Testament {
        let (chronicle, birth) = (&self.state.chronicle, &self.genesis.birth);
        let narrative_arc = NarrativeArc::of(chronicle.moods());
        let mut sections = self.testament_sections();
        sections.killed_me = self.what_killed_me(&death);
        if let Some(draft) = &chronicle.draft {
            sections.begin_with(draft.sections.clone());
        }
        let attributed = self.owed();
        self.tell_owed(&attributed, &mut sections);
        let successor_recommendations = self.recommendations(&death);
        sections.would_change = heir::as_changes(&successor_recommendations);
        let divergence = self.divergence();
        let bed = self.state.deathbed.as_ref();
        let (settlement, home) = bed.map(|bed| (bed.settlement.clone(), bed.home.clone())).unwrap_or_default();
        let mut testament = Testament {
            version: TESTAMENT_VERSION,
            by: TestamentAuthor {
                golem_id: birth.id,
                name: birth.name.clone(),
                owner: birth.owner,
                lineage_id: birth.lineage,
                generation: birth.generation,
                parent: birth.parent,
                public_key: birth.public_key,
                commitment: birth.commitment,
                born_at: birth.born_at,
            },
            mortality_mode: self.mortality_mode(),
            phase: death.final_vitality.phase,
            written: self.state.core.tick,
            budget: self.state.deathbed.as_ref().map(|bed| bed.budget),
            statistics: self.life_statistics(&death),
            emotional_arc: chronicle.moods().to_vec(),
            narrative: self.narrative(&death, &narrative_arc, (&settlement, &home)),
            last_words: self.last_words(&death),
            open_questions: self.open_questions(),
            final_playbook: self.last_page(divergence.as_ref()),
            divergence,
            attributed,
            narrative_arc,
            sections,
            settlement,
            home,
            successor_recommendations,
            death,
            told: None,
            checksum: Hash::default(),
        };
        testament.keep_supported(|source| self.has_record(source));
        testament.seal();
        testament
    }

    /// How this life stands to the one before it. What it was handed on the way is no part of what it inherited.
    fn divergence(&self) -> Option<TestamentDivergence> {
        let grimoire = self.grimoire.as_ref()?;
        let left = LifeLeft {
            birth: &self.genesis.birth,
            inheritance: self.genesis.inheritance.as_deref(),
            taken_in: self.taken_in_at(),
            now: self.state.core.age,
            shelf: grimoire.shelf(),
            playbook: grimoire.playbook(),
            pages: LeftPages::default(),
            asked: &self.genesis.settings.divergence,
        };
        let report = left.divergence()?;
        Some(TestamentDivergence {
            verdict: plain::word(&report.verdict),
            low_divergence: report.low_divergence,
            ratchet: report.ratchet,
            missing: report.shortfalls.iter().map(ToString::to_string).collect(),
        })
    }

    /// PLAYBOOK.md as it is in the end; where the life was little more than the one before it, the page says so.
    fn last_page(&self, divergence: Option<&TestamentDivergence>) -> String {
        let page = self.grimoire.as_ref().map(|g| g.page()).unwrap_or_default();
        match divergence.and_then(TestamentDivergence::line) {
            Some(line) => format!("{}\n\n{line}\n", page.trim_end()),
            None => page,
        }
    }

    /// The sections as far as they can be written before a death is on record: what a draft consists of.
    pub(crate) fn testament_sections(&self) -> TestamentSections {
        TestamentSections {
            learned: self.what_was_learned(),
            got_wrong: self.what_was_wrong(),
            confused: self.what_confused(),
            never_tested: self.what_was_never_tested(),
            suspect: self.what_is_suspected(),
            causal_edges: self.strongest_causes(),
            emotional_topology: self.how_it_felt(),
            ..TestamentSections::default()
        }
    }

    fn mortality_mode(&self) -> MortalityMode {
        let config = &self.genesis.settings.mortality;
        match (config.immortal, config.deaths, config.economic.enabled) {
            (true, ..) => MortalityMode::Immortal,
            (_, Deaths::Recorded, _) => MortalityMode::Recorded,
            (_, _, false) => MortalityMode::SelfHosted,
            _ => MortalityMode::Mortal,
        }
    }

    /// Whether this life has a record.
    fn has_record(&self, source: &TestamentSource) -> bool {
        let (now, memory) = (self.state.core.tick, self.grimoire.as_ref());
        let lived = |tick: &Tick| (Tick(1)..=now).contains(tick);
        match source {
            TestamentSource::Turn(tick) => lived(tick),
            TestamentSource::Turns { from, to } => lived(from) && lived(to) && from <= to,
            TestamentSource::Entry(id) => {
                memory.is_some_and(|g| g.shelf().entry(*id).is_some() || g.shelf().ashes().contains_key(id))
            }
            TestamentSource::Episode(id) => memory.is_some_and(|g| id.0 >= 1 && *id < g.next_episode()),
            TestamentSource::Edge(id) => memory.is_some_and(|g| g.graph().edge(id).is_some()),
            TestamentSource::Proposal(n) => memory.is_some_and(|g| (1..=g.staging().last_number()).contains(n)),
            TestamentSource::Rule(id) => memory.is_some_and(|g| g.playbook().rule(id).is_some()),
            TestamentSource::Dream(n) => self.dream_stats().is_some_and(|stats| (1..=stats.cycles).contains(n)),
        }
    }

    /// The turns it lived until now, or until its death: what counters were counted over.
    pub(crate) fn whole_life(&self) -> TestamentSource {
        let to = self.state.mortality.death.as_ref().map_or(self.state.core.tick, |death| death.tick);
        TestamentSource::Turns { from: Tick(1), to: to.max(Tick(1)) }
    }
}

/// Words that end as a sentence does.
pub(super) fn sentence(words: &str) -> String {
    let words = golem_core::words::one_line(words, 400);
    if words.ends_with(['.', '?', '!']) { words } else { format!("{words}.") }
}

/// One of something, or many.
pub(super) fn times(n: u32) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}
