//! Texts as vectors, by embedders that are not part of the golem: what is asked, and what comes back.

use crate::dot::dot;
use crate::model::ModelAttempt;
use crate::{Hash, Usdc, plain};
use serde::{Deserialize, Serialize};

/// Texts that are to become vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedRequest {
    /// What is searched for: some embedders treat it otherwise than what is kept.
    pub query: Option<String>,
    /// What is kept.
    pub texts: Vec<String>,
    /// The most that it may cost.
    pub max_cost: Usdc,
}

/// What became of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbedReply {
    /// The hash of the request that it answers.
    pub request: Hash,
    /// What is searched for, as a vector.
    pub query: Option<Embedding>,
    /// One for each text, where one could be made.
    pub texts: Vec<Option<Embedding>>,
    /// Every try; what each used and cost.
    pub attempts: Vec<ModelAttempt>,
}

impl EmbedRequest {
    /// The hash by which a recorded reply is matched.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of(plain::json(self).as_bytes())
    }
    /// The reply of nobody.
    #[must_use]
    pub fn unanswered(&self) -> EmbedReply {
        EmbedReply {
            request: self.hash(),
            query: None,
            texts: self.texts.iter().map(|_| None).collect(),
            attempts: Vec::new(),
        }
    }
}

/// A text as a vector, by a named embedder. Vectors of different embedders are never compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// The embedder's id: model, width and version.
    pub model: String,
    /// Whole numbers from -32767 to 32767, to be multiplied by the scale: so fine that rounding moves no neighbour.
    pub row: Vec<i16>,
    /// The scale.
    pub scale: f32,
}

/// The largest number in a row.
const MOST: f32 = i16::MAX as f32;

/// A vector by a named embedder, brought to length 1 and rounded to whole numbers from -32767 to 32767. What is not finite,
/// and what has no length, becomes all zero, which is similar to nothing.
#[must_use]
pub fn rounded(model: &str, vector: &[f32]) -> Embedding {
    let nothing = || Embedding { model: model.to_owned(), row: vec![0; vector.len()], scale: 0.0 };
    let largest = vector.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let norm = dot(vector, vector).sqrt();
    if !(norm.is_finite() && norm > 0.0 && vector.iter().all(|x| x.is_finite())) {
        return nothing();
    }
    let row = vector.iter().map(|x| (x / largest * MOST).round() as i16).collect();
    Embedding { model: model.to_owned(), row, scale: largest / norm / MOST }
}
