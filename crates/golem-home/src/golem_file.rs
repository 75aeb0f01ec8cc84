//! `golem.toml`: all settings of one golem in one file, with the world it is born into.

use crate::fail::Fail;
use crate::settings_file;
use golem_cage::CageConfig;
use golem_chain::profile::ChainProfile;
use golem_chain::rpc::RpcConfig;
use golem_clade::succession::SuccessionConfig;
use golem_core::model::{ModelPurpose, ModelTier};
use golem_core::{HomeAddress, Problem, Timestamp};
use golem_dreams::DreamConfig;
use golem_dreams::config::DreamPhasesConfig;
use golem_dreams::phage::PhageConfig;
use golem_inference::{EmbedderKind, InferenceConfig};
use golem_lab::world::SyntheticConfig;
use golem_life::Settings;
use golem_life::settings::{
    DiagnosticsSettings, GrimoireSettings, HeartbeatSettings, InnateSettings, MindSettings, StyxSettings,
    SufferingSettings, ThinkingSettings,
};
use golem_mind::PolicyConfig;
use golem_mortality::MortalityConfig;
use golem_venue::market::MarketConfig;
use golem_wallet::{AddressFault, RouterKind, read_home};
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GolemFile {
    /// Who it is.
    pub golem: GolemTable,
    /// The heartbeat.
    pub heartbeat: HeartbeatSettings,
    /// The world it is born into.
    pub world: WorldTable,
    /// The chain it trades on.
    pub chain: ChainTable,
    /// The market that moves that chain.
    pub market: MarketConfig,
    /// How it learns.
    pub mind: MindSettings,
    /// How it trades.
    pub policy: PolicyConfig,
    /// What it may do with money at most.
    pub cage: CageConfig,
    /// What it keeps of its experience.
    pub grimoire: GrimoireSettings,
    /// The three clocks.
    pub mortality: MortalityConfig,
    /// Information diagnostics.
    pub diagnostics: DiagnosticsSettings,
    /// Language models and embedders.
    pub inference: InferenceConfig,
    /// Suffering.
    pub suffering: SufferingSettings,
    /// Dreams.
    pub dream: DreamConfig,
    /// Short-lived children.
    pub phages: PhageConfig,
    /// The golems of the same home.
    pub fleet: FleetTable,
    /// What happens by itself after its death.
    pub succession: SuccessionConfig,
    /// What it is born with.
    pub defaults: InnateSettings,
    /// Siblings elsewhere.
    pub styx: StyxSettings,
    /// Who hears what it leaves.
    pub testament: TestamentTable,
}

/// `[testament]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestamentTable {
    /// The provider that alone is asked to tell it; empty asks whoever serves reflection.
    pub provider: String,
    /// The public key that it is sealed to, as hex digits; empty leaves it readable.
    pub sealed_to: String,
}

/// `[fleet]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FleetTable {
    /// Golems of one home with the same name here hear of each other; without one, those of the same lineage or world do.
    pub name: String,
    /// Whether it hears what the others of its home say; one that does not lives as if alone.
    pub hears: bool,
}

impl Default for FleetTable {
    fn default() -> Self {
        Self { name: String::new(), hears: true }
    }
}

/// `[golem]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GolemTable {
    /// What people call it.
    pub name: String,
}

/// Which kind of chain, as it is typed and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ChainWord {
    /// Exact arithmetic, no contracts, no download.
    #[default]
    Paper,
    /// The real contracts, in this process.
    Embedded,
    /// The real contracts on a node.
    Rpc,
}

impl ChainWord {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Embedded => "embedded",
            Self::Rpc => "rpc",
        }
    }
}

/// `[chain]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChainTable {
    /// paper, embedded or rpc.
    pub kind: ChainWord,
    /// A chain that people use, by its name (bardo chain profiles): what is published of it stands in for what is not said.
    pub profile: String,
    /// Golems that name the same embedded chain share it.
    pub name: String,
    /// Whether USDC is the pool's first token; on a real chain that follows from the addresses.
    pub usdc_is_token0: bool,
    /// Weather to send through the market: a known name (calm, trend, chop, crash, depeg, gas-war, liquidity-drain,
    /// oracle-distortion, pushed-down, pushed-both-ways, sandwich) or the path of a file; empty for none.
    pub scenario: String,
    /// The wallet that signs on a node's chain.
    pub wallet: String,
    /// The owner's address, where its money goes when it leaves; required on a node's chain. Elsewhere, without one, it goes to
    /// the owner's account on that chain.
    pub home: String,
    /// Steps of its chain and market that had passed when this golem was born; 0 for the first one.
    pub joined_at: u64,
    /// The node, for rpc.
    pub rpc: RpcConfig,
}

