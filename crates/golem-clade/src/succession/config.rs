//! `[succession]`: what an owner says beforehand about the successor of a golem.

use crate::divergence::AntiProletarianizationConfig;
use golem_core::problem::ranges;
use golem_core::{Problem, Usdc};
use serde::{Deserialize, Serialize};

/// The directive. Off by default: succession is the owner's choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuccessionConfig {
    /// Whether a death brings a successor by itself.
    pub auto: bool,
    /// What the successor is given.
    #[serde(with = "golem_core::money::as_text")]
    pub budget_usdc: Usdc,
    /// The least distance between the two ways of life, whatever its name says.
    pub strategy_drift_allowed: f64,
    /// Whether it inherits what the dead one knew.
    pub inherit_grimoire: bool,
    /// The last generation that comes by itself.
    pub max_generations: u32,
    /// Nothing comes by itself from this time on; empty for no end.
    pub expires: String,
    /// Successors of one line within a day at most: whoever can force deaths must not be able to burn the owner's money.
    pub max_per_day: u32,
    /// Seconds between two successors of one line at least.
    pub cool_down_s: u64,
    /// Whether and where an identity is registered.
    pub identity: IdentityWord,
    /// Where the successor lives.
    pub provision: ProvisionConfig,
    /// What is asked of a life before its way of life counts as its own. It flags and forbids nothing.
    pub divergence: AntiProletarianizationConfig,
}

/// Where an identity is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdentityWord {
    /// On the golem's own chain where it has one with contracts; on paper in the owner's own book.
    #[default]
    Home,
    /// Nowhere.
    None,
}

/// `[succession.provision]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProvisionConfig {
    /// Who makes a place for the successor.
    pub kind: ProvisionerWord,
    /// The machines that are asked for.
    pub fly: FlyConfig,
}

/// Who makes a place for a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProvisionerWord {
    /// The run in which the dead one lived goes on with its heir.
    #[default]
    InProcess,
    /// A process of its own on this machine.
    Process,
    /// A machine of the Fly Machines API.
    Fly,
}

/// `[succession.provision.fly]`: the same region and size as the dead one's, since its heir has the same settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlyConfig {
    /// Where the API is.
    pub api: String,
    /// The app whose machines they are.
    pub app: String,
    /// Where it runs.
    pub region: String,
    /// What it runs.
    pub image: String,
    /// shared or performance.
    pub cpu_kind: String,
    /// Processors.
    pub cpus: u32,
    /// Memory.
    pub memory_mb: u32,
    /// The environment variable that holds the token; the token itself is stored nowhere.
    pub token_env: String,
    /// Seconds that one request may take.
    pub timeout_s: u64,
}

impl Default for FlyConfig {
    fn default() -> Self {
        let text = str::to_owned;
        Self {
            api: text("https://api.machines.dev"),
            app: String::new(),
            region: text("ams"),
            image: String::new(),
            cpu_kind: text("shared"),
            cpus: 1,
            memory_mb: 512,
            token_env: text("FLY_API_TOKEN"),
            timeout_s: 30,
        }
    }
}

impl Default for SuccessionConfig {
    fn default() -> Self {
        Self {
            auto: false,
            budget_usdc: Usdc::whole(50),
            strategy_drift_allowed: least_drift(),
            inherit_grimoire: true,
            max_generations: 10,
            expires: String::new(),
            max_per_day: 3,
            cool_down_s: 600,
            identity: IdentityWord::default(),
            provision: ProvisionConfig::default(),
            divergence: AntiProletarianizationConfig::default(),
        }
    }
}

fn least_drift() -> f64 {
    AntiProletarianizationConfig::default().min_playbook_divergence
}

