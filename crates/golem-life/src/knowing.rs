//! The grimoire's part of a turn: what is seen is held against what is known, what is known guides the decision, what
//! happened becomes an episode, and now and then the curator works.

use crate::fact::{Fact, LifeFact};
use crate::life::{Facts, Life, Wished};
use golem_core::door::Embedding;
use golem_core::observed::Snapshot;
use golem_core::words::one_line;
use golem_core::{Elapsed, Receipt, Regime, UsdcDelta, VirtualTime};
use golem_daimon::affect::Event;
use golem_grimoire::change::Table;
use golem_grimoire::credit::Used;
use golem_grimoire::episode::Deed;
use golem_grimoire::grimoire::Awaited;
use golem_grimoire::retrieval::Query;
use golem_grimoire::situation::Act;
use golem_grimoire::{Episode, EpisodeKind, Importance, Situation, Went};
use golem_mind::policy::Guidance;
use golem_mind::policy::action_vector;
use golem_mind::tier::{Gating, Reason};
use golem_mortality::Domain;
use std::collections::VecDeque;

/// The most episodes in a virtual hour; actions are always written.
const MOST_AN_HOUR: u32 = 40;
const HOUR: Elapsed = Elapsed::secs(3_600);
/// A surprise is worth an episode at most once in so many nominal ticks.
const SURPRISE_REST: Elapsed = Elapsed::nominal(10);

/// Words of the owner that are kept.
const OWNERS_WORDS: usize = 4;

/// What the first half of a turn found in the grimoire, for the second.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Everything that could be observed.
    pub snapshot: Snapshot,
    /// Entries that guided the decision.
    pub used: Used,
    /// The weather before this turn, when it changed.
    pub shifted_from: Option<Regime>,
    /// Whether the error was above the threshold.
    pub escalated: bool,
}

/// What is counted between turns.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Diary {
    /// The hour that is counted, and its episodes.
    hour: u64,
    episodes: u32,
    /// When a surprise was last written down.
    surprised: VirtualTime,
    /// The trade that is open, or was last: from the first exposure to the last.
    trade: u64,
    in_trade: bool,
    decisions: u64,
    /// Events of its own life that wait to be written down: they happen after the turn's episodes.
    events: Vec<String>,
    /// The next phase down was in sight last turn.
    pub near_fall: bool,
    /// What the owner said last.
    owner: VecDeque<String>,
}

impl Diary {
    /// Something happened to it.
    pub(crate) fn event(&mut self, words: String) {
        self.events.push(words);
    }
    /// The owner said something.
    pub(crate) fn hear(&mut self, words: &str) {
        if self.owner.len() == OWNERS_WORDS {
            self.owner.pop_front();
        }
        self.owner.push_back(one_line(words, 300));
    }
    /// What the owner said last, the newest last.
    pub(crate) fn owner(&self) -> impl Iterator<Item = &str> {
        self.owner.iter().map(String::as_str)
    }
}

impl Life {
    /// Hold what was seen against what is known, and say how much this turn is worth thinking about.
    pub(crate) fn consult(&mut self, facts: &mut Facts) -> Gating {
        let snapshot = self.observed();
        let (tick, now, regime) = (self.state.core.tick, self.state.core.age, self.state.mind.regime());
        let seen = self.grimoire.as_mut().map(|g| g.observe(tick, now, regime, &snapshot)).unwrap_or_default();
        let gating = self.weigh(&snapshot, facts);
        self.half.known.escalated = gating.reason != Reason::AllClear;
        if gating.reason == Reason::Surprise || gating.reason == Reason::Shock {
            self.half.felt.events.push(Event::PredictionMiss { error: gating.pe });
        }
        self.half.known.snapshot = snapshot;
        if seen.promoted + seen.refuted + seen.expired > 0 {
            let (promoted, refuted, expired) = (seen.promoted, seen.refuted, seen.expired);
            let felt = &mut self.half.felt.events;
            felt.extend((promoted > 0).then_some(Event::KnowledgeValidated));
            felt.extend((refuted > 0).then_some(Event::KnowledgeContradicted));
            self.tell(facts, LifeFact::StagingSwept { promoted, refuted, expired });
        }
        self.tell_revised(seen.revised, facts);
        gating
    }

