//! What was asked of language models in a life.

use crate::fail::Fail;
use crate::retell;
use golem_core::GolemId;
use golem_inference::InferenceConfig;
use golem_runtime::Reader;
use golem_view::thinking::ModelsAsked;

/// Where what models do is gathered, for a golem that has some.
pub fn watched(config: &InferenceConfig) -> Option<ModelsAsked> {
    (!config.providers.is_empty()).then(ModelsAsked::default)
}

/// All that was asked of models in a life, from its file.
pub fn asked(reader: &Reader, golem: GolemId) -> Result<ModelsAsked, Fail> {
    let mut all = ModelsAsked::default();
    for name in ModelsAsked::NAMES {
        retell::facts(reader, golem, Some(name), |fact| {
            all.see(fact);
        })?;
    }
    Ok(all)
}