impl Default for ChainTable {
    fn default() -> Self {
        Self {
            kind: ChainWord::Paper,
            profile: String::new(),
            name: "home".to_owned(),
            usdc_is_token0: false,
            scenario: String::new(),
            wallet: String::new(),
            home: String::new(),
            joined_at: 0,
            rpc: RpcConfig::default(),
        }
    }
}

impl ChainTable {
    /// The owner's address, if one is set.
    pub fn home_address(&self) -> Result<Option<HomeAddress>, AddressFault> {
        if self.home.is_empty() { Ok(None) } else { read_home(&self.home).map(Some) }
    }

    /// Whether there is such a profile, and whether it has such a router.
    fn profile_problem(&self) -> Option<Problem> {
        if self.profile.is_empty() {
            return None;
        }
        let Some(profile) = ChainProfile::named(&self.profile) else {
            let names: Vec<&str> = ChainProfile::all().iter().map(|p| p.name.as_str()).collect();
            let near = settings_file::nearest(&self.profile, names.iter().copied());
            let hint =
                near.map_or_else(|| format!("there are {}", names.join(", ")), |near| format!("did you mean {near}?"));
            return Some(Problem::new("chain.profile", format!("there is no profile {:?}; {hint}", self.profile)));
        };
        let none = profile.router_of(self.rpc.router).is_none() && self.rpc.addresses.router.at.is_zero();
        let what = format!("{} has no such router: leave it out, or say chain.rpc.addresses.router too", profile.title);
        none.then(|| Problem::new("chain.rpc.router", what))
    }

    /// Whether a golem's money could be sent there at all.
    fn home_problem(&self) -> Option<Problem> {
        let home = match self.home_address() {
            Ok(home) => home?,
            Err(why) => return Some(Problem::new("chain.home", format!("{:?}: {why}", self.home))),
        };
        let a = &self.rpc.addresses;
        let contracts = [
            ("USDC", &a.usdc),
            ("the wrapped asset", &a.asset),
            ("the pool", &a.pool),
            ("the factory", &a.factory),
            ("the router", &a.router),
            ("the position manager", &a.positions),
        ];
        let taken = contracts.into_iter().find(|(_, pin)| pin.at.0.0 == home.bytes());
        taken
            .filter(|_| self.kind == ChainWord::Rpc)
            .map(|(what, _)| Problem::new("chain.home", format!("{home} is {what}: what is sent there is lost")))
    }
}

/// Which kind of world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorldKind {
    /// A seeded market process.
    #[default]
    Synthetic,
    /// Recorded history.
    Csv,
}

/// `[world]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorldTable {
    /// synthetic or csv.
    pub kind: WorldKind,
    /// Seed of the synthetic market, and of the bridge between recorded bars; 0 takes the life's own seed, or a fresh one.
    pub seed: u64,
    /// The recorded market.
    pub path: String,
    /// A recorded gas price, if there is one.
    pub gas_path: String,
    /// Leave out bars before this time: a date, or RFC 3339.
    pub from: String,
    /// Leave out bars after this time.
    pub until: String,
    /// Fill in between bars with a seeded bridge instead of one turn per bar.
    pub bridge: bool,
    /// The synthetic market.
    pub synthetic: SyntheticConfig,
}

impl Default for WorldTable {
    fn default() -> Self {
        Self {
            kind: WorldKind::Synthetic,
            seed: 0,
            path: String::new(),
            gas_path: String::new(),
            from: String::new(),
            until: String::new(),
            bridge: false,
            synthetic: SyntheticConfig::default(),
        }
    }
}

impl WorldTable {
    /// Paths are kept absolute: a golem may be run from anywhere.
    pub fn settle(&mut self) -> Result<(), Fail> {
        for path in [&mut self.path, &mut self.gas_path] {
            if !path.is_empty() {
                *path = std::path::absolute(&*path)?.display().to_string();
            }
        }
        Ok(())
    }
}

