//! The bands of suffering's load: what suffering measures, and what the gate goes by.

use serde::{Deserialize, Serialize};

/// The load from which there is a crisis.
pub const CRISIS_ENTER: f64 = 0.90;
/// The load below which a crisis ends.
pub const CRISIS_LEAVE: f64 = 0.80;

/// How bad it is. The order is from light to heavy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// Below .35: not in the prompt.
    #[default]
    Background,
    /// From .35: in every prompt.
    Present,
    /// From .55: exploring and opening are closed.
    High,
    /// From .75: resolving comes first.
    Severe,
    /// From .90, until the load falls below .80: reflecting and peers, and taking risk away.
    Crisis,
}

impl Band {
    /// From light to heavy.
    pub const ALL: [Self; 5] = [Self::Background, Self::Present, Self::High, Self::Severe, Self::Crisis];

    /// The load from which it is this band.
    #[must_use]
    pub fn from_load(self) -> f64 {
        [0.0, 0.35, 0.55, 0.75, CRISIS_ENTER][self as usize]
    }
    /// The band of a load, without memory: the crisis latch is the suffering state's.
    #[must_use]
    pub fn of(load: f64) -> Self {
        Self::ALL.into_iter().rev().find(|band| load >= band.from_load()).unwrap_or_default()
    }
    /// The word used in facts, files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["background", "present", "high", "severe", "crisis"][self as usize]
    }
}
