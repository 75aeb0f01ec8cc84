//! The owner's library: what the golems of one owner leave, outside of any one life. It holds what survived, not everything:
//! [`inflow`] says what comes in by which of five ways, [`holding`] what an entry is worth here, [`owner`] keeps them,
//! [`deposit`] takes from a golem that died or lives, [`bundle`] makes collections and proposes some, [`bundle_file`] is a
//! collection as one file, [`parcel`] is an entry on its way to a golem.
//!
//! Nothing here touches a file: a library is read from rows and says which rows have changed.

pub mod bundle;
pub mod bundle_file;
pub mod deposit;
pub mod holding;
pub mod inflow;
pub mod owner;
pub mod parcel;
pub mod purchase;

pub use bundle::{BundleStanding, NamedBundle, STARTER_SIZE, starter_name};
pub use bundle_file::{BundleError, KnowledgeBundle};
pub use deposit::{DepositedDeath, LibraryVisitor};
pub use holding::{Archetype, HoldingId, HoldingLine, LibraryHolding, WorldCalendar};
pub use inflow::{INFLOWS, InflowRefusal, InflowRule, LibraryInflow};
pub use owner::{LibraryDamage, LibraryHeir, LibraryRow, LibraryTable, OwnerLibrary};
pub use parcel::{EquipParcel, EquipTarget};
pub use purchase::ImportedBundle;
