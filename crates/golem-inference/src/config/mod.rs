//! The `[inference]` table: providers in their order, caps, the embedder, canaries. Everything has a default; without a
//! provider a golem thinks by its rules alone.
//!
//! Never holds a key: only the name of a variable or of a file.

mod address;
mod check;

pub use address::unspoken_address;

use crate::price::ModelPrice;
use golem_core::allowance::Allowance;
use golem_core::model::{ModelPurpose, ModelTier};
use golem_core::money::as_text;
use golem_core::{Problem, Usdc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::path::PathBuf;

pub(crate) use address::{is_local, keys_in, redacted, spoken};
pub(crate) use check::OURS;

/// Everything that an owner may say about models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InferenceConfig {
    /// Who is asked, the first first.
    pub providers: Vec<ProviderConfig>,
    /// The most that all models together may cost in a day.
    #[serde(with = "as_text")]
    pub daily_budget_usdc: Usdc,
    /// The most questions in a day.
    pub max_daily_calls: u32,
    /// The most tokens in a day, in and out.
    pub max_daily_tokens: u64,
    /// The most that one question may cost, all attempts together.
    #[serde(with = "as_text")]
    pub max_request_usdc: Usdc,
    /// The most tokens that one answer may have.
    pub max_output_tokens: u32,
    /// The most bytes that one answer may have on the wire.
    pub max_answer_bytes: usize,
    /// How long a connection may take.
    pub connect_timeout_ms: u64,
    /// How long one question may take, all attempts together.
    pub request_timeout_ms: u64,
    /// How often a provider that is busy or in trouble is asked again.
    pub retries: u32,
    /// Who turns texts into vectors.
    pub embedder: EmbedderConfig,
    /// Questions whose answers are known, to notice a model that changed.
    pub canaries: Vec<CanaryConfig>,
}

impl Default for InferenceConfig {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            daily_budget_usdc: Usdc::whole(5),
            max_daily_calls: 2_000,
            max_daily_tokens: 5_000_000,
            max_request_usdc: Usdc(100_000),
            max_output_tokens: 2_048,
            max_answer_bytes: 1 << 20,
            connect_timeout_ms: 3_000,
            request_timeout_ms: 30_000,
            retries: 2,
            embedder: EmbedderConfig::default(),
            canaries: Vec::new(),
        }
    }
}

/// Whose language is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Chat completions: OpenAI, Venice, vLLM, llama.cpp, Ollama under `/v1`.
    Openai,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own `/api/chat`.
    Ollama,
}

/// How a provider is made to keep to a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// By the schema itself.
    #[default]
    Schema,
    /// By asking for any JSON object; the schema is told in words.
    Object,
    /// By words alone.
    Words,
}

/// How a provider is offered tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tools {
    /// In its own way.
    #[default]
    Native,
    /// As part of the schema of the answer, for servers that keep schemas but do not make their models call tools.
    Schema,
}

/// What the field is called that caps the output of chat completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputCap {
    /// What most servers understand.
    #[default]
    MaxTokens,
    /// What OpenAI's newer models want.
    MaxCompletionTokens,
}

/// Someone who answers.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// What it is called in reports.
    pub name: String,
    /// Whose language it speaks.
    pub kind: ProviderKind,
    /// Where it is: `https://api.openai.com/v1`, `https://api.anthropic.com`, `http://127.0.0.1:11434`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base_url: String,
    /// The variable of the environment that holds its address, where that has a key in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url_env: Option<String>,
    /// The small model, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_t1: Option<String>,
    /// The large model, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_t2: Option<String>,
    /// The variable of the environment that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The private file that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// What the small model costs; a server on this machine costs nothing unless it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_t1: Option<ModelPrice>,
    /// What the large model costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_t2: Option<ModelPrice>,
    /// The exact id that the small model must answer with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin_t1: Option<String>,
    /// The exact id that the large model must answer with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin_t2: Option<String>,
    /// What it is asked for.
    #[serde(default = "all_purposes")]
    pub purposes: Vec<ModelPurpose>,
    /// How it is made to keep to a schema.
    #[serde(default)]
    pub structured: Structured,
    /// How it is offered tools.
    #[serde(default)]
    pub tools: Tools,
    /// What caps its output, for chat completions.
    #[serde(default)]
    pub output_cap: OutputCap,
    /// False for models that do not take a temperature.
    #[serde(default = "yes")]
    pub takes_temperature: bool,
    /// Whatever else it wants in the body, such as Venice's parameters. Never what the golem itself decides.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// What it wants in the body besides, where a question may search the web. Without it nothing is searched.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub web_search: Map<String, Value>,
}

fn all_purposes() -> Vec<ModelPurpose> {
    vec![ModelPurpose::Waking, ModelPurpose::Dream, ModelPurpose::Reflection]
}

fn yes() -> bool {
    true
}

/// Who turns texts into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedderKind {
    /// The one that comes with the golem: no network, no money.
    #[default]
    Bundled,
    /// An OpenAI-compatible `/embeddings`.
    Openai,
    /// Ollama's own `/api/embed`.
    Ollama,
    /// A model in a directory on this machine (needs the feature `local-embed`).
    Local,
}

