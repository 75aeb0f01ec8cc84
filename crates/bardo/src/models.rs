//! The door to language models, as a life knows it. A golem without providers has no door at all.

use crate::fail::Fail;
use golem_core::door::{EmbedReply, EmbedRequest, Models, NoModels};
use golem_core::model::{ModelFailure, ModelPurpose, ModelReply, ModelRequest, cost};
use golem_core::{Hash, Usdc};
pub use golem_home::asked::watched;
use golem_inference::{Inference, InferenceConfig, Problems, RemoteEmbedder, embedder};
use golem_runtime::Origin;
use zeroize::Zeroizing;

/// Providers and an embedder.
struct Provided {
    inference: Inference,
    embedder: Option<Box<dyn RemoteEmbedder + Send>>,
}

impl Models for Provided {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        self.inference.ask(request)
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        let mut reply = request.unanswered();
        let Some(embedder) = &mut self.embedder else { return reply };
        embedder.allow(request.max_cost);
        reply.query = request.query.as_ref().and_then(|text| embedder.embed_query(text).ok());
        reply.attempts = embedder.take_attempts();
        // Whoever cannot be reached for one text need not be asked for many.
        let answers = reply.query.is_some() || request.query.is_none();
        if answers && !request.texts.is_empty() {
            embedder.allow(request.max_cost.minus(cost(&reply.attempts)));
            // One text that it will not take spoils them all: then half of them is tried, once.
            let tries = [request.texts.len(), request.texts.len() / 2];
            for some in tries.into_iter().filter(|n| *n > 0).map(|n| &request.texts[..n]) {
                match embedder.embed(some) {
                    Ok(made) => {
                        reply.texts.iter_mut().zip(made).for_each(|(place, vector)| *place = Some(vector));
                        break;
                    }
                    Err(ModelFailure::Refused | ModelFailure::Garbled) => {}
                    Err(_) => break,
                }
            }
            reply.attempts.extend(embedder.take_attempts());
        }
        reply
    }
    fn worst(&self, request: &EmbedRequest) -> Usdc {
        let texts: Vec<&str> = request.query.iter().chain(&request.texts).map(String::as_str).collect();
        self.embedder.as_ref().map_or(Usdc::ZERO, |e| e.worst(&texts)).min(request.max_cost)
    }
}

/// Open the door: keys are read here, and only here. `alone` names who alone answers what is asked for a purpose, if anybody; what
/// is `sealed` never leaves by this door, whoever put it into a question.
pub fn door(
    config: &InferenceConfig,
    alone: &[(ModelPurpose, &str)],
    sealed: &[Zeroizing<String>],
) -> Result<Box<dyn Models>, Fail> {
    let mut embedder = embedder(config).map_err(|p| refuse(&p))?;
    if let Some(embedder) = &mut embedder {
        sealed.iter().for_each(|words| embedder.forbid(words));
    }
    if config.providers.is_empty() && embedder.is_none() {
        return Ok(Box::new(NoModels));
    }
    let mut inference = open(config)?;
    for (purpose, provider) in alone.iter().filter(|(_, provider)| !provider.is_empty()) {
        inference.ask_alone(*purpose, provider);
    }
    sealed.iter().for_each(|words| inference.forbid(words));
    Ok(Box::new(Provided { inference, embedder }))
}

/// What of a golem's birth is sealed, as anybody would spell it.
pub fn sealed(origin: &Origin) -> Vec<Zeroizing<String>> {
    [origin.secret.reveal(), origin.signing_key].map(|bytes| Zeroizing::new(Hash(bytes).to_string())).into()
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
