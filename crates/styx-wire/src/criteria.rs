//! What may leave a golem at all, by the kind of entry (the seed's table), scaled by how near its end it is.

use crate::delta::DeltaKind;

/// What is known of an entry before it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryStanding {
    pub confidence: f64,
    /// In use, not on trial.
    pub active: bool,
    /// Ticks since it was first validated here; none before.
    pub validated_ticks: Option<u64>,
    /// Episodes that speak for it.
    pub episodes: u64,
}

/// Shares of the thresholds by phase, from thriving to terminal: who is dying tells what it would have kept.
pub const PHASE_THRESHOLDS: [f64; 5] = [0.6, 0.55, 0.45, 0.3, 0.1];

/// The least confidence of a kind while thriving; none for what is always told.
#[must_use]
pub fn least_confidence(kind: DeltaKind) -> Option<f64> {
    match kind {
        DeltaKind::Insight | DeltaKind::StrategyFragment => Some(0.6),
        DeltaKind::Heuristic => Some(0.7),
        DeltaKind::CausalLink => Some(0.5),
        DeltaKind::Warning
        | DeltaKind::RegimeShift
        | DeltaKind::Validation
        | DeltaKind::Crisis
        | DeltaKind::Death
        | DeltaKind::Heads => None,
    }
}

/// Whether an entry may be told. The phase's threshold scales the table's: thriving is the table itself. What is not a number is
/// told by nobody.
#[must_use]
pub fn may_push(kind: DeltaKind, entry: &EntryStanding, phase_threshold: f64) -> bool {
    let Some(least) = least_confidence(kind) else { return true };
    let scale = (phase_threshold / PHASE_THRESHOLDS[0]).clamp(0.0, 1.0);
    let sure = entry.confidence >= least * scale;
    let ripe = match kind {
        DeltaKind::Insight => entry.active,
        DeltaKind::Heuristic => entry.validated_ticks.is_some_and(|ticks| ticks >= 10),
        DeltaKind::CausalLink => entry.episodes > 0,
        _ => true,
    };
    sure && ripe
}
