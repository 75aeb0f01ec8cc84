//! The door a life asks through: language models, and embedders that are not part of the golem.

use super::{EmbedReply, EmbedRequest};
use crate::Usdc;
use crate::model::{ModelAnswer, ModelFailure, ModelReply, ModelRequest};

/// Language models and embedders that are not part of the golem.
pub trait Models: Send {
    /// Ask. Whatever goes wrong is an answer too.
    fn ask(&mut self, request: &ModelRequest) -> ModelReply;
    /// Texts as vectors, where they can be made.
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply;
    /// What vectors can cost at most, for when nobody lives to see the bill.
    fn worst(&self, request: &EmbedRequest) -> Usdc {
        request.max_cost
    }
}

/// No models: nothing is ever answered.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModels;

impl Models for NoModels {
    fn ask(&mut self, request: &ModelRequest) -> ModelReply {
        let answer = ModelAnswer::Nothing { why: ModelFailure::NoProvider };
        ModelReply { request: request.hash(), answer, attempts: Vec::new() }
    }
    fn embed(&mut self, request: &EmbedRequest) -> EmbedReply {
        request.unanswered()
    }
}
