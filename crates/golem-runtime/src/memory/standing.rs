//! A standing as its row says it. A row is written whenever one moves, which is most of what a memory writes: what is
//! nothing, none or no is left out, and the names are short.

use golem_core::VirtualTime;
use golem_grimoire::{Standing, Status};
use serde::{Deserialize, Serialize, Serializer};

/// A standing for its row.
pub(super) struct LeanStanding<'a>(pub(super) &'a Standing);

/// The row, read.
#[derive(Deserialize)]
pub(super) struct Owned(#[serde(with = "Row")] pub(super) Standing);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Standing")]
struct Row {
    #[serde(rename = "is")]
    status: Status,
    #[serde(rename = "bp")]
    confidence_bp: u16,
    #[serde(rename = "q")]
    quality: f32,
    #[serde(rename = "yes", default, skip_serializing_if = "is_nothing")]
    validated: u32,
    #[serde(rename = "no", default, skip_serializing_if = "is_nothing")]
    contradicted: u32,
    #[serde(rename = "by", default, skip_serializing_if = "is_nothing")]
    validators: u32,
    #[serde(rename = "own", default, skip_serializing_if = "is_nothing")]
    own_validation: bool,
    #[serde(rename = "dreamt", default, skip_serializing_if = "is_nothing")]
    dream_validated: bool,
    #[serde(rename = "s")]
    strength: f32,
    #[serde(rename = "used", default, skip_serializing_if = "is_nothing")]
    uses: u32,
    #[serde(rename = "found", default, skip_serializing_if = "is_nothing")]
    retrievals: u32,
    #[serde(rename = "at")]
    last_validated: VirtualTime,
    #[serde(rename = "until", default, skip_serializing_if = "is_nothing")]
    true_until: Option<VirtualTime>,
    #[serde(rename = "low", default, skip_serializing_if = "is_nothing")]
    low_cycles: u8,
}

fn is_nothing<T: PartialEq + Default>(value: &T) -> bool {
    *value == T::default()
}

impl Serialize for LeanStanding<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Row::serialize(self.0, s)
    }
}
