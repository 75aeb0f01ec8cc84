//! What is set up and whether it works: the tables behind `bardo models list` and `bardo models test`.

use crate::config::{EmbedderKind, InferenceConfig, ProviderConfig};
use crate::embed::RemoteEmbedder;
use crate::inference::Inference;
use crate::price::Price;
use golem_core::Usdc;
use golem_core::model::{ModelAnswer, ModelFailure, ModelMessage, ModelPurpose, ModelReply, ModelRequest, ModelTier};
use serde::Serialize;
use std::time::Instant;

/// One model of one provider, as it is set up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// The provider's name.
    pub provider: String,
    /// Where it is: scheme, host and port.
    pub at: String,
    /// The tier that the model serves.
    pub tier: ModelTier,
    /// The model's id.
    pub model: String,
    /// The id that it must answer with, where one is pinned.
    pub pin: Option<String>,
    /// What it is asked for.
    pub purposes: Vec<ModelPurpose>,
    /// What it costs.
    pub price: Price,
    /// Where its key comes from; never the key.
    pub key: String,
}

/// The models, in the order in which they are asked.
#[must_use]
pub fn list(config: &InferenceConfig) -> Vec<Listed> {
    let tiers = [ModelTier::T1, ModelTier::T2];
    let each = |tier: ModelTier| config.providers.iter().filter_map(move |p| listed(p, tier));
    tiers.into_iter().flat_map(each).collect()
}

fn listed(p: &ProviderConfig, tier: ModelTier) -> Option<Listed> {
    let key = match (&p.key_env, &p.key_file) {
        (Some(name), _) => format!("variable {name}"),
        (None, Some(path)) => format!("file {}", path.display()),
        (None, None) => "none".to_owned(),
    };
    Some(Listed {
        provider: p.name.clone(),
        at: p.place(),
        tier,
        model: p.model(tier)?.to_owned(),
        pin: p.pin(tier).map(ToOwned::to_owned),
        purposes: p.purposes.clone(),
        price: p.price(tier),
        key,
    })
}

/// The embedder's line: its kind, model and place.
#[must_use]
pub fn listed_embedder(config: &InferenceConfig) -> String {
    let e = &config.embedder;
    let model = e.model.as_deref().unwrap_or("?");
    let at = e.place();
    match e.kind {
        EmbedderKind::Bundled => "bundled".to_owned(),
        EmbedderKind::Openai => format!("openai {model} at {at}"),
        EmbedderKind::Ollama => format!("ollama {model} at {at}"),
        EmbedderKind::Local => format!("local {}", e.directory.as_deref().unwrap_or("?".as_ref()).display()),
    }
}

/// What came of a round trip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tested {
    /// The provider's name, or the embedder's id.
    pub provider: String,
    /// The tier; none for an embedder.
    pub tier: Option<ModelTier>,
    /// The model that answered, or was asked.
    pub model: String,
    /// Why there was no answer.
    pub failed: Option<ModelFailure>,
    /// A word for people.
    pub note: String,
    /// True when another model answered than the pinned one.
    pub drift: bool,
    /// How many numbers a vector has; none for a language model.
    pub width: Option<usize>,
    /// What it cost.
    pub cost: Usdc,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

impl Inference {
    /// Ask every model of every provider for one token.
    pub fn test(&mut self) -> Vec<Tested> {
        let mut all = Vec::new();
        for tier in [ModelTier::T1, ModelTier::T2] {
            for seat in 0..self.seats.len() {
                let Some(model) = self.seats[seat].config.model(tier).map(ToOwned::to_owned) else { continue };
                let begun = Instant::now();
                let reply = self.probe(seat, &one_token(tier));
                let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                all.push(tested(self.seats[seat].config.name.clone(), tier, model, &reply, ms));
            }
        }
        all
    }
}

fn tested(provider: String, tier: ModelTier, model: String, reply: &ModelReply, ms: u64) -> Tested {
    let failed = match reply.answer {
        ModelAnswer::Said { .. } => None,
        ModelAnswer::Nothing { why } => Some(why),
    };
    let last = reply.attempts.last();
    Tested {
        provider,
        tier: Some(tier),
        model: last.map_or(model, |a| a.model.clone()),
        failed,
        note: last.map(|a| a.note.clone()).unwrap_or_default(),
        drift: last.is_some_and(|a| a.drift),
        width: None,
        cost: reply.cost(),
        ms,
    }
}

/// Turn one word into a vector.
pub fn test_embedder(embedder: &mut dyn RemoteEmbedder) -> Tested {
    let begun = Instant::now();
    let failed = embedder.embed(&["hello".to_owned()]).err();
    let attempts = embedder.take_attempts();
    Tested {
        provider: embedder.id().to_owned(),
        tier: None,
        model: attempts.last().map(|a| a.model.clone()).unwrap_or_default(),
        failed,
        note: attempts.last().map(|a| a.note.clone()).unwrap_or_default(),
        drift: false,
        width: Some(embedder.width()),
        cost: attempts.iter().fold(Usdc::ZERO, |sum, a| sum.plus(a.cost)),
        ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// The smallest question there is.
fn one_token(tier: ModelTier) -> ModelRequest {
    question(tier, "models-test@1", "Say yes.", 1)
}

/// A plain question, as cold as the model can be asked.
pub(crate) fn question(tier: ModelTier, prompt: &str, ask: &str, max_output_tokens: u32) -> ModelRequest {
    ModelRequest {
        purpose: ModelPurpose::Waking,
        tier,
        prompt: prompt.to_owned(),
        system: "Answer as briefly as you can.".to_owned(),
        messages: vec![ModelMessage::Golem { text: ask.to_owned() }],
        tools: Vec::new(),
        schema: String::new(),
        temperature: 0.0,
        max_output_tokens,
        max_cost: Usdc(u64::MAX),
        timeout_ms: u32::MAX,
    }
}
