//! A golem for tests: stable, well fed, nothing pressing.

use crate::config::DreamConfig;
use crate::seen::DreamSeen;
use golem_core::{Regime, Tick, Timestamp, VirtualTime};
use golem_mortality::BehavioralPhase;

/// At noon, so that the default window is shut.
pub(crate) fn seen() -> DreamSeen {
    DreamSeen {
        tick: Tick(1_000),
        now: VirtualTime(40_000_000),
        at: "2026-01-10T12:00:00Z".parse().unwrap_or(Timestamp(0)),
        phase: BehavioralPhase::Stable,
        fitness: 0.75,
        age_ratio: 0.1,
        projected_life_h: None,
        regime: Regime::RangeBound,
        volatility_fifth: 3,
        surprise: 0.0,
        episodes: 1_000,
        unreplayed: 0,
        unresolved_arousal: 0.0,
        recent_loss: 0.0,
        model_purse_share: 0.6,
        permit_pending: false,
        market_active: false,
        suffering: 0.0,
        unresolved_patterns: false,
    }
}

pub(crate) fn config() -> DreamConfig {
    DreamConfig { enabled: true, ..DreamConfig::default() }
}

/// The same golem some turns later.
pub(crate) fn later(seen: &DreamSeen, turns: u64) -> DreamSeen {
    let mut then = seen.clone();
    then.tick = Tick(seen.tick.0 + turns);
    then.now = VirtualTime(seen.now.0 + turns * 40_000);
    then.at = Timestamp(seen.at.0 + (turns * 40) as i64);
    then
}
