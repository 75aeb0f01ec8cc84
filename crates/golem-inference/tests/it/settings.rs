//! The `[inference]` table as owners write it.

use golem_core::model::{ModelPurpose, ModelTier};
use golem_core::{Problem, Usdc};
use golem_inference::{EmbedderKind, Inference, InferenceConfig, embedder};

const WHOLE: &str = r#"
daily_budget_usdc = "2.50"
max_request_usdc = "0.05"

[[providers]]
name = "venice"
kind = "openai"
base_url = "https://api.venice.ai/api/v1"
model_t1 = "small"
model_t2 = "large"
pin_t2 = "large-2026"
key_env = "VENICE_API_KEY"
price_t1 = { input_usdc_per_mtok = "0.15", output_usdc_per_mtok = "0.60" }
price_t2 = { input_usdc_per_mtok = "2", output_usdc_per_mtok = "6" }
purposes = ["waking", "reflection"]
options = { venice_parameters = { include_venice_system_prompt = false } }

[[providers]]
name = "here"
kind = "ollama"
base_url = "http://localhost:11434"
model_t1 = "smollm2:135m"

[embedder]
kind = "ollama"
base_url = "http://localhost:11434"
model = "nomic-embed-text"
width = 768

[[canaries]]
ask = "What is two and two? Only the number."
expect = "4"
"#;

fn keys(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|p| p.key.as_str()).collect()
}

#[test]
fn a_whole_table_is_read_and_has_no_problems() {
    let config: InferenceConfig = toml::from_str(WHOLE).unwrap();
    assert_eq!(config.problems(), []);
    assert_eq!((config.daily_budget_usdc, config.embedder.kind), (Usdc(2_500_000), EmbedderKind::Ollama));
    let venice = &config.providers[0];
    assert_eq!(venice.price(ModelTier::T1).cost(1_000_000, 1_000_000), Usdc(750_000));
    assert_eq!((venice.pin(ModelTier::T1), venice.pin(ModelTier::T2)), (None, Some("large-2026")));
    assert_eq!(config.providers[1].purposes, [ModelPurpose::Waking, ModelPurpose::Dream, ModelPurpose::Reflection]);
    assert_eq!(toml::from_str::<InferenceConfig>(&toml::to_string(&config).unwrap()).unwrap(), config);
}

#[test]
fn nothing_at_all_is_a_golem_without_models() {
    let config: InferenceConfig = toml::from_str("").unwrap();
    assert_eq!(config, InferenceConfig::default());
    assert_eq!(config.problems(), []);
    assert!(!Inference::new(&config).unwrap().serves(ModelTier::T1, ModelPurpose::Waking));
    assert!(embedder(&config).unwrap().is_none());
}

#[test]
fn every_wrong_setting_is_named() {
    type Change = fn(&mut InferenceConfig);
    let cases: [(&str, Change); 25] = [
        ("providers.0.name", |c| c.providers[0].name = "a b".into()),
        ("providers.1.name", |c| c.providers[1].name = "venice".into()),
        ("providers.0.base_url", |c| c.providers[0].base_url = "venice".into()),
        ("providers.0.base_url", |c| c.providers[0].base_url = "http://api.venice.ai".into()),
        ("providers.0.base_url", |c| c.providers[0].base_url = "http://127.0.0.1.evil.example".into()),
        ("providers.0.base_url", |c| c.providers[0].base_url = "ftp://api.venice.ai".into()),
        ("providers.0.base_url", |c| c.providers[0].base_url = "https://me:hunter2@api.venice.ai".into()),
        ("providers.0.base_url", |c| c.providers[0].base_url = "https://api.venice.ai/?key=hunter2".into()),
        ("providers.0.price_t1", |c| c.providers[0].price_t1 = None),
        ("providers.1.model_t1", |c| c.providers[1].model_t1 = None),
        ("providers.0.model_t2", |c| c.providers[0].model_t2 = Some(String::new())),
        ("providers.0.key_env", |c| c.providers[0].key_file = Some("/k".into())),
        ("providers.0.key_env", |c| c.providers[0].key_env = Some("sk-hunter2-hunter2".into())),
        ("providers.0.purposes", |c| c.providers[0].purposes.clear()),
        ("providers.0.options.max_tokens", |c| drop(c.providers[0].options.insert("max_tokens".into(), 9.into()))),
        ("providers.0.options.api_key", |c| drop(c.providers[0].options.insert("api_key".into(), "hunter2".into()))),
        ("max_output_tokens", |c| c.max_output_tokens = 0),
        ("retries", |c| c.retries = 99),
        ("connect_timeout_ms", |c| c.request_timeout_ms = 1_000),
        ("max_request_usdc", |c| c.max_request_usdc = Usdc::whole(3)),
        ("canaries.0", |c| c.canaries[0].expect = " ".into()),
        ("embedder.width", |c| c.embedder.width = None),
        ("embedder.model", |c| c.embedder.model = None),
        ("embedder.input_usdc_per_mtok", |c| c.embedder.base_url = Some("https://api.openai.com/v1".into())),
        ("embedder.input_usdc_per_mtok", |c| c.embedder.input_usdc_per_mtok = Some("$2".into())),
    ];
    for (key, change) in cases {
        let mut config: InferenceConfig = toml::from_str(WHOLE).unwrap();
        change(&mut config);
        let problems = config.problems();
        assert_eq!(keys(&problems), [key]);
        assert!(!format!("{problems:?} {config:?}").contains("hunter2"), "{problems:?} {config:?}");
    }
}

#[test]
fn a_key_that_does_not_exist_is_refused() {
    for text in [
        "dayly_budget = 1",
        "daily_budget_usdc = 5",
        "[embedder]\nkind = \"magic\"",
        "[[providers]]\nname = \"a\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1\"\napi_key = \"sk\"",
        "[[providers]]\nname = \"a\"",
    ] {
        assert!(toml::from_str::<InferenceConfig>(text).is_err(), "{text}");
    }
}

/// An address is written, or the variable that holds it is named: one of the two.
#[test]
fn a_provider_without_an_address_is_refused() {
    let provider = "[[providers]]\nname = \"a\"\nkind = \"openai\"\nmodel_t1 = \"m\"\n\
        price_t1 = { input_usdc_per_mtok = \"1\", output_usdc_per_mtok = \"1\" }";
    for (address, problems) in [
        ("", vec!["providers.0.base_url"]),
        ("base_url = \"https://models.example/v1\"", vec![]),
        ("base_url_env = \"MODELS_URL\"", vec![]),
        ("base_url_env = \"https://models.example/hunter2\"", vec!["providers.0.base_url_env"]),
        ("base_url_env = \"MODELS_URL\"\nbase_url = \"https://models.example\"", vec!["providers.0.base_url_env"]),
    ] {
        let config: InferenceConfig = toml::from_str(&format!("{provider}\n{address}")).unwrap();
        let told = config.problems();
        assert_eq!(keys(&told), problems, "{address}");
        assert!(!format!("{told:?}").contains("hunter2"), "{told:?}");
    }
}

#[cfg(not(feature = "local-embed"))]
#[test]
fn a_build_without_the_local_embedder_says_so() {
    let config: InferenceConfig =
        toml::from_str("[embedder]\nkind = \"local\"\ndirectory = \"/models/minilm\"").unwrap();
    assert_eq!(keys(&config.problems()), ["embedder.kind"]);
    assert!(embedder(&config).is_err());
}
