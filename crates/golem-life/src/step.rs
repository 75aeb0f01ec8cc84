//! What a turn asks of the outside between its sensing and its wishes, and what comes back. Every answer is recorded, so
//! that the turn can be lived again with nobody there to ask.

use golem_core::door::{ClaimReply, ClaimRequest, EmbedReply, EmbedRequest, ForkReply, ForkRequest};
use golem_core::model::{ModelReply, ModelRequest};
use golem_core::{Intent, Preview};
use serde::{Deserialize, Serialize};

/// Where deciding has come to.
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
    /// What would have come of other acts, or would come of what may happen, each on a copy of the chain.
    Fork(Box<ForkRequest>),
    /// Whether what is said of the chain is so.
    Claims(Box<ClaimRequest>),
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
    /// What each run on a copy came to.
    Forked(Box<ForkReply>),
    /// Which of the claims hold.
    Claimed(Box<ClaimReply>),
}

/// A page that a golem keeps for people beside its file, such as its playbook. It can be written again from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Goes up with every change of the text.
    pub revision: u64,
    pub text: String,
}
