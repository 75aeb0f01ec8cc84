//! What was is lived through again: the episodes most worth it, some of them with something changed; who earned and lost
//! what; where the present may lead.

use super::findings::ReplayPattern;
use super::{DreamCycle, DreamMemory, DreamRoom, next_results};
use crate::anticipate::{self, AnticipatedPath, AnticipationScene};
use crate::replay::forward::ForwardResponse;
use crate::replay::perturb::PerturbPlan;
use crate::replay::triage::{TriageFound, TriageVerdict};
use crate::replay::{ReplayKnown, credit, forward, patterns, perturb, select, triage, weigh};
use golem_core::door::{ForkResult, ForkRun};
use golem_grimoire::EpisodeId;
use golem_grimoire::series::Mining;
use std::collections::BTreeSet;

/// How strict a dream is with what the record of days seems to say: the waking world is the judge, and few things are worth its
/// time.
const MINING: Mining = Mining {
    least_occurrences: 6,
    least_lift: 1.5,
    false_share: 0.02,
    surrogates: 199,
    most: 6,
    each_bound: true,
    apart_rows: None,
};

/// What replay asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NremPending {
    plans: Vec<PerturbPlan>,
    perturbed: Vec<ForkRun>,
    paths: Vec<AnticipatedPath>,
    /// What has paid most where things stood as they do now, and its runs in the weather that is likely to come.
    response: Option<(ForwardResponse, Vec<ForkRun>)>,
}

impl NremPending {
    pub(super) fn runs(&self) -> Vec<ForkRun> {
        let forward = self.response.iter().flat_map(|(_, runs)| runs.iter().cloned());
        self.perturbed.iter().cloned().chain(anticipate::runs(&self.paths)).chain(forward).collect()
    }
}

impl DreamCycle {
    pub(super) fn ask_nrem(&mut self, room: &mut DreamRoom<'_, '_>) -> NremPending {
        let shelf = room.desk.shelf();
        let episodes: Vec<_> = shelf.episodes().collect();
        let known = ReplayKnown::of(shelf);
        let scene = self.replay_scene(room, &known);
        let many = self.episodes_now(room) as usize;
        let weighed = weigh(&scene, &episodes);
        let chosen = select(&scene, &weighed, many);
        let asked =
            if self.bounds.perturbation_rate > 0.0 { perturb::ask(&scene, &chosen) } else { Default::default() };
        let anticipation = AnticipationScene {
            rules: &room.rules.anticipation,
            episodes: &episodes,
            graph: room.desk.graph(),
            regime: room.seen.regime,
            now: room.seen.now,
            market_volatility: room.market_volatility,
            holds: room.held.is_open(),
        };
        let paths = if self.bounds.imagines { anticipate::anticipate(&anticipation) } else { Vec::new() };
        let response = forward::respond(&scene, &episodes, room.held.is_open()).filter(|_| self.bounds.imagines);
        let horizon = room.rules.anticipation.horizon_ticks;
        // What has paid is done in what is likely to come, and not in a market that stands still.
        let response = response.map(|r| {
            let runs = forward::ask(&r, &anticipate::likeliest(&anticipation), horizon);
            (r, runs)
        });
        self.chosen = chosen.iter().map(|c| c.of.episode.id).collect();
        self.journal.phase1_summary.episodes_replayed = self.chosen.len() as u32;
        NremPending { plans: asked.plans, perturbed: asked.runs, paths, response }
    }