impl SuccessionConfig {
    /// Everything that is wrong with it. What the time of expiry says is for whoever reads times.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let fly = &self.provision.fly;
        let mut all = ranges(&[
            // Only by hand can the requirement be passed over, so no setting of this table may.
            ("strategy_drift_allowed", self.strategy_drift_allowed, least_drift(), 1.0),
            ("max_generations", f64::from(self.max_generations), 0.0, 10_000.0),
            ("max_per_day", f64::from(self.max_per_day), 1.0, 1_000.0),
            ("cool_down_s", self.cool_down_s as f64, 0.0, 604_800.0),
            ("provision.fly.cpus", f64::from(fly.cpus), 1.0, 16.0),
            ("provision.fly.memory_mb", f64::from(fly.memory_mb), 256.0, 131_072.0),
            ("provision.fly.timeout_s", fly.timeout_s as f64, 1.0, 300.0),
        ]);
        all.extend(self.divergence.problems().into_iter().map(|p| p.under("divergence")));
        if self.budget_usdc < Usdc::whole(1) {
            all.push(Problem::new("budget_usdc", format!("{} USDC is not enough to live on", self.budget_usdc)));
        }
        if self.auto && self.provision.kind == ProvisionerWord::Fly {
            all.extend(fly.problems().into_iter().map(|p| p.under("provision.fly")));
        }
        all
    }
}

impl ProvisionConfig {
    /// True where both ask the same: what stands there is found from either. Size and image are of what is asked for.
    #[must_use]
    pub fn is_same_place(&self, other: &Self) -> bool {
        let app = |one: &Self| (one.kind == ProvisionerWord::Fly).then(|| (one.fly.api.clone(), one.fly.app.clone()));
        self.kind == other.kind && app(self) == app(other)
    }
}

impl FlyConfig {
    fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        // These become parts of an address: whatever could change the rest of it is refused.
        for (key, text) in [("app", &self.app), ("region", &self.region), ("cpu_kind", &self.cpu_kind)] {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if text.is_empty() || text.len() > 63 || !text.chars().all(plain) {
                all.push(Problem::new(key, format!("{text:?} is no name of letters, digits and dashes")));
            }
        }
        if self.image.is_empty() {
            all.push(Problem::new("image", "a machine needs an image to run"));
        }
        if !(self.api.starts_with("https://") || is_here(&self.api)) {
            all.push(Problem::new("api", "the token would travel in clear: write an https address"));
        }
        if self.api.contains('@') || self.api.contains('?') {
            all.push(Problem::new("api", "an address may hold no key: name an environment variable in token_env"));
        }
        if self.token_env.is_empty() {
            all.push(Problem::new("token_env", "name the environment variable that holds the token"));
        }
        all
    }
}

fn is_here(address: &str) -> bool {
    let host = address.strip_prefix("http://").map(|rest| rest.split(['/', ':']).next().unwrap_or_default());
    matches!(host, Some("127.0.0.1" | "localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directive_is_off_and_cannot_pass_over_the_divergence_that_is_asked() {
        let plain = SuccessionConfig::default();
        assert!(!plain.auto && plain.problems().is_empty());
        for (drift, fine) in [(0.15, true), (1.0, true), (0.149, false), (0.0, false), (f64::NAN, false), (1.1, false)]
        {
            let asked = SuccessionConfig { strategy_drift_allowed: drift, ..SuccessionConfig::default() };
            assert_eq!(asked.problems().is_empty(), fine, "{drift}");
        }
        let poor = SuccessionConfig { budget_usdc: Usdc(999_999), ..SuccessionConfig::default() };
        assert_eq!(poor.problems()[0].key, "budget_usdc");
    }

    #[test]
    fn what_becomes_part_of_an_address_can_change_nothing_else_of_it() {
        let named = FlyConfig { app: "my-app".to_owned(), image: "bardo:1".to_owned(), ..FlyConfig::default() };
        assert!(named.problems().is_empty());
        for (key, bad) in [
            ("app", FlyConfig { app: "a/../b".to_owned(), ..named.clone() }),
            ("app", FlyConfig { app: String::new(), ..named.clone() }),
            ("region", FlyConfig { region: "ams?x=1".to_owned(), ..named.clone() }),
            ("image", FlyConfig { image: String::new(), ..named.clone() }),
            ("api", FlyConfig { api: "http://api.machines.dev".to_owned(), ..named.clone() }),
            ("api", FlyConfig { api: "http://127.0.0.1.evil.example".to_owned(), ..named.clone() }),
            ("api", FlyConfig { api: "https://key@api.machines.dev".to_owned(), ..named.clone() }),
            ("token_env", FlyConfig { token_env: String::new(), ..named.clone() }),
        ] {
            assert!(bad.problems().iter().any(|p| p.key == key), "{key}: {bad:?}");
        }
        assert!(FlyConfig { api: "http://127.0.0.1:8080".to_owned(), ..named }.problems().is_empty());
    }
}