impl GolemFile {
    /// Every key that there is, also those that the defaults leave out.
    pub fn schema() -> Result<Table, Fail> {
        let chain = ChainTable { rpc: RpcConfig::every_key(), ..ChainTable::default() };
        let dream = DreamConfig { phases: DreamPhasesConfig::every_key(), ..DreamConfig::default() };
        let every_key = Self { inference: InferenceConfig::every_key(), chain, dream, ..Self::default() };
        let mut schema =
            Table::try_from(every_key).map_err(|e| Fail::Bug(format!("settings do not serialise: {e}")))?;
        // A provider's own options are left out while there are none, and may be anything.
        let providers = schema.get_mut("inference").and_then(|table| table.get_mut("providers"));
        for provider in providers.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_table_mut) {
            for key in ["options", "web_search"] {
                provider.insert(key.to_owned(), Value::Table(Table::new()));
            }
        }
        Ok(schema)
    }

    /// Read a text over the defaults; every problem at once.
    pub fn read(text: &str, sets: &[String]) -> Result<Self, Fail> {
        let below = Self::of_profile(text, sets);
        settings_file::read_over(&below, &Self::schema()?, text, sets, Self::problems).map_err(|p| refuse(&p))
    }

    /// What a golem's settings stand on: the defaults, and what is published of the chain that they name.
    fn of_profile(text: &str, sets: &[String]) -> Self {
        let mut below = Self::default();
        let word = |key: &str| settings_file::word_of(key, text, sets);
        let Some(profile) = word("chain.profile").and_then(|name| ChainProfile::named(&name)) else { return below };
        let kind = match word("chain.rpc.router").as_deref() {
            Some("v1") => RouterKind::V1,
            Some("v2") => RouterKind::V2,
            _ => profile.router.kind,
        };
        if let Some(rpc) = profile.over(&below.chain.rpc, kind) {
            (below.chain.kind, below.chain.rpc) = (ChainWord::Rpc, rpc);
        }
        below
    }

    /// From a file of the owner's.
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, Fail> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            Fail::hint(format!("cannot read {}: {e}", path.display()), "see every setting: bardo config show")
        })?;
        Self::read(&text, sets)
    }

    /// Refuse what does not fit, with every problem at once: for settings that were changed after they were read.
    pub fn check(&self) -> Result<(), Fail> {
        let problems = self.problems();
        if problems.is_empty() { Ok(()) } else { Err(refuse(&problems)) }
    }

    /// Every problem, with its key.
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = self.life().problems();
        let synthetic = self.world.synthetic.problems().into_iter();
        all.extend(synthetic.map(|(key, message)| Problem::new(format!("world.synthetic.{key}"), message)));
        if self.world.kind == WorldKind::Csv && self.world.path.is_empty() {
            all.push(Problem::new("world.path", "a csv world needs the path of its file"));
        }
        for (key, text) in [("world.from", &self.world.from), ("world.until", &self.world.until)] {
            if moment(text).is_err() {
                all.push(Problem::new(key, format!("{text:?} is no time; write 2021-06-01, or 2021-06-01T12:00:00Z")));
            }
        }
        all.extend(self.succession.problems().into_iter().map(|p| p.under("succession")));
        let expires = &self.succession.expires;
        if moment(expires).is_err() {
            all.push(Problem::new("succession.expires", format!("{expires:?} is no time; write 2027-01-31")));
        }
        all.extend(self.styx.problems().into_iter().filter(|p| p.key == "relay").map(|p| p.under("styx")));
        all.extend(self.inference.problems().into_iter().map(|p| p.under("inference")));
        all.extend(self.dream_provider_problems());
        all.extend(self.testament_problems());
        all.extend(self.market.problems().into_iter().map(|p| p.under("market")));
        all.extend(self.chain.home_problem());
        all.extend(self.chain.profile_problem());
        if self.chain.kind == ChainWord::Rpc {
            all.extend(self.chain.rpc.problems().into_iter().map(|p| p.under("chain.rpc")));
            if self.chain.wallet.is_empty() {
                all.push(Problem::new(
                    "chain.wallet",
                    "a golem on a node's chain needs a wallet: bardo wallet new NAME",
                ));
            }
        }
        all
    }

    /// Addresses of nodes and models that may carry a key: a newborn's settings are stored in clear, and must have none.
    pub fn check_secrets(&self) -> Result<(), Fail> {
        let nodes = self.chain.rpc.exposed().into_iter().map(|p| p.under("chain.rpc"));
        let problems: Vec<Problem> =
            nodes.chain(self.inference.exposed().into_iter().map(|p| p.under("inference"))).collect();
        if problems.is_empty() { Ok(()) } else { Err(refuse(&problems)) }
    }

    /// As it may be shown: without what may be a key.
    pub fn shown(&self) -> Self {
        let mut shown = self.clone();
        (shown.chain.rpc, shown.inference) = (self.chain.rpc.shown(), self.inference.shown());
        shown
    }

    /// The part that is the life's own.
    pub fn life(&self) -> Settings {
        Settings {
            heartbeat: self.heartbeat.clone(),
            mortality: self.mortality.clone(),
            mind: self.mind.clone(),
            policy: self.policy.clone(),
            cage: self.cage.clone(),
            grimoire: self.grimoire.clone(),
            diagnostics: self.diagnostics.clone(),
            thinking: self.thinking(),
            suffering: self.suffering,
            dream: self.dream.clone(),
            phages: self.phages,
            defaults: self.defaults.clone(),
            divergence: self.succession.divergence.clone(),
            // Where the relay is does not change a life.
            styx: StyxSettings { relay: StyxSettings::default().relay, ca_file: String::new(), ..self.styx.clone() },
        }
    }

    /// The same where somebody answers for both tiers, whatever providers there are: for lives in the lab.
    pub fn life_that_thinks(&self) -> Settings {
        Settings { thinking: self.thinking_with([true, true]), ..self.life() }
    }

    /// What models there are, as the life knows it: that they are, and what they may cost.
    fn thinking(&self) -> ThinkingSettings {
        let providers = &self.inference.providers;
        if providers.is_empty() && self.inference.embedder.kind == EmbedderKind::Bundled {
            return ThinkingSettings::default();
        }
        let any =
            |tier| providers.iter().any(|p| p.model(tier).is_some() && p.purposes.contains(&ModelPurpose::Waking));
        self.thinking_with([ModelTier::T1, ModelTier::T2].map(any))
    }

    fn thinking_with(&self, [t1, t2]: [bool; 2]) -> ThinkingSettings {
        let InferenceConfig { max_request_usdc, max_output_tokens, request_timeout_ms, .. } = &self.inference;
        let embeds = self.inference.embedder.kind != EmbedderKind::Bundled;
        let caps = self.inference.allowance();
        ThinkingSettings {
            t1,
            t2,
            daily_usdc: caps.money,
            daily_calls: caps.calls,
            daily_tokens: caps.tokens,
            request_usdc: *max_request_usdc,
            output_tokens: *max_output_tokens,
            timeout_ms: u32::try_from(*request_timeout_ms).unwrap_or(u32::MAX),
            embeds,
            dreams: self.dream_tiers().filter(|tiers| *tiers != [t1, t2]),
            testament: self.testament_tiers().filter(|tiers| *tiers != [t1, t2]),
        }
    }

    /// As a file.
    pub fn to_toml(&self) -> Result<String, Fail> {
        toml::to_string_pretty(self).map_err(|e| Fail::Bug(format!("settings do not serialise: {e}")))
    }
}

/// A time as an owner writes it: nothing, a date, or RFC 3339.
pub fn moment(text: &str) -> Result<Option<Timestamp>, serde_json::Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let whole = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    serde_json::from_value(serde_json::Value::String(whole)).map(Some)
}

/// All problems, as one refusal.
pub fn refuse(problems: &[Problem]) -> Fail {
    let list: Vec<String> = problems.iter().map(|p| format!("  {p}")).collect();
    let count = if problems.len() == 1 { "a problem".to_owned() } else { format!("{} problems", problems.len()) };
    let hint = "see every setting and what it is for: bardo config show, or bardo config show KEY";
    Fail::hint(format!("{count} with the settings:\n{}", list.join("\n")), hint)
}
