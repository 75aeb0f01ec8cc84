//! What living siblings tell each other over the relay, and how much of it: [`word`] is what is said, [`telling`] says what is told
//! and when, [`intake`] how much of what comes is handed on and in which order, [`heard`] keeps who has seen what come true, [`scent`] what is
//! left in the field of all,
//! [`blood`] what a grave says.
//!
//! Nothing here opens a socket or reads a clock. The relay is another way by which knowledge from elsewhere comes: what is received is
//! examined like a parcel of the library, and a warning can only ever take risk away.

pub mod blood;
pub mod heard;
pub mod intake;
pub mod scent;
pub mod telling;
pub mod word;

pub use blood::GraveLetter;
pub use heard::KinHearsay;
pub use intake::{KinArrival, KinLimits, KinQueue};
pub use telling::{KinTelling, TellingMoment, backup_is_due};
pub use word::{KinEnvelope, KinLetter, KinWord, KinWordFault};
