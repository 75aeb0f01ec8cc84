//! What can be wrong with the settings: every problem at once, by its key, with what would be right.

use super::address::{self, bad_address, is_local};
use super::{EmbedderConfig, EmbedderKind, InferenceConfig, ProviderConfig};
use golem_core::{Problem, Usdc};
use std::path::PathBuf;

/// Fields of a body that the golem decides: no option may touch them.
pub(crate) const OURS: &[&str] = &[
    "model",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "response_format",
    "format",
    "stream",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "n",
];
/// What keys are called where they do not belong.
const SECRETS: &[&str] = &["api_key", "apikey", "key", "token", "access_token", "authorization", "secret", "password"];

impl ProviderConfig {
    /// Every problem, with its key within the provider.
    fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        if self.name.is_empty() || self.name.len() > 40 || !self.name.bytes().all(|b| b.is_ascii_graphic()) {
            all.push(Problem::new("name", "a name has 1 to 40 printable characters without spaces"));
        }
        all.extend(address_problem(&self.base_url, self.base_url_env.as_deref()));
        let remote = !is_local(&self.base_url);
        let tiers = [
            ("model_t1", self.model_t1.as_ref(), "price_t1", self.price_t1),
            ("model_t2", self.model_t2.as_ref(), "price_t2", self.price_t2),
        ];
        if self.model_t1.is_none() && self.model_t2.is_none() {
            all.push(Problem::new("model_t1", "name a model for at least one tier (model_t1 or model_t2)"));
        }
        for (key, model, price_key, price) in tiers {
            if model.is_some_and(|m| m.is_empty() || m.len() > 200) {
                all.push(Problem::new(key, "a model's id has 1 to 200 characters"));
            }
            if model.is_some() && price.is_none() && remote {
                let hint = "say what it costs: { input_usdc_per_mtok = \"0.15\", output_usdc_per_mtok = \"0.60\" }";
                all.push(Problem::new(price_key, hint));
            }
        }
        all.extend(two_keys(self.key_env.as_ref(), self.key_file.as_ref()));
        if self.purposes.is_empty() {
            all.push(Problem::new("purposes", "leave it out, or name at least one of waking, dream, reflection"));
        }
        let extras = [("options", &self.options), ("web_search", &self.web_search)];
        for (table, field) in extras.into_iter().flat_map(|(table, map)| map.keys().map(move |field| (table, field))) {
            if OURS.contains(&field.as_str()) {
                all.push(Problem::new(format!("{table}.{field}"), "the golem decides this itself; take it out"));
            }
            if SECRETS.contains(&field.to_lowercase().as_str()) {
                let hint = "keys do not belong into settings; use key_env or key_file";
                all.push(Problem::new(format!("{table}.{field}"), hint));
            }
        }
        all
    }
}

impl EmbedderConfig {
    fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        match self.kind {
            EmbedderKind::Bundled => {}
            EmbedderKind::Local => {
                if self.directory.is_none() {
                    all.push(Problem::new("directory", "name the directory with config.json and model.safetensors"));
                }
                if !cfg!(feature = "local-embed") {
                    all.push(Problem::new(
                        "kind",
                        "this build has no local embedder; build with --features local-embed",
                    ));
                }
            }
            EmbedderKind::Openai | EmbedderKind::Ollama => {
                let url = self.base_url.as_deref().unwrap_or_default();
                all.extend(address_problem(url, self.base_url_env.as_deref()));
                if self.model.as_deref().is_none_or(str::is_empty) {
                    all.push(Problem::new("model", "name the model, such as nomic-embed-text"));
                }
                if !self.width.is_some_and(|w| (8..=8_192).contains(&w)) {
                    all.push(Problem::new("width", "say how many numbers its vectors have (8 to 8192), such as 768"));
                }
                if self.input_usdc_per_mtok.is_none() && !is_local(url) {
                    all.push(Problem::new("input_usdc_per_mtok", "say what a million tokens cost, such as \"0.02\""));
                }
            }
        }
        if let Some(Err(why)) = self.input_usdc_per_mtok.as_deref().map(str::parse::<Usdc>) {
            all.push(Problem::new("input_usdc_per_mtok", why.to_string()));
        }
        all.extend(two_keys(self.key_env.as_ref(), self.key_file.as_ref()));
        all
    }
}

