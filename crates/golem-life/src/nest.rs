//! What a golem with short-lived children keeps between turns.

use golem_dreams::phage::PhageColony;
use serde::{Deserialize, Serialize};

/// Its children. Their acts have forms that the compact one cannot read back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct PhageNest {
    #[serde(with = "golem_core::plain::as_text")]
    pub colony: PhageColony,
}
