//! Asking a model to tell the testament in its own words: who is asked, what that may cost, and that it is paid. One question,
//! once; whatever goes wrong, the testament that the rules wrote stands.

use crate::fact::LifeFact;
use crate::life::Life;
use crate::scratch::AwaitedTelling;
use crate::step::{Answer, Question};
use golem_core::model::{ModelAnswer, ModelMessage, ModelPurpose, ModelReply, ModelRequest, ModelTier};
use golem_core::{HomeSum, Usdc, plain};
use golem_grimoire::retrieval::tokens;
use golem_grimoire::testament::{Testament, TestamentSection};
use golem_mortality::DyingStage;
use golem_mortality::dying::DeathTier;
use golem_mortality::economic::Purpose;
use serde_json::{Map, Value, json};

/// Name and version of the prompt. Another text is another version: replies are recorded under it.
const NAME: &str = "testament@1";
const PROMPT: &str = include_str!("../../prompts/testament.md");
/// Tokens of a question with its answer, and of the answer, at most.
const MOST_TOKENS: u32 = 8_000;
const OUTPUT: u32 = 2_000;

/// What an answer must look like.
fn schema() -> String {
    let sentence = json!({ "type": "object", "additionalProperties": false, "required": ["text", "rests_on"],
        "properties": { "text": { "type": "string", "maxLength": 400 },
            "rests_on": { "type": "array", "maxItems": 8, "items": { "type": "string", "maxLength": 8 } } } });
    let part = |most: u32| json!({ "type": "array", "maxItems": most, "items": sentence });
    let sections: Map<String, Value> =
        TestamentSection::ALL.iter().map(|section| (plain::word(section), part(4))).collect();
    let sections = json!({ "type": "object", "additionalProperties": false, "properties": sections });
    json!({ "type": "object", "additionalProperties": false, "required": ["narrative", "sections", "last_words"],
        "properties": { "narrative": part(8), "sections": sections, "last_words": sentence } })
    .to_string()
}

impl Life {
    /// The small and the large model that may tell a testament.
    fn tellers(&self) -> [bool; 2] {
        let thinking = &self.genesis.settings.thinking;
        thinking.testament.unwrap_or([thinking.t1, thinking.t2])
    }

