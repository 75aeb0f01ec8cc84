//! What a golem that speaks with siblings keeps between turns.

use golem_clade::kin::{KinHearsay, KinTelling};
use serde::{Deserialize, Serialize};

/// What it told, and what it heard.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct KinRoom {
    pub told: KinTelling,
    pub heard: KinHearsay,
}
