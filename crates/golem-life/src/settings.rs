//! The settings of a life: what an owner may change before birth. Fixed afterwards, and hashed into the birth record.

use golem_cage::CageConfig;
use golem_clade::divergence::AntiProletarianizationConfig;
use golem_core::allowance::Allowance;
use golem_core::plain;
use golem_core::{Hash, Problem, Usdc};
use golem_dreams::DreamConfig;
use golem_dreams::phage::PhageConfig;
use golem_grimoire::playbook::{MOST_INNATE, Rule, read_innate};
use golem_mind::PolicyConfig;
use golem_mind::context::ContextPolicy;
use golem_mind::tier::GateConfig;
use golem_mortality::MortalityConfig;
use golem_mortality::info::InfoConfig;
use golem_mortality::regime_eval::RegimeEvaluationConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything about a life that is chosen at birth.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub heartbeat: HeartbeatSettings,
    pub mortality: MortalityConfig,
    pub mind: MindSettings,
    pub policy: PolicyConfig,
    /// What it may do with money at most.
    pub cage: CageConfig,
    /// What it keeps of its experience.
    pub grimoire: GrimoireSettings,
    /// The information diagnostics.
    pub diagnostics: DiagnosticsSettings,
    /// What models there are to ask, and what they may cost.
    pub thinking: ThinkingSettings,
    pub suffering: SufferingSettings,
    pub dream: DreamConfig,
    /// Short-lived children.
    pub phages: PhageConfig,
    /// What it is born with.
    pub defaults: InnateSettings,
    /// What is asked of it before its way of life counts as its own.
    pub divergence: AntiProletarianizationConfig,
    /// Siblings elsewhere.
    pub styx: StyxSettings,
}

/// `[styx]`: the relay between the golems of one owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StyxSettings {
    /// Whether it speaks with its siblings over a relay.
    pub enabled: bool,
    /// Where the relay is; where it is does not change a life, and may be said anew with every run.
    pub relay: String,
    /// A file with the certificates (PEM) that may vouch for a relay with TLS; empty for the system's. It changes no life either.
    pub ca_file: String,
    pub clade: CladeSettings,
    pub vault: VaultSettings,
    pub lethe: LetheSettings,
}

/// `[styx.clade]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CladeSettings {
    /// Ticks between two batches of what it tells; fewer, the nearer its end is.
    pub sync_interval_ticks: u64,
}

/// `[styx.vault]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VaultSettings {
    /// Whether what it knows is backed up at the relay, sealed.
    pub enabled: bool,
    /// Days for which a backup is worth restoring.
    pub ttl: u32,
    /// Ticks between two backups.
    pub backup_interval_ticks: u64,
}

/// `[styx.lethe]`: the layer for everybody, where a relay has one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LetheSettings {
    /// Whether everybody may know of what it warns and of what it died: without a name, in tenths and hours.
    pub publish: bool,
}

impl Default for StyxSettings {
    fn default() -> Self {
        let relay = "ws://127.0.0.1:7078".to_owned();
        Self {
            enabled: false,
            relay,
            ca_file: String::new(),
            clade: CladeSettings::default(),
            vault: VaultSettings::default(),
            lethe: LetheSettings::default(),
        }
    }
}

impl Default for CladeSettings {
    fn default() -> Self {
        Self { sync_interval_ticks: 50 }
    }
}

impl Default for VaultSettings {
    fn default() -> Self {
        Self { enabled: true, ttl: 90, backup_interval_ticks: 200 }
    }
}

impl StyxSettings {
    /// Every problem, with its key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = Vec::new();
        let scheme = ["ws://", "wss://"].iter().find_map(|scheme| self.relay.strip_prefix(scheme));
        if scheme.is_none_or(|rest| rest.is_empty() || rest.contains(['/', '@', '?', '#'])) {
            let message = format!("{:?} is no relay; write ws://HOST:PORT, or wss://HOST:PORT", self.relay);
            all.push(Problem::new("relay", message));
        }
        let ranges = [
            ("clade.sync_interval_ticks", self.clade.sync_interval_ticks, 1, 10_000),
            ("vault.backup_interval_ticks", self.vault.backup_interval_ticks, 1, 100_000),
            ("vault.ttl", u64::from(self.vault.ttl), 1, 3_650),
        ];
        for (key, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                let message = format!("{value} is out of range; it must lie between {least} and {most}");
                all.push(Problem::new(key, message));
            }
        }
        all
    }
}