    /// Who is asked, and what that may cost; why nobody is. None for those who have no model.
    fn may_be_told(&self) -> Option<Result<(ModelTier, Usdc), &'static str>> {
        let ([t1, t2], bed) = (self.tellers(), self.state.deathbed.as_ref()?);
        // A golem with only one model asks that one.
        let tier = match (bed.budget.tier, t1, t2) {
            (_, false, false) => return None,
            (DeathTier::Necrotic, ..) => return Some(Err("there is too little left to die with")),
            (DeathTier::Standard, true, _) | (DeathTier::Rich, true, false) => ModelTier::T1,
            (DeathTier::Standard, false, true) | (DeathTier::Rich, _, true) => ModelTier::T2,
        };
        let (thinking, now) = (&self.genesis.settings.thinking, self.state.core.age);
        let allowance = thinking.allowance();
        if self.state.thought.is_over(&allowance, now) {
            return Some(Err("what all thinking may cost in a day is used up"));
        }
        let today = self.state.thought.room(&allowance, now, ModelPurpose::Reflection, 0);
        let room = bed.budget.reflection.min(today).min(thinking.request_usdc).min(self.state.ledger.liquid());
        Some(Ok((tier, room)))
    }

    /// Of USDC that go home, what stays in the books until the testament is written: it pays whoever tells it. Like all that is
    /// settled off the chain it goes along, and counts as gone once it is not needed.
    pub(crate) fn kept_for_telling(&self, sum: HomeSum) -> Usdc {
        let before = matches!(self.state.mortality.dying, Some(DyingStage::Homecoming | DyingStage::Reflection));
        match (sum, self.may_be_told()) {
            (HomeSum::Usdc(amount), Some(Ok((_, room)))) if before => room.min(amount),
            _ => Usdc::ZERO,
        }
    }

    /// What the books still call its own although it is at home.
    pub(crate) fn advanced(&self) -> Usdc {
        self.state.ledger.liquid().minus(self.on_chain())
    }

    /// The question, where somebody can be asked.
    pub(crate) fn ask_for_telling(&mut self) -> Option<Question> {
        let (tier, max_cost) = match self.may_be_told()? {
            Ok(terms) => terms,
            Err(why) => {
                self.turn.telling = Some(Box::new(AwaitedTelling::refused(None, why)));
                return None;
            }
        };
        let (settings, death) = (&self.genesis.settings.thinking, self.state.mortality.death.clone()?);
        let output = OUTPUT.min(settings.output_tokens);
        let schema = schema();
        let room = MOST_TOKENS.saturating_sub(output + tokens(PROMPT) + tokens(&schema));
        let Some(shown) = self.testament(death).shown(room) else {
            self.turn.telling = Some(Box::new(AwaitedTelling::refused(Some(tier), "there is too much to be told")));
            return None;
        };
        let request = ModelRequest {
            purpose: ModelPurpose::Reflection,
            tier,
            prompt: NAME.to_owned(),
            system: PROMPT.to_owned(),
            messages: vec![ModelMessage::Golem { text: shown.text }],
            tools: Vec::new(),
            schema,
            temperature: 0.5,
            max_output_tokens: output,
            max_cost,
            timeout_ms: settings.timeout_ms,
            web: false,
        };
        let records = shown.records;
        let said = Err("nobody answered".to_owned());
        self.turn.telling = Some(Box::new(AwaitedTelling { tier: Some(tier), records, said, cost: Usdc::ZERO }));
        Some(Question::Model(Box::new(request)))
    }

    /// Somebody has answered, or nobody has. Every try is paid for.
    pub(crate) fn heard_telling(&mut self, answer: &Answer) {
        let (Some(mut telling), Answer::Model(reply)) = (self.turn.telling.take(), answer) else { return };
        if let Some(tier) = telling.tier {
            telling.cost = self.book_telling(tier, reply);
        }
        telling.said = match &reply.answer {
            ModelAnswer::Said { text, calls } if calls.is_empty() => Ok(text.clone()),
            ModelAnswer::Said { .. } => Err("it calls tools instead of answering".to_owned()),
            ModelAnswer::Nothing { why } => Err(why.in_words().to_owned()),
        };
        self.turn.telling = Some(telling);
    }

    fn book_telling(&mut self, tier: ModelTier, reply: &ModelReply) -> Usdc {
        self.state.thought.book(self.state.core.age, ModelPurpose::Reflection, reply);
        for attempt in &reply.attempts {
            self.tell(LifeFact::Inference { tier, attempt: Box::new(attempt.clone()) });
        }
        if reply.cost() == Usdc::ZERO {
            return Usdc::ZERO;
        }
        let before = self.advanced();
        let paid = self.state.ledger.spend(Purpose::Reflection, reply.cost());
        self.tell(LifeFact::Paid { purpose: paid.purpose, amount: paid.amount });
        let from_home = before.minus(self.advanced());
        if let Some(bed) = &mut self.state.deathbed {
            bed.home.spent_before = bed.home.spent_before.plus(from_home);
        }
        paid.amount
    }

    /// What was kept for it and not needed is at home, in the books too.
    pub(super) fn give_back_kept(&mut self) {
        let rest = self.advanced();
        if rest == Usdc::ZERO {
            return;
        }
        self.state.ledger.send_home(rest, Usdc::ZERO);
        self.state.cage.sent_home(rest);
        if let Some(home) = &mut self.state.homegoing {
            home.spent_before = home.spent_before.minus(rest);
        }
    }

    /// Take what was said of the testament, as far as its records bear it out. Says what came of it, where there was anybody
    /// to ask.
    pub(super) fn let_it_be_told(&mut self, testament: &mut Testament) -> Option<String> {
        let telling = self.turn.telling.take()?;
        let AwaitedTelling { tier, records, said, cost } = *telling;
        let came = said.and_then(|said| testament.narrate(&said, &records).map_err(|why| why.to_string()));
        let (kept, dropped) = testament
            .told
            .as_ref()
            .map_or((0, 0), |told| (u32::try_from(told.sentences().count()).unwrap_or(u32::MAX), told.dropped));
        let words = match &came {
            Ok(()) => format!("a model told {kept} of them in its own words"),
            Err(why) => format!("no model told it: {why}"),
        };
        self.tell(LifeFact::TestamentTold { tier, kept, dropped, cost, why: came.err() });
        Some(words)
    }
}
