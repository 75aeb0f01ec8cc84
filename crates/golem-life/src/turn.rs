//! How a turn ends, seen from the loop that drives it.

use golem_core::{Elapsed, Timestamp};
use serde::{Deserialize, Serialize};

/// Whether there will be another turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Yes, after the interval.
    Alive,
    /// Not before an order comes.
    Paused,
    /// A few more: death is on record, and its stages pass one by one.
    Dying,
    /// Never.
    Dead,
}

/// What the loop must know after a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// Whether there will be another.
    pub standing: Standing,
    /// Virtual time until the next one.
    pub interval: Elapsed,
    /// True when an insurance snapshot is wanted whatever the schedule says (a golem has become Terminal).
    pub insure: bool,
    /// Answers to orders, for the outbox.
    pub replies: Vec<Reply>,
    /// What the golems of the same fleet are told, for the outbox.
    pub peers: Vec<Word>,
}

/// A word to the golems of the same fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// What is said.
    pub text: String,
    /// True when it is the last there will be.
    pub died: bool,
    /// When it was said, by the calendar of the speaker's own world: nobody hears it earlier.
    pub at: Timestamp,
}

/// An answer to an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The order's number.
    pub order: u64,
    /// The answer, for people.
    pub text: String,
}
