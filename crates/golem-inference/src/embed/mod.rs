//! Texts as vectors by a model: over HTTP, or from a directory on this machine. The id says model and width; vectors of
//! different ids are never compared.

mod http;
#[cfg(feature = "local-embed")]
mod local;

use crate::config::{EmbedderKind, InferenceConfig, Problems};
use golem_core::Usdc;
use golem_core::door::{Embedding, rounded};
use golem_core::model::{ModelAttempt, ModelFailure};

/// Somebody who turns texts into vectors, and may fail.
pub trait RemoteEmbedder {
    /// Model and width: stored beside every vector.
    fn id(&self) -> &str;
    /// How many numbers a vector has.
    fn width(&self) -> usize;
    /// Texts that are kept, as vectors, in their order.
    ///
    /// # Errors
    /// Why there are none; nothing is returned in part.
    fn embed(&mut self, texts: &[String]) -> Result<Vec<Embedding>, ModelFailure>;
    /// A text that is searched for, as a vector. Some models want to know the difference.
    ///
    /// # Errors
    /// Why there is none.
    fn embed_query(&mut self, text: &str) -> Result<Embedding, ModelFailure>;
    /// The most that a call may cost from now on, where that is less than what the settings allow.
    fn allow(&mut self, _most: Usdc) {}
    /// Watch for a text that must never leave this machine: texts with it are not sent.
    fn forbid(&mut self, _secret: &str) {}
    /// What these texts can cost at most.
    fn worst(&self, _texts: &[&str]) -> Usdc {
        Usdc::ZERO
    }
    /// What was tried since this was last called, for the account.
    fn take_attempts(&mut self) -> Vec<ModelAttempt>;
}

/// The embedder of the settings; `None` for the bundled one, which lives elsewhere.
///
/// # Errors
/// Everything that is wrong with the settings.
pub fn embedder(config: &InferenceConfig) -> Result<Option<Box<dyn RemoteEmbedder + Send>>, Problems> {
    let problems: Vec<_> = config.problems().into_iter().filter(|p| p.key.starts_with("embedder.")).collect();
    if !problems.is_empty() {
        return Err(Problems(problems));
    }
    match config.embedder.kind {
        EmbedderKind::Bundled => Ok(None),
        EmbedderKind::Openai | EmbedderKind::Ollama => Ok(Some(Box::new(http::HttpEmbedder::new(config)?))),
        #[cfg(feature = "local-embed")]
        EmbedderKind::Local => Ok(Some(Box::new(local::LocalEmbedder::new(&config.embedder)?))),
        #[cfg(not(feature = "local-embed"))]
        EmbedderKind::Local => Ok(None),
    }
}

/// What a model wants before a text that is kept and before one that is searched for.
fn prefixes(config: &crate::config::EmbedderConfig, model: &str) -> (String, String) {
    let nomic = model.to_lowercase().contains("nomic-embed");
    let or = |given: &Option<String>, own: &str| {
        given.clone().unwrap_or_else(|| if nomic { own.to_owned() } else { String::new() })
    };
    (or(&config.document_prefix, "search_document: "), or(&config.query_prefix, "search_query: "))
}

/// A vector of length one, as whole numbers with a scale; `None` when it has no direction or is not finite.
fn quantised(model: &str, vector: &[f32]) -> Option<Embedding> {
    Some(rounded(model, vector)).filter(|e| e.scale.is_normal())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_vector_without_direction_is_none() {
        assert_eq!(quantised("m", &[0.0, 0.0]), None);
        assert_eq!(quantised("m", &[f32::NAN, 1.0]), None);
        assert_eq!(quantised("m", &[f32::INFINITY, 1.0]), None);
        let e = quantised("m", &[3.0, -4.0]).unwrap();
        assert_eq!((e.row, e.model.as_str()), (vec![24_575, -32_767], "m"));
    }

    #[test]
    fn nomic_gets_its_prefixes_and_others_none() {
        let mut config = crate::config::EmbedderConfig::default();
        assert_eq!(prefixes(&config, "nomic-embed-text:v1.5").1, "search_query: ");
        assert_eq!(prefixes(&config, "all-minilm").0, "");
        config.document_prefix = Some("passage: ".into());
        assert_eq!(prefixes(&config, "nomic-embed-text").0, "passage: ");
    }

    proptest! {
        #[test]
        fn whole_numbers_keep_the_direction(vector in proptest::collection::vec(-1.0f32..1.0, 8..200)) {
            prop_assume!(vector.iter().any(|x| x.abs() > 0.01));
            let e = quantised("m", &vector).unwrap();
            let back: Vec<f64> = e.row.iter().map(|x| f64::from(*x) * f64::from(e.scale)).collect();
            let dot: f64 = back.iter().zip(&vector).map(|(a, b)| a * f64::from(*b)).sum();
            let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
            let cosine = dot / norm(&mut back.iter().copied()) / norm(&mut vector.iter().map(|x| f64::from(*x)));
            prop_assert!(cosine > 0.999_999, "{cosine}");
            prop_assert!((norm(&mut back.iter().copied()) - 1.0).abs() < 1e-4);
        }
    }
}
