//! One cycle of a dream: five stages in their order, one in each turn (several where it sleeps with a model). A stage asks
//! for its runs on copies of the chain, takes what came of them, and leaves what it found for the next; only the report
//! crosses back.

mod findings;
mod hearing;
mod inherited;
mod integration;
mod liminal;
mod memory;
mod nrem;
mod questions;
mod rem;
mod room;
mod rules;
mod thinking;

pub use findings::DreamFindings;
pub use inherited::TAKEN_UP_A_CYCLE;
pub use memory::{DreamMemory, DreamStats};
pub use room::{DreamModels, DreamRoom, DreamWeights, HeldNow, LineOfDreams, Tunable};
pub use rules::DreamRules;

use crate::config::DreamConfig;
use crate::fact::DreamFact;
use crate::journal::{DreamEnd, DreamJournalEntry, DreamLater, DreamReport};
use crate::replay::{ReplayKnown, ReplayScene};
use crate::schedule::budget::split;
use crate::schedule::{CyclePlan, DreamBounds, DreamCeilings, DreamLegacy, DreamTrigger};
use crate::seen::DreamSeen;
use crate::state::{DreamPhase, DreamTier};
use golem_core::door::{ForkReply, ForkRequest, ForkResult, ForkRun, MOST_FORK_RUNS};
use golem_core::{Tick, Timestamp, Usdc};
use golem_grimoire::EpisodeId;
use nrem::NremPending;
use rem::RemPending;
use serde::{Deserialize, Serialize};
use thinking::DreamThinking;

/// The name of a cycle's branch.
#[must_use]
pub fn cycle_id(number: u32) -> String {
    format!("dream/{number}")
}

/// A cycle that is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DreamCycle {
    number: u32,
    trigger: DreamTrigger,
    tier: DreamTier,
    bounds: DreamBounds,
    legacy: DreamLegacy,
    what_confused_me: bool,
    phase: DreamPhase,
    began: Tick,
    at: Timestamp,
    /// Turns that each stage has, and those of this one that are over.
    turns: [u32; 5],
    turn: u32,
    /// Turns after which it ends, whatever it is doing.
    turns_left: u32,
    /// What it may cost, and has cost.
    allowance: Usdc,
    spent: Usdc,
    /// Runs on copies of the chain.
    runs: u32,
    chosen: Vec<EpisodeId>,
    findings: DreamFindings,
    journal: DreamJournalEntry,
    /// What it asks of models, where it has any.
    #[serde(default, skip_serializing_if = "DreamThinking::is_none")]
    thinking: DreamThinking,
    /// What the runs that were asked for in this turn are about; a turn ends with none.
    #[serde(skip)]
    pending: StagePending,
}

/// What runs were asked for.
#[derive(Debug, Clone, PartialEq, Default)]
enum StagePending {
    #[default]
    Nothing,
    Nrem(Box<NremPending>),
    Rem(Box<RemPending>),
}

/// Where a cycle has come to.
#[derive(Debug, Clone, PartialEq)]
pub enum CycleStep {
    GoesOn,
    Over(Box<DreamReport>),
}

impl DreamCycle {
    /// Fall asleep.
    #[must_use]
    pub fn begin(number: u32, trigger: DreamTrigger, plan: &CyclePlan, seen: &DreamSeen, config: &DreamConfig) -> Self {
        // Turns are shared out like money; every stage has one.
        let shares = split(plan.length.turns, seen.phase, &config.phases);
        let turns = if plan.tier == DreamTier::Core { [1; 5] } else { shares.map(|n| n.clamp(1, 1_000) as u32) };
        let allowance = plan.allowance.amount;
        let thinking = match plan.tier {
            DreamTier::Core => DreamThinking::default(),
            DreamTier::Hardened => DreamThinking::begun(allowance, seen, config),
        };
        Self {
            number,
            trigger,
            tier: plan.tier,
            bounds: plan.bounds,
            legacy: plan.modulation.legacy,
            what_confused_me: plan.modulation.what_confused_me,
            phase: DreamPhase::HypnagogicOnset,
            began: seen.tick,
            at: seen.at,
            turns,
            turn: 0,
            turns_left: config.max_turns_per_cycle.max(5),
            allowance,
            spent: Usdc::ZERO,
            runs: 0,
            chosen: Vec::new(),
            findings: DreamFindings::default(),
            journal: DreamJournalEntry::begun(cycle_id(number), seen.at, plan.tier, trigger.kind()),
            thinking,
            pending: StagePending::Nothing,
        }
    }
    /// `dream/N`.
    #[must_use]
    pub fn id(&self) -> String {
        cycle_id(self.number)
    }
    #[must_use]
    pub fn tier(&self) -> DreamTier {
        self.tier
    }
    #[must_use]
    pub fn phase(&self) -> DreamPhase {
        self.phase
    }
    #[must_use]
    pub fn began(&self) -> Tick {
        self.began
    }
    /// What it has cost, and what it may still cost.
    #[must_use]
    pub fn money(&self) -> (Usdc, Usdc) {
        (self.spent, self.allowance.minus(self.spent))
    }
    /// The journal so far.
    #[must_use]
    pub fn journal(&self) -> &DreamJournalEntry {
        &self.journal
    }