    pub(super) fn take_nrem(
        &mut self,
        memory: &mut DreamMemory,
        room: &mut DreamRoom<'_, '_>,
        pending: NremPending,
        mut results: &[ForkResult],
    ) {
        let rules = &room.rules.replay;
        self.findings.ran += results.iter().filter(|r| r.is_ok()).count() as u32;
        let scores = perturb::take(rules, &pending.plans, next_results(&mut results, pending.perturbed.len()));
        let trajectories = anticipate::score(&pending.paths, next_results(&mut results, pending.paths.len()));
        let response = pending.response.and_then(|(response, _)| Some((response, forward::take(results)?)));
        let summary = &mut self.journal.phase1_summary;
        summary.perturbed = scores.len() as u32;
        summary.fragile = scores.iter().filter(|s| s.fragile).count() as u32;
        summary.trajectories = trajectories;
        let worst = anticipate::worst(&summary.trajectories, &room.rules.anticipation);
        let worst = worst.filter(|_| room.held.in_trade).map(|way| (way.strategy_fitness, way.hypothesis.clone()));

        let shelf = room.desk.shelf();
        let episodes: Vec<_> = shelf.episodes().collect();
        let traced = credit::trace(rules, &episodes, room.held.in_trade, &memory.credited);
        memory.credit(traced.iter().map(|t| t.trade));
        if let Some((fitness, hypothesis)) = worst {
            // What the open trade would lose that way is laid to its acts, and imagination looks at them first.
            let loss = (room.held.worth.0 as f64 * (1.0 - fitness)) as i64;
            summary.credit_ahead = credit::ahead(rules, &episodes, room.held.trade, -loss);
            summary.needs_attention = Some(hypothesis);
            self.findings.attention = Some(room.held.trade);
        }
        summary.credit_assignments = traced.iter().flat_map(|t| t.shares.iter().cloned()).take(16).collect();
        let now: BTreeSet<EpisodeId> = self.chosen.iter().copied().collect();
        let found = patterns::find(rules, &episodes, &now);
        summary.patterns_found = found.iter().map(|p| p.text.clone()).collect();
        summary.response = response.as_ref().map(|(r, bps)| {
            let ForwardResponse { action, expected_bps, .. } = r;
            format!("to {action} now: {bps:+.1} basis points on a copy, {expected_bps:+.1} in the past")
        });

        let triage_found = TriageFound {
            in_patterns: found.iter().flat_map(|p| p.episodes.iter().copied()).collect(),
            brought_something: scores
                .iter()
                .filter(|s| s.fragile)
                .map(|s| s.plan.episode)
                .chain(summary.credit_assignments.iter().chain(&summary.credit_ahead).map(|c| c.episode))
                .collect(),
        };
        let known = ReplayKnown::of(shelf);
        let scene = self.replay_scene(room, &known);
        let weighed = weigh(&scene, &episodes);
        let chosen: Vec<_> = weighed
            .iter()
            .filter(|w| now.contains(&w.episode.id))
            .map(|of| crate::replay::ChosenEpisode { of: *of, why: crate::replay::ChosenFor::Order })
            .collect();
        let sorted = triage::sort(rules, &known, &triage_found, &chosen, &episodes);
        self.journal.phase1_summary.triage_decisions = triage::count(&sorted);
        let of = |verdict| sorted.iter().filter(move |(_, v)| *v == verdict).map(|(id, _)| *id).collect::<Vec<_>>();
        let (abstracted, forgotten) = (of(TriageVerdict::Abstract), of(TriageVerdict::Forget));

        // What has paid before, and pays on a copy of the present, is as good as a pattern: life says whether it is one.
        let planned = response.and_then(|(r, bps)| patterns::planned(&r, room.seen.regime, bps));
        self.findings.patterns = found
            .into_iter()
            .chain(planned)
            .map(|p| ReplayPattern { text: p.text, episodes: p.episodes, claim: p.claim, mean_bps: p.mean_bps })
            .collect();
        if memory.looks_far(room.seen.now) {
            self.findings.mined = room.desk.mine(&memory.seen, &MINING, room.dice, room.seen.tick);
        }
        // What was flagged is so no longer once it was replayed: models are asked before that.
        self.let_go_or_ask(room, abstracted, forgotten);
        room.desk.replayed(&self.chosen, room.config.replay.strength_step as f32);
    }
}
