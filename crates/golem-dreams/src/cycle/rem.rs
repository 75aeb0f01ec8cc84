//! What was not is imagined: other ways to have acted, other parameters over the path that was lived, new combinations of what
//! is known, and the threats that are due. Whatever can be tried is tried on a copy of the chain.

use super::findings::RehearsedWarning;
use super::questions::shown_pieces;
use super::{DreamCycle, DreamMemory, DreamRoom, DreamWeights, next_results};
use crate::calm;
use crate::fact::DreamFact;
use crate::imagine::activation::activate;
use crate::imagine::catalogue::ThreatCard;
use crate::imagine::counterfactual::{CounterfactualMoment, regrets};
use crate::imagine::creative::{combine, fresh, relabel, transform};
use crate::imagine::threats::{
    ActiveGuard, RehearsalOf, ThreatPlan, ThreatSeen, VARIANT_DRAWS, due_threats, guards, scenarios, weather,
};
use crate::imagine::tuning::TuningPlan;
use crate::imagine::{CounterfactualPlan, CreativeElement, CreativeMode, ImaginedHypothesis, TuningState};
use crate::liminal::{FragmentStatus, LiminalFragment};
use crate::schedule::DreamLegacy;
use golem_core::door::{ForkResult, ForkRun};
use golem_core::{Point, VirtualTime};
use golem_grimoire::EpisodeId;
use golem_grimoire::playbook::Rule;

/// Draws of creative sessions, among those of a tick.
const CREATIVE_DRAW: u32 = 0x2000_0000;
/// Draws of how threats come this time.
const VARIANT_DRAW: u32 = 0x3000_0000;
/// Draws of one session at most.
const SESSION_DRAWS: u32 = 64;
/// Among them, those of what a model is shown.
const SHOWN_DRAW: u32 = 48;
/// A loss of this share of wealth within a day is a real one: threats are rehearsed twice as much for some cycles.
const REAL_LOSS: f64 = 0.02;
/// Facts of one cycle about what it tried, at most.
const MOST_TOLD: usize = 4;

/// What imagination asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RemPending {
    ways: CounterfactualPlan,
    /// The place in the room's list, and the runs.
    tuning: Option<(usize, TuningPlan)>,
    threats: Vec<ThreatPlan>,
}

impl RemPending {
    #[cfg(test)]
    pub(super) fn many_threats(&self) -> usize {
        self.threats.len()
    }
    pub(super) fn runs(&self) -> Vec<ForkRun> {
        let tuned = self.tuning.iter().flat_map(|(_, plan)| plan.runs.iter());
        let threats = self.threats.iter().flat_map(|plan| plan.runs.iter());
        self.ways.runs.iter().chain(tuned).chain(threats).cloned().collect()
    }
}

impl DreamCycle {
    pub(super) fn ask_rem(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) -> RemPending {
        if !self.bounds.imagines {
            self.findings.because.push("too little life is left to imagine anything".to_owned());
            return RemPending::default();
        }
        let params = &room.rules.imagination;
        let episodes: Vec<_> = room.desk.shelf().episodes().collect();
        let cycle = u64::from(self.number);
        if room.seen.recent_loss >= REAL_LOSS {
            memory.threats.lost();
        }
        let (many, depth) = (self.counterfactuals_now(room) as usize, self.bounds.counterfactual_depth);
        let moment = CounterfactualMoment { cycle, now: room.seen.now, attention: self.findings.attention };
        let ways = CounterfactualPlan::of(&episodes, &memory.regrets, params, (depth, many), &moment);
        let points: Vec<(VirtualTime, Point)> = episodes
            .iter()
            .filter_map(|(e, _)| Some((e.age, e.deed.as_ref()?.point)))
            .filter(|(_, point)| *point != Point::default())
            .collect();
        let tuning = self.plan_tuning(memory, room, &points);
        let seen = ThreatSeen {
            cycle,
            now: room.seen.now,
            recent_loss: room.seen.recent_loss,
            volatility_fifth: room.seen.volatility_fifth,
            is_thin: room.is_thin,
        };
        let asked = DreamWeights::scaled(self.bounds.threats, room.weights.threat);
        let most = self.ceilings(room).threats;
        let due = match room.held.is_open() {
            true => due_threats(&memory.threats, &seen, scenarios(asked, most, &memory.threats, &seen)),
            false => Vec::new(),
        };
        if !room.held.is_open() {
            self.findings.because.push("nothing is held, so that no threat can be rehearsed".to_owned());
        }
        let plan = |(nth, card): (u32, &'static ThreatCard)| {
            let draw = VARIANT_DRAW.wrapping_add(nth * VARIANT_DRAWS);
            let weather = weather(card, memory.threats.record(card.id).rehearsals, room.dice, room.seen.tick.0, draw);
            ThreatPlan::of(card, &weather, &room.held.holdings, room.held.exposure)
        };
        let threats = (0u32..).zip(due.into_iter().map(|(card, _)| card)).map(plan).collect();
        RemPending { ways, tuning, threats }
    }

