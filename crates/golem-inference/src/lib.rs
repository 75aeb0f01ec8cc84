//! The door to language models and text embedders: providers over HTTP, with caps on time, bytes, tokens and money, and
//! an account of every try.
//!
//! Never touches a wallet, never panics, and never turns a provider's failure into anything but a typed answer. What comes
//! back is evidence: bounded, without control characters, checked against the schema that was asked for.

mod adapter;
mod attempt;
pub mod canary;
pub mod cassette;
pub mod config;
pub mod embed;
mod fit;
mod inference;
mod key;
mod line;
pub mod price;
pub mod report;
mod rules;
pub mod schema;
mod spoken;
mod talk;
mod text;

pub use cassette::{AskedAt, CallNumber, CassetteError, Model, Recorded, Recorder};
pub use config::{EmbedderConfig, EmbedderKind, InferenceConfig, Problems, ProviderConfig, ProviderKind};
pub use embed::{RemoteEmbedder, embedder};
pub use inference::Inference;
pub use price::ModelPrice;
pub use report::{ListedModel, Tested, list};
