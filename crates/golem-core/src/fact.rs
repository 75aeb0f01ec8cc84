//! The fact envelope: who, in which order, in which turn, because of what, and what happened.
//!
//! Sequence orders history; timestamps only explain.

use crate::{GolemId, Tick, Timestamp};
use serde::{Deserialize, Serialize};

/// The place of a fact in a golem's history. A gap in a live stream means a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Seq(pub u64);

/// One fact with its address. `B` is the body: each room has its own type, the turn unites them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope<B> {
    /// Whose fact.
    pub golem: GolemId,
    /// Its place in that golem's history.
    pub seq: Seq,
    /// The turn it belongs to.
    pub tick: Tick,
    /// When, for people.
    pub at: Timestamp,
    /// The fact that led to this one, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Seq>,
    /// What happened.
    #[serde(flatten)]
    pub body: B,
}

/// What every body of facts can say of itself.
pub trait FactBody: Serialize {
    /// The seed's name, such as `mortality.phase_transition`.
    fn name(&self) -> &'static str;
    /// True for facts that recur every turn: they are kept as a downsampled series, not one by one.
    fn is_series(&self) -> bool {
        false
    }
}