/// `[defaults]`: what several generations have each proven stands in the settings of the next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InnateSettings {
    /// Rules that stand in its playbook from the first turn on, as in `when market.gas_ratio > 2.0: risk 0.5`.
    pub rules: Vec<String>,
}

impl InnateSettings {
    /// Every problem, with its key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut all: Vec<Problem> = self
            .rules
            .iter()
            .enumerate()
            .filter_map(|(n, line)| Some(Problem::new(format!("rules[{n}]"), read_innate(line).err()?)))
            .collect();
        if self.rules.len() > MOST_INNATE {
            let message = format!("{} rules are too many; {MOST_INNATE} may be", self.rules.len());
            all.push(Problem::new("rules", message));
        }
        all
    }
    /// The rules themselves.
    #[must_use]
    pub fn read(&self) -> Vec<Rule> {
        self.rules.iter().take(MOST_INNATE).filter_map(|line| read_innate(line).ok()).collect()
    }
}

/// `[suffering]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SufferingSettings {
    /// False lets it live without suffering: the ablation.
    pub enabled: bool,
    /// Whether it does something about what it suffers from, by itself; false for comparison.
    pub remedies: bool,
}

impl Default for SufferingSettings {
    fn default() -> Self {
        Self { enabled: true, remedies: true }
    }
}

/// What models there are to ask and what they may cost: taken from `[inference]` at birth. Without providers there are
/// none, and the golem thinks by its rules alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ThinkingSettings {
    /// Whether there is a small model.
    pub t1: bool,
    /// Whether there is a large one.
    pub t2: bool,
    /// What all questions of a virtual day may cost.
    pub daily_usdc: Usdc,
    /// Questions in a virtual day.
    pub daily_calls: u32,
    /// Tokens in a virtual day.
    pub daily_tokens: u64,
    /// What one question may cost.
    pub request_usdc: Usdc,
    /// Tokens of one answer.
    pub output_tokens: u32,
    /// Real time that one question may take.
    pub timeout_ms: u32,
    /// Whether an embedder elsewhere makes vectors for memory, beside the bundled one. Left out of the settings of lives
    /// without, so that their hash is what it was.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub embeds: bool,
    /// Whether dreams have a small model and a large one, where they ask others than the waking life does. Left out where
    /// they ask the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dreams: Option<[bool; 2]>,
    /// The same of whoever tells the testament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub testament: Option<[bool; 2]>,
}

impl ThinkingSettings {
    /// Whether there is a model to ask.
    #[must_use]
    pub fn any(&self) -> bool {
        self.t1 || self.t2
    }
    /// The caps of a day.
    #[must_use]
    pub fn allowance(&self) -> Allowance {
        Allowance { money: self.daily_usdc, calls: self.daily_calls, tokens: self.daily_tokens }
    }
}

/// `[heartbeat]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HeartbeatSettings {
    /// Virtual seconds between turns; 0 takes what suits the world (40 s, or one bar of a recorded market).
    pub tick_interval_s: u64,
}

/// `[mind]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MindSettings {
    /// False freezes the forecasters at birth: the ablation of learning.
    pub learning: bool,
    /// Freeze them at this age in nominal ticks; 0 never does.
    pub freeze_at_tick: u64,
    /// From this age in nominal ticks on, say the opposite of what the panels say; 0 never does. For comparison.
    pub turn_round_at_tick: u64,
    /// Memory lengthens with age up to so many virtual days.
    pub memory_days: u32,
    /// False keeps the policy from acting: the ablation of trading.
    pub trading: bool,
    /// When it thinks harder.
    pub gate: GateConfig,
    /// What a model is shown, at first.
    pub context: ContextPolicy,
}

