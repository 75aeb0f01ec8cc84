//! Asking models while it sleeps: what a question may cost, who is asked, what the tools of a sleeper answer, and that every
//! try is booked as it is awake. Whatever goes wrong, the dream goes on by rules.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::DreamTalk;
use crate::step::{Answer, Question};
use crate::think::call::{look_at, refused, result};
use golem_core::model::{
    ModelAnswer, ModelFailure, ModelMessage, ModelPurpose, ModelReply, ModelRequest, ModelTier, ToolCall,
};
use golem_core::words::one_line;
use golem_core::{Tick, Usdc};
use golem_dreams::ask::may_call;
use golem_dreams::cycle::{DreamCycle, DreamModels};
use golem_dreams::schedule::budget::room_above_floor;
use golem_dreams::state::DreamTier;
use golem_mind::deliberate::{Called, read_call};
use golem_mortality::economic::{Partition, Purpose};
use golem_mortality::phase::PhaseInference;
use serde_json::Value;

/// A question is asked at most so often, with what its tools found.
const MOST_ROUNDS: u32 = 3;
/// At most this many calls of one reply are answered.
const MOST_CALLS: usize = 6;

impl Life {
    /// The models that a dream may ask in this phase of life.
    pub(super) fn dream_models(&self) -> DreamModels {
        let thinking = &self.genesis.settings.thinking;
        let [t1, t2] = thinking.dreams.unwrap_or([thinking.t1, thinking.t2]);
        match self.phase().behaviour().inference {
            PhaseInference::AllTiers | PhaseInference::T1First => DreamModels { t1, t2 },
            // A golem with only one model thinks with that one.
            PhaseInference::T1Only | PhaseInference::T1Limited => DreamModels { t1, t2: t2 && !t1 },
            PhaseInference::ReflectionOnly => DreamModels::default(),
        }
    }

    fn dream_cycle(&mut self) -> Option<&mut DreamCycle> {
        self.state.dreams.as_mut()?.cycle.as_mut()
    }

    /// The next question to a model, if this turn has one; if not, the turn's part of the dream is over.
    pub(super) fn think_or_rest(&mut self) -> Option<Question> {
        while self.dream_cycle().is_some_and(|cycle| cycle.has_question()) {
            match self.dream_request() {
                Ok(request) => return Some(self.ask_dreaming(DreamTalk { request, rounds: 1 })),
                Err(why) => self.ask_no_more(why),
            }
        }
        if let Some(step) = self.in_dream(|cycle, memory, room| cycle.turn_over(memory, room)) {
            self.dream_went(step);
        }
        None
    }

    fn ask_dreaming(&mut self, talk: DreamTalk) -> Question {
        let question = Question::Model(Box::new(talk.request.clone()));
        self.turn.dream_talk = Some(Box::new(talk));
        question
    }

    fn ask_no_more(&mut self, why: &str) {
        if let Some(cycle) = self.dream_cycle() {
            cycle.ask_no_more(why);
        }
    }

