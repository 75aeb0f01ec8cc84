//! A turn's deliberation: a model is asked, its calls are answered, and what it comes to narrows or replaces what the policy
//! wants. Whatever goes wrong, the rules decide: thinking can fail, a turn cannot.

mod calls;
mod showing;

use crate::fact::LifeFact;
use crate::life::{Facts, Life};
use crate::step::{Answer, Question, Step};
use golem_core::Usdc;
use golem_core::intent::Holdings;
use golem_core::model::{ModelAnswer, ModelMessage, ModelPurpose, ModelReply, ModelRequest, ModelTier, ToolCall};
use golem_daimon::affect::{AppraisalModel, ModelAppraisal};
use golem_daimon::suffering::{Band, Domain};
use golem_grimoire::EntryId;
use golem_grimoire::retrieval::tokens;
use golem_mind::cache::Stance;
use golem_mind::deliberate::{Act, Called, NAME, SYSTEM, Verdict, assemble, read_verdict, schema, specs};
use golem_mind::tier::Gating;
use golem_mind::{Guidance, Permissions, Valuation};
use golem_mortality::economic::Purpose;
use std::collections::VecDeque;

/// Questions to a model in one turn.
const MOST_ROUNDS: u32 = 4;
/// Calls of one reply that are answered.
const MOST_CALLS: usize = 6;
/// Tokens of an answer, by a small model and by a large one.
const OUTPUT: [u32; 2] = [400, 1_000];
/// Tokens of an answer where the phase limits tokens hard.
const LIMITED_OUTPUT: u32 = 150;
/// A wish for an action that opens needs at least this confidence.
const SURE: f64 = 0.5;

/// What a turn decides with, whoever decides.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub guidance: Guidance,
    pub may: Permissions,
    pub holdings: Holdings,
    pub value: Valuation,
}

/// A deliberation on its way.
#[derive(Debug)]
pub(crate) struct Thinking {
    tier: ModelTier,
    table: Table,
    request: ModelRequest,
    rounds: u32,
    /// Calls that wait for their answer, and the one that waits for somebody else's.
    calls: VecDeque<ToolCall>,
    waiting: Option<(ToolCall, Waiting)>,
    results: Vec<ModelMessage>,
    /// What it wishes for.
    committed: Option<Committed>,
    shown: Vec<EntryId>,
    tokens: u64,
    /// What it may cost, and what it has cost.
    max_cost: Usdc,
    cost: Usdc,
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq)]
enum Waiting {
    /// The hands, to say what an action would do.
    Preview,
    /// An embedder, for the vector of what is searched for.
    Vector(Called),
}

#[derive(Debug, Clone, PartialEq)]
struct Committed {
    act: Act,
    share: f64,
    confidence: f64,
    reason: String,
}

