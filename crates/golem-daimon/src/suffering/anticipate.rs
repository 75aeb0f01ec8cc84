//! The anticipatory signal: a domain in which the golem was hurt asks for more care. It never blocks.

use super::domain::ActivityDomain;
use super::history::StressorLedger;
use super::state::Suffering;
use super::write::two;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a warning does to a proposed action.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Caution {
    /// By how much more confidence is needed.
    pub confidence_raise: f64,
    /// By what its size is multiplied.
    pub size: f64,
}

impl Caution {
    /// After what was measured.
    pub const USUAL: Self = Self { confidence_raise: 0.10, size: 0.5 };
    /// After what an agent reported of itself: more confidence is asked for, but nobody can talk a size smaller.
    pub const BY_WORD: Self = Self { confidence_raise: 0.10, size: 1.0 };
}

/// A warning from what has been. It displays as the seed's two lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Anticipation {
    /// Where.
    pub domain: ActivityDomain,
    /// What it was.
    pub stressor: String,
    /// How bad it got.
    pub peak: f64,
    /// What ended it.
    pub resolved_when: String,
    /// What it does.
    pub caution: Caution,
}

impl fmt::Display for Anticipation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stressor, peak, resolved_when, .. } = self;
        let peak = two(*peak);
        writeln!(f, "Anticipatory signal: a similar domain previously caused {stressor} suffering (peak {peak}).")?;
        write!(f, "It resolved when: {resolved_when}.")
    }
}

impl Suffering {
    /// What the past says of acting in a domain.
    #[must_use]
    pub fn anticipate(&self, domain: ActivityDomain) -> Option<Anticipation> {
        let (scar, ledger) = self.memory.warning(domain)?;
        Some(Anticipation {
            domain,
            stressor: scar.stressor.clone(),
            peak: scar.peak.get(),
            resolved_when: scar.note.clone(),
            caution: if ledger == StressorLedger::Measured { Caution::USUAL } else { Caution::BY_WORD },
        })
    }
}