    fn dream_request(&self) -> Result<ModelRequest, &'static str> {
        let (models, max_cost) = (self.dream_models(), self.dream_money()?);
        let settings = &self.genesis.settings;
        let cycle = self.state.dreams.as_ref().and_then(|d| d.cycle.as_ref()).ok_or("there is no dream")?;
        let mut request = cycle.request(&settings.dream, models, max_cost, settings.thinking.timeout_ms)?;
        request.max_output_tokens = request.max_output_tokens.min(settings.thinking.output_tokens);
        Ok(request)
    }

    /// What the next question may cost: the least of what is left of the stage, of dreams' share of the day, and of the purse
    /// above its floor. Why none may be asked, once something was spent and nothing is left.
    fn dream_money(&self) -> Result<Usdc, &'static str> {
        let (settings, state, now) = (&self.genesis.settings, &self.state, self.state.core.age);
        let allowance = settings.thinking.allowance();
        let cycle = state.dreams.as_ref().and_then(|d| d.cycle.as_ref()).ok_or("there is no dream")?;
        if state.thought.is_over(&allowance, now) {
            return Err("what all thinking may cost in a day is used up");
        }
        let share = libm::round(self.phase().behaviour().dream_share * 10_000.0) as u32;
        let today = state.thought.room(&allowance, now, ModelPurpose::Dream, share);
        let caps = &settings.mortality.economic.daily_caps;
        let (purse, floor) = (state.ledger.purses[Partition::Llm.index()], settings.dream.budget.purse_floor);
        let above = room_above_floor(purse, state.ledger.operating(), floor);
        let payable = state.ledger.room(Purpose::Inference, self.reserve(), caps).min(above);
        let limits = [
            (cycle.may_cost(), "what it may cost so far is used up"),
            (today, "dreams have had their share of the day's thinking"),
            (payable, "the purse for models is as empty as it may be"),
        ];
        let (least, why) = limits.into_iter().min_by_key(|(money, _)| *money).unwrap_or_default();
        // Whoever asks nothing for an answer may still be asked.
        if least == Usdc::ZERO && cycle.money().0 > Usdc::ZERO {
            return Err(why);
        }
        Ok(least.min(settings.thinking.request_usdc))
    }

    /// A model has answered, or nobody has.
    pub(super) fn dream_heard(&mut self, talk: DreamTalk, answer: &Answer) -> Option<Question> {
        let tier = talk.request.tier;
        let Answer::Model(reply) = answer else {
            self.dream_said(tier, Err("nobody answered"));
            return self.think_or_rest();
        };
        self.book_dreamt(tier, reply);
        match &reply.answer {
            ModelAnswer::Said { text, calls } if calls.is_empty() => self.dream_said(tier, Ok(text)),
            ModelAnswer::Said { text, calls } => match self.ask_again_dreaming(talk, text, calls) {
                Ok(question) => return Some(question),
                Err(why) => self.dream_said(tier, Err(why)),
            },
            ModelAnswer::Nothing { why } => {
                self.dream_said(tier, Err(why.in_words()));
                if *why == ModelFailure::NoProvider {
                    self.ask_no_more(why.in_words());
                }
            }
        }
        self.think_or_rest()
    }

    fn dream_said(&mut self, tier: ModelTier, said: Result<&str, &str>) {
        self.in_dream(|cycle, _, room| cycle.heard(room, tier, said));
    }

    /// Book what a question of the turn before has cost whose answer a crash has swallowed, if a dream asked it.
    pub(crate) fn pay_for_lost_dream(&mut self, cost: Usdc) -> bool {
        let (before, tier) = (Tick(self.state.core.tick.0.saturating_sub(1)), self.genesis.settings.dream.tier);
        let Some(dreaming) = self.state.dreams.as_mut().filter(|_| tier == DreamTier::Hardened) else { return false };
        match &mut dreaming.cycle {
            Some(cycle) if cycle.tier() == tier && cycle.began() < before => cycle.booked(cost, 0, 0),
            // It was the last that its dream has asked.
            None if dreaming.scheduler.last_dream_tick == Some(before) => {
                dreaming.scheduler.paid_later(cost);
                dreaming.memory.paid_later(cost);
            }
            _ => return false,
        }
        true
    }

    /// Every try is paid for, whether it brought anything or not. What is paid is what the dream has cost.
    fn book_dreamt(&mut self, tier: ModelTier, reply: &ModelReply) {
        self.state.thought.book(self.state.core.age, ModelPurpose::Dream, reply);
        for attempt in &reply.attempts {
            self.tell(LifeFact::Inference { tier, attempt: Box::new(attempt.clone()) });
        }
        let mut cost = reply.cost();
        if cost > Usdc::ZERO {
            let paid = self.state.ledger.spend(Purpose::Inference, cost);
            cost = paid.amount;
            self.tell(LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
        let config = &self.genesis.settings.dream;
        let Some(cycle) = self.state.dreams.as_mut().and_then(|d| d.cycle.as_mut()) else { return };
        let sum = |of: fn(&golem_core::model::ModelAttempt) -> u64| {
            reply.attempts.iter().fold(0u64, |all, attempt| all.saturating_add(of(attempt)))
        };
        cycle.booked(cost, sum(|a| a.input_tokens), sum(|a| a.output_tokens));
        reply.attempts.iter().for_each(|attempt| cycle.attested(config, attempt));
    }

    /// Answer what a model calls, and ask it again. In the last round it has no tools: it must come to an end.
    fn ask_again_dreaming(
        &mut self,
        mut talk: DreamTalk,
        text: &str,
        calls: &[ToolCall],
    ) -> Result<Question, &'static str> {
        if talk.request.tools.is_empty() || talk.rounds >= MOST_ROUNDS {
            return Err("it calls tools instead of answering");
        }
        let mut results = Vec::new();
        for call in calls {
            let found =
                if results.len() < MOST_CALLS { self.dream_call(call) } else { refused("too many calls at once") };
            results.push(result(call, found));
        }
        let left = self.dream_cycle().map_or(0, |cycle| cycle.tokens_left());
        if left == 0 {
            return Err("the tokens of the stage are used up");
        }
        talk.request.max_cost = self.dream_money()?;
        talk.request.max_output_tokens = talk.request.max_output_tokens.min(u32::try_from(left).unwrap_or(u32::MAX));
        talk.request.messages.push(ModelMessage::Model { text: text.to_owned(), calls: calls.to_vec() });
        talk.request.messages.extend(results);
        talk.rounds += 1;
        if talk.rounds == MOST_ROUNDS {
            talk.request.tools.clear();
        }
        Ok(self.ask_dreaming(talk))
    }

    /// What a sleeper's call comes to. What it does not have is refused before anything reads its arguments.
    fn dream_call(&mut self, call: &ToolCall) -> Value {
        let called = may_call(call).map(|_| read_call(call));
        let found = match called {
            None => Err("a sleeper has no such tool".to_owned()),
            Some(Err(bad)) => Err(bad.to_string()),
            Some(Ok(Called::State(names))) => Ok(look_at(&self.observed(), &names)),
            Some(Ok(called @ (Called::Grimoire(_) | Called::Context(_)))) => Ok(self.search(&called, None)),
            Some(Ok(_)) => Err("a sleeper has no such tool".to_owned()),
        };
        self.tell(LifeFact::ToolCalled { tool: one_line(&call.name, 40), ok: found.is_ok() });
        found.unwrap_or_else(|why| refused(&why))
    }
}
