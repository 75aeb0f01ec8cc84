//! A verdict in favour: what it weighed, for whoever issues the permit and keeps it open.

use crate::risk::AtRisk;
use golem_core::Usdc;
use serde::{Deserialize, Serialize};

/// A verdict in favour.
pub(crate) struct Granted {
    pub risk: AtRisk,
    pub print: u64,
    /// Prints of the books before and after.
    pub books: [u64; 2],
    pub grows: Grows,
    pub looping: bool,
    /// The most that it may cost in gas.
    pub max_gas: Usdc,
}

/// What a permit makes larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Grows {
    Nothing,
    Exposure,
    Position,
}
