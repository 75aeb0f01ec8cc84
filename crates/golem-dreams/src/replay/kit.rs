//! Episodes and moments for tests.

use crate::seen::DreamSeen;
use golem_core::intent::Outcome;
use golem_core::{Asset, Intent, Point, Regime, Tick, Timestamp, Usdc, UsdcDelta, VirtualTime};
use golem_grimoire::episode::EpisodeDeed;
use golem_grimoire::{Episode, EpisodeId, EpisodeKind, Importance, Marks, Situation, Went};
use golem_mortality::BehavioralPhase;

use super::LivedEpisode;

pub(crate) const HOUR: u64 = 3_600_000;

/// A moment, a hundred days into a life.
pub(crate) fn seen() -> DreamSeen {
    DreamSeen {
        tick: Tick(200_000),
        now: VirtualTime(2_400 * HOUR),
        at: Timestamp(1_800_000_000),
        phase: BehavioralPhase::Stable,
        fitness: 0.6,
        age_ratio: 0.3,
        projected_life_h: None,
        regime: Regime::RangeBound,
        volatility_fifth: 3,
        surprise: 1.0,
        episodes: 100,
        unreplayed: 10,
        unresolved_arousal: 0.0,
        recent_loss: 0.0,
        model_purse_share: 1.0,
        permit_pending: false,
        market_active: false,
        suffering: 0.0,
        unresolved_patterns: false,
    }
}

/// Nothing out of the ordinary, now, in another regime than the moment's.
pub(crate) fn plain(id: u64) -> Episode {
    Episode {
        id: EpisodeId(id),
        tick: Tick(id),
        age: seen().now,
        at: Timestamp(1_800_000_000),
        kind: EpisodeKind::Observation,
        situation: Situation::default(),
        text: String::new(),
        regime: Regime::Volatile,
        deed: None,
        surprise: 0.0,
        went: Went::Descriptive,
        importance: Importance::Routine,
        cost: Usdc::ZERO,
        affect: None,
    }
}

/// A purchase of ten USDC.
pub(crate) fn bought() -> EpisodeDeed {
    EpisodeDeed {
        intent: Intent::Buy { pay: Usdc::whole(10), min_out: Asset(7) },
        point: Point { block: 9, index: 1 },
        trade: 1,
        predicted_bps: None,
        actual_bps: None,
        realised: UsdcDelta(0),
        outcome: Some(Outcome::Bought { paid: Usdc::whole(10), got: Asset(8) }),
        on_paper: false,
    }
}

/// An act of a trade that realised so much.
pub(crate) fn act(id: u64, trade: u64, realised: i64) -> Episode {
    let deed = EpisodeDeed { trade, realised: UsdcDelta(realised), ..bought() };
    Episode { deed: Some(deed), kind: EpisodeKind::Action, ..plain(id) }
}

/// Far out on one axis.
pub(crate) fn on_axis(at: usize, x: f32) -> Situation {
    let mut out = Situation::default();
    out.0[at] = x;
    out
}

pub(crate) fn lived(of: &[(Episode, Marks)]) -> Vec<LivedEpisode<'_>> {
    of.iter().map(|(e, m)| (e, m)).collect()
}
