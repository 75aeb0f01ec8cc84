//! A turn's deliberation: a model is asked, its calls are answered, and what it comes to narrows or replaces what the policy
//! wants. Whatever goes wrong, the rules decide: thinking can fail, a turn cannot.

pub(crate) mod call;
mod conclude;
mod pay;
mod show;

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::{DecisionGrounds, Thinking, WaitingCall};
use crate::step::{Answer, Question, Step};
use golem_core::Usdc;
use golem_core::model::{ModelAnswer, ModelFailure, ModelMessage, ModelPurpose, ModelRequest, ToolCall};
use golem_daimon::affect::AppraisalModel;
use golem_daimon::suffering::Band;
use golem_grimoire::retrieval::tokens;
use golem_mind::deliberate::{NAME, VerdictAsked, assemble, read_verdict, schema, specs, system};
use golem_mind::tier::Gating;
use std::collections::VecDeque;

/// A turn asks a model at most this many questions.
const MOST_ROUNDS: u32 = 4;
/// At most this many calls of one reply are answered.
const MOST_CALLS: usize = 6;
/// An answer has at most this many tokens: by a small model, and by a large one.
const OUTPUT: [u32; 2] = [400, 1_000];
/// An answer has at most this many tokens where the phase limits all tokens.
const LIMITED_OUTPUT: u32 = 150;

impl Life {
    /// Begin to think, where somebody can be asked. `Err` gives the grounds back.
    pub(crate) fn begin_thinking(
        &mut self,
        gating: &Gating,
        grounds: DecisionGrounds,
    ) -> Result<Step, Box<DecisionGrounds>> {
        let Some((tier, max_cost)) = self.may_ask(gating) else { return Err(Box::new(grounds)) };
        let settings = &self.genesis.settings.thinking;
        let policy = self.state.context.clone();
        let (mut output, mut context) =
            (OUTPUT[tier as usize].min(settings.output_tokens), policy.tokens[tier as usize]);
        let asked = VerdictAsked {
            brief: gating.max_tokens.is_some(),
            assess: self.band() >= Band::Present,
            appraise: self.affect_config().appraisal_model == AppraisalModel::ChainOfEmotion,
        };
        let (mut tools, system, schema) = (specs(), system(asked), schema(asked));
        if let Some(most) = gating.max_tokens {
            // A hard limit counts every token that is paid for: there is no room for tools, and little for words.
            tools.clear();
            output = output.min(LIMITED_OUTPUT);
            context = context.min(most.saturating_sub(output + tokens(&system) + tokens(&schema)));
        }
        let shown = assemble(&policy, context, &self.material());
        let all = tokens(&system) + tokens(&schema) + shown.tokens + output;
        if gating.max_tokens.is_some_and(|most| all > most) {
            return Err(Box::new(grounds));
        }
        let request = ModelRequest {
            purpose: ModelPurpose::Waking,
            tier,
            prompt: NAME.to_owned(),
            system,
            messages: vec![ModelMessage::Golem { text: shown.text }],
            tools,
            schema,
            temperature: 0.2,
            max_output_tokens: output,
            max_cost,
            timeout_ms: settings.timeout_ms,
            web: false,
        };
        // What a deliberation was shown is used in a decision, whatever comes of it.
        if let Some(grimoire) = &mut self.grimoire {
            grimoire.shown(&shown.entries);
        }
        if let Some(dreaming) = &mut self.state.dreams {
            dreaming.memory.crowded_out(&shown.crowded_out);
        }
        let question = Step::Ask(Question::Model(Box::new(request.clone())));
        self.turn.thinking = Some(Box::new(Thinking {
            tier,
            grounds,
            request,
            rounds: 1,
            calls: VecDeque::new(),
            waiting: None,
            results: Vec::new(),
            committed: None,
            shown: shown.entries,
            tokens: 0,
            max_cost,
            cost: Usdc::ZERO,
        }));
        Ok(question)
    }

