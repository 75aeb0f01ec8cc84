//! A model for lives in the lab: a stand-in whose answer is a pure function of the question, so that arms that ask other
//! questions get other answers, and the same question is answered the same way on any machine.
//!
//! It is a careful reader and nothing more. It goes by the text that any model would be shown: how times like this one
//! went, what is remembered and how sure that is, how wild the market is, and how the golem is. Each of them worries or
//! calms it by a weight that was written down once and never fitted to a market; from the sum follow stance and
//! confidence. It knows nothing of the world, its laws or its future, calls no tool, and can only narrow what the policy
//! may do, as any verdict can. So it shows what an organ changes in a life that thinks, not how well a real model thinks.

mod page;
mod price;

pub use page::{LineLeaning, PageShown};
pub use price::TokenPrice;

use golem_core::door::{EmbedReply, EmbedRequest, Models};
use golem_core::model::{
    ModelAnswer, ModelAttempt, ModelFailure, ModelMessage, ModelPurpose, ModelReply, ModelRequest,
};
use serde_json::{Value, json};

/// What each part of the page may add to the worry at most.
const TIMES: f64 = 0.35;
const MEMORIES: f64 = 0.35;
const WILDNESS: f64 = 0.3;
const WEAKNESS: f64 = 0.25;
const SUFFERING: f64 = 0.25;
const LOSSES: f64 = 0.3;
/// From these worries on it eases, opens nothing, and gives up half.
const EASES: f64 = 0.15;
const STANDS_ASIDE: f64 = 0.4;
const REDUCES: f64 = 0.65;
/// Ease comes in quarters of the usual risk, so that like situations come to the same.
const QUARTERS: f64 = 4.0;
/// Lines that lean one way or the other before half of the doubt is gone.
const HALF_SURE: f64 = 4.0;
/// Below this share of wealth at risk there is nothing to give up.
const NOTHING_HELD: f64 = 0.05;
/// Ids that a verdict names at most.
const MOST_USED: usize = 8;

/// The stand-in.
#[derive(Debug, Clone, Copy, Default)]
pub struct StandInModel;

impl Models for StandInModel {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        if request.purpose == ModelPurpose::Reflection {
            // It reads pages of decisions, and has no words for a life.
            let answer = ModelAnswer::Nothing { why: ModelFailure::NoProvider };
            return ModelReply { request: request.hash(), answer, attempts: Vec::new() };
        }
        let verdict = verdict(request).to_string();
        let charge = TokenPrice::of(request.tier).charge(request, &verdict);
        if charge.cost > request.max_cost {
            let answer = ModelAnswer::Nothing { why: ModelFailure::TooDear };
            return ModelReply { request: request.hash(), answer, attempts: Vec::new() };
        }
        let attempt = ModelAttempt {
            provider: "lab".into(),
            model: "stand-in".into(),
            input_tokens: charge.input,
            cached_tokens: 0,
            output_tokens: charge.output,
            estimated: false,
            cost: charge.cost,
            failed: None,
            drift: false,
            leaked: false,
            note: String::new(),
            receipt: String::new(),
        };
        let answer = ModelAnswer::Said { text: verdict, calls: Vec::new() };
        ModelReply { request: request.hash(), answer, attempts: vec![attempt] }
    }

    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        request.unanswered()
    }
}

/// What it says to what it is shown: the fields that the schema asks for, and no others.
fn verdict(request: &ModelRequest) -> Value {
    let text: String = request.messages.iter().map(said_by_golem).collect();
    let page = PageShown::read(&text);
    let worry = worry(&page);
    let mut verdict = stance(worry, &page);
    verdict["confidence"] = json!(hundredths(confidence(&page)));
    verdict["reason"] = json!(reason(worry, &page));
    let schema: Value = serde_json::from_str(&request.schema).unwrap_or_default();
    let asked = |field: &str| schema["properties"].get(field).is_some();
    let used = used(worry, &page);
    if asked("used") && !used.is_empty() {
        verdict["used"] = json!(used);
    }
    if asked("appraisal") {
        verdict["appraisal"] = appraisal(worry);
    }
    verdict
}

