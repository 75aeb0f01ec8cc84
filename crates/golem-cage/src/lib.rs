//! The cage: a pure policy kernel. Whatever a golem wants to send must come with a permit, and only this room makes them.
//!
//! It never sees a key, an address, calldata or a model's text, and it never reckons with floats. What it cannot value
//! it does not permit; what it has to guess it guesses against the golem. What only reduces risk always finds a way out.

mod audit;
mod bleed;
mod breaker;
mod cage;
mod config;
mod denial;
mod fact;
mod fit;
mod granted;
mod judge;
mod leave;
mod limits;
mod loops;
mod minima;
mod open;
mod permit;
mod reference;
mod risk;
mod sight;
mod slip;
mod spend;
mod spot;
mod status;
mod trail;
mod trust;

pub use audit::{BrokenAudit, Verified, verify_audit};
pub use breaker::BreakerLevel;
pub use cage::{Cage, CageAsk};
pub use config::CageConfig;
pub use denial::{Contradiction, Denial};
pub use fact::{Amiss, CageFact, Stamp};
pub use leave::GoingLeave;
pub use limits::Window;
pub use permit::{NotCovered, Permit, Spent, Stale, is_part};
pub use status::{CageStatus, WindowStatus};
