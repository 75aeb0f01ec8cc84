//! What the gate tells, and a small memory that keeps it from telling the same every turn.

use super::{ActionClass, Denied};
use crate::line::Line;
use golem_core::fact::FactBody;
use serde::{Deserialize, Serialize};

golem_core::facts! {
/// A past-tense fact of the gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum GateFact {
    /// Something was wanted and not allowed.
    #[serde(rename = "daimon.denied")]
    Denied {
        /// What was wanted: an intent, a tool or an order, in one word.
        what: Line,
        /// What was denied, why, and what would lift it.
        #[serde(flatten)]
        denied: Denied,
    },
}
}

impl FactBody for GateFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
}

/// What was last denied of each class, and how often. A policy that wants the same every turn is told no every time, and
/// the history is told once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Denials {
    told: [u16; ActionClass::ALL.len()],
    count: [u64; ActionClass::ALL.len()],
}

impl Denials {
    /// Take a verdict in. A fact comes back when this class was open before, or closed for another reason.
    pub fn note(&mut self, what: &str, class: ActionClass, verdict: Result<(), Denied>) -> Option<GateFact> {
        let at = class as usize;
        let Err(denied) = verdict else {
            self.told[at] = 0;
            return None;
        };
        self.count[at] = self.count[at].saturating_add(1);
        if self.told[at] == denied.code() {
            return None;
        }
        self.told[at] = denied.code();
        Some(GateFact::Denied { what: Line::of(what), denied })
    }

    /// How often a class was denied in this life.
    #[must_use]
    pub fn count(&self, class: ActionClass) -> u64 {
        self.count[class as usize]
    }
}
