//! Automatic succession in this home: the owner's directive, the file that keeps every case and the credit, and the steward that
//! carries a case from a death to an heir.
//!
//! Cases and credit stand in the owner's `treasury.db`, not in the file of the dead: the dead change no more, their folders can be copied,
//! and a step must be written in the same transaction as the money that it moved.

mod attend;
mod books;
mod directive;
mod fly;
mod fly_line;
mod heirship;
mod provision;
mod registrar;
mod registry;
mod steward;

pub use attend::{Attended, attend, is_not_elsewhere};
pub use books::{change, find, problem};
pub use registrar::Registrar;
