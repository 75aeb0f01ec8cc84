//! Whom dreams and testaments ask: the provider that an owner names for them, or whoever serves them.

use crate::golem_file::GolemFile;
use golem_core::Problem;
use golem_core::model::{ModelPurpose, ModelTier};
use golem_inference::config::ProviderConfig;

impl GolemFile {
    /// The tiers that dreams can ask; none where nobody can be asked at all.
    pub(crate) fn dream_tiers(&self) -> Option<[bool; 2]> {
        self.tiers_of(ModelPurpose::Dream, &self.dream.dream_inference_provider)
    }

    /// The same of whoever tells the testament.
    pub(crate) fn testament_tiers(&self) -> Option<[bool; 2]> {
        self.tiers_of(ModelPurpose::Reflection, &self.testament.provider)
    }

    fn tiers_of(&self, purpose: ModelPurpose, named: &str) -> Option<[bool; 2]> {
        let serves = |p: &&ProviderConfig| p.purposes.contains(&purpose) && (named.is_empty() || p.name == named);
        let any = |tier| self.inference.providers.iter().filter(serves).any(|p| p.model(tier).is_some());
        (!self.inference.providers.is_empty()).then(|| [ModelTier::T1, ModelTier::T2].map(any))
    }

    /// Who alone is asked for a purpose, where somebody is named.
    pub fn asked_alone(&self) -> [(ModelPurpose, &str); 2] {
        [
            (ModelPurpose::Dream, &self.dream.dream_inference_provider),
            (ModelPurpose::Reflection, &self.testament.provider),
        ]
    }

    /// What is wrong with who hears of its testament.
    pub(crate) fn testament_problems(&self) -> Vec<Problem> {
        let (named, mut all) = (&self.testament.provider, Vec::new());
        let provider = self.inference.providers.iter().find(|p| p.name == *named);
        let wrong = match provider {
            _ if named.is_empty() => None,
            None => Some("is no provider of [[inference.providers]]; name one of them, or leave it empty"),
            Some(p) if !p.purposes.contains(&ModelPurpose::Reflection) => {
                Some("does not serve reflection: add reflection to its purposes")
            }
            Some(_) => None,
        };
        all.extend(wrong.map(|message| Problem::new("testament.provider", message)));
        all.extend(crate::sealed::key_problem(&self.testament.sealed_to));
        all
    }

    /// What is wrong with whom dreams ask.
    pub(crate) fn dream_provider_problems(&self) -> Vec<Problem> {
        let (named, options) = (&self.dream.dream_inference_provider, &self.dream.provider);
        if named.is_empty() {
            return Vec::new();
        }
        let at = |message: &str| vec![Problem::new("dream.dream_inference_provider", message)];
        match self.inference.providers.iter().find(|p| p.name == *named) {
            None => at("is no provider of [[inference.providers]]; name one of them, or leave it empty"),
            Some(p) if !p.purposes.contains(&ModelPurpose::Dream) => {
                at("does not serve dreams: add dream to its purposes")
            }
            Some(p) if options.web_search && p.web_search.is_empty() => vec![Problem::new(
                "dream.provider.web_search",
                "its provider does not say how it searches: set web_search in its table",
            )],
            Some(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use golem_inference::InferenceConfig;

    fn file(named: &str) -> GolemFile {
        let text = r#"
            providers = [
                { name = "public", kind = "openai", base_url = "http://127.0.0.1:9", model_t1 = "s", model_t2 = "l" },
                { name = "private", kind = "openai", base_url = "http://127.0.0.1:9", model_t1 = "s" },
                { name = "awake", kind = "openai", base_url = "http://127.0.0.1:9", model_t2 = "l", purposes = ["waking"] },
            ]"#;
        let mut file =
            GolemFile { inference: toml::from_str::<InferenceConfig>(text).unwrap(), ..GolemFile::default() };
        file.dream.dream_inference_provider = named.to_owned();
        file
    }

    #[test]
    fn dreams_have_the_models_of_whom_they_ask() {
        for (named, tiers, kept) in [
            ("", [true, true], None),
            ("public", [true, true], None),
            ("private", [true, false], Some([true, false])),
            ("awake", [false, false], Some([false, false])),
        ] {
            assert_eq!((file(named).dream_tiers(), file(named).life().thinking.dreams), (Some(tiers), kept), "{named}");
        }
        assert_eq!(GolemFile::default().dream_tiers(), None);
    }

    #[test]
    fn a_testament_is_told_by_whom_its_owner_names() {
        let of = |named: &str| {
            let mut file = file("");
            file.testament.provider = named.to_owned();
            let keys: Vec<String> = file.testament_problems().into_iter().map(|p| p.key).collect();
            (file.life().thinking.testament, keys)
        };
        assert_eq!(of(""), (None, vec![]), "as awake");
        assert_eq!(of("private"), (Some([true, false]), vec![]));
        assert_eq!(of("awake"), (Some([false, false]), vec!["testament.provider".to_owned()]));
        assert_eq!(of("nobody").1, ["testament.provider"]);
        assert_eq!(GolemFile::default().life().thinking.testament, None);
    }

    #[test]
    fn a_provider_for_dreams_is_one_of_those_there_are() {
        let keys =
            |file: GolemFile| -> Vec<String> { file.dream_provider_problems().into_iter().map(|p| p.key).collect() };
        for (named, wrong) in [("", false), ("private", false), ("nobody", true), ("awake", true)] {
            let expected: &[&str] = if wrong { &["dream.dream_inference_provider"] } else { &[] };
            assert_eq!(keys(file(named)), expected, "{named}");
        }
        let mut searching = file("private");
        searching.dream.provider.web_search = true;
        assert_eq!(keys(searching.clone()), ["dream.provider.web_search"]);
        searching.inference.providers[1].web_search.insert("search".into(), true.into());
        assert!(keys(searching).is_empty());
    }
}