    /// What the playbook says, and in a turn that surprises, what memory warns of: it is asked in words, and by their
    /// vector where an embedder elsewhere has made one.
    pub(crate) fn guidance(&mut self, embedding: Option<Embedding>) -> Guidance {
        let (tick, now) = (self.state.core.tick, self.state.core.age);
        let (affect, diversity) = (self.felt(), self.channels().exploration);
        let sought = self.sought();
        let Some(grimoire) = &mut self.grimoire else { return Guidance::default() };
        let mut guidance = Guidance::from(grimoire.fired());
        if let Some((situation, text)) = sought {
            let lambda = relevance(diversity);
            let query = Query { situation: Some(situation), text, embedding, affect, lambda, ..Query::at(now) };
            let found = grimoire.recall(tick, &query);
            let warned: Vec<_> = grimoire.warnings(&found).collect();
            warned.into_iter().for_each(|(id, severity)| guidance.warn(id, severity));
            self.half.known.used.retrieved = found.hits.iter().map(|hit| hit.id).collect();
        }
        self.half.known.used.entries = guidance.entries().collect();
        guidance
    }

    /// What memory is asked in this turn, if it is asked: the situation, and its words.
    pub(crate) fn sought(&self) -> Option<(Situation, String)> {
        let grimoire = self.grimoire.as_ref().filter(|_| self.half.known.escalated)?;
        let situation = grimoire.situation(&self.half.known.snapshot, None);
        let text = words(&situation, self.state.mind.regime());
        Some((situation, text))
    }

    fn tell_revised(&mut self, revision: Option<u32>, facts: &mut Facts) {
        if let Some(revision) = revision {
            self.state.mind.cache().flush();
            self.tell(facts, LifeFact::PlaybookRevised { revision });
        }
    }

    /// The owner has edited the playbook.
    pub(crate) fn take_edit(&mut self, text: &str, facts: &mut Facts) {
        let now = self.state.core.age;
        let parameters: Vec<&str> = self.genesis.settings.policy.template.parameters().iter().map(|p| p.key).collect();
        let Some(grimoire) = &mut self.grimoire else { return };
        let report = grimoire.take_edit(text, &parameters, now);
        self.state.mind.cache().forget(&report.touched);
        let problems = report.problems.iter().map(ToString::to_string).take(20).collect();
        self.tell(facts, LifeFact::PlaybookEdited { changes: report.changes, problems });
        self.tell_revised(report.revised, facts);
    }

    /// Write down what happened in this turn, and reflect.
    pub(crate) fn remember(&mut self, wished: &[Wished], receipts: &[Receipt], facts: &mut Facts) {
        if self.grimoire.is_none() {
            return;
        }
        let done: Vec<(usize, &Receipt)> = receipts
            .iter()
            .enumerate()
            .filter(|(n, r)| wished[*n].permit.is_some() && r.was_done() && r.intent != golem_core::Intent::Hold)
            .collect();
        if !done.is_empty() {
            self.state.diary.decisions = self.state.diary.decisions.saturating_add(1);
            let (decision, used) = (self.state.diary.decisions, std::mem::take(&mut self.half.known.used));
            if let Some(grimoire) = &mut self.grimoire {
                grimoire.used(decision, used);
            }
        }
        for (n, receipt) in done {
            self.write_action(n, receipt);
        }
        self.write_watched();
        self.reflect(facts);
    }

