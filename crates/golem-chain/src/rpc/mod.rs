//! Any node over JSON-RPC: reads that enough nodes agree on, forks over remote state, and sending that never happens
//! twice.
//!
//! Where to begin: [`RpcVenue`] is the chain as a venue, [`Node`] asks its nodes, [`Fork`] is where things are tried,
//! [`Sender`] sends, and [`Hands`] send and sign for a golem.
//! Never trades on what one node among several says, and never shows an address of a node in full.

mod acting;
mod budget;
mod config;
mod endpoints;
mod fees;
mod flows;
mod follow;
mod fork;
mod hands;
mod head;
mod keep;
mod node;
mod outcome;
mod pen;
mod pins;
mod receipt;
mod record;
mod remote;
mod sender;
mod step;
mod touched;
mod venue;
mod watch;
mod wire;

pub use acting::Recalled;
pub use budget::Budget;
pub use config::{Addresses, Pinned, RpcConfig, redacted};
pub use endpoints::{Chance, Endpoints, quorum};
pub use fees::{Fees, cap_with_room};
pub use flows::{Flow, flows};
pub use fork::{Fork, Theirs};
pub use golem_core::door::Reconciled;
pub use hands::{Hands, MOST_GAS};
pub use head::Head;
pub use node::{Node, WallClock};
pub use pen::{Inked, Pen};
pub use pins::{DECIMALS, Pins, code_hashes, hold_decimals};
pub use receipt::{Landed, LogSeen};
pub use record::Record;
pub use remote::Remote;
pub use sender::{Sender, Sent};
pub use step::{Call, End, Step, Try};
pub use touched::{AccountSeen, Backing, Stage, TouchedState};
pub use venue::{Odd, RpcVenue};
pub use watch::Event;
pub use wire::{Ask, Fault};
