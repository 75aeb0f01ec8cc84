//! How far an heir has come with what it was left to finish.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How far an heir has come with what it was left to finish.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct HeirWork {
    /// The places of the hypotheses that were taken up.
    pub taken: BTreeSet<u32>,
}

impl HeirWork {
    /// True for whoever has done nothing of the kind.
    pub fn is_none(&self) -> bool {
        self.taken.is_empty()
    }
}