    fn write_action(&mut self, n: usize, receipt: &Receipt) {
        let price = self.state.portfolio.price.map_or(0.0, golem_core::Positive::get);
        let value = self.half.valued;
        let [size, _, exposure] = action_vector(&[receipt.intent], price, &value);
        let (now, nav) = (self.state.core.age, value.nav);
        let holds = self.state.portfolio.open() > 0;
        let diary = &mut self.state.diary;
        if holds && !diary.in_trade {
            diary.trade = diary.trade.saturating_add(1);
        }
        diary.in_trade = holds;
        let judged = self.half.outcomes.get(n).copied().flatten();
        let realised = self.half.realised.get(n).copied().unwrap_or(UsdcDelta(0));
        let deed = Deed {
            intent: receipt.intent,
            point: receipt.point.unwrap_or_default(),
            trade: diary.trade,
            predicted_bps: judged.map(|(predicted, _)| predicted),
            actual_bps: judged.map(|(_, actual)| actual),
            realised,
            outcome: Some(receipt.outcome),
            on_paper: false,
        };
        let decision = diary.decisions;
        let went = match realised.0 {
            0 => Went::Neutral,
            x if x > 0 => Went::Positive,
            _ => Went::Negative,
        };
        let lost = realised.0 < 0 && u128::from(realised.0.unsigned_abs()) * 100 >= u128::from(nav.0.max(1));
        let importance = if lost { Importance::Critical } else { Importance::Notable };
        let text = format!(
            "{} of {:.1} % of wealth in {} weather at {price:.2}{}",
            receipt.intent.name(),
            size.abs() * 100.0,
            self.state.mind.regime().name(),
            if realised.0 == 0 { String::new() } else { format!(", realised {realised} USDC") },
        );
        let act = Act { intent: &receipt.intent, share: size.abs().min(1.0) };
        let id = self.write(EpisodeKind::Action, text, Some(act), Some(deed), went, importance, receipt.gas.cost);
        let cost_bps = receipt.gas.cost.0 as f64 / nav.0.max(1) as f64 * 1e4 + exposure.abs() * 5.0;
        let awaited = id.map(|episode| Awaited {
            episode,
            decision,
            at: now,
            price,
            exposure,
            pooled: size - exposure,
            cost_bps,
        });
        if let (Some(grimoire), Some(awaited)) = (&mut self.grimoire, awaited) {
            grimoire.await_outcome(awaited);
        }
    }

    /// What was only watched: a change of weather, a surprise, an event of its own life.
    fn write_watched(&mut self) {
        let (now, regime) = (self.state.core.age, self.state.mind.regime());
        if !self.has_room(now) {
            return;
        }
        let (watched, plain) = (Went::Descriptive, golem_core::Usdc::ZERO);
        if let Some(from) = self.half.known.shifted_from.take() {
            let text = format!("the weather turned from {} to {}", from.name(), regime.name());
            self.write(EpisodeKind::RegimeShift, text, None, None, watched, Importance::Notable, plain);
        }
        for text in std::mem::take(&mut self.state.diary.events) {
            self.write(EpisodeKind::Event, text, None, None, watched, Importance::Critical, plain);
        }
        let rested = now.since(self.state.diary.surprised) >= SURPRISE_REST;
        if self.half.known.escalated && rested {
            self.state.diary.surprised = now;
            let error = self.state.mind.senses().probes().prediction_error;
            let loud = self.state.mind.senses().probes().loudest();
            let text = format!("expectations were off by {error:.2} in {} weather, probes {loud:?}", regime.name());
            self.write(EpisodeKind::Observation, text.to_lowercase(), None, None, watched, Importance::Routine, plain);
        }
    }

    fn has_room(&mut self, now: VirtualTime) -> bool {
        let (hour, diary) = (now.age().0 / HOUR.0, &mut self.state.diary);
        if diary.hour != hour {
            (diary.hour, diary.episodes) = (hour, 0);
        }
        diary.episodes < MOST_AN_HOUR
    }

