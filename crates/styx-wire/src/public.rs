//! The public layer, opt-in: what anybody may know of warnings, bloodstains and marks. No name, no number that would find its author,
//! never a delta.

use crate::field::{FieldWord, PheromoneLayer, Scent};
use crate::grave::{SignedGrave, StainMark};
use golem_core::Regime;
use serde::{Deserialize, Serialize};

/// One thing that everybody may know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PublicNotice {
    /// The cause of a death, where somebody died of it.
    pub cause: Option<FieldWord>,
    pub class: FieldWord,
    pub domain: FieldWord,
    pub regime: Regime,
    /// Tenths, rounded down.
    pub tenths: u8,
    /// Hours since 1970, rounded down.
    pub hour: u64,
}

const HOUR_MS: u64 = 3_600_000;

impl PublicNotice {
    fn of_mark(mark: &StainMark, cause: Option<FieldWord>, now_ms: u64) -> Self {
        Self {
            cause,
            class: mark.class.clone(),
            domain: mark.domain.clone(),
            regime: mark.regime,
            tenths: tenths(mark.severity),
            hour: now_ms / HOUR_MS,
        }
    }

    /// What everybody may know of a death; nothing where its golem did not say so.
    #[must_use]
    pub fn of_grave(grave: &SignedGrave, now_ms: u64) -> Vec<Self> {
        if !grave.words.public {
            return Vec::new();
        }
        let cause = Some(grave.words.cause.clone());
        grave.words.marks.iter().map(|mark| Self::of_mark(mark, cause.clone(), now_ms)).collect()
    }
}

/// A scent as everybody may smell it: in tenths, and only threats.
#[must_use]
pub fn blurred(scent: &Scent) -> Option<Scent> {
    let threat = scent.key.layer == PheromoneLayer::Threat;
    let intensity = u16::from(tenths(scent.intensity)) * 100;
    (threat && intensity > 0).then(|| Scent { intensity, ..scent.clone() })
}

fn tenths(thousandths: u16) -> u8 {
    // At most ten.
    (thousandths.min(1_000) / 100) as u8
}
