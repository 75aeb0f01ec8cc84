//! The models that a golem may ask, as its settings name them.

use golem_core::Usdc;
use golem_inference::InferenceConfig;
use golem_inference::report::{ListedModel, list, listed_embedder};
use serde::Serialize;

/// What `models list --json` prints; others rely on these names.
#[derive(Debug, Clone, Serialize)]
pub struct ModelsListed {
    /// In the order in which they are asked.
    pub models: Vec<ListedModel>,
    pub embedder: String,
    #[serde(rename = "daily_budget_micro_usdc")]
    pub daily_budget: Usdc,
    pub max_daily_calls: u32,
}

impl ModelsListed {
    /// As settings name them.
    pub fn of(config: &InferenceConfig) -> Self {
        Self {
            models: list(config),
            embedder: listed_embedder(config),
            daily_budget: config.daily_budget_usdc,
            max_daily_calls: config.max_daily_calls,
        }
    }
}
