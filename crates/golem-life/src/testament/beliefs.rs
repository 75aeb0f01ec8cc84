//! What it knew, as it stood in the end: what was borne out, what was not, what was open, what was never tried.

use super::{sentence, times};
use crate::chronicle::LastDream;
use crate::life::Life;
use golem_core::VirtualTime;
use golem_grimoire::Entry;
use golem_grimoire::staging::Proposal;
use golem_grimoire::standing::Support;
use golem_grimoire::testament::{TestamentSentence, TestamentSource};
use golem_grimoire::{EntryStatus, Grimoire};
use golem_mortality::Domain;
use golem_mortality::epistemic::NAIVE_FITNESS;

/// The most sentences of a section.
const MOST: usize = 12;
/// The most of a kind, where a section has several.
const SOME: usize = 5;
/// Less of a difference is no confusion: a domain in which all came right may stand a hair below the naive rule.
const SHOWS: f64 = 0.005;

impl Life {
    pub(super) fn what_was_learned(&self) -> Vec<TestamentSentence> {
        let now = self.state.core.age;
        let proven = |e: &&Entry| !e.body.is_question && e.standing.validated > e.standing.contradicted;
        let mut known: Vec<&Entry> = self.memory(|g| g.shelf().active().filter(proven).collect());
        known.sort_by(|a, b| b.effective(now).total_cmp(&a.effective(now)).then(a.id.cmp(&b.id)));
        known.into_iter().take(MOST).map(|e| of_entry(e, "", now)).collect()
    }

    pub(super) fn what_was_wrong(&self) -> Vec<TestamentSentence> {
        let (now, chronicle) = (self.state.core.age, &self.state.chronicle);
        let wrong = |e: &&Entry| !e.body.is_question && e.standing.contradicted > e.standing.validated;
        let mut held: Vec<&Entry> = self.memory(|g| g.shelf().entries().filter(wrong).collect());
        let by = |e: &Entry| e.standing.contradicted - e.standing.validated;
        held.sort_by(|a, b| by(b).cmp(&by(a)).then(a.id.cmp(&b.id)));
        let mut said: Vec<_> = held.into_iter().take(MOST).map(|e| of_entry(e, "I believed this: ", now)).collect();
        if let Some((tick, worst)) = chronicle.worst {
            let text = format!("My worst trade realised {worst} USDC, at turn {tick}.");
            said.push(TestamentSentence::of(TestamentSource::Turn(tick), &text));
        }
        if let Some(dreams) = self.dream_stats().filter(|d| d.refuted > d.promoted) {
            let text = format!(
                "Of what I dreamt, {} came true and {} did not, in {} dreams.",
                dreams.promoted, dreams.refuted, dreams.cycles
            );
            said.push(TestamentSentence::of(self.whole_life(), &text));
        }
        said
    }

    pub(super) fn what_confused(&self) -> Vec<TestamentSentence> {
        let now = self.state.core.age;
        let mut said = self.open_questions();
        said.truncate(SOME);
        let aside = |e: &&Entry| matches!(e.standing.status, EntryStatus::Quarantined(_));
        let quarantined: Vec<&Entry> = self.memory(|g| g.shelf().entries().filter(aside).take(SOME).collect());
        said.extend(quarantined.into_iter().map(|e| of_entry(e, "This contradicts what I knew well: ", now)));
        let (clock, config) = (&self.state.mortality.epistemic, &self.genesis.settings.mortality.epistemic);
        for domain in Domain::ALL {
            let skill = &clock.domains[domain.index()];
            let worse = |f: &f64| *f < NAIVE_FITNESS - SHOWS;
            let Some(fitness) = clock.domain_fitness(domain, config).filter(worse) else { continue };
            let text = format!(
                "My forecasts of {} came out worse than the naive rule: fitness {fitness:.3} where {NAIVE_FITNESS} is \
                 naive, with {} of {} right.",
                domain.name().replace('_', " "),
                skill.hits,
                skill.settled
            );
            said.push(TestamentSentence::of(self.whole_life(), &text));
        }
        said
    }

    pub(super) fn what_was_never_tested(&self) -> Vec<TestamentSentence> {
        let Some(grimoire) = &self.grimoire else { return Vec::new() };
        let idle = grimoire.playbook().rules().filter(|rule| is_idle(grimoire, rule.id()));
        let mut said: Vec<_> = idle
            .take(SOME)
            .map(|rule| {
                let text =
                    format!("The rule \"{}\" stood in my playbook, and its moment never came.", rule.words().title);
                TestamentSentence::of(TestamentSource::Rule(rule.id().clone()), &text)
            })
            .collect();
        let untried = grimoire.staging().proposals().filter(|p| p.trial.hits + p.trial.misses == 0);
        said.extend(untried.take(MOST - said.len()).filter_map(|p| of_proposal(p, " It was never put to the test.")));
        said
    }

