//! What is told of children: their birth, their end, what they say about their parent's health, and what replicants bring.

use super::live::ChildKind;
use super::verdict::PhageVerdict;
use golem_core::Tick;
use golem_core::fact::FactBody;
use golem_grimoire::EntryId;
use golem_mortality::micro_death::PhageSignals;
use serde::{Deserialize, Serialize};

golem_core::facts! {
/// A fact of a golem's short-lived children.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum PhageFact {
    /// A child is born.
    #[serde(rename = "phage.born")]
    Born {
        id: u64,
        kind: ChildKind,
        hypothesis: String,
        /// What is believed of it beforehand.
        belief: f64,
        lives_turns: u32,
    },
    /// It died.
    #[serde(rename = "phage.died")]
    Died {
        id: u64,
        kind: ChildKind,
        hypothesis: String,
        verdict: PhageVerdict,
        /// What is believed of it now.
        belief: f64,
        /// How far that moved, in nats.
        surprise: f64,
        /// The entry that this is evidence for or against.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<EntryId>,
        /// Nominal ticks that were lived on copies for it.
        shadow_ticks: u64,
        born: Tick,
    },
    /// What the latest ends say, told when that changes.
    #[serde(rename = "phage.health")]
    Health { signals: PhageSignals },
    /// A replicant's report was examined.
    #[serde(rename = "phage.report")]
    Report {
        id: u64,
        text: String,
        /// What examination said.
        came: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry: Option<EntryId>,
    },
}
}

impl FactBody for PhageFact {
    fn name(&self) -> &'static str {
        self.own_name()
    }
}
