//! What comes into a turn from outside. Whatever is not a pure function of state is here, and all of it is recorded.

use golem_core::{Observation, Receipt, Timestamp, Usdc};
use serde::{Deserialize, Serialize};

/// The input of one turn's first half.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TickInput {
    /// When, for people.
    pub at: Timestamp,
    /// What was seen of the world.
    pub seen: Observation,
    /// What the owner asked, in the order of the inbox.
    pub orders: Vec<Order>,
}

/// An order of the owner with the number it has in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Inbox number: replies refer to it, and no number is taken twice.
    pub id: u64,
    /// What is asked.
    pub ask: Ask,
}

/// What an owner can ask of a living golem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ask")]
pub enum Ask {
    /// More money.
    Feed {
        /// How much.
        amount: Usdc,
    },
    /// Take no turns until told otherwise. A paused golem neither ages nor pays.
    Pause,
    /// Go on.
    Resume,
    /// Die.
    Kill {
        /// Why.
        reason: String,
    },
    /// Die, by the file in the golem's home.
    KillSwitch {
        /// Where the switch was found.
        trigger: String,
    },
    /// Listen.
    Tell {
        /// The words.
        text: String,
    },
}

/// One whole recorded turn: what replay needs, and what the hash chain covers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The first half's input.
    pub input: TickInput,
    /// What was decided.
    pub intents: Vec<golem_core::Intent>,
    /// What came of it.
    pub receipts: Vec<Receipt>,
}