    pub(super) fn what_is_suspected(&self) -> Vec<TestamentSentence> {
        let mut tried: Vec<&Proposal> = self.memory(|g| g.staging().proposals().filter(|p| p.trial.hits > 0).collect());
        tried.sort_by_key(|p| (std::cmp::Reverse(p.trial.log_evidence), p.number));
        let mut said: Vec<_> = tried
            .into_iter()
            .take(MOST)
            .filter_map(|p| {
                let tail = format!(
                    " So far it came true {} and failed {}; {:.0} % would be luck.",
                    times(p.trial.hits),
                    times(p.trial.misses),
                    f64::from(p.base_rate_bp) / 100.0
                );
                let support = Support { confirmed: p.trial.hits, contradicted: p.trial.misses };
                of_proposal(p, &tail).map(|said| said.believed(p.confidence_bp, support))
            })
            .collect();
        let last = self.state.chronicle.last_dream.as_ref();
        let before = last.and_then(|dream| dream.before.as_deref());
        said.extend(before.into_iter().chain(last).map(of_dream));
        said
    }

    pub(super) fn strongest_causes(&self) -> Vec<TestamentSentence> {
        let mut edges: Vec<_> = self.memory(|g| g.graph().holding().collect());
        let strength = |e: &golem_grimoire::causal::Edge| f64::from(e.confidence_bp) * e.weight.abs();
        edges.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then(a.id.cmp(&b.id)));
        let say = |e: &golem_grimoire::causal::Edge| {
            let text = format!(
                "{}: by {:+.2} usual deviations for one; it held in {} of {} stretches of fresh data.",
                e.say(),
                e.weight,
                e.held,
                e.held.saturating_add(e.failed)
            );
            let support = Support { confirmed: e.held, contradicted: e.failed };
            TestamentSentence::of(TestamentSource::Edge(e.id.clone()), &text).believed(e.confidence_bp, support)
        };
        edges.into_iter().take(SOME).map(say).collect()
    }

    pub(super) fn open_questions(&self) -> Vec<TestamentSentence> {
        let asked: Vec<&Entry> = self.memory(|g| g.shelf().active().filter(|e| e.body.is_question).collect());
        asked
            .into_iter()
            .take(MOST)
            .map(|e| TestamentSentence::of(TestamentSource::Entry(e.id), &sentence(&e.body.text)))
            .collect()
    }

    /// Something of its memory; nothing for those who live without.
    fn memory<'a, T>(&'a self, look: impl FnOnce(&'a Grimoire) -> Vec<T>) -> Vec<T> {
        self.grimoire.as_ref().map(look).unwrap_or_default()
    }
}

/// Whether a rule never fired.
pub(super) fn is_idle(grimoire: &Grimoire, rule: &golem_grimoire::playbook::RuleId) -> bool {
    grimoire.firing(rule).is_some_and(|firing| firing.times == 0)
}

/// A belief with what reality said of it.
pub(super) fn of_entry(entry: &Entry, before: &str, now: VirtualTime) -> TestamentSentence {
    let (standing, learnt) = (&entry.standing, entry.body.learnt_at.age().as_days());
    let text = format!(
        "{before}{} It came true {} and failed {} since day {learnt:.1}; in the end I was {:.0} % sure.",
        sentence(&entry.body.text),
        times(standing.validated),
        times(standing.contradicted),
        entry.effective(now) * 100.0
    );
    let support = Support { confirmed: standing.validated, contradicted: standing.contradicted };
    let said = TestamentSentence::of(TestamentSource::Entry(entry.id), &text).believed(standing.confidence_bp, support);
    entry.body.episodes.iter().take(3).fold(said, |said, id| said.and(TestamentSource::Episode(*id)))
}

/// The emergency dream, or the one that death broke off, as its journal has it.
fn of_dream(dream: &LastDream) -> TestamentSentence {
    let LastDream { number, tick, replayed, patterns, .. } = dream;
    let found = if patterns.is_empty() { "no pattern".to_owned() } else { patterns.join("; ") };
    let text = match &dream.broken_off {
        None => format!("My last dream replayed {replayed} episodes at turn {tick} and found {found}."),
        Some(broken) => {
            let ideas = if broken.ideas.is_empty() { "nothing new".to_owned() } else { broken.ideas.join("; ") };
            format!(
                "My death broke off dream {number} at turn {tick}, {} turns after it began: it had replayed {replayed} episodes and \
                 found {found}, tried {} other ways things could have gone, thought of {ideas}, and proposed {} changes.",
                broken.turns, broken.tried, broken.proposed
            )
        }
    };
    TestamentSentence::of(TestamentSource::Dream(*number), &text).and(TestamentSource::Turn(*tick))
}

fn of_proposal(proposal: &Proposal, after: &str) -> Option<TestamentSentence> {
    let words = proposal.change.body().map(|body| sentence(&body.text))?;
    Some(TestamentSentence::of(TestamentSource::Proposal(proposal.number), &format!("{words}{after}")))
}
