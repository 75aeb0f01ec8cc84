//! What a deliberation came to, coarse enough to be repeated without it. Amounts stay with the policy.

use crate::math::unit;
use crate::policy::Permissions;
use serde::{Deserialize, Serialize};

/// How to meet a situation. None of them allows more than the phase does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
// Externally tagged: it is part of the saved state, whose form does not describe itself.
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// Let the policy do what it wants.
    #[default]
    Follow,
    /// Take a part of the usual risk.
    Ease {
        /// In percent, from 0 to 100.
        percent: u8,
    },
    /// Open nothing.
    StandAside,
    /// Open nothing, and hold half of what would usually be held.
    Reduce,
}

impl Stance {
    /// What may be done under it.
    #[must_use]
    pub fn narrow(self, may: &Permissions) -> Permissions {
        let risk = unit(may.risk);
        match self {
            Self::Follow => *may,
            Self::Ease { percent } => Permissions { risk: risk * f64::from(percent.min(100)) / 100.0, ..*may },
            Self::StandAside => Permissions { may_open: false, ..*may },
            Self::Reduce => Permissions { risk: risk * 0.5, may_open: false, ..*may },
        }
    }
}