    /// One parameter in each cycle, in turn.
    fn plan_tuning(
        &self,
        memory: &mut DreamMemory,
        room: &DreamRoom<'_, '_>,
        points: &[(VirtualTime, Point)],
    ) -> Option<(usize, TuningPlan)> {
        let params = &room.rules.imagination.tuning;
        let nth = self.number as usize % room.tunables.len().max(1);
        let tunable = room.tunables.get(nth)?;
        let state = memory.tuning_of(&tunable.parameter, || TuningState::new(&tunable.parameter, &tunable.values));
        state.plan(tunable.by, points, params, room.seen.now).map(|plan| (nth, plan))
    }

    pub(super) fn take_rem(
        &mut self,
        memory: &mut DreamMemory,
        room: &mut DreamRoom<'_, '_>,
        pending: RemPending,
        mut results: &[ForkResult],
    ) {
        if !self.bounds.imagines {
            return;
        }
        self.take_up_inherited(room);
        self.findings.ran += results.iter().filter(|r| r.is_ok()).count() as u32;
        self.take_other_ways(memory, room, &pending.ways, next_results(&mut results, pending.ways.runs.len()));
        if let Some((nth, plan)) = &pending.tuning {
            let ran = next_results(&mut results, plan.runs.len());
            self.take_tuning(memory, room, *nth, plan, ran);
        }
        self.take_threats(memory, room, &pending.threats, results);
        self.create(room);
        self.plan_guards(room);
        self.calm_down(room);
        memory.threats.cycle_over();
    }

    fn take_other_ways(
        &mut self,
        memory: &mut DreamMemory,
        room: &mut DreamRoom<'_, '_>,
        plan: &CounterfactualPlan,
        results: &[ForkResult],
    ) {
        let (findings, silent) = plan.read(results);
        self.journal.phase2_summary.counterfactuals_generated = findings.len() as u32;
        self.findings.because.extend(silent.into_iter().chain(plan.skipped.iter().cloned()).take(2));
        for (episode, more_bps) in regrets(&findings) {
            room.desk.regretted(episode, more_bps);
        }
        let cycle_id = self.id();
        for f in findings.iter().take(MOST_TOLD) {
            room.told.push(DreamFact::Counterfactual {
                cycle_id: cycle_id.clone(),
                hypothesis: format!("{} in {} weather, {}", f.action, f.regime, f.alternative),
                outcome: f.better_bps,
                lesson: if f.better_bps > 0.0 { "it would have been better" } else { "what was done was better" }
                    .to_owned(),
                confidence: room.rules.imagination.hypothesis_confidence,
            });
        }
        self.plan_lessons(room, &findings);
        memory.regrets.learn(findings);
        for tried in &plan.tried {
            memory.regrets.tried(tried.episode, tried.finding.2);
        }
        let made = memory.regrets.hypotheses(&room.rules.imagination, room.desk.parameters());
        self.keep_hypotheses(room, made);
    }

    fn take_tuning(
        &mut self,
        memory: &mut DreamMemory,
        room: &DreamRoom<'_, '_>,
        nth: usize,
        plan: &TuningPlan,
        results: &[ForkResult],
    ) {
        let (params, Some(tunable)) = (&room.rules.imagination.tuning, room.tunables.get(nth)) else { return };
        let state = memory.tuning_of(&tunable.parameter, || TuningState::new(&tunable.parameter, &tunable.values));
        state.learn(plan, results, params);
        self.findings.advice.extend(state.judge(tunable.current, params, room.seen.now));
    }

    fn take_threats(
        &mut self,
        memory: &mut DreamMemory,
        room: &mut DreamRoom<'_, '_>,
        plans: &[ThreatPlan],
        mut results: &[ForkResult],
    ) {
        let guard = |r: &Rule| (r.words().when.source().to_owned(), r.words().action.clone());
        let active: Vec<ActiveGuard> = room.desk.rules().map(guard).collect();
        let mut lived = Vec::new();
        for plan in plans {
            let ran = next_results(&mut results, plan.runs.len());
            let Some(simulation) = plan.read(ran, &active) else {
                self.findings.because.extend(plan.skipped.iter().take(1).cloned());
                continue;
            };
            let told = simulation.told();
            let (rehearsed, tried) = (simulation.rehearsed.as_slice(), plan.responses.as_slice());
            let of = RehearsalOf { rehearsed, tried, exposure: room.held.exposure };
            memory.threats.rehearsed(plan.card.id, &of, u64::from(self.number), room.seen.now);
            room.told.push(DreamFact::Threat {
                cycle_id: self.id(),
                threat: told.threat_id.clone(),
                tier: told.tier,
                loss_bps: told.loss_bps,
                best_response: told.best_response.clone(),
                best_loss_bps: told.best_loss_bps,
                coverage: told.coverage,
            });
            self.journal.phase2_summary.threats_simulated.push(told);
            lived.push(simulation);
        }
        for proposal in guards(&lived, &room.rules.imagination) {
            let w = proposal.warning;
            let (when, runs, severity) = (w.when.to_owned(), w.runs, w.severity);
            self.findings.warnings.push(RehearsedWarning { text: w.text, when, severity, runs });
            self.keep_hypotheses(room, vec![proposal.rule]);
        }
    }

