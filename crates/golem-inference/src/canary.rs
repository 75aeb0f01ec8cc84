//! Questions whose answers are known: a model that was exchanged behind its name gives itself away by them.

use crate::inference::Inference;
use crate::report::question;
use crate::text::short;
use golem_core::model::{ModelAnswer, ModelAttempt};
use serde::Serialize;

/// The most tokens that an answer to a canary may have.
const TOKENS: u32 = 64;

/// What one model of one provider made of one canary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sung {
    /// Which canary, by its place in the settings.
    pub canary: usize,
    /// The provider's name.
    pub provider: String,
    /// True when the answer was the known one; `None` when there was no answer, which says nothing about the model.
    pub right: Option<bool>,
    /// What it said, cut.
    pub said: String,
    /// What was tried, for the account.
    pub attempts: Vec<ModelAttempt>,
}

impl Inference {
    /// Ask all canaries of all providers that serve their tier.
    pub fn evaluate(&mut self) -> Vec<Sung> {
        let canaries = self.canaries.clone();
        let mut all = Vec::new();
        for (canary, known) in canaries.iter().enumerate() {
            for seat in 0..self.seats.len() {
                if self.seats[seat].config.model(known.tier).is_none() {
                    continue;
                }
                let reply = self.ask_of(vec![seat], &question(known.tier, "canary@1", &known.ask, TOKENS));
                let (right, said) = match &reply.answer {
                    ModelAnswer::Said { text, .. } => (Some(text.trim() == known.expect.trim()), short(text, 160)),
                    ModelAnswer::Nothing { .. } => (None, String::new()),
                };
                let provider = self.seats[seat].config.name.clone();
                all.push(Sung { canary, provider, right, said, attempts: reply.attempts });
            }
        }
        all
    }
}
