//! What of a mind is kept while it lives through a history, for the page at its end: its latest forecasts with their intervals,
//! its latest dreams, and what it learnt with what that was worth.

use golem_core::{Tick, Timestamp};
use golem_dreams::journal::{DreamJournalEntry, DreamLater};
use golem_grimoire::Grimoire;
use golem_grimoire::change::NamedTable;
use golem_grimoire::playbook::{PlaybookWriter, RuleId, RuleWords};
use golem_grimoire::staging::{Proposal, ProposalStatus};
use golem_life::Fact;
use golem_mind::Prediction;
use golem_mortality::Domain;
use golem_view::lessons::{LifeLessons, found_out};
use std::collections::{BTreeMap, VecDeque};

/// Forecasts of each domain, and dreams.
const FORECASTS: usize = 60;
const DREAMS: usize = 30;

/// The latest of each.
#[derive(Debug, Default)]
pub struct KeptMind {
    forecasts: BTreeMap<Domain, VecDeque<Prediction>>,
    dreams: BTreeMap<u32, DreamJournalEntry>,
    /// Every rule that stood in its playbook, as it was before the golem first acted by it.
    once: BTreeMap<RuleId, RuleWords>,
    /// What it learnt; whole at the end.
    pub lessons: LifeLessons,
    /// What it is testing at the end.
    pub staged: Vec<Proposal>,
}

impl KeptMind {
    /// The rows that it reads.
    pub const TABLES: [NamedTable; 3] = [NamedTable::Prediction, NamedTable::Dream, NamedTable::Playbook];

    /// Take in what a turn told; before what it wrote.
    pub fn see(&mut self, tick: Tick, fact: &Fact) {
        self.lessons.see(tick, fact);
    }

    /// Take in how it stands at the end.
    pub fn end(&mut self, knows: Option<&Grimoire>, born_at: Timestamp) {
        let Some(knows) = knows else { return };
        let lessons = &mut self.lessons;
        lessons.rules = knows.playbook().rules().map(|rule| rule.words().clone()).collect();
        let is_former = |id: &RuleId| lessons.by_rule.contains_key(id) && knows.playbook().rule(id).is_none();
        lessons.former = self.once.values().filter(|words| is_former(&words.id)).cloned().collect();
        lessons.known = found_out(knows.shelf().entries(), born_at);
        self.staged = knows.staging().proposals().filter(|p| p.status == ProposalStatus::Staged).cloned().collect();
    }

    /// Take in what a turn wrote. A row of another form is left out: a page is no record.
    pub fn take(&mut self, rows: BTreeMap<(NamedTable, String), String>) {
        for ((table, key), body) in rows {
            match (table, key.split_once('/')) {
                (NamedTable::Prediction, _) => {
                    let Ok(settled) = serde_json::from_str::<Prediction>(&body) else { continue };
                    let of = self.forecasts.entry(settled.domain).or_default();
                    of.push_back(settled);
                    of.drain(..of.len().saturating_sub(FORECASTS));
                }
                (NamedTable::Dream, Some((number, _))) => {
                    let dream = number.parse().ok().and_then(|number| self.dreams.get_mut(&number));
                    if let (Some(dream), Ok(later)) = (dream, DreamLater::read(&body)) {
                        dream.later = later;
                    }
                }
                (NamedTable::Dream, None) => {
                    if let (Ok(number), Ok(dream)) = (key.parse(), DreamJournalEntry::read(&body)) {
                        self.dreams.insert(number, dream);
                    }
                    while self.dreams.len() > DREAMS {
                        self.dreams.pop_first();
                    }
                }
                (NamedTable::Playbook, _) => {
                    let Ok(now) = PlaybookWriter::restore(&body) else { continue };
                    for rule in now.playbook().rules().filter(|rule| !self.lessons.by_rule.contains_key(rule.id())) {
                        self.once.insert(rule.id().clone(), rule.words().clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// Forecasts of all domains, the newest first.
    pub fn forecasts(&self) -> Vec<Prediction> {
        self.forecasts.values().flat_map(|of| of.iter().rev().copied()).collect()
    }

    /// Dreams, the newest first.
    pub fn dreams(&self) -> Vec<DreamJournalEntry> {
        self.dreams.values().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_core::Usdc;
    use golem_lab::Subject;
    use golem_lab::world::place;
    use golem_life::Settings;
    use golem_view::dreamt::dreamt;
    use golem_view::page::ReportPage;

    /// A dreamer in a world with a law, watched until it has dreamt and lives by a rule.
    fn watched(seed: u64) -> (Subject, KeptMind) {
        let mut settings = Settings::default();
        settings.mortality.immortal = true;
        settings.diagnostics.enabled = false;
        settings.dream.enabled = true;
        let first = &mut settings.dream.first_dream;
        (first.thriving, first.stable, first.conservation, first.declining) = (20, 20, 20, 20);
        let place = place("gas-hours", seed).unwrap();
        let subject = Subject::placed(seed, Usdc::whole(500), &settings, place).unwrap();
        let (mut golem, mut kept) = (subject.keeping(&KeptMind::TABLES), KeptMind::default());
        for _ in 0..23_000 {
            golem.turn();
            golem.facts.iter().for_each(|fact| kept.see(fact.tick, &fact.body));
            kept.take(golem.take_written());
            let has_rules = golem.life().grimoire().is_some_and(|g| g.playbook().rules().next().is_some());
            if has_rules && !kept.dreams.is_empty() {
                break;
            }
        }
        kept.end(golem.life().grimoire(), Timestamp::default());
        (golem, kept)
    }

    #[test]
    fn what_was_dreamt_and_learnt_in_a_history_stands_on_its_page() {
        // Who finds nothing is out of luck; the next one is looked at.
        let found = (0..6).map(watched).find(|(_, kept)| !kept.lessons.rules.is_empty() && !kept.dreams.is_empty());
        let (golem, kept) = found.expect("one of six dreams and learns");
        let lessons = &kept.lessons;
        assert!(lessons.guesses_kept > 0 && !lessons.known.is_empty(), "a rule was a guess first");
        // Whatever it acted by is told, also what it has given up.
        for id in lessons.by_rule.keys() {
            assert!(lessons.rules.iter().chain(&lessons.former).any(|rule| rule.id == *id), "{id:?}");
        }
        let mut page = ReportPage::new("a", "b");
        page.parts.extend(dreamt(golem.status().dreams.as_ref(), &kept.dreams(), &kept.staged));
        page.parts.extend(lessons.parts(Timestamp::default()));
        let html = page.html();
        let sentence = format!("{} of its guesses came true often enough", lessons.guesses_kept);
        for words in ["What it dreamt", "newest", &sentence, "in its playbook", "What it found out itself"] {
            assert!(html.contains(words), "{words}");
        }
    }
}
