//! What a dreamer knows of itself at a moment: made by the life once a turn, read by every rule here.

use golem_core::{Regime, Tick, Timestamp, VirtualTime};
use golem_mortality::BehavioralPhase;

/// A golem as its dreams see it.
#[derive(Debug, Clone, PartialEq)]
pub struct DreamSeen {
    pub tick: Tick,
    pub now: VirtualTime,
    /// The calendar, for windows.
    pub at: Timestamp,
    pub phase: BehavioralPhase,
    /// Epistemic fitness, which the seed also calls prediction accuracy.
    #[doc(alias = "prediction_accuracy")]
    pub fitness: f64,
    /// Age as a share of the reference lifespan.
    #[doc(alias = "hayflick_ratio")]
    pub age_ratio: f64,
    /// Hours of money left; nothing when nothing burns.
    pub projected_life_h: Option<f64>,
    /// The weather, and the volatility's fifth from 1 to 5.
    pub regime: Regime,
    pub volatility_fifth: u8,
    /// How wrong expectations are now, in usual errors.
    pub surprise: f64,
    /// Episodes so far, and those among the latest that no dream has replayed.
    pub episodes: u64,
    pub unreplayed: u32,
    /// The mean arousal of episodes that no dream has calmed, from 0 to 1.
    pub unresolved_arousal: f64,
    /// What was lost in the last day, as a share of wealth.
    pub recent_loss: f64,
    /// The share of the operating credit that stands in the purse for models; in Terminal, where the legacy pays for
    /// reflection, in both purses together.
    pub model_purse_share: f64,
    /// True while an action is permitted and not settled.
    pub permit_pending: bool,
    /// True while the market moves more than usual.
    pub market_active: bool,
    /// Suffering, from 0 to 1.
    pub suffering: f64,
    /// True when the latest look at new episodes left something unresolved.
    pub unresolved_patterns: bool,
}
