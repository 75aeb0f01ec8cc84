//! A stressor that has ended: the row that leaves the state. The rules keep no history; who stores it appends.

use super::domain::ActivityDomain;
use crate::line::Line;
use golem_core::{Timestamp, VirtualTime};
use serde::{Deserialize, Serialize};

/// Which of the two ledgers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StressorLedger {
    /// By a rule over counters.
    Measured,
    /// By the agent.
    Reported,
}

/// How a stressor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StressorEnding {
    /// Its rule, or the condition that was given with it, came true.
    Eased,
    /// The agent said so, of something that cannot be checked.
    Word,
    /// A respite took it. Kept apart: it must not teach that waiting helps.
    Respite,
    /// A measured one took its place.
    Evicted,
    /// It had ended before it came here.
    Imported,
}

impl StressorEnding {
    /// True when something that was checked ended it: only this is learnt from.
    #[must_use]
    pub fn is_checked(self) -> bool {
        self == Self::Eased
    }
}

/// One stressor that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// Its name.
    pub stressor: String,
    /// Whose it was.
    pub ledger: StressorLedger,
    /// Where the golem was hurt.
    pub domain: Option<ActivityDomain>,
    /// When it began.
    pub onset: VirtualTime,
    /// When it ended.
    pub ended: VirtualTime,
    /// How bad it was at the end.
    pub severity: f64,
    /// How bad it was at its worst.
    pub peak: f64,
    /// How it ended.
    pub ending: StressorEnding,
    /// What ended it, in one line.
    pub note: String,
    /// The agent's words, of a reported one.
    pub description: Line,
    /// The dates it had elsewhere, of an imported one: when it began and when it ended.
    pub elsewhere: Option<(Option<Timestamp>, Option<Timestamp>)>,
}
