//! Whether a line of golems gets anywhere: what each life added to what it inherited, and all of them together.

use golem_core::Elapsed;
use serde::{Deserialize, Serialize};

/// What one life did with its inheritance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RatchetCounts {
    /// Entries it inherited.
    pub inherited: u32,
    /// Entries it added.
    pub novel: u32,
    /// Inherited entries that it validated.
    pub validated: u32,
    /// Inherited entries that it refuted.
    pub contradicted: u32,
}

/// The score in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatchetGrade {
    /// Below 0.
    Regressive,
    /// From 0 to 0.2.
    Adequate,
    /// From 0.2 to 0.5.
    Strong,
    /// Above 0.5.
    Exceptional,
}

/// `0.5 novel + 0.3 validated - 0.2 contradicted`, each per inherited entry; none for a first ancestor, who had nothing to add
/// to.
#[must_use]
pub fn ratchet_score(counts: RatchetCounts) -> Option<f64> {
    let per = |n: u32| f64::from(n) / f64::from(counts.inherited);
    (counts.inherited > 0)
        .then(|| 0.5 * per(counts.novel) + 0.3 * per(counts.validated) - 0.2 * per(counts.contradicted))
}

/// A score in a word.
#[must_use]
pub fn ratchet_grade(score: f64) -> RatchetGrade {
    match score {
        s if s > 0.5 => RatchetGrade::Exceptional,
        s if s >= 0.2 => RatchetGrade::Strong,
        s if s >= 0.0 => RatchetGrade::Adequate,
        _ => RatchetGrade::Regressive,
    }
}

/// The scores of a line's lives, each weighted by how long it lasted; none while nobody has inherited anything.
#[must_use]
pub fn lineage_score(lives: &[(Elapsed, RatchetCounts)]) -> Option<f64> {
    let scored = lives.iter().filter_map(|(lived, counts)| Some((lived.0 as f64, ratchet_score(*counts)?)));
    let (weight, sum) = scored.fold((0.0, 0.0), |(w, s), (lived, score)| (w + lived, s + lived * score));
    (weight > 0.0).then(|| sum / weight)
}
