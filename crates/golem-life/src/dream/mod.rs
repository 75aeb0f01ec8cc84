//! SLEEPING: whether it dreams is asked at the end of a turn; one stage of a dream passes in the first half of each turn that
//! follows. By rules alone it dreams between its turns and goes on acting; with models it sleeps, and neither probes,
//! forecasts nor acts until it wakes.

mod alarm;
mod ask;
mod order;
mod seen;
mod tune;
mod wake;

use crate::chronicle::{BrokenDream, LastDream};
use crate::fact::{Fact, LifeFact};
use crate::life::Life;
use crate::step::{Answer, Question};
use golem_core::door::{ForkFailure, ForkReply};
use golem_core::observed::{Field, Snapshot, Value};
use golem_core::{Elapsed, ProtocolState};
use golem_daimon::affect::Event;
use golem_dreams::cycle::{CycleStep, DreamCycle, DreamMemory, DreamRoom, DreamRules, DreamWeights, LineOfDreams};
use golem_dreams::journal::{DreamEnd, DreamReport};
use golem_dreams::liminal::OnsetAlarm;
use golem_dreams::schedule::{DreamTrigger, DreamVerdict};
use golem_dreams::{DreamFact, DreamTier};
use golem_grimoire::EntryId;
use golem_grimoire::change::NamedTable;
use golem_grimoire::grimoire::{DreamtEnd, JudgedDream};
use golem_mortality::GolemMode;
use golem_mortality::economic::Partition;

/// So long an owner's order to dream stands: a dream that begins weeks later is not what was asked for.
const ORDER_STANDS: Elapsed = Elapsed::secs(86_400);
/// Less than this share of the usual volume is a thin market.
const THIN: f64 = 0.5;

impl Life {
    /// True while it sleeps: nothing is probed, forecast or done.
    pub(crate) fn is_asleep(&self) -> bool {
        self.state.core.mode == GolemMode::Dreaming
    }

    /// One stage of the dream that is open: what it must try before the stage can end, if anything.
    pub(crate) fn begin_dream_stage(&mut self) -> Option<Question> {
        let woken = self.state.dreams.as_mut().and_then(|d| d.woken.take());
        if self.turn.ordered.is_some() {
            // Who is told to die dreams no further, in whatever stage it is.
            self.break_off_dream(DreamEnd::Died);
            return None;
        }
        if let Some(wake) = woken {
            self.break_off_dream(DreamEnd::Woken { source: wake.source, reason: wake.reason });
        }
        let request = self.in_dream(|cycle, memory, room| {
            let request = cycle.ask(memory, room);
            if request.runs.is_empty() {
                let nothing = request.unanswered(ForkFailure::NoChain);
                cycle.take(memory, room, &nothing);
            }
            request
        })?;
        if request.runs.is_empty() {
            return self.think_or_rest();
        }
        self.turn.dreams_on = true;
        Some(Question::Fork(Box::new(request)))
    }

    /// The stage goes on with what came of its runs, or of what it asked: what it must know next, if anything.
    pub(crate) fn dream_answered(&mut self, answer: &Answer) -> Option<Question> {
        if let Some(talk) = self.turn.dream_talk.take() {
            return self.dream_heard(*talk, answer);
        }
        self.turn.dreams_on = false;
        let none = ForkReply { request: golem_core::Hash::default(), runs: Vec::new() };
        let reply = if let Answer::Forked(reply) = answer { reply } else { &none };
        self.in_dream(|cycle, memory, room| cycle.take(memory, room, reply));
        self.think_or_rest()
    }

    /// Run a part of the open cycle with everything it may look at; what it tells is told.
    fn in_dream<T>(
        &mut self,
        part: impl FnOnce(&mut DreamCycle, &mut DreamMemory, &mut DreamRoom<'_, '_>) -> T,
    ) -> Option<T> {
        self.state.dreams.as_ref()?.cycle.as_ref()?;
        let (now, seen, held) = (self.state.core.age, self.dream_seen(), self.held_now());
        let snapshot = self.observed();
        let (mix, mood, tunables, models) = (self.channels().dreams, self.felt(), self.tunables(), self.dream_models());
        let is_thin = is_thin(&snapshot);
        let in_trouble = snapshot.get(Field::MarketProtocol) == Some(Value::Text(ProtocolState::Degraded.name()));
        let protocol = if in_trouble { ProtocolState::Degraded } else { ProtocolState::Normal };
        let market_volatility = snapshot.get(Field::MarketVolatility).and_then(|v| v.as_f64());
        let left = self.left_to_it();
        let unfinished = left.map(|left| left.unfinished()).unwrap_or_default();
        let dreamt: Vec<String> = left.iter().flat_map(|left| left.dreamt()).map(ToOwned::to_owned).collect();
        let config = &self.genesis.settings.dream;
        let rules = DreamRules::of(config);
        let weights = DreamWeights { replay: mix.replay, creative: mix.creative, threat: mix.threat };
        let dreaming = self.state.dreams.as_mut()?;
        let moved = dreaming.watch.largest_move(now, self.state.core.interval);
        let drained = dreaming.watch.largest_drain(now, self.state.core.interval);
        let grimoire = self.grimoire.as_mut()?;
        let here = grimoire.situation(&snapshot, None);
        let (mut told, mut desk) = (Vec::new(), grimoire.dream_desk(now));
        let mut room = DreamRoom {
            seen: &seen,
            config,
            rules: &rules,
            desk: &mut desk,
            dice: &self.dream_dice,
            here,
            held,
            onset_alarm: OnsetAlarm::of(&rules.onset, moved, drained, protocol),
            is_thin,
            market_volatility,
            mood,
            weights,
            tunables: &tunables,
            models,
            line: LineOfDreams { unfinished: &unfinished, taken: &mut self.state.heir.taken, dreamt: &dreamt },
            told: &mut told,
        };
        let cycle = dreaming.cycle.as_mut()?;
        let result = part(cycle, &mut dreaming.memory, &mut room);
        self.tell_dreams(told);
        Some(result)
    }

