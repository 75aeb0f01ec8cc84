//! How a recorded file is to be read: per bar or filled in, with or without gas, the whole of it or a window.

use golem_core::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How bars become turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CsvMode {
    /// One turn per bar: the last closed bar is all there is to see.
    #[default]
    PerBar,
    /// A random path through each bar, one point per nominal tick.
    Bridge {
        /// Chooses the paths.
        seed: u64,
    },
}

/// What the volume column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VolumeUnit {
    /// Units of the asset, as exchanges report it.
    #[default]
    Asset,
    /// USDC.
    Usdc,
}

/// How a file is to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CsvOptions {
    /// How bars become turns.
    pub mode: CsvMode,
    /// A second file with gas prices.
    pub gas: Option<PathBuf>,
    /// What the volume column counts.
    pub volume_unit: VolumeUnit,
    /// Leave out bars that open before this.
    pub from: Option<Timestamp>,
    /// Leave out bars that close after this.
    pub until: Option<Timestamp>,
}
