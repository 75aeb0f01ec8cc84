//! The relay between siblings: one append-only log for each owner, one cursor for each golem, and what lies beside them. What passes
//! through is signed, chained and sealed by golems (`styx-wire`): the relay keeps what it cannot read and cannot forge.

pub mod clock;
mod counts;
pub mod desk;
mod door;
mod hints;
mod hub;
mod reads;
mod relay;
mod serve;
mod session;
pub mod shelf;
pub mod store;
mod token;
mod writer;

pub use counts::RelayCounts;
pub use door::{ConnectionSource, SOCKET_PATH};
pub use serve::{RelayAddress, RelayServer, RelayStartFault, serve_here, start};
pub use token::{owner_of, token_of};