    fn dream_went(&mut self, step: CycleStep) {
        if let CycleStep::Over(report) = step {
            self.end_dream(*report);
        }
    }

    /// The end of a turn: whether a dream begins with the next one.
    pub(crate) fn consider_dreaming(&mut self) {
        let Some(seen) = self.turn.dream_seen.take() else { return };
        if self.is_dying() || self.state.core.paused {
            return;
        }
        self.forget_old_order();
        self.tell_poor_dreams();
        let awake = self.market_keeps_awake();
        let Some(dreaming) = &mut self.state.dreams else { return };
        if dreaming.cycle.is_some() {
            return;
        }
        let config = &self.genesis.settings.dream;
        let purse = self.state.ledger.purses[Partition::Llm.index()];
        let (was, ordered) = (dreaming.blocked.take(), dreaming.ordered.is_some());
        let verdict = dreaming.scheduler.should_dream(&seen, config, ordered);
        match awake.map_or(verdict, |why| verdict.unless(why)) {
            DreamVerdict::Open { trigger } => {
                dreaming.ordered = None;
                let number = dreaming.memory.next_cycle();
                let plan = dreaming.scheduler.plan(&seen, config, trigger, purse);
                let cycle = DreamCycle::begin(number, trigger, &plan, &seen, config);
                dreaming.scheduler.opened(&seen, config, trigger);
                let (tier, urgency) = (cycle.tier(), dreaming.scheduler.urgency);
                let fact = DreamFact::Start { cycle_id: cycle.id(), tier, trigger: trigger.word().to_owned(), urgency };
                dreaming.cycle = Some(cycle);
                self.emit(None, Fact::Dream(Box::new(fact)));
                if tier == DreamTier::Hardened {
                    self.change_mode(GolemMode::Dreaming);
                }
            }
            DreamVerdict::Stay { why } => {
                // What stands in the way is told once, until that changes; that it is not yet time is news for an owner
                // who has asked for it alone.
                let told = (ordered || why.is_precondition()).then(|| why.name().to_owned());
                dreaming.blocked.clone_from(&told);
                if told.is_some() && told != was {
                    let fact = DreamFact::Blocked { why: why.to_string(), until: why.lifted_by().to_owned() };
                    self.emit(None, Fact::Dream(Box::new(fact)));
                }
            }
        }
    }

    /// An order that nothing came of within a day does not stand any more, and that is told.
    fn forget_old_order(&mut self) {
        let now = self.state.core.age;
        let Some(dreaming) = &mut self.state.dreams else { return };
        if dreaming.ordered.is_some_and(|at| now.since(at) >= ORDER_STANDS) {
            dreaming.ordered = None;
            let why = "its owner's order is a day old and has lapsed".to_owned();
            let fact = DreamFact::Blocked { why, until: "another order".to_owned() };
            self.emit(None, Fact::Dream(Box::new(fact)));
        }
    }

    /// Dreams that have been worth little for long are their owner's to know of.
    fn tell_poor_dreams(&mut self) {
        let now = self.state.core.age;
        let poor = self.state.dreams.as_mut().and_then(|dreaming| dreaming.scheduler.worth.take_alarm(now));
        if let Some((quality, days)) = poor {
            self.emit(None, Fact::Dream(Box::new(DreamFact::Poor { quality, days })));
        }
    }

    /// A cycle is over before its time: what it had come to is kept.
    pub(crate) fn break_off_dream(&mut self, end: DreamEnd) {
        let ended = self.in_dream(|cycle, memory, room| cycle.break_off(memory, room, end));
        if let Some(report) = ended {
            self.end_dream(report);
        }
    }

