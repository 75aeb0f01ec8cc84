//! Models as an owner wants to know of them: how often they were asked, what failed and why, and what it cost.

use crate::money;
use golem_core::fact::Envelope;
use golem_core::model::{ModelAttempt, ModelFailure};
use golem_core::{Timestamp, Usdc};
use golem_life::{Fact, LifeFact};
use serde::Serialize;
use std::collections::BTreeMap;

/// All that was asked of models in a life.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ModelsAsked {
    /// Tries with any provider.
    pub asked: u64,
    /// Tries of which nothing came.
    pub failed: u64,
    /// The same by reason.
    pub why: BTreeMap<ModelFailure, u64>,
    /// What all of it cost, vectors included.
    #[serde(rename = "spent_micro_usdc")]
    pub spent: Usdc,
    /// The last failure: when, and in words.
    pub last_failure: Option<(Timestamp, String)>,
    /// Failures in a row, by provider.
    #[serde(skip)]
    failing: BTreeMap<String, u32>,
}

impl ModelsAsked {
    /// The facts that it reads.
    pub const NAMES: [&'static str; 2] = [LifeFact::named("Inference"), LifeFact::named("Embedded")];

    /// Take in a fact. What comes back is news: a model began to fail, or answers again.
    pub fn see(&mut self, fact: &Envelope<Fact>) -> Option<String> {
        match &fact.body {
            Fact::Life(LifeFact::Inference { attempt, .. }) => self.tried(fact.at, attempt),
            Fact::Life(LifeFact::Embedded { cost, .. }) => {
                self.spent = self.spent.plus(*cost);
                None
            }
            _ => None,
        }
    }

    fn tried(&mut self, at: Timestamp, attempt: &ModelAttempt) -> Option<String> {
        self.asked += 1;
        self.spent = self.spent.plus(attempt.cost);
        let in_a_row = self.failing.entry(attempt.provider.clone()).or_default();
        let who = format!("{} ({})", attempt.provider, attempt.model);
        let Some(why) = attempt.failed else {
            let before = std::mem::take(in_a_row);
            let times = if before == 1 { "failure" } else { "failures in a row" };
            return (before > 0).then(|| format!("model {who} answers again after {before} {times}"));
        };
        *in_a_row += 1;
        let first = *in_a_row == 1;
        self.failed += 1;
        *self.why.entry(why).or_default() += 1;
        let note = if attempt.note.is_empty() { String::new() } else { format!(" ({})", attempt.note) };
        let words = format!("{who}: {}{note}", why.in_words());
        self.last_failure = Some((at, words.clone()));
        first.then(|| format!("model {words}; rules decide until it answers"))
    }

    /// In words, beside what today has cost; the last failure comes as a line of its own.
    #[must_use]
    pub fn words(&self, today: (u32, Usdc)) -> Vec<String> {
        if self.asked == 0 && self.spent == Usdc::ZERO {
            return vec!["not asked yet".to_owned()];
        }
        let reasons: Vec<String> = self.why.iter().map(|(why, n)| format!("{n} times {}", why.in_words())).collect();
        let failed = match self.failed {
            0 => "none failed".to_owned(),
            n => format!("{n} failed ({})", reasons.join(", ")),
        };
        let (calls, cost) = today;
        let mut lines = vec![
            format!("asked {} times, {failed}", money::grouped(u128::from(self.asked))),
            format!(
                "spent {} USDC today in {calls} questions, {} USDC ever",
                money::usdc(cost),
                money::usdc(self.spent)
            ),
        ];
        if let Some((at, words)) = &self.last_failure {
            lines.push(format!("last failure {}: {words}", crate::time::moment(*at)));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(failed: Option<ModelFailure>) -> ModelAttempt {
        ModelAttempt {
            provider: "local".into(),
            model: "small".into(),
            input_tokens: 10,
            cached_tokens: 0,
            output_tokens: 5,
            estimated: false,
            cost: Usdc(120),
            failed,
            drift: false,
            leaked: false,
            note: failed.map_or(String::new(), |_| "status 503".into()),
            receipt: String::new(),
        }
    }

    #[test]
    fn a_model_that_begins_to_fail_is_news_once() {
        let mut all = ModelsAsked::default();
        let at = Timestamp(1_767_225_600);
        let bad = attempt(Some(ModelFailure::Unreachable));
        assert_eq!(all.tried(at, &attempt(None)), None);
        let told = all.tried(at, &bad).expect("news");
        assert_eq!(
            told,
            "model local (small): it cannot be reached, or is in trouble (status 503); rules decide until it answers"
        );
        assert_eq!(all.tried(at, &bad), None, "once");
        assert_eq!(
            all.tried(at, &attempt(None)).as_deref(),
            Some("model local (small) answers again after 2 failures in a row")
        );
        assert_eq!((all.asked, all.failed, all.spent), (4, 2, Usdc(480)));
        let words = all.words((3, Usdc(360))).join("\n");
        assert!(words.contains("asked 4 times, 2 failed (2 times it cannot be reached, or is in trouble)"), "{words}");
        assert!(words.contains("0.00036 USDC today in 3 questions, 0.00048 USDC ever"), "{words}");
    }
}