    #[expect(clippy::too_many_arguments, reason = "an episode has many parts, and each is said once")]
    fn write(
        &mut self,
        kind: EpisodeKind,
        text: String,
        act: Option<Act<'_>>,
        deed: Option<Deed>,
        went: Went,
        importance: Importance,
        cost: golem_core::Usdc,
    ) -> Option<golem_grimoire::EpisodeId> {
        let (core, mind) = (&self.state.core, &self.state.mind);
        let surprise = mind.senses().surprise();
        let (tick, age, at, regime, affect) = (core.tick, core.age, core.at, mind.regime(), self.felt());
        let grimoire = self.grimoire.as_mut()?;
        let cost = cost.plus(std::mem::take(&mut self.half.spent));
        let situation = grimoire.situation(&self.half.known.snapshot, act);
        let id = grimoire.next_episode();
        let surprise = surprise as f32;
        grimoire.record(Episode {
            id,
            tick,
            age,
            at,
            kind,
            situation,
            text,
            regime,
            deed,
            surprise,
            went,
            importance,
            cost,
            affect,
        });
        self.state.diary.episodes = self.state.diary.episodes.saturating_add(1);
        self.state.mind.count_episode();
        Some(id)
    }

    fn reflect(&mut self, facts: &mut Facts) {
        let (tick, now, learns) = (self.state.core.tick, self.state.core.age, self.learning().rate() > 0.0);
        let config = &self.genesis.settings.mortality.epistemic;
        let fitness = Domain::ALL.map(|d| self.state.mortality.epistemic.domain_fitness(d, config));
        let Some(grimoire) = &mut self.grimoire else { return };
        // One turn late: what was pruned in the last cycle is felt now.
        if let Some(share) = grimoire.take_pruned() {
            self.state.mortality.epistemic.feel_pruning(share);
        }
        let done = grimoire.reflect(tick, now, fitness, &self.curator_dice, learns);
        self.tell_revised(done.revised, facts);
        if let Some(cycle) = done.cycle {
            self.emit(facts, None, Fact::Life(LifeFact::Curated { report: Box::new(cycle) }));
        }
        let (template, phase) = (self.genesis.settings.policy.template, self.phase());
        let mut told = Vec::new();
        self.state.mind.pursue(tick, &self.half.known.snapshot, (template, phase), now, &mut told);
        for goal in told {
            self.feel_goal(&goal);
            if let Some(grimoire) = &mut self.grimoire {
                grimoire.note(Table::Goal, format!("{:08}", goal.number()), &goal);
            }
            self.emit(facts, None, Fact::Life(LifeFact::Goal { goal }));
        }
        self.keep_predictions(now);
    }
}

impl Life {
    /// Predictions that came due and are worth showing later.
    fn keep_predictions(&mut self, now: VirtualTime) {
        let Some(grimoire) = &mut self.grimoire else { return };
        // One in a horizon is enough for the file: those between say nearly the same. Outcomes of actions are all kept.
        let kept = |p: &&golem_mind::Prediction| {
            let sixth = p.domain.horizon().0 / 6;
            sixth == 0 || (p.made.0 / sixth).is_multiple_of(6)
        };
        for settled in self.state.mind.forecasters().settled_at(now).filter(kept) {
            let key = format!("{}/{:013}", settled.domain.name(), settled.made.0);
            grimoire.note(Table::Prediction, key, settled);
        }
    }
}

/// How much relevance counts against diversity in what is recalled: whoever explores casts the net wider.
fn relevance(exploration: f64) -> Option<f64> {
    ((exploration - 1.0).abs() > f64::EPSILON).then(|| (0.7 + 0.2 * (exploration - 1.0)).clamp(0.5, 0.9))
}

/// A situation in words: what stands out, for full text and vectors.
fn words(situation: &Situation, regime: Regime) -> String {
    format!("{} weather: {}", regime.name().replace('_', " "), situation.describe(4))
}
