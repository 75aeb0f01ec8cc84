//! What comes into a turn from outside. Whatever is not a pure function of state is here, and all of it is recorded.

use crate::step::Answer;
use golem_core::door::Amended;
use golem_core::{GolemId, Intent, Observation, Preview, Receipt, Timestamp, Usdc};
use serde::{Deserialize, Serialize};

/// What one turn begins with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TickInput {
    /// When, for people.
    pub at: Timestamp,
    /// What was seen of the world.
    pub seen: Observation,
    /// What the owner asked, in the order of the inbox.
    pub orders: Vec<Order>,
    /// What the chain says differently now about effects of earlier turns.
    pub amended: Vec<Amended>,
    /// What the owner made of the golem's page, when it was edited since the golem wrote it.
    pub edited: Option<String>,
    /// What calls to models may have cost whose answers a crash has swallowed.
    pub swallowed: Vec<Usdc>,
}

/// An order of the owner with the number it has in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Inbox number: replies refer to it, and no number is taken twice.
    pub id: u64,
    pub ask: Ask,
}

/// What an owner can ask of a living golem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ask")]
pub enum Ask {
    /// More money.
    Feed { amount: Usdc },
    /// Take no turns until told otherwise. A paused golem neither ages nor pays.
    Pause,
    /// Go on.
    Resume,
    /// Die.
    Kill { reason: String },
    /// Die, by the file in the golem's home.
    KillSwitch {
        /// Where the switch was found.
        trigger: String,
    },
    /// Take no new risk until resumed; reducing goes on, and so does life.
    Halt { reason: String },
    /// Take in what another golem has learnt, as far as the admission gate lets it.
    Learn {
        /// Entries as JSON: `body` and `standing`.
        entries: Vec<String>,
    },
    /// A golem of the same fleet says something.
    Peer {
        from: String,
        text: String,
        /// True when these are the last words there will be: it died.
        died: bool,
        /// When it was said, by the calendar of the speaker's world: it is heard then or later, never before.
        at: Timestamp,
    },
    /// Take over what another system's agent suffered: its `suffering.json`.
    Suffer { text: String },
    /// Listen.
    Tell { text: String },
    /// Dream now.
    Dream,
    /// Stop dreaming.
    Wake { reason: String },
    /// Take a staged proposal through the gate, or off the table.
    Judge { proposal: u64, approved: bool },
    /// Take in what the owner's library hands over, as far as its examination lets it.
    Equip {
        /// Parcels as JSON.
        parcels: Vec<String>,
    },
    /// Send money home: a part of the capital, or all of it.
    Withdraw {
        /// How much; none for all.
        amount: Option<Usdc>,
    },
    /// A sibling of the same owner says something, over the relay.
    Kin {
        /// Who, by an owner's certificate.
        from: GolemId,
        /// A letter as JSON.
        letter: String,
        /// When it was said, by the calendar of the speaker's world: it is heard then or later, never before.
        at: Timestamp,
    },
}

/// One whole recorded turn: what replay needs, and what the hash chain covers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What it began with.
    pub input: TickInput,
    /// What it was answered, in the order in which it asked.
    pub answers: Vec<Answer>,
    pub intents: Vec<Intent>,
    /// What each of them would have done.
    pub previews: Vec<Preview>,
    /// Which of them were permitted.
    pub granted: Vec<bool>,
    /// What came of each.
    pub receipts: Vec<Receipt>,
}
