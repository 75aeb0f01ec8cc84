//! How an entry stands: the part of it that evidence moves.

use golem_core::VirtualTime;
use serde::{Deserialize, Serialize};

/// How often reality spoke for and against it so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Support {
    /// For.
    pub confirmed: u32,
    /// Against.
    pub contradicted: u32,
}

/// The mutable part of an entry. Every change of it is kept with its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Where it is.
    pub status: EntryStatus,
    /// Stored confidence in basis points: it moves by steps and never drifts.
    pub confidence_bp: u16,
    /// Quality, from 0 to 1.
    pub quality: f32,
    /// How often reality confirmed it.
    pub validated: u32,
    /// How often reality contradicted it.
    pub contradicted: u32,
    /// By how many distinct golems it was validated.
    pub validators: u32,
    /// True once this golem's own outcomes have validated it.
    pub own_validation: bool,
    /// True when a dream's execution validated it.
    pub dream_validated: bool,
    /// How firmly it is remembered: lengthens its half-life, from 1 to 8.
    pub strength: f32,
    /// How often a decision used it.
    pub uses: u32,
    /// How often it was retrieved.
    pub retrievals: u32,
    /// When it was last validated (or learnt).
    pub last_validated: VirtualTime,
    /// Until when it was true; `None` is still.
    pub true_until: Option<VirtualTime>,
    /// Curator cycles in a row below the archive level.
    pub low_cycles: u8,
    /// What it has learnt to expect where it speaks about a forecast.
    #[serde(default)]
    pub expects: Option<Expectation>,
}

/// How far reality lies from a panel's forecast while something holds, as far as was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Expectation {
    /// In thousandths of the panel's usual error.
    pub milli: i32,
    /// Independent observations behind it.
    pub blocks: u32,
}

/// Where an entry is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status", content = "since")]
pub enum EntryStatus {
    /// Admitted on trial: it may inform and simulate, not decide.
    Candidate,
    /// In use.
    Active,
    /// Contradicts what is well established; kept aside until somebody resolves it.
    Quarantined(VirtualTime),
    /// Out of active memory, can come back.
    Archived(VirtualTime),
    /// Gone for good; one line is kept.
    Burnt(VirtualTime),
}
