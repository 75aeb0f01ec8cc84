//! Dreams: when to sleep, what is lived through again, imagined and rehearsed, and what is proposed afterwards.
//!
//! Everything here is a pure rule. What must be tried is asked for as runs on a copy of the chain ([`golem_core::door::ForkRun`]);
//! what is found goes to the grimoire's staging and is believed only once the waking world has confirmed it. There is no
//! word for money in this room, and none for the live chain.

pub mod anticipate;
pub mod ask;
pub mod calm;
pub mod config;
pub mod cycle;
pub mod fact;
pub mod imagine;
pub mod journal;
pub mod liminal;
pub mod phage;
pub mod replay;
pub mod schedule;
pub mod seen;
pub mod state;
pub mod thoughts;

pub use config::DreamConfig;
pub use fact::DreamFact;
pub use journal::{DreamJournalEntry, DreamReport};
pub use seen::DreamSeen;
pub use state::{DreamPhase, DreamState, DreamTier};