    /// This turn's part of the stage: what it wants run before it can go on; nothing when it wants nothing run.
    pub fn ask(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) -> ForkRequest {
        if self.turn == 0 {
            let budget_tokens = self.begin_to_think(room);
            room.told.push(DreamFact::Phase { cycle_id: self.id(), phase: self.phase, budget_tokens });
        }
        // The work of a stage is done in its first turn; what is left of its time is rest.
        let mut runs = if self.turn > 0 { Vec::new() } else { self.work(memory, room) };
        runs.truncate(MOST_FORK_RUNS);
        self.runs = self.runs.saturating_add(runs.len() as u32);
        ForkRequest { runs }
    }

    /// What an episode's worth of a replay is weighed by.
    fn replay_scene<'s>(&self, room: &'s DreamRoom<'_, '_>, known: &'s ReplayKnown) -> ReplayScene<'s> {
        ReplayScene {
            rules: &room.rules.replay,
            seen: room.seen,
            situation: &room.here,
            known,
            cycle: self.number,
            legacy: self.legacy,
            confused: self.what_confused_me,
            dice: room.dice,
        }
    }

    fn ceilings(&self, room: &DreamRoom<'_, '_>) -> DreamCeilings {
        DreamCeilings::of(self.tier, room.config)
    }
    /// A mood takes more or less of what the clocks allow, and no more than the owner does.
    fn episodes_now(&self, room: &DreamRoom<'_, '_>) -> u32 {
        DreamWeights::scaled(self.bounds.episodes, room.weights.replay).min(self.ceilings(room).episodes)
    }
    fn counterfactuals_now(&self, room: &DreamRoom<'_, '_>) -> u32 {
        DreamWeights::scaled(self.bounds.counterfactuals, room.weights.creative)
            .min(self.ceilings(room).counterfactuals)
    }
    fn sessions_now(&self, room: &DreamRoom<'_, '_>) -> u32 {
        let sessions = DreamWeights::scaled(self.bounds.creative_sessions, room.weights.creative);
        sessions.min(self.ceilings(room).creative_sessions)
    }

    fn work(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) -> Vec<ForkRun> {
        match self.phase {
            DreamPhase::HypnagogicOnset => {
                self.fall_asleep(room);
                Vec::new()
            }
            DreamPhase::Nrem => {
                let pending = self.ask_nrem(room);
                let runs = pending.runs();
                self.pending = StagePending::Nrem(Box::new(pending));
                runs
            }
            DreamPhase::Rem => {
                let pending = self.ask_rem(memory, room);
                let runs = pending.runs();
                self.pending = StagePending::Rem(Box::new(pending));
                runs
            }
            DreamPhase::Integration => {
                self.integrate(memory, room);
                Vec::new()
            }
            DreamPhase::HypnopompicReturn => {
                if !self.asks_before_it_surfaces(room) {
                    self.surface(memory, room);
                }
                Vec::new()
            }
        }
    }

