//! What an owner is told of without looking: which facts of a life are worth it, where that goes, and what still waits to be sent.
//!
//! Everything here is read from what was committed, and nothing of it is part of a life. Whoever sends stands elsewhere.

mod ledger;
mod notice;
mod settings;

pub use ledger::{ChannelQueue, LookFrom, NotifyLedger, give_to_owner};
pub use notice::{NoticeKind, OwnerNotice};
pub use settings::{ChannelKind, NotifyChannel, NotifyFile, NotifySettings};
