//! A sentence-embedding model from a directory on this machine: all-MiniLM-L6-v2 and other BERT models, or
//! nomic-embed-text-v1.5. Mean of the last layer over all tokens, of length one.
//!
//! Nothing is downloaded. The id carries a hash of the weights, so that vectors of exchanged weights are never compared.

use super::{RemoteEmbedder, prefixes, quantised};
use crate::config::{EmbedderConfig, Problems};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{bert, nomic_bert};
use golem_core::door::Embedding;
use golem_core::model::{ModelAttempt, ModelFailure};
use golem_core::{Hash, Problem};
use serde_json::Value;
use std::path::Path;
use tokenizers::Tokenizer;

/// The most tokens of a text that are looked at.
const LONGEST: usize = 512;

enum Network {
    Bert(bert::BertModel),
    Nomic(nomic_bert::NomicBertModel),
}

pub(super) struct LocalEmbedder {
    tokenizer: Tokenizer,
    network: Network,
    id: String,
    width: usize,
    prefixes: (String, String),
}

impl LocalEmbedder {
    pub(super) fn new(config: &EmbedderConfig) -> Result<Self, Problems> {
        let directory = config.directory.clone().unwrap_or_default();
        Self::load(config, &directory).map_err(|why| {
            Problems(vec![Problem::new("embedder.directory", format!("{}: {why}", directory.display()))])
        })
    }

    fn load(config: &EmbedderConfig, directory: &Path) -> Result<Self, String> {
        let read = |name: &str| std::fs::read(directory.join(name)).map_err(|e| format!("{name}: {e}"));
        let wrong = |name: &str, e: &dyn std::fmt::Display| format!("{name}: {e}");
        let about: Value = serde_json::from_slice(&read("config.json")?).map_err(|e| wrong("config.json", &e))?;
        let mut tokenizer = Tokenizer::from_bytes(read("tokenizer.json")?).map_err(|e| wrong("tokenizer.json", &e))?;
        // One text at a time: nothing is padded, so that a vector does not depend on its neighbours.
        let cut = tokenizers::TruncationParams { max_length: LONGEST, ..Default::default() };
        tokenizer.with_padding(None).with_truncation(Some(cut)).map_err(|e| wrong("tokenizer.json", &e))?;
        let weights = read("model.safetensors")?;
        let version: String = Hash::of(&weights).to_string().chars().take(12).collect();
        let vars = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)
            .map_err(|e| wrong("model.safetensors", &e))?;
        let kind = about.get("model_type").and_then(Value::as_str).unwrap_or("bert").to_owned();
        let (network, width) = match kind.as_str() {
            "nomic_bert" => {
                let shape: nomic_bert::Config = serde_json::from_value(about).map_err(|e| wrong("config.json", &e))?;
                let model =
                    nomic_bert::NomicBertModel::load(vars, &shape).map_err(|e| wrong("model.safetensors", &e))?;
                (Network::Nomic(model), shape.n_embd)
            }
            "bert" => {
                let shape: bert::Config = serde_json::from_value(about).map_err(|e| wrong("config.json", &e))?;
                let model = bert::BertModel::load(vars, &shape).map_err(|e| wrong("model.safetensors", &e))?;
                (Network::Bert(model), shape.hidden_size)
            }
            other => return Err(format!("config.json: a model of type {other} is not known; bert and nomic_bert are")),
        };
        // Nomic's models want their prefixes whatever the directory is called.
        let name = if kind == "nomic_bert" { "nomic-embed-text" } else { "bert" };
        let name = config.model.as_deref().unwrap_or(name);
        let family = if kind == "nomic_bert" { "nomic-embed" } else { name };
        let id = format!("local/{name}/{width}/{version}");
        Ok(Self { tokenizer, network, id, width, prefixes: prefixes(config, family) })
    }

    fn one(&self, text: &str) -> Result<Embedding, ModelFailure> {
        let vector = self.vector(text).map_err(|_| ModelFailure::Garbled)?;
        quantised(&self.id, &vector).ok_or(ModelFailure::Garbled)
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>> {
        let tokens = self.tokenizer.encode(text, true)?;
        let ids = Tensor::new(tokens.get_ids(), &Device::Cpu)?.unsqueeze(0)?;
        let kinds = ids.zeros_like()?;
        let states = match &self.network {
            Network::Bert(model) => model.forward(&ids, &kinds, None)?,
            Network::Nomic(model) => model.forward(&ids, Some(&kinds), None)?,
        };
        Ok(states.mean(1)?.squeeze(0)?.to_vec1::<f32>()?)
    }
}

impl RemoteEmbedder for LocalEmbedder {
    fn id(&self) -> &str {
        &self.id
    }
    fn width(&self) -> usize {
        self.width
    }
    fn embed(&mut self, texts: &[String]) -> Result<Vec<Embedding>, ModelFailure> {
        texts.iter().map(|text| self.one(&format!("{}{text}", self.prefixes.0))).collect()
    }
    fn embed_query(&mut self, text: &str) -> Result<Embedding, ModelFailure> {
        self.one(&format!("{}{text}", self.prefixes.1))
    }
    fn take_attempts(&mut self) -> Vec<ModelAttempt> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `BARDO_TEST_MINILM` naming a directory with all-MiniLM-L6-v2, related texts are nearer than others.
    #[test]
    fn a_real_model_knows_what_belongs_together() {
        let Some(directory) = std::env::var_os("BARDO_TEST_MINILM") else {
            eprintln!("skipped: BARDO_TEST_MINILM names no directory");
            return;
        };
        let config = EmbedderConfig { directory: Some(directory.into()), ..EmbedderConfig::default() };
        let mut embedder = LocalEmbedder::new(&config).unwrap_or_else(|e| panic!("{e}"));
        let texts = ["Gas is expensive now.", "Transaction fees are high.", "The cat sleeps on the sofa."];
        let vectors = embedder.embed(&texts.map(ToOwned::to_owned)).unwrap();
        let dot = |a: &Embedding, b: &Embedding| {
            let sum: i64 = a.row.iter().zip(&b.row).map(|(x, y)| i64::from(*x) * i64::from(*y)).sum();
            sum as f32 * a.scale * b.scale
        };
        let (near, far) = (dot(&vectors[0], &vectors[1]), dot(&vectors[0], &vectors[2]));
        assert!(near > far + 0.2, "{near} {far}");
        assert_eq!((embedder.width(), vectors[0].row.len()), (384, 384));
        assert!(embedder.id().starts_with("local/bert/384/"));
    }

    #[test]
    fn a_directory_that_holds_no_model_is_named() {
        let config = EmbedderConfig { directory: Some("/no/such/place".into()), ..EmbedderConfig::default() };
        let problems = LocalEmbedder::new(&config).err().map(|p| p.to_string()).unwrap_or_default();
        assert!(problems.contains("/no/such/place") && problems.contains("config.json"), "{problems}");
    }
}