    /// What came of the runs. What there is to ask of models is known from here on.
    pub fn take(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>, reply: &ForkReply) {
        match std::mem::take(&mut self.pending) {
            StagePending::Nothing => {}
            StagePending::Nrem(pending) => self.take_nrem(memory, room, *pending, &reply.runs),
            StagePending::Rem(pending) => self.take_rem(memory, room, *pending, &reply.runs),
        }
        self.share_out_questions();
    }

    /// The turn is over. The stage ends with its last turn, or with the time that the cycle has; the cycle with its last
    /// stage.
    pub fn turn_over(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>) -> CycleStep {
        self.turn += 1;
        self.turns_left = self.turns_left.saturating_sub(1);
        if self.turn < self.turns[self.phase as usize] && self.turns_left > 0 && !self.is_late(room) {
            return CycleStep::GoesOn;
        }
        self.close_stage(memory, room);
        match self.phase.next().filter(|_| self.turns_left > 0) {
            Some(next) => {
                (self.phase, self.turn) = (next, 0);
                CycleStep::GoesOn
            }
            None => CycleStep::Over(Box::new(self.wake(memory, room, DreamEnd::Complete))),
        }
    }

    /// It ends before its time: the journal keeps what there is.
    pub fn break_off(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>, end: DreamEnd) -> DreamReport {
        self.pending = StagePending::Nothing;
        let (source, reason) = match &end {
            DreamEnd::Woken { source, reason } => (Some(*source), reason.clone()),
            DreamEnd::Died => (None, "it died".to_owned()),
            DreamEnd::Complete => (None, "it was over".to_owned()),
        };
        room.told.push(DreamFact::Interrupted { cycle_id: self.id(), phase: self.phase, source, reason });
        self.wake(memory, room, end)
    }

    fn wake(&mut self, memory: &mut DreamMemory, room: &mut DreamRoom<'_, '_>, end: DreamEnd) -> DreamReport {
        let broken_off = end != DreamEnd::Complete;
        let journal = &mut self.journal;
        journal.end = end;
        journal.total_cost_usdc = self.spent;
        journal.dream_duration_ticks = room.seen.tick.0.saturating_sub(self.began.0);
        journal.dream_quality_score = self.findings.quality(journal, memory.came_true());
        journal.later = DreamLater { proposed: self.findings.proposed, ..DreamLater::default() };
        if self.findings.proposed == 0 {
            self.findings.say_why_nothing(journal);
        }
        let report = DreamReport {
            cycle_id: cycle_id(self.number),
            number: self.number,
            journal: self.journal.clone(),
            insights: self.findings.insights(),
            hypotheses: self.journal.phase2_summary.creative_hypotheses.clone(),
            threats: self.journal.phase2_summary.threats_simulated.clone(),
            deletions: self.findings.forgotten.clone(),
            advice: self.findings.advice.clone(),
            runs: self.runs,
            total_cost_usdc: self.spent,
            duration_ticks: self.journal.dream_duration_ticks,
            at: room.seen.tick,
        };
        if !broken_off {
            room.told.push(self.complete(&report));
        }
        let left = room.desk.shelf().episodes().filter(|(_, m)| m.replays == 0 && !m.let_go).count();
        memory.ended(&report, broken_off, room.seen.episodes, left as u32);
        report
    }

    fn complete(&self, report: &DreamReport) -> DreamFact {
        let j = &report.journal;
        DreamFact::Complete {
            cycle_id: self.id(),
            episodes_replayed: j.phase1_summary.episodes_replayed,
            counterfactuals_generated: j.phase2_summary.counterfactuals_generated,
            insights_crystallized: self.findings.staged_insights,
            heuristics_proposed: self.findings.proposed.saturating_sub(self.findings.staged_insights),
            episodes_depotentiated: j.phase2_summary.emotional_episodes_processed,
            playbook_edits: j.phase3_summary.playbook_revisions_staged.len() as u32,
            runs: self.runs,
            quality: j.dream_quality_score,
            cost: self.spent,
            nothing_because: j.nothing_because.clone(),
        }
    }
}

/// The results that belong to the next so many runs; fewer when there are no more.
fn next_results<'a>(results: &mut &'a [ForkResult], n: usize) -> &'a [ForkResult] {
    let (first, rest) = results.split_at(n.min(results.len()));
    *results = rest;
    first
}

#[cfg(test)]
mod tests;
