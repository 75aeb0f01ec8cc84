//! What suffering reports: each a past-tense fact.

use super::domain::ActivityDomain;
use super::history::{Resolved, StressorLedger};
use super::remedies::Remedy;
use super::state::{MOST_ACTIVE, MOST_NEW_PER_CYCLE, MOST_REPORTED};
use crate::band::Band;
use crate::line::Line;
use golem_core::fact::FactBody;
use serde::{Deserialize, Serialize};

/// Why a reported stressor was not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Drop {
    /// Too many new ones in this existence cycle.
    #[error("no more than {MOST_NEW_PER_CYCLE} new ones count in an existence cycle")]
    PerCycle,
    /// Too many reported ones are active.
    #[error("no more than {MOST_REPORTED} reported ones are active at a time")]
    Reported,
    /// Too many are active altogether.
    #[error("no more than {MOST_ACTIVE} are active at a time")]
    Active,
}

/// A measured stressor that a respite made lighter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lightened {
    /// Which.
    pub stressor: String,
    /// Severity before.
    pub from: f64,
    /// Severity after.
    pub to: f64,
}

golem_core::facts! {
/// A fact of the suffering rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum SufferingFact {
    /// A stressor began.
    #[serde(rename = "daimon.suffering_onset")]
    Onset {
        /// Its name.
        stressor: String,
        /// Whose it is.
        ledger: StressorLedger,
        /// What it begins with.
        severity: f64,
        /// True when it takes up the severity that it had when it ended a short while ago.
        resumed: bool,
        /// Where.
        domain: Option<ActivityDomain>,
        /// The numbers that began it, or the agent's words.
        evidence: String,
    },
    /// The load moved into another band.
    #[serde(rename = "daimon.suffering_band")]
    Band {
        /// Before.
        from: Band,
        /// After.
        to: Band,
        /// The load.
        load: f64,
        /// The sum without any cap.
        raw: f64,
    },
    /// The agent said that something is over, and it is not.
    #[serde(rename = "daimon.suffering_claim")]
    Claim {
        /// Which.
        stressor: String,
        /// Whose it is.
        ledger: StressorLedger,
        /// What the agent said.
        reason: Line,
        /// What speaks against it.
        distance: String,
    },
    /// A stressor ended.
    #[serde(rename = "daimon.suffering_resolved")]
    Resolved(Resolved),
    /// The golem did something about a stressor, by itself.
    #[serde(rename = "daimon.suffering_remedied")]
    Remedied {
        /// Against which.
        stressor: String,
        /// What.
        remedy: Remedy,
        /// What came of it at once, or what was said.
        note: String,
    },
    /// A crisis began. The message is for peers, once.
    #[serde(rename = "daimon.suffering_crisis")]
    Crisis {
        /// The load.
        load: f64,
        /// The sum without any cap.
        raw: f64,
        /// What peers are told.
        message: String,
    },
    /// A crisis had lasted too long and was broken.
    #[serde(rename = "daimon.suffering_respite")]
    Respite {
        /// The how manieth.
        number: u64,
        /// The load before.
        before: f64,
        /// The load after.
        after: f64,
        /// The measured ones that were made lighter. Their conditions stay open.
        lightened: Vec<Lightened>,
        /// The reported ones that were dropped: a history of its own.
        dropped: Vec<Resolved>,
    },
    /// A report was not stored.
    #[serde(rename = "daimon.suffering_dropped")]
    Dropped {
        /// Its name.
        stressor: String,
        /// Why.
        why: Drop,
    },
    /// A measured stressor took the place of a reported one.
    #[serde(rename = "daimon.suffering_evicted")]
    Evicted {
        /// Which measured one.
        by: String,
        /// What went.
        #[serde(flatten)]
        row: Resolved,
    },
}
}

impl SufferingFact {
    /// Whether something ended with it.
    #[must_use]
    pub fn is_an_end(&self) -> bool {
        matches!(self, Self::Resolved(_) | Self::Evicted { .. } | Self::Respite { .. })
    }
    /// The rows that this fact adds to the history of what has ended.
    #[must_use]
    pub fn rows(&self) -> &[Resolved] {
        match self {
            Self::Resolved(row) | Self::Evicted { row, .. } => std::slice::from_ref(row),
            Self::Respite { dropped, .. } => dropped,
            _ => &[],
        }
    }
}

impl FactBody for SufferingFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
}
