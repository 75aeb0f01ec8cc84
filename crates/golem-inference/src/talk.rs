//! One question while it is being asked: how much time and money is left of it, and what was tried.

use crate::price::{Counted, ModelPrice};
use golem_core::Usdc;
use golem_core::model::{ModelAttempt, ModelFailure};
use std::time::{Duration, Instant};

pub(crate) struct Talk {
    until: Instant,
    max_cost: Usdc,
    pub max_output: u32,
    pub attempts: Vec<ModelAttempt>,
}

/// One attempt that brought nothing, and whether it may be repeated.
pub(crate) struct Failed {
    pub why: ModelFailure,
    /// The least pause before the next try; `None` when another try would bring the same, or be billed again.
    pub again: Option<Duration>,
    /// True when it was the provider that failed, not the question.
    pub blame: bool,
    /// True when the provider said how it wants to be asked, and will be from now on.
    pub learnt: bool,
}

impl Talk {
    pub(crate) fn new(now: Instant, time: Duration, max_cost: Usdc, max_output: u32) -> Self {
        // A time beyond the clock's end is no time: better none than for ever.
        let until = now.checked_add(time).unwrap_or(now);
        Self { until, max_cost, max_output, attempts: Vec::new() }
    }
    pub(crate) fn left(&self, now: Instant) -> Duration {
        self.until.saturating_duration_since(now)
    }
    /// Whether the worst that the next try can cost still fits under the cap, with all that was spent before it.
    pub(crate) fn affords(&self, worst: Usdc) -> bool {
        let spent = self.attempts.iter().try_fold(worst, |sum, a| sum.checked_add(a.cost));
        spent.is_some_and(|all| all <= self.max_cost)
    }
    /// Book something that was never sent.
    pub(crate) fn unsent(&mut self, who: (&str, &str), why: ModelFailure, note: &str) -> Failed {
        self.book(who, Counted::default(), ModelPrice::default(), Some(why), note);
        Failed { why, again: None, blame: false, learnt: false }
    }
    /// Book a try.
    pub(crate) fn book(
        &mut self,
        (provider, model): (&str, &str),
        counted: Counted,
        price: ModelPrice,
        failed: Option<ModelFailure>,
        note: &str,
    ) {
        self.attempts.push(ModelAttempt {
            provider: provider.to_owned(),
            model: model.to_owned(),
            input_tokens: counted.input,
            cached_tokens: counted.cached,
            output_tokens: counted.output,
            estimated: counted.estimated,
            cost: price.charge(&counted),
            failed,
            drift: false,
            leaked: false,
            note: note.to_owned(),
            receipt: String::new(),
        });
    }
    /// Say of the last try that it could not be used.
    pub(crate) fn unfit(&mut self, why: &str) {
        self.unusable(ModelFailure::Unfit, why.to_owned());
    }
    /// Say of the last try that it came to the limit of its tokens.
    pub(crate) fn cut_short(&mut self) -> ModelFailure {
        self.unusable(ModelFailure::CutShort, format!("cut off at {} tokens", self.max_output));
        ModelFailure::CutShort
    }
    fn unusable(&mut self, why: ModelFailure, note: String) {
        if let Some(last) = self.attempts.last_mut() {
            (last.failed, last.note) = (Some(why), note);
        }
    }
}
