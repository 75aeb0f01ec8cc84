//! What the diagnostics remember between estimates: the pairs, earlier estimates, the false part, the open questions.

use super::config::InfoConfig;
use super::ksg::KsgSample;
use super::pairs::{Pair, PairRing, columns};
use super::question::StandingQuestion;
use super::redundancy::RedundancyReport;
use super::report::{InfoAlert, MiDiagnostics, changed};
use super::surrogate::SurrogateJudgement;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Estimates kept so that the older half of the buffer need not be estimated again.
const REMEMBERED: usize = 8;

/// The state of the information diagnostics of one life.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct InfoState {
    /// Actions and responses. Large; may be stored apart from the rest, pair by pair.
    pub pairs: PairRing,
    /// Everything else. Small.
    pub ledger: InfoLedger,
}

/// All of the state but the pairs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct InfoLedger {
    pub(super) diagnostics: MiDiagnostics,
    pub(super) estimates: VecDeque<Estimate>,
    pub(super) estimated_at: Option<u64>,
    pub(super) false_part: Option<FalsePart>,
    pub(super) surrogates_at: Option<u64>,
    pub(super) highest_bits: f64,
    pub(super) decoupling: StandingQuestion,
    pub(super) overfitting: StandingQuestion,
    pub(super) redundancy: StandingQuestion,
}

/// An estimate of one window, named by the number of its last pair and its length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Estimate {
    pub(super) tick: u64,
    pub(super) last_pair: u64,
    pub(super) pairs: usize,
    pub(super) raw_bits: f64,
}

/// How much of an estimate is false, as the surrogates last showed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FalsePart {
    pub(super) tick: u64,
    pub(super) pairs: usize,
    pub(super) mean_bits: f64,
}

impl InfoState {
    /// Remembers what was done and what came of it.
    pub fn push(&mut self, pair: Pair, config: &InfoConfig) {
        self.pairs.push(pair, config);
    }

    /// True when the next estimate is due.
    #[must_use]
    pub fn due(&self, nominal_tick: u64, config: &InfoConfig) -> bool {
        let last = self.ledger.estimated_at.unwrap_or(0);
        nominal_tick >= last.saturating_add(config.estimate_every.max(1))
    }

    /// The latest diagnostics.
    #[must_use]
    pub fn diagnostics(&self) -> &MiDiagnostics {
        &self.ledger.diagnostics
    }

    /// True when a comparison with the siblings may be made again.
    #[must_use]
    pub fn redundancy_due(&self, nominal_tick: u64) -> bool {
        self.ledger.redundancy.may_ask(nominal_tick)
    }

    /// Takes a comparison with the siblings into the diagnostics. Returns the alert if it changed.
    pub fn note_redundancy(
        &mut self,
        nominal_tick: u64,
        report: &RedundancyReport,
        config: &InfoConfig,
    ) -> Option<InfoAlert> {
        let ledger = &mut self.ledger;
        let question = &mut ledger.redundancy;
        question.note(nominal_tick, report.redundant, report.own_bits, 0.0, config);
        let before = question.set(report.redundant);
        ledger.diagnostics.redundant = report.redundant;
        ledger.diagnostics.redundancy_index = report.index;
        let change = changed(before, report.redundant)?;
        Some(InfoAlert::Redundancy { change, index: report.index })
    }

    /// `length` pairs that end `back` before the newest, made ready for the estimator.
    pub(super) fn sample(
        &self,
        back: usize,
        length: usize,
        config: &InfoConfig,
        uniform: &mut dyn FnMut() -> f64,
    ) -> KsgSample {
        let actions = columns(self.pairs.window(back, length).map(|pair| &pair.action));
        let responses = columns(self.pairs.window(back, length).map(|pair| &pair.response));
        KsgSample::standardised(actions, responses, config.jitter, uniform)
    }
}

impl InfoLedger {
    /// I_max: the highest information of this life less its false part, and at least the floor.
    #[must_use]
    pub fn i_max_bits(&self, config: &InfoConfig) -> f64 {
        self.highest_bits.max(config.i_max_floor_bits).max(f64::MIN_POSITIVE)
    }

    /// Information less the false part, as far as that is known. Never below zero.
    pub(super) fn corrected(&self, raw_bits: f64) -> f64 {
        let false_bits = self.false_part.as_ref().map_or(0.0, |part| part.mean_bits);
        (raw_bits - false_bits).max(0.0)
    }

    /// The false part, unless it was measured too long ago or on a shorter window, where it is larger.
    pub(super) fn fresh_false_part(&self, tick: u64, pairs: usize, config: &InfoConfig) -> Option<&FalsePart> {
        let young = |part: &&FalsePart| tick.saturating_sub(part.tick) <= config.surrogate_wait_max;
        self.false_part.as_ref().filter(|part| part.pairs >= pairs).filter(young)
    }

    /// True when surrogates may be drawn: on this very tick they were, or the last time is long enough ago.
    pub(super) fn may_draw(&self, tick: u64, config: &InfoConfig) -> bool {
        self.surrogates_at.is_none_or(|last| tick == last || tick >= last.saturating_add(config.surrogate_every))
    }

    /// Notes what the surrogates of the newest window showed.
    pub(super) fn note_false_part(&mut self, tick: u64, pairs: usize, judgement: &SurrogateJudgement) {
        self.false_part = Some(FalsePart { tick, pairs, mean_bits: judgement.mean_bits });
    }

    pub(super) fn remember(&mut self, estimate: Estimate) {
        while self.estimates.len() >= REMEMBERED {
            self.estimates.pop_front();
        }
        self.estimates.push_back(estimate);
    }

    /// The estimate of exactly this window, if it was made.
    pub(super) fn remembered(&self, last_pair: u64, pairs: usize) -> Option<f64> {
        self.estimates
            .iter()
            .rev()
            .find(|estimate| estimate.last_pair == last_pair && estimate.pairs == pairs)
            .map(|estimate| estimate.raw_bits)
    }
}
