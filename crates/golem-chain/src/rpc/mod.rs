//! Any node over JSON-RPC: reads that enough nodes agree on, forks over remote state, and sending that never happens
//! twice.
//!
//! Where to begin: [`RpcVenue`] is the chain as a venue, [`Node`] asks its nodes, [`Fork`] is where things are tried,
//! [`Sender`] sends, [`AccountHands`] send and sign for a golem, and [`footing`] is the whole of it as the doors of a life.
//! Never trades on what one node among several says, and never shows an address of a node in full.

mod acting;
mod below;
mod booked;
mod budget;
mod claims;
mod coin_paid;
mod config;
mod contact;
mod deed;
mod endpoints;
mod fees;
mod flows;
mod follow;
mod footing;
mod fork;
mod hands;
mod head;
mod journal;
mod keep;
mod node;
mod outcome;
mod owned;
mod pen;
mod pins;
mod proxied;
mod receipt;
mod record;
mod remote;
mod sender;
mod step;
mod sums;
mod survey;
mod touched;
mod tried;
mod venue;
mod watch;
mod wire;

pub use acting::Recalled;
pub use below::{GAS_PRICE_ORACLE, NODE_INTERFACE};
pub use booked::Booked;
pub use budget::Budget;
pub use config::{Addresses, Pinned, RpcConfig, redacted};
pub use endpoints::{Endpoints, quorum};
pub use fees::{Fees, GasRule, cap_with_room};
pub use flows::{Flow, flows};
pub use footing::{Alert, RpcHands, RpcWorld, footing};
pub use fork::{Fork, Theirs};
pub use golem_core::door::Reconciled;
pub use hands::{AccountHands, MOST_GAS};
pub use head::Head;
pub use journal::JournalEffects;
pub use node::{Node, WallClock};
pub use owned::ReceiptOwned;
pub use pen::{Inked, Pen};
pub use pins::{CodeFound, DECIMALS, Pins, code_hashes, hold_decimals};
pub use proxied::{beacon_slot, implementation_slots};
pub use receipt::{Landed, LogSeen};
pub use record::ChainRecord;
pub use remote::Remote;
pub use sender::{Sender, SentStep};
pub use step::{ChainStep, StepCall, StepEnd, Try};
pub use survey::{SurveyRow, survey};
pub use touched::{AccountSeen, Backing, ForkStage, TouchedState};
pub use venue::{OddFlow, RpcVenue};
pub use watch::ChainEvent;
pub use wire::{NodeAsk, NodeFault};
