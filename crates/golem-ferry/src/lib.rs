//! A golem's side of the relay. What it told and what it has taken lies in a file of its own beside the golem's ([`FerryFile`]); [`Ferry`]
//! keeps a line to the relay on a thread of its own, so that a golem whose relay is away lives as fast as without one.
//!
//! The golem's outbox is where everything begins that it says, and its inbox is where everything ends that it hears: both are durable, and
//! what was carried twice is one. Nothing in here decides what is told or believed; those are rules of `golem-clade`.

mod backup;
mod carry;
mod crossing;
mod dial;
mod ferry;
mod file;
mod grave;
mod heed;
mod nose;
mod passenger;
mod purses;
mod standing;
mod visit;
mod wall;

pub use backup::{BackupFault, FoundArchive, RestoredBackup, restored};
pub use dial::{DialFault, RelayUrl};
pub use ferry::{Ferry, pause_ms};
pub use file::{FerryFault, FerryFile, FerryState, KnownSibling};
pub use passenger::{BackupTaken, FerryPassenger, GraveSaid, LivingSigns, PULSE, PassengerSigns};
pub use standing::{CladeStanding, SiblingSeen};
pub use visit::{RelayVisit, crossed_once};
