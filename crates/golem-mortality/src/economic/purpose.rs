//! What money is spent for, and which purse pays for it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A purse of operating credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Partition {
    /// Inference and the machine it thinks on.
    Llm,
    /// Transactions.
    Gas,
    /// Feeds and snapshots.
    Data,
    /// Reflection and settlement.
    Legacy,
}

impl Partition {
    /// In the order in which shortages are looked for.
    pub const ALL: [Self; 4] = [Self::Llm, Self::Gas, Self::Data, Self::Legacy];
    /// The three that work while the golem lives.
    pub const WORKING: [Self; 3] = [Self::Llm, Self::Gas, Self::Data];
    /// Its place in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["llm", "gas", "data", "legacy"][self.index()]
    }
}

/// What a line of the ledger is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Rent of the machine.
    Compute,
    /// A model's reply.
    Inference,
    /// A transaction.
    Gas,
    /// The market feed.
    Data,
    /// An insurance snapshot.
    Snapshot,
    /// Reflection while dying.
    Reflection,
    /// Settlement while dying.
    Settlement,
}

impl Purpose {
    /// All of them, in order.
    pub const ALL: [Self; 7] =
        [Self::Compute, Self::Inference, Self::Gas, Self::Data, Self::Snapshot, Self::Reflection, Self::Settlement];
    /// Its place in [`Self::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
    /// The purse that pays.
    #[must_use]
    pub fn partition(self) -> Partition {
        match self {
            Self::Compute | Self::Inference => Partition::Llm,
            Self::Gas => Partition::Gas,
            Self::Data | Self::Snapshot => Partition::Data,
            Self::Reflection | Self::Settlement => Partition::Legacy,
        }
    }
    /// Rent falls due whether one can afford it or not; wishes are paid only from what is there and allowed.
    #[must_use]
    pub fn is_rent(self) -> bool {
        matches!(self, Self::Compute | Self::Data | Self::Snapshot)
    }
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["compute", "inference", "gas", "data", "snapshot", "reflection", "settlement"][self.index()]
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
