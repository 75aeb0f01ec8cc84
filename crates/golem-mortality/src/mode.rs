//! Waking, dreaming, dying: what a golem as a whole is doing.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The seed's `GolemMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GolemMode {
    /// Turns as usual.
    #[default]
    Waking,
    /// Asleep: lifespan goes on, probes rest.
    Dreaming,
    /// Past the point of return: no feeding, no rescue.
    Dying,
}

impl fmt::Display for GolemMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Waking => "waking",
            Self::Dreaming => "dreaming",
            Self::Dying => "dying",
        })
    }
}
