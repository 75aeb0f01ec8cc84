//! Automatic succession: an owner's directive, given before a death, and the machine that carries it out afterwards.
//!
//! [`SuccessionConfig`] is the directive, [`SuccessionCase`] one death on its way to an heir: which step comes next, when it may be
//! tried, and what became of it. A case is moved by events alone and says what to do; whoever does it writes the case down in the
//! same transaction as what it did. [`OwnerEstate`] is what an owner keeps of all of them: credit, cases and what there was to tell.

mod case;
mod config;
mod estate;
mod event;
mod halt;
mod identity;
mod treasury;

pub use case::{PROVISION_RETRIES_S, RETRY_QUEUE_S, SuccessionCase};
pub use config::{FlyConfig, IdentityWord, ProvisionConfig, ProvisionerWord, SuccessionConfig};
pub use estate::{EstateDamage, EstateRow, KeptNotice, OwnerEstate};
pub use event::{CaseEvent, CompiledHeir, IdentityState, OutOfStep, SuccessionNext, SuccessionNotice, SuccessionStep};
pub use halt::SuccessionHalt;
pub use identity::IdentityClaim;
pub use treasury::{CreditEntry, HeldCredit, MovedCredit, OwnerTreasury, PaymentAuthorization, TreasuryRefusal};
