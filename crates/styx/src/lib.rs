//! The relay between siblings: one append-only log for each owner, one cursor for each golem, and what lies beside them. What passes
//! through is signed, chained and sealed by golems (`styx-wire`): the relay keeps what it cannot read and cannot forge.

pub mod clock;
pub mod desk;
pub mod shelf;
pub mod store;