impl InferenceConfig {
    /// Addresses that would be stored in clear and may carry a key.
    #[must_use]
    pub fn exposed(&self) -> Vec<Problem> {
        let each = |(i, p): (usize, &ProviderConfig)| {
            address::exposed(&p.base_url).map(|problem| problem.under(&format!("providers.{i}")))
        };
        let embedder = self.embedder.base_url.as_deref().and_then(address::exposed);
        self.providers.iter().enumerate().filter_map(each).chain(embedder.map(|p| p.under("embedder"))).collect()
    }

    /// As it may be shown: addresses that may carry a key are cut to where they lead.
    #[must_use]
    pub fn shown(&self) -> Self {
        let cut = |text: &mut String| {
            if address::exposed(text).is_some() {
                *text = address::redacted(text);
            }
        };
        let mut shown = self.clone();
        shown.providers.iter_mut().for_each(|p| cut(&mut p.base_url));
        shown.embedder.base_url.iter_mut().for_each(cut);
        shown
    }

    /// Every problem, with its key within the table.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        for (i, provider) in self.providers.iter().enumerate() {
            let at = format!("providers.{i}");
            all.extend(provider.problems().into_iter().map(|p| p.under(&at)));
            if self.providers[..i].iter().any(|other| other.name == provider.name) {
                all.push(Problem::new(format!("{at}.name"), "two providers with one name cannot be told apart"));
            }
        }
        all.extend(self.embedder.problems().into_iter().map(|p| p.under("embedder")));
        for (key, x, low, high) in [
            ("max_daily_calls", u64::from(self.max_daily_calls), 0, 1_000_000),
            ("max_output_tokens", u64::from(self.max_output_tokens), 1, 131_072),
            ("max_answer_bytes", self.max_answer_bytes as u64, 1 << 12, 1 << 26),
            ("connect_timeout_ms", self.connect_timeout_ms, 10, 60_000),
            ("request_timeout_ms", self.request_timeout_ms, 50, 600_000),
            ("retries", u64::from(self.retries), 0, 10),
            ("providers", self.providers.len() as u64, 0, 16),
            ("canaries", self.canaries.len() as u64, 0, 32),
        ] {
            if !(low..=high).contains(&x) {
                all.push(Problem::new(key, format!("{x} is out of range; it must lie between {low} and {high}")));
            }
        }
        if self.connect_timeout_ms > self.request_timeout_ms {
            all.push(Problem::new("connect_timeout_ms", "a connection may not take longer than request_timeout_ms"));
        }
        if self.max_request_usdc > self.daily_budget_usdc {
            all.push(Problem::new("max_request_usdc", "one question may not cost more than daily_budget_usdc"));
        }
        for (i, canary) in self.canaries.iter().enumerate() {
            if canary.ask.trim().is_empty() || canary.expect.trim().is_empty() || canary.ask.len() > 2_000 {
                all.push(Problem::new(format!("canaries.{i}"), "a canary has a question and the answer to it"));
            }
        }
        all
    }
}

/// An address as written, or the name of the variable that holds it.
fn address_problem(written: &str, variable: Option<&str>) -> Option<Problem> {
    match variable {
        None => bad_address(written).map(|why| Problem::new("base_url", why)),
        Some(_) if !written.is_empty() => Some(Problem::new("base_url_env", "name base_url or base_url_env, not both")),
        // The value is not repeated: it may be an address with a key that was put into the wrong place.
        Some(name) if !is_variable(name) => {
            Some(Problem::new("base_url_env", "name the variable that holds the address, such as VENICE_URL"))
        }
        Some(_) => None,
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn two_keys(env: Option<&String>, file: Option<&PathBuf>) -> Option<Problem> {
    match (env, file) {
        (Some(_), Some(_)) => Some(Problem::new("key_env", "name key_env or key_file, not both")),
        // The value is not repeated: it may be a key that was put into the wrong place.
        (Some(name), _) if !is_variable(name) => {
            Some(Problem::new("key_env", "name the variable that holds the key, such as VENICE_API_KEY"))
        }
        _ => None,
    }
}