    /// Creative sessions: by rules over what is believed and what happened, in the modes of its phase. Who dreams for its heirs
    /// only combines what is proven.
    pub(super) fn create(&mut self, room: &mut DreamRoom<'_, '_>) {
        let params = &room.rules.imagination;
        let sessions = self.sessions_now(room);
        let modes = match self.legacy {
            DreamLegacy::Full => vec![CreativeMode::Combinational; sessions as usize],
            _ => CreativeMode::sessions(room.seen.phase, sessions),
        };
        let shelf = room.desk.shelf();
        let proven = self.legacy == DreamLegacy::Full;
        let entries = shelf.in_use().filter(|e| !e.body.is_question && (!proven || e.standing.own_validation));
        let mut elements: Vec<CreativeElement> = entries.map(CreativeElement::of_entry).collect();
        // What came up at the edge of sleep is a piece like the others; nothing that is only thought of is handed down.
        let thought = self.findings.fragments.iter().filter(|_| !proven);
        elements.extend(thought.filter_map(piece));
        let episodes: Vec<_> = shelf.episodes().map(|(e, _)| e).collect();
        let (mut made, mut pieces, mut explored) = (Vec::new(), Vec::new(), 0);
        for (nth, mode) in (0u32..).zip(modes) {
            let (draw, known) = (CREATIVE_DRAW.wrapping_add(nth * SESSION_DRAWS), elements.len());
            if let Some(seed) = activate(&episodes, room.dice, room.seen.tick.0, draw) {
                let of = |id: &EpisodeId| Some((shelf.episode(*id)?, shelf.marks(*id)?));
                let drawn = seed.iter().filter_map(of);
                elements.extend(drawn.map(|(e, m)| CreativeElement::of_episode(e, m)));
            }
            pieces.push((mode, shown_pieces(&elements, known, room, draw.wrapping_add(SHOWN_DRAW))));
            let n = draw.wrapping_add(8);
            made.extend(match mode {
                CreativeMode::Combinational => combine(&elements, room.dice, room.seen.tick.0, n, params),
                CreativeMode::Transformational => {
                    let many = elements.len();
                    let at = (room.dice.uniform(room.seen.tick.0, n) * many as f64) as usize;
                    elements.get(at.min(many.saturating_sub(1))).and_then(|e| transform(e, params))
                }
                // What failed at what it was for shows what its moment was good for; each session takes the next.
                CreativeMode::Exploratory => {
                    let of = |id: &EpisodeId| Some((shelf.episode(*id)?, shelf.marks(*id)?));
                    let mut seen = self.chosen.iter().filter_map(of).filter_map(|(e, m)| relabel(e, m, params));
                    explored += 1;
                    seen.nth(explored - 1)
                }
            });
        }
        // What the line has dreamt before is nothing new either.
        let dreamt = |text: &str| room.line.dreamt.iter().map(|told| room.desk.alike(text, told)).fold(-1.0, f32::max);
        let made = fresh(made, params, |text| room.desk.nearest(text).max(dreamt(text)));
        self.used_fragments(&made);
        self.plan_creation(room, pieces);
        self.keep_hypotheses(room, made);
    }

    /// Fragments that something was made of are developed.
    fn used_fragments(&mut self, made: &[ImaginedHypothesis]) {
        for fragment in &mut self.findings.fragments {
            let text = piece(fragment).map(|element| element.text);
            if text.is_some_and(|text| made.iter().any(|one| one.said.text.contains(&text))) {
                fragment.status = FragmentStatus::Developed;
                self.journal.onset.used += 1;
            }
        }
    }

    pub(super) fn keep_hypotheses(&mut self, room: &mut DreamRoom<'_, '_>, made: Vec<ImaginedHypothesis>) {
        for one in made {
            let seed = one.said.seed_episodes.first().and_then(|id| room.desk.shelf().episode(*id));
            room.told.push(DreamFact::Hypothesis {
                cycle_id: self.id(),
                hypothesis: one.said.text.clone(),
                provenance: one.said.provenance,
                seed_episode_tick: seed.map(|e| e.tick),
                asked: one.said.asked.clone(),
            });
            self.journal.phase2_summary.creative_hypotheses.push(one.said.clone());
            self.findings.hypotheses.push(one);
        }
    }

    /// What stirred is worked on: its heat goes, what happened stays.
    fn calm_down(&mut self, room: &mut DreamRoom<'_, '_>) {
        let params = &room.rules.imagination.depotentiation;
        let episodes: Vec<_> = room.desk.shelf().episodes().collect();
        let due = calm::due(&episodes, params, room.seen.now);
        room.desk.calmed(&due, params.keep);
        self.journal.phase2_summary.emotional_episodes_processed = due.len() as u32;
    }
}

/// What came up at the edge of sleep, as a piece of creative work; nothing that says nothing.
fn piece(fragment: &LiminalFragment) -> Option<CreativeElement> {
    let claim = fragment.claim.as_ref()?;
    Some(CreativeElement::of_thought(&fragment.content, claim, &fragment.source_episodes))
}
