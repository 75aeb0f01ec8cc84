//! The door to language models, as a life knows it. A golem without providers has no door at all.

use crate::fail::Fail;
use golem_core::model::{ModelReply, ModelRequest};
use golem_grimoire::change::Embedding;
use golem_inference::{Inference, InferenceConfig, Problems, RemoteEmbedder, embedder};
use golem_life::door::{Models, NoModels};

/// Providers and an embedder.
struct Provided {
    inference: Inference,
    embedder: Option<Box<dyn RemoteEmbedder + Send>>,
}

impl Models for Provided {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        self.inference.ask(request)
    }
    fn embed(&mut self, texts: &[String]) -> Vec<Option<Embedding>> {
        let made = self.embedder.as_mut().and_then(|e| e.embed(texts).ok());
        made.map_or_else(|| texts.iter().map(|_| None).collect(), |all| all.into_iter().map(Some).collect())
    }
}

/// Open the door: keys are read here, and only here.
pub fn door(config: &InferenceConfig) -> Result<Box<dyn Models>, Fail> {
    let embedder = embedder(config).map_err(|p| refuse(&p))?;
    if config.providers.is_empty() && embedder.is_none() {
        return Ok(Box::new(NoModels));
    }
    Ok(Box::new(Provided { inference: open(config)?, embedder }))
}

/// The providers themselves.
pub fn open(config: &InferenceConfig) -> Result<Inference, Fail> {
    Inference::new(config).map_err(|p| refuse(&p))
}

/// Say everything that is wrong, with its key.
pub fn refuse(problems: &Problems) -> Fail {
    let list: Vec<String> = problems.0.iter().map(|p| format!("  inference.{p}")).collect();
    Fail::hint(format!("the models cannot be opened:\n{}", list.join("\n")), "see what is set up: bardo models list")
}