    /// Go on with an answer.
    pub(crate) fn think_on(&mut self, answer: &Answer) -> Step {
        let Some(mut thinking) = self.turn.thinking.take() else { return Step::Wishes(Vec::new()) };
        match answer {
            Answer::Model(reply) => {
                self.book_thought(&mut thinking, reply);
                match &reply.answer {
                    ModelAnswer::Said { text, calls } => self.heard(thinking, text, calls),
                    ModelAnswer::Nothing { why } => {
                        let told = LifeFact::ThoughtFailed { tier: thinking.tier, why: *why };
                        self.tell(told);
                        self.by_rules(thinking.grounds)
                    }
                }
            }
            Answer::Previews(previews) => {
                if let Some((call, WaitingCall::Preview)) = thinking.waiting.take() {
                    thinking.results.push(call::result(&call, call::shown(previews)));
                }
                self.answer_calls(thinking)
            }
            Answer::Embedded(reply) => {
                self.book_vectors(reply);
                if let Some((call, WaitingCall::Vector(called))) = thinking.waiting.take() {
                    let found = self.search(&called, reply.query.as_ref());
                    thinking.results.push(call::result(&call, found));
                }
                self.answer_calls(thinking)
            }
            // No deliberation asks for it.
            Answer::Forked(_) | Answer::Claimed(_) => self.answer_calls(thinking),
        }
    }

    fn heard(&mut self, mut thinking: Box<Thinking>, text: &str, calls: &[ToolCall]) -> Step {
        if calls.is_empty() {
            return match read_verdict(text) {
                Some(verdict) => self.by_verdict(*thinking, verdict),
                None => {
                    let why = ModelFailure::Unfit;
                    self.tell(LifeFact::ThoughtFailed { tier: thinking.tier, why });
                    self.by_rules(thinking.grounds)
                }
            };
        }
        if thinking.request.tools.is_empty() {
            // The model calls a tool that it was not offered. Nobody would read the result, so nothing is looked up or paid for.
            let why = ModelFailure::Unfit;
            self.tell(LifeFact::ThoughtFailed { tier: thinking.tier, why });
            return self.by_rules(thinking.grounds);
        }
        thinking.request.messages.push(ModelMessage::Model { text: text.to_owned(), calls: calls.to_vec() });
        thinking.calls = calls.iter().cloned().collect();
        self.answer_calls(thinking)
    }

    /// Answer the calls that wait; ask whoever else must be asked on the way, and the model again in the end.
    fn answer_calls(&mut self, mut thinking: Box<Thinking>) -> Step {
        while let Some(call) = thinking.calls.pop_front() {
            if thinking.results.len() >= MOST_CALLS {
                thinking.results.push(call::result(&call, call::refused("too many calls at once")));
                continue;
            }
            match self.call(&mut thinking, &call) {
                call::CallOutcome::Answer(value) => thinking.results.push(call::result(&call, value)),
                call::CallOutcome::Ask(question, waiting) => {
                    thinking.waiting = Some((call, waiting));
                    self.turn.thinking = Some(thinking);
                    return Step::Ask(question);
                }
            }
        }
        if thinking.committed.is_some() {
            return self.by_wish(*thinking);
        }
        self.ask_again(thinking)
    }

    fn ask_again(&mut self, mut thinking: Box<Thinking>) -> Step {
        let results = std::mem::take(&mut thinking.results);
        thinking.request.messages.extend(results);
        thinking.rounds += 1;
        let (allowance, now) = (self.genesis.settings.thinking.allowance(), self.state.core.age);
        let today = self.state.thought.room(&allowance, now, ModelPurpose::Waking, 0);
        // A search on the way may have cost something too, so the purse is asked again.
        let purse = self.may_pay(&allowance).unwrap_or(Usdc::ZERO);
        let left = thinking.max_cost.minus(thinking.cost).min(today).min(purse);
        let broke = thinking.cost > Usdc::ZERO && left == Usdc::ZERO;
        // A model without tools gets no results: what it called all the same must not make the question longer.
        let toolless = thinking.request.tools.is_empty();
        if thinking.rounds > MOST_ROUNDS || broke || toolless || self.state.thought.is_over(&allowance, now) {
            return self.by_rules(thinking.grounds);
        }
        thinking.request.max_cost = left;
        // In the last round the model has no tools: it must come to a verdict.
        if thinking.rounds == MOST_ROUNDS {
            thinking.request.tools.clear();
        }
        let question = Question::Model(Box::new(thinking.request.clone()));
        self.turn.thinking = Some(thinking);
        Step::Ask(question)
    }
}
