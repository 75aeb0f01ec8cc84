//! The narrative arc: the shape of a life's pleasure, by early, middle and late samples of its mood.

use golem_core::Tick;
use serde::{Deserialize, Serialize};

/// Fewer samples than this have no shape.
const FEWEST: usize = 10;
/// Samples on either side of the middle one.
const AROUND: usize = 5;
/// How far pleasure must move for a shape, in the units of the mood.
const FALL: f64 = 0.2;
const RETURN: f64 = 0.15;
const TRAGEDY: f64 = 0.3;

/// A sample of a mood: pleasure, arousal and dominance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MoodSample {
    /// When it was felt.
    pub tick: Tick,
    pub pad: [f32; 3],
}

/// The shape of a life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArcKind {
    /// It fell, and rose again.
    Redemptive,
    /// It rose, and what followed spoilt it.
    Contaminating,
    /// It got better.
    Progressive,
    /// It got much worse.
    Tragic,
    /// It stayed what it was, as far as can be said.
    Stable,
}

/// The shape of a life, and the figures that it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NarrativeArc {
    pub kind: ArcKind,
    /// How sure, from 0 to 1.
    pub confidence: f64,
    /// How many samples of its mood there are.
    pub samples: u32,
    /// Mean pleasure of the first quarter, around the middle, and of the last quarter.
    pub early: f64,
    pub mid: f64,
    pub late: f64,
}

impl ArcKind {
    /// The word used in files and on screens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Redemptive => "redemptive",
            Self::Contaminating => "contaminating",
            Self::Progressive => "progressive",
            Self::Tragic => "tragic",
            Self::Stable => "stable",
        }
    }
}

impl NarrativeArc {
    /// The shape of these moods, in the order of a life.
    #[must_use]
    pub fn of(moods: &[MoodSample]) -> Self {
        let pleasures: Vec<f64> =
            moods.iter().map(|m| f64::from(m.pad[0])).filter(|pleasure| pleasure.is_finite()).collect();
        let n = pleasures.len();
        let (quarter, middle) = ((n / 4).max(1), n / 2);
        let early = mean(pleasures.get(..quarter.min(n)));
        let late = mean(pleasures.get(n.saturating_sub(quarter)..));
        let mid = mean(pleasures.get(middle.saturating_sub(AROUND)..(middle + AROUND + 1).min(n)));
        let (kind, confidence) = match () {
            () if n < FEWEST => (ArcKind::Stable, 0.3),
            () if mid < early - FALL && late > mid + RETURN => (ArcKind::Redemptive, 0.7),
            () if mid > early + FALL && late < mid - RETURN => (ArcKind::Contaminating, 0.7),
            () if late - early > FALL => (ArcKind::Progressive, 0.6),
            () if late - early < -TRAGEDY => (ArcKind::Tragic, 0.6),
            () => (ArcKind::Stable, 0.5),
        };
        Self { kind, confidence, samples: u32::try_from(n).unwrap_or(u32::MAX), early, mid, late }
    }
}

fn mean(of: Option<&[f64]>) -> f64 {
    let of = of.unwrap_or_default();
    if of.is_empty() { 0.0 } else { of.iter().sum::<f64>() / of.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moods(pleasures: impl IntoIterator<Item = f32>) -> Vec<MoodSample> {
        (1..).zip(pleasures).map(|(n, p)| MoodSample { tick: Tick(n), pad: [p, 0.0, 0.0] }).collect()
    }

    #[test]
    fn shapes_are_told_apart() {
        let three = |a: f32, b: f32, c: f32| {
            let life = (0..40).map(move |n| match n {
                0..12 => a,
                12..28 => b,
                _ => c,
            });
            let arc = NarrativeArc::of(&moods(life));
            (arc.kind, arc.confidence)
        };
        assert_eq!(three(0.3, -0.1, 0.2), (ArcKind::Redemptive, 0.7));
        assert_eq!(three(0.0, 0.4, 0.1), (ArcKind::Contaminating, 0.7));
        assert_eq!(three(0.0, 0.1, 0.3), (ArcKind::Progressive, 0.6));
        assert_eq!(three(0.3, 0.15, -0.1), (ArcKind::Tragic, 0.6));
        assert_eq!(three(0.1, 0.1, 0.0), (ArcKind::Stable, 0.5));
        assert!(NarrativeArc::of(&moods([0.9; 9])).confidence < 0.4, "nine samples have no shape");
        assert_eq!(NarrativeArc::of(&[]).samples, 0);
    }

    proptest! {
        #[test]
        fn every_life_has_a_finite_shape(pleasures in prop::collection::vec(any::<f32>(), 0..200)) {
            let arc = NarrativeArc::of(&moods(pleasures));
            prop_assert!([arc.early, arc.mid, arc.late].iter().all(|x| x.is_finite()));
        }
    }
}