impl Default for MindSettings {
    fn default() -> Self {
        Self {
            learning: true,
            freeze_at_tick: 0,
            turn_round_at_tick: 0,
            memory_days: golem_mind::forecast::MEMORY_DAYS as u32,
            trading: true,
            gate: GateConfig::default(),
            context: ContextPolicy::default(),
        }
    }
}

/// `[grimoire]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GrimoireSettings {
    /// False lets it live without memory: no episodes, no rules, no playbook.
    pub enabled: bool,
    /// False keeps the rules of its playbook from being followed: the ablation of the playbook.
    pub playbook: bool,
    /// False keeps what memory warns of from being heeded: the ablation of warnings.
    pub warnings: bool,
}

impl Default for GrimoireSettings {
    fn default() -> Self {
        Self { enabled: true, playbook: true, warnings: true }
    }
}

/// `[diagnostics]`: advice only; switching it off changes nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DiagnosticsSettings {
    /// Whether information is measured.
    pub enabled: bool,
    pub information: InfoConfig,
    /// How skill is compared within a regime.
    pub regimes: RegimeEvaluationConfig,
}

impl Default for DiagnosticsSettings {
    fn default() -> Self {
        Self { enabled: true, information: InfoConfig::default(), regimes: RegimeEvaluationConfig::default() }
    }
}

impl Settings {
    /// Every problem, with its key.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let interval = self.heartbeat.tick_interval_s;
        let mut all: Vec<Problem> = self.mortality.problems().into_iter().map(|p| p.under("mortality")).collect();
        all.extend(self.policy.problems().into_iter().map(|p| p.under("policy")));
        all.extend(self.mind.gate.problems().into_iter().map(|p| p.under("mind.gate")));
        all.extend(self.mind.context.problems().into_iter().map(|p| p.under("mind.context")));
        all.extend(self.defaults.problems().into_iter().map(|p| p.under("defaults")));
        all.extend(self.dream.problems().into_iter().map(|p| p.under("dream")));
        all.extend(self.phages.problems().into_iter().map(|p| p.under("phages")));
        all.extend(self.styx.problems().into_iter().map(|p| p.under("styx")));
        all.extend(self.cage.problems().into_iter().map(|p| p.under("cage")));
        all.extend(self.diagnostics.information.problems().into_iter().map(|p| p.under("diagnostics.information")));
        all.extend(self.diagnostics.regimes.problems().into_iter().map(|p| p.under("diagnostics.regimes")));
        if !(1..=3_650).contains(&self.mind.memory_days) {
            let message = format!("{} is out of range; it must lie between 1 and 3650", self.mind.memory_days);
            all.push(Problem::new("mind.memory_days", message));
        }
        if interval != 0 && !(1..=86_400).contains(&interval) {
            let message = format!(
                "{interval} is out of range; it must lie between 1 and 86400, or be 0 for what suits the world"
            );
            all.push(Problem::new("heartbeat.tick_interval_s", message));
        }
        all
    }

    /// Hash of what differs from the defaults, so that a new key with a default moves no recorded life.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let (mine, default) = (flat(self), flat(&Self::default()));
        let changed: BTreeMap<_, _> = mine.into_iter().filter(|(key, value)| default.get(key) != Some(value)).collect();
        Hash::of(plain::json(&changed).as_bytes())
    }
}

/// Settings as dotted keys and plain values.
fn flat(settings: &Settings) -> BTreeMap<String, serde_json::Value> {
    let mut all = BTreeMap::new();
    flatten(String::new(), plain::value(settings), &mut all);
    all
}

fn flatten(path: String, value: serde_json::Value, into: &mut BTreeMap<String, serde_json::Value>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, inner) in map {
                flatten(if path.is_empty() { key } else { format!("{path}.{key}") }, inner, into);
            }
        }
        plain => {
            into.insert(path, plain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_sound_and_only_changes_are_hashed() {
        let default = Settings::default();
        assert_eq!(default.problems(), []);
        assert_eq!(default.hash(), Hash::of(b"{}"));
        let mut changed = Settings::default();
        changed.mortality.immortal = true;
        assert_eq!(changed.hash(), Hash::of(br#"{"mortality.immortal":true}"#));
    }
}
