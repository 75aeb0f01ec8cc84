//! What a life owes to count as one of its own: each shortfall has a number, a reason and what would lift it.

use serde::{Deserialize, Serialize};

/// Something that was asked of a life and is missing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "shortfall")]
pub enum DivergenceShortfall {
    /// The playbook is too much like the one that was inherited.
    #[error("the playbook lies {found:.2} from the inherited one, and {asked:.2} is asked")]
    Playbook {
        /// How far.
        found: f64,
        /// How far is asked.
        asked: f64,
    },
    /// Too little of its own.
    #[error("{found} entries are new, and {asked} are asked")]
    Novel {
        /// How many.
        found: u32,
        /// How many are asked.
        asked: u32,
    },
    /// It names nothing that it does not know.
    #[error("no gap and no open question is named")]
    Gaps,
    /// Too few questions.
    #[error("{:.0} % of the entries are questions, and {:.0} % are asked", found * 100.0, asked * 100.0)]
    Questions {
        /// The share.
        found: f64,
        /// The share that is asked.
        asked: f64,
    },
    /// It refuted little of what it inherited. A warning, never a fault.
    #[error("{found} inherited entries were refuted with a reason; {asked} are usual")]
    Invalidated {
        /// How many.
        found: u32,
        /// How many are usual.
        asked: u32,
    },
}

impl DivergenceShortfall {
    /// True for what is told and changes no verdict.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::Invalidated { .. })
    }
    /// Its number, which never changes.
    #[must_use]
    pub fn code(&self) -> u16 {
        self.entry().0
    }
    /// The word used in tables and counters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.entry().1
    }
    /// What would lift it.
    #[must_use]
    pub fn lifted_by(&self) -> &'static str {
        self.entry().2
    }

    fn entry(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::Playbook { .. } => {
                (700, "playbook", "rules of its own in the playbook, or the owner's changes to it")
            }
            Self::Novel { .. } => (701, "novel", "entries that the predecessor did not have"),
            Self::Gaps => (702, "gaps", "an entry that is a question, or a named gap"),
            Self::Questions { .. } => (703, "questions", "questions among its entries"),
            Self::Invalidated { .. } => (704, "invalidated", "nothing is needed; reality refutes what is wrong"),
        }
    }
}