    fn end_dream(&mut self, report: DreamReport) {
        let seen = self.dream_seen();
        let Some(dreaming) = &mut self.state.dreams else { return };
        dreaming.cycle = None;
        dreaming.scheduler.finished(&seen, report.journal.dream_quality_score, report.total_cost_usdc);
        if report.journal.end != DreamEnd::Complete {
            dreaming.scheduler.was_woken();
        }
        if let Some(dream) = last_dream(&report) {
            self.state.chronicle.dreamt(dream);
        }
        let advice = report.advice.clone();
        let (good, threats) = (report.brought_something(), report.threats.clone());
        if let Some(grimoire) = &mut self.grimoire {
            grimoire.note(NamedTable::Dream, format!("{:06}", report.number), &report.journal);
        }
        if report.journal.end == DreamEnd::Complete {
            self.turn.felt.events.push(Event::DreamOutcome { ok: good });
        }
        if let Some(tier) = dreaming.memory.threats.frightening(&threats) {
            self.turn.felt.events.push(Event::DreamThreat { tier });
        }
        self.follow_advice(&report.cycle_id, &advice);
        if self.is_asleep() {
            self.change_mode(GolemMode::Waking);
            self.answer_held();
        }
    }

    /// What dreams had proposed was judged, and what was promoted of it was checked again: what reality says of either
    /// calibrates how well dreams are thought of.
    pub(crate) fn dreams_judged(&mut self, judged: Vec<JudgedDream>, blocks: &[(EntryId, bool)]) {
        let Some(dreaming) = &mut self.state.dreams else { return };
        let mut told = Vec::new();
        let mut later = Vec::new();
        let mut by_reality = dreaming.memory.checked_since(blocks);
        for dream in judged {
            let Some((cycle, entry)) = dreaming.memory.judged(&dream) else { continue };
            let JudgedDream { proposal, end, text, .. } = dream;
            if end.is_by_reality() {
                by_reality = true;
                let came_true = matches!(end, DreamtEnd::CameTrue | DreamtEnd::TurnedAway);
                let cycle_id = golem_dreams::cycle::cycle_id(cycle);
                told.push(DreamFact::Judged { cycle_id, proposal, came_true, text });
            }
            later.push((cycle, entry));
        }
        if let (true, Some(came_true)) = (by_reality, dreaming.memory.came_true()) {
            // What came true, and holds, is what dreams are worth.
            dreaming.scheduler.worth.learnt(came_true, self.state.core.age);
        }
        self.tell_dreams(told);
        for (cycle, later) in later {
            if let Some(grimoire) = &mut self.grimoire {
                grimoire.note(NamedTable::Dream, format!("{cycle:06}/later"), &later);
            }
        }
    }

    fn change_mode(&mut self, mode: GolemMode) {
        self.state.core.mode = mode;
        let tick = self.state.core.tick;
        self.tell(LifeFact::ModeChange { mode, tick });
    }

    fn tell_dreams(&mut self, told: Vec<DreamFact>) {
        for fact in told {
            self.emit(None, Fact::Dream(Box::new(fact)));
        }
    }
}

/// What the one emergency dream of a life, and one that death breaks off, leave for its testament.
fn last_dream(report: &DreamReport) -> Option<LastDream> {
    let (journal, rem) = (&report.journal, &report.journal.phase2_summary);
    let broken_off = (journal.end == DreamEnd::Died).then(|| BrokenDream {
        turns: report.duration_ticks,
        tried: rem.counterfactuals_generated.saturating_add(rem.threats_simulated.len() as u32),
        ideas: rem.creative_hypotheses.iter().take(3).map(|idea| idea.text.clone()).collect(),
        proposed: journal.later.proposed,
    });
    let is_told = broken_off.is_some() || journal.trigger == DreamTrigger::Emergency.word();
    is_told.then(|| LastDream {
        number: report.number,
        tick: report.at,
        replayed: journal.phase1_summary.episodes_replayed,
        patterns: journal.phase1_summary.patterns_found.iter().take(3).cloned().collect(),
        broken_off,
        before: None,
    })
}

/// Whether less than half of the usual is traded; a market whose volume is not seen is not called thin.
fn is_thin(seen: &Snapshot) -> bool {
    seen.get(Field::MarketVolumeRatio).and_then(|v| v.as_f64()).is_some_and(|ratio| ratio < THIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_usual_volume_is_a_thin_market() {
        for (ratio, thin) in [(None, false), (Some(0.49), true), (Some(0.5), false), (Some(3.0), false)] {
            let mut seen = Snapshot::new();
            if let Some(ratio) = ratio {
                seen.set_number(Field::MarketVolumeRatio, ratio).expect("a number");
            }
            assert_eq!(is_thin(&seen), thin, "{ratio:?}");
        }
    }
}
