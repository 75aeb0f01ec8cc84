//! Orders of the owner: heard in every phase, at every load and in whatever state, until death is on record.

use super::denied::{Denied, WhyDenied};
use super::{ActionClass, GateSituation};
use golem_mortality::GolemMode;
use serde::{Deserialize, Serialize};

/// What an owner can order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnerOrder {
    /// Give money.
    Feed,
    /// Take no turns.
    Pause,
    /// Go on.
    Resume,
    /// Take no new risk.
    Halt,
    /// Say something.
    Tell,
    /// Decide on what is staged.
    Decide,
    /// End it.
    Kill,
}

impl OwnerOrder {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Feed, Self::Pause, Self::Resume, Self::Halt, Self::Tell, Self::Decide, Self::Kill];

    /// The class it counts as: nothing that an owner orders takes on risk by itself.
    #[must_use]
    pub fn class(self) -> ActionClass {
        match self {
            Self::Pause | Self::Halt | Self::Kill => ActionClass::Reduce,
            Self::Feed | Self::Resume | Self::Tell | Self::Decide => ActionClass::Peer,
        }
    }
}

/// Whether an order of the owner is carried out. Neither suffering nor phase nor an unreadable state stands in its way.
///
/// # Errors
/// Every order is too late once the golem is dying: what happens in its last turns was decided before.
pub fn gate_owner(order: OwnerOrder, situation: &GateSituation) -> Result<(), Denied> {
    if situation.mode == Some(GolemMode::Dying) {
        return Err(Denied { class: order.class(), why: WhyDenied::TooLate });
    }
    Ok(())
}
