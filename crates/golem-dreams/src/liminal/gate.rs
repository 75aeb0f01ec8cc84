//! The gate between the world and a falling sleeper: what keeps onset from beginning, how the input closes, and the
//! alarm that opens it again at once.

use super::params::OnsetParams;
pub use crate::state::OnsetAlarm;
use golem_core::ProtocolState;
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};

/// How much of the world comes in, from 1 to 0. The alarm does not pass through it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThalamicGate {
    openness: f64,
}

impl ThalamicGate {
    /// As when awake.
    pub const OPEN: Self = Self { openness: 1.0 };

    /// As it is before a partial, counted from 0: it closes evenly, and is shut before the last.
    #[must_use]
    pub fn closing(partial: u32, partials: u32) -> Self {
        let last = partials.saturating_sub(1);
        let openness = if last == 0 { 0.0 } else { 1.0 - f64::from(partial.min(last)) / f64::from(last) };
        Self { openness }
    }
    #[must_use]
    pub fn openness(self) -> f64 {
        self.openness
    }
    #[cfg(test)]
    pub(crate) fn is_shut(self) -> bool {
        self.openness <= 0.0
    }
}

/// Whether a dream in this phase of life begins with onset: below Stable there is no room for play. By rules it costs nothing, so
/// that no budget keeps anybody from it.
#[must_use]
pub fn has_onset(phase: BehavioralPhase) -> bool {
    phase >= BehavioralPhase::Stable
}

impl OnsetAlarm {
    /// The alarm, if one rings: a move of the price beyond 5 % since sleep began, liquidity gone, the protocol in
    /// trouble.
    #[must_use]
    pub fn of(params: &OnsetParams, moved: f64, drained: f64, protocol: ProtocolState) -> Option<Self> {
        match () {
            () if moved.abs() > params.alarm_move => Some(Self::Move),
            () if drained >= params.alarm_drain => Some(Self::Drain),
            () if protocol == ProtocolState::Degraded => Some(Self::Paused),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_closes_evenly_and_is_shut_at_the_end() {
        let way: Vec<f64> = (0..4).map(|i| ThalamicGate::closing(i, 4).openness()).collect();
        assert!(way.iter().zip([1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(ThalamicGate::closing(3, 4).is_shut() && !ThalamicGate::closing(2, 4).is_shut());
        assert!(ThalamicGate::closing(0, 1).is_shut() && ThalamicGate::closing(9, 0).is_shut());
        assert!(!ThalamicGate::OPEN.is_shut());
    }

    #[test]
    fn onset_is_left_out_below_stable() {
        use BehavioralPhase as P;
        let table = [
            (P::Thriving, true),
            (P::Stable, true),
            (P::Conservation, false),
            (P::Declining, false),
            (P::Terminal, false),
        ];
        assert!(table.iter().all(|(phase, has)| has_onset(*phase) == *has));
    }

    #[test]
    fn an_alarm_is_a_move_a_drain_or_a_pause() {
        use ProtocolState as S;
        let params = OnsetParams::default();
        let table = [
            (0.0, 0.0, S::Normal, None),
            (0.05, 0.0, S::Normal, None),
            (0.051, 0.0, S::Normal, Some(OnsetAlarm::Move)),
            (-0.051, 0.0, S::Normal, Some(OnsetAlarm::Move)),
            (0.0, 0.29, S::Normal, None),
            (0.0, 0.3, S::Normal, Some(OnsetAlarm::Drain)),
            (0.0, 0.0, S::Degraded, Some(OnsetAlarm::Paused)),
            (0.0, 0.0, S::Upgraded, None),
            (f64::NAN, f64::NAN, S::Normal, None),
        ];
        for (moved, drained, protocol, alarm) in table {
            assert_eq!(OnsetAlarm::of(&params, moved, drained, protocol), alarm, "{moved} {drained}");
        }
    }
}