/// The embedder.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbedderConfig {
    /// Which.
    pub kind: EmbedderKind,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The variable of the environment that holds its address, where that has a key in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url_env: Option<String>,
    /// The model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many numbers a vector has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The variable of the environment that holds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The private file that holds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// What a million tokens cost; a server on this machine costs nothing unless it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_usdc_per_mtok: Option<String>,
    /// What is put before a text that is kept; nomic's models have their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_prefix: Option<String>,
    /// What is put before a text that is searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_prefix: Option<String>,
    /// The model's directory: `config.json`, `tokenizer.json`, `model.safetensors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
}

/// A question whose answer is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanaryConfig {
    /// The question.
    pub ask: String,
    /// The answer, as it must come back (spaces around it do not count).
    pub expect: String,
    /// Which model.
    #[serde(default = "small")]
    pub tier: ModelTier,
}

fn small() -> ModelTier {
    ModelTier::T1
}

/// Everything that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Problems(pub Vec<Problem>);

impl InferenceConfig {
    /// The defaults with every key in them, also those that are left out while they are not set.
    #[must_use]
    pub fn every_key() -> Self {
        let text = || Some(String::new());
        let embedder = EmbedderConfig {
            kind: EmbedderKind::default(),
            base_url: text(),
            base_url_env: text(),
            model: text(),
            width: Some(0),
            key_env: text(),
            key_file: Some(PathBuf::new()),
            input_usdc_per_mtok: text(),
            document_prefix: text(),
            query_prefix: text(),
            directory: Some(PathBuf::new()),
        };
        let price = Some(ModelPrice {
            cached_usdc_per_mtok: Some(Usdc::ZERO),
            cache_write_usdc_per_mtok: Some(Usdc::ZERO),
            ..ModelPrice::default()
        });
        let provider = ProviderConfig {
            name: String::new(),
            kind: ProviderKind::Openai,
            base_url: "http://127.0.0.1:8080/v1".to_owned(),
            base_url_env: text(),
            model_t1: text(),
            model_t2: text(),
            key_env: text(),
            key_file: Some(PathBuf::new()),
            price_t1: price,
            price_t2: price,
            pin_t1: text(),
            pin_t2: text(),
            purposes: all_purposes(),
            structured: Structured::default(),
            tools: Tools::default(),
            output_cap: OutputCap::default(),
            takes_temperature: true,
            options: Map::new(),
            web_search: Map::new(),
        };
        let canary = CanaryConfig { ask: String::new(), expect: String::new(), tier: small() };
        Self { embedder, providers: vec![provider], canaries: vec![canary], ..Self::default() }
    }
    /// The caps of a day, for the account that the golem keeps.
    #[must_use]
    pub fn allowance(&self) -> Allowance {
        Allowance { money: self.daily_budget_usdc, calls: self.max_daily_calls, tokens: self.max_daily_tokens }
    }
}

impl ProviderConfig {
    /// Where it is, as it may be shown.
    #[must_use]
    pub fn place(&self) -> String {
        place(&self.base_url, self.base_url_env.as_deref())
    }
    /// The model of a tier.
    #[must_use]
    pub fn model(&self, tier: ModelTier) -> Option<&str> {
        match tier {
            ModelTier::T1 => self.model_t1.as_deref(),
            ModelTier::T2 => self.model_t2.as_deref(),
        }
    }
    /// The price of a tier's model.
    #[must_use]
    pub fn price(&self, tier: ModelTier) -> ModelPrice {
        match tier {
            ModelTier::T1 => self.price_t1,
            ModelTier::T2 => self.price_t2,
        }
        .unwrap_or_default()
    }
    /// The id that a tier's model must answer with.
    #[must_use]
    pub fn pin(&self, tier: ModelTier) -> Option<&str> {
        match tier {
            ModelTier::T1 => self.pin_t1.as_deref(),
            ModelTier::T2 => self.pin_t2.as_deref(),
        }
    }
}

/// Where somebody is, as it may be shown: host and port, or the variable that says so.
fn place(written: &str, variable: Option<&str>) -> String {
    variable.map_or_else(|| redacted(written), |name| format!("variable {name}"))
}

impl EmbedderConfig {
    /// Where it is, as it may be shown.
    #[must_use]
    pub fn place(&self) -> String {
        place(self.base_url.as_deref().unwrap_or_default(), self.base_url_env.as_deref())
    }
    /// What a million tokens cost.
    #[must_use]
    pub fn price(&self) -> ModelPrice {
        let input = self.input_usdc_per_mtok.as_deref().and_then(|t| t.parse().ok()).unwrap_or(Usdc::ZERO);
        ModelPrice { input_usdc_per_mtok: input, ..ModelPrice::default() }
    }
}

/// Shows no more of an address than its host.
impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("at", &self.place())
            .field("model_t1", &self.model_t1)
            .field("model_t2", &self.model_t2)
            .finish_non_exhaustive()
    }
}

/// Shows no more of an address than its host.
impl fmt::Debug for EmbedderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbedderConfig")
            .field("kind", &self.kind)
            .field("at", &self.place())
            .field("model", &self.model)
            .field("width", &self.width)
            .finish_non_exhaustive()
    }
}
