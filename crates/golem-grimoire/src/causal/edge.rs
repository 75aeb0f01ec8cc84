//! An edge: one observed variable drives another some nominal ticks later.

use crate::change::{Change, NamedTable};
use golem_core::VirtualTime;
use golem_core::observed::Field;
use golem_core::plain;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An edge's id: `from>to@lag`. The same relation has the same id in every golem and after every restart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EdgeId(String);

impl EdgeId {
    /// The id of an edge.
    #[must_use]
    pub fn new(from: Field, to: Field, lag: u32) -> Self {
        Self(format!("{from}>{to}@{lag}"))
    }
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EdgeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A confirmed relation and how it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Its id.
    pub id: EdgeId,
    /// What drives.
    pub from: Field,
    /// What is driven.
    pub to: Field,
    /// Nominal ticks until the effect is first felt.
    pub lag: u32,
    /// The effect of one usual deviation of news in the source, in usual deviations of news in the target; its sign is
    /// the direction.
    pub weight: f64,
    /// How sure, in basis points.
    pub confidence_bp: u16,
    /// Stretches of fresh data in which it held, the one that suggested it included.
    pub held: u32,
    /// Stretches in which it did not.
    pub failed: u32,
    /// Stretches in a row in which it did not.
    pub failed_in_a_row: u8,
    /// How often its source fired since it is known.
    pub fired: u64,
    /// When its source last did.
    pub last_fired: Option<VirtualTime>,
    /// When it was first confirmed.
    pub created: VirtualTime,
    /// When it stopped holding; `None` is that it holds.
    pub invalidated: Option<VirtualTime>,
    /// The nominal tick up to which it has been judged.
    pub judged: u64,
}

impl Edge {
    /// True when it holds as far as is known.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.invalidated.is_none()
    }
    /// What is believed of it after so many stretches (the rule of succession).
    pub(super) fn settle_confidence(&mut self) {
        let (held, all) = (u64::from(self.held), u64::from(self.held) + u64::from(self.failed));
        self.confidence_bp = u16::try_from(10_000 * (held + 1) / (all + 2)).unwrap_or(10_000);
    }
    /// In a line, for people and for full text.
    #[must_use]
    pub fn say(&self) -> String {
        let does = if self.weight >= 0.0 { "raises" } else { "lowers" };
        let ticks = if self.lag == 1 { "tick" } else { "ticks" };
        let until = if self.holds() { "" } else { " (no longer)" };
        format!("{} {does} {} after {} {ticks}{until}", self.from, self.to, self.lag)
    }
    /// As a row for the golem's file.
    #[must_use]
    pub fn row(&self) -> Change {
        let body = plain::json(self);
        Change::Row { table: NamedTable::Edge, key: self.id.0.clone(), text: self.say(), body }
    }
}
