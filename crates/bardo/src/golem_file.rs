//! `golem.toml`: all settings of one golem in one file, with the world it is born into.

use crate::fail::Fail;
use crate::settings_file;
use golem_core::Problem;
use golem_lab::world::SyntheticConfig;
use golem_life::Settings;
use golem_life::settings::{DiagnosticsSettings, HeartbeatSettings, MindSettings};
use golem_mind::PolicyConfig;
use golem_mortality::MortalityConfig;
use serde::{Deserialize, Serialize};
use std::path::Path;

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
    /// How it learns.
    pub mind: MindSettings,
    /// How it trades.
    pub policy: PolicyConfig,
    /// The three clocks.
    pub mortality: MortalityConfig,
    /// Information diagnostics.
    pub diagnostics: DiagnosticsSettings,
}

/// `[golem]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GolemTable {
    /// What people call it.
    pub name: String,
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
    /// Read a text over the defaults; every problem at once.
    pub fn read(text: &str, sets: &[String]) -> Result<Self, Fail> {
        settings_file::read(text, sets, Self::problems).map_err(|p| refuse(&p))
    }

    /// From a file of the owner's.
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, Fail> {
        let text = std::fs::read_to_string(path).map_err(|e| {
            Fail::hint(format!("cannot read {}: {e}", path.display()), "see every setting: bardo config show")
        })?;
        Self::read(&text, sets)
    }

    /// Every problem, with its key.
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = self.life().problems();
        let synthetic = self.world.synthetic.problems().into_iter();
        all.extend(synthetic.map(|(key, message)| Problem::new(format!("world.synthetic.{key}"), message)));
        if self.world.kind == WorldKind::Csv && self.world.path.is_empty() {
            all.push(Problem::new("world.path", "a csv world needs the path of its file"));
        }
        all
    }

    /// The part that is the life's own.
    pub fn life(&self) -> Settings {
        Settings {
            heartbeat: self.heartbeat.clone(),
            mortality: self.mortality.clone(),
            mind: self.mind.clone(),
            policy: self.policy.clone(),
            diagnostics: self.diagnostics.clone(),
        }
    }

    /// As a file.
    pub fn to_toml(&self) -> Result<String, Fail> {
        toml::to_string_pretty(self).map_err(|e| Fail::Bug(format!("settings do not serialise: {e}")))
    }
}

fn refuse(problems: &[Problem]) -> Fail {
    let list: Vec<String> = problems.iter().map(|p| format!("  {p}")).collect();
    let count = if problems.len() == 1 { "a problem".to_owned() } else { format!("{} problems", problems.len()) };
    Fail::hint(format!("{count} with the settings:\n{}", list.join("\n")), "see every setting: bardo config show")
}
