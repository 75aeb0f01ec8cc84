//! What a golem asks of a language model and what comes back: plain data that the turn records.
//!
//! The words live here, so that the rooms that ask and the door that answers agree. A reply is evidence, never state: it
//! is parsed field by field by whoever asked.

use crate::hash::Hash;
use crate::money::Usdc;
use serde::{Deserialize, Serialize};

/// How much thinking is bought. T0 is no model at all and has no variant here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelTier {
    /// A small model.
    T1,
    /// A large model.
    T2,
}

/// What the model is asked for; providers can be chosen for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelPurpose {
    /// A decision of the day.
    Waking,
    /// A dream.
    Dream,
    /// Looking back: curator, testament.
    Reflection,
}

/// A request. Everything that a provider may need; nothing that names one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// What for.
    pub purpose: ModelPurpose,
    /// How much thinking.
    pub tier: ModelTier,
    /// The name and version of the prompt, for people: `deliberate@1`.
    pub prompt: String,
    /// What the model is told about itself and its rules.
    pub system: String,
    /// The conversation so far, the newest last.
    pub messages: Vec<ModelMessage>,
    /// The tools it may call: closed list, by name.
    pub tools: Vec<ToolSpec>,
    /// A JSON schema that the reply must fit, as text; empty when free text is wanted.
    pub schema: String,
    /// From 0 to 2.
    pub temperature: f32,
    /// The most tokens that may come back.
    pub max_output_tokens: u32,
    /// The most that the whole request may cost, all attempts together.
    pub max_cost: Usdc,
    /// The most real time, in milliseconds.
    pub timeout_ms: u32,
    /// Whether the provider may search the web for it, where it can. What it finds are a stranger's words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub web: bool,
}

/// A piece of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum ModelMessage {
    /// What the golem says.
    Golem {
        /// The words.
        text: String,
    },
    /// What the model said.
    Model {
        /// The words.
        text: String,
        /// The tools it called.
        calls: Vec<ToolCall>,
    },
    /// What a tool answered.
    Tool {
        /// The call it answers.
        call: String,
        /// The answer, as JSON text.
        text: String,
    },
}

/// A tool as it is described to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub about: String,
    /// The JSON schema of its arguments, as text.
    pub parameters: String,
}

/// A tool called by the model. The arguments are text from a stranger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The call's id within the conversation.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// The hash of the request that it answers: a recorded reply fits no other.
    pub request: Hash,
    /// The answer, or why there is none.
    pub answer: ModelAnswer,
    /// Every try with every provider, in order; what each used and cost.
    pub attempts: Vec<ModelAttempt>,
}

/// The answer itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum ModelAnswer {
    /// It spoke.
    Said {
        /// The words.
        text: String,
        /// The tools it wants called.
        calls: Vec<ToolCall>,
    },
    /// Nothing usable came.
    Nothing {
        /// Why.
        why: ModelFailure,
    },
}

/// Why nothing usable came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelFailure {
    /// No provider serves this tier and purpose.
    NoProvider,
    /// It would cost more than is allowed.
    TooDear,
    /// It took too long.
    TimedOut,
    /// It said too much: bytes or tokens beyond the cap.
    TooLong,
    /// The provider said to come back later (429).
    Busy,
    /// The provider failed (5xx), or the connection did.
    Unreachable,
    /// The provider refused (401, 403, 4xx).
    Refused,
    /// What came back was not in the provider's own format.
    Garbled,
    /// What came back did not fit the schema, also after one repair.
    Unfit,
    /// A secret was in what would have been sent: it was not sent.
    Leaked,
    /// It came to the limit of its tokens before it had said anything whole.
    CutShort,
}

impl ModelFailure {
    /// What happened, for people.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::NoProvider => "there is nobody to ask",
            Self::TooDear => "it could cost more than is allowed",
            Self::TimedOut => "no answer came in time",
            Self::TooLong => "it said more than it was allowed to",
            Self::Busy => "it is too busy",
            Self::Unreachable => "it cannot be reached, or is in trouble",
            Self::Refused => "it refused",
            Self::Garbled => "its answer is not in its own format",
            Self::Unfit => "its answer does not fit the question",
            Self::Leaked => "not sent: there was a secret in it",
            Self::CutShort => "its answer was cut off at the limit of its tokens",
        }
    }
}

/// One try with one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelAttempt {
    /// The provider's name in the settings.
    pub provider: String,
    /// The model that answered, as the provider calls it.
    pub model: String,
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Those of them that the provider read from its cache.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cached_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// True when the provider did not say how many, and they were estimated upwards.
    pub estimated: bool,
    /// What it cost.
    pub cost: Usdc,
    /// Why it was not used, if it was not.
    pub failed: Option<ModelFailure>,
    /// True when another model answered than the pinned one, or than the one that answered first.
    #[serde(default)]
    pub drift: bool,
    /// True when a secret or a canary was in the reply; it was taken out.
    #[serde(default)]
    pub leaked: bool,
    /// A word for people: a status, the provider's message. Short, on one line, without secrets; never interpreted.
    #[serde(default)]
    pub note: String,
    /// What the provider attests about how it answered, as it came; empty where it attests nothing. Kept, never interpreted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub receipt: String,
}

impl ModelRequest {
    /// The hash by which a recorded reply is matched.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of(crate::plain::json(self).as_bytes())
    }
}

impl ModelReply {
    /// What all attempts cost together.
    #[must_use]
    pub fn cost(&self) -> Usdc {
        cost(&self.attempts)
    }
}

fn is_none(tokens: &u64) -> bool {
    *tokens == 0
}

/// What tries cost together.
#[must_use]
pub fn cost(attempts: &[ModelAttempt]) -> Usdc {
    attempts.iter().fold(Usdc::ZERO, |sum, a| sum.plus(a.cost))
}
