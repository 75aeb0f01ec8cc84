//! The gate between the world and a falling sleeper: what keeps onset from beginning, how the input closes, and the
//! alarm that opens it again at once.

use super::params::OnsetParams;
pub use crate::state::OnsetAlarm;
use golem_core::{ProtocolState, Usdc};
use golem_mortality::BehavioralPhase;
use serde::{Deserialize, Serialize};
use std::fmt;

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

/// Why a dream begins without onset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnsetSkip {
    Disabled,
    /// Below Stable there is no room for play.
    Phase,
    Budget,
}

impl fmt::Display for OnsetSkip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Disabled => "onset is switched off",
            Self::Phase => "no onset below Stable",
            Self::Budget => "no budget for onset",
        })
    }
}

impl OnsetSkip {
    /// Why onset is left out, if it is. `left` is what the budget still holds and `needs` what onset may cost: nothing
    /// without a model.
    #[must_use]
    pub fn of(params: &OnsetParams, phase: BehavioralPhase, left: Usdc, needs: Usdc) -> Option<Self> {
        match () {
            () if !params.enabled || params.partials == 0 => Some(Self::Disabled),
            () if phase < BehavioralPhase::Stable => Some(Self::Phase),
            () if left < needs => Some(Self::Budget),
            () => None,
        }
    }
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
    fn onset_is_left_out_when_off_below_stable_or_short_of_budget() {
        use BehavioralPhase as P;
        let on = OnsetParams::default();
        let off = OnsetParams { enabled: false, ..on.clone() };
        let none = OnsetParams { partials: 0, ..on.clone() };
        let table = [
            (&on, P::Thriving, 5, 5, None),
            (&on, P::Stable, 0, 0, None),
            (&on, P::Conservation, 9, 0, Some(OnsetSkip::Phase)),
            (&on, P::Declining, 9, 0, Some(OnsetSkip::Phase)),
            (&on, P::Terminal, 9, 0, Some(OnsetSkip::Phase)),
            (&on, P::Stable, 4, 5, Some(OnsetSkip::Budget)),
            (&off, P::Thriving, 9, 0, Some(OnsetSkip::Disabled)),
            (&none, P::Thriving, 9, 0, Some(OnsetSkip::Disabled)),
        ];
        for (params, phase, left, needs, skip) in table {
            assert_eq!(OnsetSkip::of(params, phase, Usdc(left), Usdc(needs)), skip, "{phase}");
        }
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