impl Life {
    /// Begin to think, where somebody can be asked. `Err` gives the table back.
    pub(crate) fn begin_thinking(&mut self, gating: &Gating, table: Table) -> Result<Step, Box<Table>> {
        let Some((tier, max_cost)) = self.may_ask(gating) else { return Err(Box::new(table)) };
        let settings = &self.genesis.settings.thinking;
        let policy = self.state.context.clone();
        let (mut output, mut context) =
            (OUTPUT[tier as usize].min(settings.output_tokens), policy.tokens[tier as usize]);
        let limited = gating.max_tokens.is_some();
        let appraises = self.affect_config().appraisal_model == AppraisalModel::ChainOfEmotion;
        let (mut tools, schema) = (specs(), schema(limited, self.band() >= Band::Present, appraises));
        if let Some(most) = gating.max_tokens {
            // A hard limit is for everything that is paid for: then there is no room for tools, and little for words.
            tools.clear();
            output = output.min(LIMITED_OUTPUT);
            context = context.min(most.saturating_sub(output + tokens(SYSTEM) + tokens(&schema)));
        }
        let shown = assemble(&policy, context, &self.material());
        let all = tokens(SYSTEM) + tokens(&schema) + shown.tokens + output;
        if gating.max_tokens.is_some_and(|most| all > most) {
            return Err(Box::new(table));
        }
        let request = ModelRequest {
            purpose: ModelPurpose::Waking,
            tier,
            prompt: NAME.to_owned(),
            system: SYSTEM.to_owned(),
            messages: vec![ModelMessage::Golem { text: shown.text }],
            tools,
            schema,
            temperature: 0.2,
            max_output_tokens: output,
            max_cost,
            timeout_ms: settings.timeout_ms,
        };
        let question = Step::Ask(Question::Model(Box::new(request.clone())));
        self.half.thinking = Some(Box::new(Thinking {
            tier,
            table,
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
    pub(crate) fn think_on(&mut self, answer: &Answer, facts: &mut Facts) -> Step {
        let Some(mut thinking) = self.half.thinking.take() else { return Step::Wishes(Vec::new()) };
        match answer {
            Answer::Model(reply) => {
                self.book_thought(&mut thinking, reply, facts);
                match &reply.answer {
                    ModelAnswer::Said { text, calls } => self.heard(thinking, text, calls, facts),
                    ModelAnswer::Nothing { why } => {
                        let told = LifeFact::ThoughtFailed { tier: thinking.tier, why: *why };
                        self.tell(facts, told);
                        self.by_rules(thinking.table, facts)
                    }
                }
            }
            Answer::Previews(previews) => {
                if let Some((call, Waiting::Preview)) = thinking.waiting.take() {
                    thinking.results.push(calls::result(&call, calls::shown(previews)));
                }
                self.answer_calls(thinking, facts)
            }
            Answer::Embedded(reply) => {
                self.book_vectors(reply, facts);
                if let Some((call, Waiting::Vector(called))) = thinking.waiting.take() {
                    let found = self.search(&called, reply.query.as_ref());
                    thinking.results.push(calls::result(&call, found));
                }
                self.answer_calls(thinking, facts)
            }
        }
    }

    /// Every try is paid for, whether it brought anything or not.
    fn book_thought(&mut self, thinking: &mut Thinking, reply: &ModelReply, facts: &mut Facts) {
        let now = self.state.core.age;
        self.state.thought.book(now, ModelPurpose::Waking, reply);
        for attempt in &reply.attempts {
            thinking.tokens =
                thinking.tokens.saturating_add(attempt.input_tokens).saturating_add(attempt.output_tokens);
            let told = LifeFact::Inference { tier: thinking.tier, attempt: Box::new(attempt.clone()) };
            self.tell(facts, told);
        }
        let cost = reply.cost();
        thinking.cost = thinking.cost.plus(cost);
        self.half.spent = self.half.spent.plus(cost);
        if cost > Usdc::ZERO {
            let paid = self.state.ledger.spend(Purpose::Inference, cost);
            self.tell(facts, LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        }
    }

    fn heard(&mut self, mut thinking: Box<Thinking>, text: &str, calls: &[ToolCall], facts: &mut Facts) -> Step {
        if calls.is_empty() {
            return match read_verdict(text) {
                Some(verdict) => self.by_verdict(*thinking, verdict, facts),
                None => {
                    let why = golem_core::model::ModelFailure::Unfit;
                    self.tell(facts, LifeFact::ThoughtFailed { tier: thinking.tier, why });
                    self.by_rules(thinking.table, facts)
                }
            };
        }
        if thinking.request.tools.is_empty() {
            // It calls what it was not offered: nothing is looked up or paid for that nobody would read.
            let why = golem_core::model::ModelFailure::Unfit;
            self.tell(facts, LifeFact::ThoughtFailed { tier: thinking.tier, why });
            return self.by_rules(thinking.table, facts);
        }
        thinking.request.messages.push(ModelMessage::Model { text: text.to_owned(), calls: calls.to_vec() });
        thinking.calls = calls.iter().cloned().collect();
        self.answer_calls(thinking, facts)
    }

    /// Answer the calls that wait; ask whoever else must be asked on the way, and the model again in the end.
    fn answer_calls(&mut self, mut thinking: Box<Thinking>, facts: &mut Facts) -> Step {
        while let Some(call) = thinking.calls.pop_front() {
            if thinking.results.len() >= MOST_CALLS {
                thinking.results.push(calls::result(&call, calls::refused("too many calls at once")));
                continue;
            }
            match self.call(&mut thinking, &call, facts) {
                calls::Came::Answer(value) => thinking.results.push(calls::result(&call, value)),
                calls::Came::Ask(question, waiting) => {
                    thinking.waiting = Some((call, waiting));
                    self.half.thinking = Some(thinking);
                    return Step::Ask(question);
                }
            }
        }
        if thinking.committed.is_some() {
            return self.by_wish(*thinking, facts);
        }
        self.ask_again(thinking, facts)
    }

    fn ask_again(&mut self, mut thinking: Box<Thinking>, facts: &mut Facts) -> Step {
        let results = std::mem::take(&mut thinking.results);
        thinking.request.messages.extend(results);
        thinking.rounds += 1;
        let (allowance, now) = (self.genesis.settings.thinking.allowance(), self.state.core.age);
        let today = self.state.thought.room(&allowance, now, ModelPurpose::Waking, 0);
        // Searching on the way may have been paid for too: what is left is asked of the purse again.
        let purse = self.may_pay(&allowance).unwrap_or(Usdc::ZERO);
        let left = thinking.max_cost.minus(thinking.cost).min(today).min(purse);
        let broke = thinking.cost > Usdc::ZERO && left == Usdc::ZERO;
        // Whoever was offered no tools has nothing to be told: what it called anyway must not make the question longer.
        let toolless = thinking.request.tools.is_empty();
        if thinking.rounds > MOST_ROUNDS || broke || toolless || self.state.thought.is_over(&allowance, now) {
            return self.by_rules(thinking.table, facts);
        }
        thinking.request.max_cost = left;
        // The last round has nothing left to look up: it must come to something.
        if thinking.rounds == MOST_ROUNDS {
            thinking.request.tools.clear();
        }
        let question = Question::Model(Box::new(thinking.request.clone()));
        self.half.thinking = Some(thinking);
        Step::Ask(question)
    }

    /// Rules and forecasts decide.
    pub(crate) fn by_rules(&mut self, table: Table, facts: &mut Facts) -> Step {
        let stance = self.half.stance.take().unwrap_or_default();
        Step::Wishes(self.wishes(table, stance, facts))
    }

    fn by_verdict(&mut self, thinking: Thinking, verdict: Verdict, facts: &mut Facts) -> Step {
        let Verdict { stance, confidence, reason, used, answer, assessment, appraisal } = verdict;
        self.half.felt.assessment = assessment;
        self.half.felt.appraisal = appraisal.and_then(|said| ModelAppraisal::read(&said).ok());
        let used = self.credit(&thinking, &used);
        let snapshot = self.half.known.snapshot.clone();
        let rules: Vec<_> =
            thinking.table.guidance.rules.iter().cloned().chain(used.iter().map(|id| (*id).into())).collect();
        self.with_place(&snapshot, |cache, place| cache.note(place, stance, &rules));
        self.answer_owner(answer);
        self.deliberated(&thinking, Came::Stance(stance), confidence, reason, facts);
        Step::Wishes(self.wishes(thinking.table, stance, facts))
    }

    fn by_wish(&mut self, thinking: Thinking, facts: &mut Facts) -> Step {
        let Some(wish) = thinking.committed.clone() else { return self.by_rules(thinking.table, facts) };
        let now = self.state.core.age;
        let Table { guidance, may, holdings, value } = &thinking.table;
        let policy = &self.genesis.settings.policy;
        let opens = match wish.act {
            Act::Buy => Some(Domain::Swap),
            Act::Add => Some(Domain::Liquidity),
            _ => None,
        };
        // Where it was hurt before, it must be surer.
        let wary = opens.and_then(|domain| self.anticipated(domain)).map_or(0.0, |a| a.caution.confidence_raise);
        let sure = opens.is_none() || wish.confidence >= SURE + wary;
        let intents = if sure {
            self.state.mind.propose((holdings, value), may, policy, guidance, (wish.act, wish.share))
        } else {
            Vec::new()
        };
        self.half.valued = *value;
        self.state.mind.commit(now, &intents, value);
        self.deliberated(&thinking, Came::Wish(wish.act, wish.share), wish.confidence, wish.reason, facts);
        Step::Wishes(intents)
    }

    /// Credit flows to what the model says decided it, as far as it was shown to it.
    fn credit(&mut self, thinking: &Thinking, named: &[String]) -> Vec<EntryId> {
        let is_named = |id: &EntryId| {
            let id = id.to_string();
            named.iter().any(|n| n.len() >= 6 && id.starts_with(n.as_str()))
        };
        let used: Vec<EntryId> = thinking.shown.iter().copied().filter(is_named).collect();
        let entries = &mut self.half.known.used.entries;
        entries.extend(used.iter().copied().filter(|id| !entries.contains(id)).collect::<Vec<_>>());
        used
    }

    /// The model's words to the owner go out with the condition of the golem.
    fn answer_owner(&mut self, answer: Option<String>) {
        if !self.half.told.is_empty() {
            self.half.spoken = answer;
        }
    }

    fn deliberated(&mut self, thinking: &Thinking, came: Came, confidence: f64, reason: String, facts: &mut Facts) {
        self.half.tier = thinking.tier as u8 + 1;
        let (stance, wish) = match came {
            Came::Stance(stance) => (Some(stance), None),
            Came::Wish(act, share) => (None, Some((act, share))),
        };
        let context = self.state.context.hash();
        let (tier, rounds, tokens, cost) = (thinking.tier, thinking.rounds, thinking.tokens, thinking.cost);
        self.tell(
            facts,
            LifeFact::Deliberated { tier, rounds, tokens, cost, stance, wish, confidence, reason, context },
        );
    }
}

/// What a deliberation came to.
enum Came {
    Stance(Stance),
    Wish(Act, f64),
}
