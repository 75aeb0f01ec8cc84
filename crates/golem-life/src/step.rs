//! What a turn asks of the outside between its sensing and its wishes, and what comes back. Every answer is recorded, so
//! that the turn can be lived again with nobody there to ask.

use golem_core::model::{ModelAttempt, ModelReply, ModelRequest};
use golem_core::{Hash, Intent, Preview, Usdc};
use golem_grimoire::change::Embedding;
use serde::{Deserialize, Serialize};

/// Where the first half of a turn has come to.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// It must know something before it goes on.
    Ask(Question),
    /// It knows what it wants.
    Wishes(Vec<Intent>),
}

/// What a turn may ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// A language model.
    Model(Box<ModelRequest>),
    /// Texts as vectors, by an embedder that is not part of the golem.
    Embed(Box<EmbedRequest>),
    /// What these intents would do, on a copy of the world that is thrown away.
    Preview(Vec<Intent>),
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer", content = "with")]
pub enum Answer {
    /// The model's reply, or why there is none.
    Model(Box<ModelReply>),
    /// Vectors, where they could be made.
    Embedded(Box<EmbedReply>),
    /// One preview for each intent.
    Previews(Vec<Preview>),
}

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
        // Serialising plain data to memory cannot fail.
        Hash::of(&serde_json::to_vec(self).unwrap_or_default())
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

/// A page that a golem keeps for people beside its file, such as its playbook. It can be written again from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Goes up with every change of the text.
    pub revision: u64,
    /// The text.
    pub text: String,
}
