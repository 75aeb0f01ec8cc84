//! What is set up and whether it works: the tables behind `bardo models list` and `bardo models test`.

use crate::adapter::Heard;
use crate::config::{EmbedderKind, InferenceConfig, ProviderConfig};
use crate::embed::RemoteEmbedder;
use crate::inference::Inference;
use crate::price::ModelPrice;
use crate::text::short;
use golem_core::Usdc;
use golem_core::model::{ModelFailure, ModelMessage, ModelPurpose, ModelRequest, ModelTier, cost};
use serde::Serialize;
use std::time::Instant;

/// One model of one provider, as it is set up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedModel {
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
    pub price: ModelPrice,
    /// Where its key comes from; never the key.
    pub key: String,
}

/// The models, in the order in which they are asked.
#[must_use]
pub fn list(config: &InferenceConfig) -> Vec<ListedModel> {
    let tiers = [ModelTier::T1, ModelTier::T2];
    let each = |tier: ModelTier| config.providers.iter().filter_map(move |p| listed(p, tier));
    tiers.into_iter().flat_map(each).collect()
}

fn listed(p: &ProviderConfig, tier: ModelTier) -> Option<ListedModel> {
    let key = match (&p.key_env, &p.key_file) {
        (Some(name), _) => format!("variable {name}"),
        (None, Some(path)) => format!("file {}", path.display()),
        (None, None) => "none".to_owned(),
    };
    Some(ListedModel {
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
    /// What it said, cut.
    pub said: String,
    /// True when it came to the limit of its tokens before it was done: it likes to talk.
    pub cut: bool,
    /// True when it thought before it said anything.
    pub thinks: bool,
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
    /// Ask every model of every provider for one word.
    pub fn test(&mut self) -> Vec<Tested> {
        let mut all = Vec::new();
        for tier in [ModelTier::T1, ModelTier::T2] {
            for seat in 0..self.seats.len() {
                let Some(model) = self.seats[seat].config.model(tier).map(ToOwned::to_owned) else { continue };
                all.push(self.test_one(seat, tier, model));
            }
        }
        all
    }

    /// Ask one model for one word, with room for some more: models like to talk. One that thought and came to no word is
    /// asked once more, with all the room that the settings give to an answer.
    fn test_one(&mut self, seat: usize, tier: ModelTier, model: String) -> Tested {
        let begun = Instant::now();
        let (mut heard, mut attempts) = self.probe(seat, &one_word(tier, WORD));
        let most = self.most_output();
        let wordless = |heard: &Heard| heard.text.trim().is_empty() && heard.calls.is_empty();
        let unfinished = |heard: &Heard| wordless(heard) && (heard.cut || heard.thought > 0);
        let thinks = heard.as_ref().is_ok_and(unfinished);
        if thinks && most > WORD {
            let (again, more) = self.probe(seat, &one_word(tier, most));
            heard = again;
            attempts.extend(more);
        }
        let last = attempts.last();
        let mut note = last.map(|a| a.note.clone()).unwrap_or_default();
        let failed = match &heard {
            Ok(heard) if unfinished(heard) => {
                note =
                    format!("it thinks, and came to no word within {most} tokens: raise inference.max_output_tokens");
                Some(ModelFailure::CutShort)
            }
            Ok(_) => None,
            Err(why) => Some(*why),
        };
        if failed == Some(ModelFailure::TooLong) && note.is_empty() {
            let said = last.map_or(0, |a| a.output_tokens);
            note = format!("{said} tokens where {WORD} were allowed: it does not keep to its limit");
        }
        Tested {
            provider: self.seats[seat].config.name.clone(),
            tier: Some(tier),
            model: last.map_or(model, |a| a.model.clone()),
            failed,
            note,
            said: heard.as_ref().map_or_else(|_| String::new(), |h| short(h.text.trim(), SAID)),
            cut: heard.as_ref().is_ok_and(|h| h.cut),
            thinks: thinks || heard.as_ref().is_ok_and(|h| h.thought > 0),
            drift: last.is_some_and(|a| a.drift),
            width: None,
            cost: cost(&attempts),
            ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Tokens for one word, and for some more around it.
const WORD: u32 = 64;
/// Characters of an answer that are shown.
const SAID: usize = 40;

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
        said: String::new(),
        cut: false,
        thinks: false,
        drift: false,
        width: Some(embedder.width()),
        cost: cost(&attempts),
        ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// The smallest question there is.
fn one_word(tier: ModelTier, max_output: u32) -> ModelRequest {
    question(tier, "models-test@1", "Say yes.", max_output)
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
        web: false,
    }
}