fn said_by_golem(message: &ModelMessage) -> &str {
    match message {
        ModelMessage::Golem { text } => text,
        ModelMessage::Model { .. } | ModelMessage::Tool { .. } => "",
    }
}

/// How worried the page leaves it: below 0 is at ease.
fn worry(page: &PageShown<'_>) -> f64 {
    let decided = page.went_badly + page.went_well;
    let times = (page.went_badly - page.went_well) / (decided + 2.0);
    let weight: f64 = page.memories.iter().filter(|m| m.leans != 0.0).map(|m| m.confidence).sum();
    let memories = page.memories.iter().map(|m| m.leans * m.confidence).sum::<f64>() / (weight + 1.0);
    let wild = page.number("market.volatility_ratio").map_or(0.0, |x| (x - 1.0).clamp(-0.5, 1.0));
    let weak = page.vitality.map_or(0.0, |v| 1.0 - v.clamp(0.0, 1.0));
    let lost = page.number("golem.drawdown").map_or(0.0, |x| (10.0 * x).clamp(0.0, 1.0));
    TIMES * times
        + MEMORIES * memories
        + WILDNESS * wild
        + WEAKNESS * weak
        + SUFFERING * page.suffering.unwrap_or(0.0).clamp(0.0, 1.0)
        + LOSSES * lost
}

fn stance(worry: f64, page: &PageShown<'_>) -> Value {
    let holds = page.number("golem.exposure").is_some_and(|x| x > NOTHING_HELD);
    if worry < EASES {
        json!({ "stance": "follow" })
    } else if worry < STANDS_ASIDE {
        let share = 1.0 - (worry - EASES) / (STANDS_ASIDE - EASES);
        let quarters = libm::ceil(share * (QUARTERS - 1.0)).clamp(1.0, QUARTERS - 1.0);
        json!({ "stance": "ease", "risk_percent": (quarters * 100.0 / QUARTERS) as u8 })
    } else if worry >= REDUCES && holds {
        json!({ "stance": "reduce" })
    } else {
        json!({ "stance": "stand_aside" })
    }
}

/// The more lines lean any way at all, the surer.
fn confidence(page: &PageShown<'_>) -> f64 {
    let leaning = page.memories.iter().filter(|m| m.leans != 0.0).count() as f64 + page.went_badly + page.went_well;
    0.4 + 0.5 * leaning / (leaning + HALF_SURE)
}

fn reason(worry: f64, page: &PageShown<'_>) -> String {
    let leaning = page.memories.iter().filter(|m| m.leans != 0.0).count();
    let times = format!("{} of {} times like this one went badly", page.went_badly, page.went_badly + page.went_well);
    format!("{times}, {leaning} remembered lines lean one way, worry {worry:.2}")
}

/// The remembered lines that pulled the way it went, the surest first.
fn used<'a>(worry: f64, page: &PageShown<'a>) -> Vec<&'a str> {
    let way = if worry < EASES { -1.0 } else { 1.0 };
    let mut pulled: Vec<&LineLeaning<'a>> = page.memories.iter().filter(|m| m.leans * way > 0.0).collect();
    pulled.sort_by(|a, b| (b.leans.abs() * b.confidence).total_cmp(&(a.leans.abs() * a.confidence)));
    pulled.into_iter().take(MOST_USED).map(|m| m.id).collect()
}

/// What it says is felt, where it is asked: fear from the worry on at which it opens nothing, otherwise anticipation.
fn appraisal(worry: f64) -> Value {
    let strength = hundredths(worry.abs().clamp(0.1, 1.0));
    if worry >= STANDS_ASIDE {
        json!({ "emotion": "fear", "intensity": strength, "pad": [-strength, strength, -strength] })
    } else {
        json!({ "emotion": "anticipation", "intensity": strength, "pad": [0.1, 0.2, 0.1] })
    }
}

fn hundredths(x: f64) -> f64 {
    libm::round(x * 100.0) / 100.0
}
