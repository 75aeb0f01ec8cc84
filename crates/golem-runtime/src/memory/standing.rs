//! A standing as its row says it. A row is written whenever one moves, which is most of what a memory writes: what is
//! nothing, none or no is left out, and the names are short. Rows with the long names are read too.

use golem_core::VirtualTime;
use golem_grimoire::standing::Expectation;
use golem_grimoire::{EntryStatus, Standing};
use serde::{Deserialize, Serialize, Serializer};

/// A standing for its row.
pub(super) struct LeanStanding<'a>(pub(super) &'a Standing);

/// The row, read.
#[derive(Deserialize)]
pub(super) struct StandingRead(#[serde(with = "StandingRow")] pub(super) Standing);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Standing")]
struct StandingRow {
    #[serde(rename = "is", alias = "status")]
    status: EntryStatus,
    #[serde(rename = "bp", alias = "confidence_bp")]
    confidence_bp: u16,
    #[serde(rename = "q", alias = "quality")]
    quality: f32,
    #[serde(rename = "yes", alias = "validated", default, skip_serializing_if = "is_nothing")]
    validated: u32,
    #[serde(rename = "no", alias = "contradicted", default, skip_serializing_if = "is_nothing")]
    contradicted: u32,
    #[serde(rename = "by", alias = "validators", default, skip_serializing_if = "is_nothing")]
    validators: u32,
    #[serde(rename = "own", alias = "own_validation", default, skip_serializing_if = "is_nothing")]
    own_validation: bool,
    #[serde(rename = "dreamt", alias = "dream_validated", default, skip_serializing_if = "is_nothing")]
    dream_validated: bool,
    #[serde(rename = "s", alias = "strength")]
    strength: f32,
    #[serde(rename = "used", alias = "uses", default, skip_serializing_if = "is_nothing")]
    uses: u32,
    #[serde(rename = "found", alias = "retrievals", default, skip_serializing_if = "is_nothing")]
    retrievals: u32,
    #[serde(rename = "at", alias = "last_validated")]
    last_validated: VirtualTime,
    #[serde(rename = "until", alias = "true_until", default, skip_serializing_if = "is_nothing")]
    true_until: Option<VirtualTime>,
    #[serde(rename = "low", alias = "low_cycles", default, skip_serializing_if = "is_nothing")]
    low_cycles: u8,
    #[serde(default, skip_serializing_if = "is_nothing")]
    expects: Option<Expectation>,
}

fn is_nothing<T: PartialEq + Default>(value: &T) -> bool {
    *value == T::default()
}

impl Serialize for LeanStanding<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        StandingRow::serialize(self.0, s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANDING: Standing = Standing {
        status: EntryStatus::Archived(VirtualTime(9)),
        confidence_bp: 7_000,
        quality: 0.25,
        validated: 3,
        contradicted: 0,
        validators: 1,
        own_validation: true,
        dream_validated: false,
        strength: 1.5,
        uses: 0,
        retrievals: 12,
        last_validated: VirtualTime(77),
        true_until: None,
        low_cycles: 0,
        expects: None,
    };

    #[test]
    fn rows_come_back_and_the_longer_ones_of_before_are_read() {
        let short = serde_json::to_string(&LeanStanding(&STANDING)).unwrap();
        let long = serde_json::to_string(&STANDING).unwrap();
        assert!(short.len() * 2 < long.len(), "{short}");
        for row in [short, long] {
            assert_eq!(serde_json::from_str::<StandingRead>(&row).unwrap().0, STANDING, "{row}");
        }
    }
}
