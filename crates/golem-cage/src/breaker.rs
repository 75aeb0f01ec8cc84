//! The drawdown breakers: half the limits, then only reducing, then a hold that the owner lifts.

use crate::config::CageConfig;
use crate::limits::DAY;
use golem_core::{Usdc, VirtualTime};
use serde::{Deserialize, Serialize};

/// How far the breakers have tripped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakerLevel {
    /// Not at all.
    #[default]
    Calm,
    /// Every limit is halved.
    Half,
    /// Only reducing, until the drawdown is back under the first level or a day has passed.
    ReduceOnly,
    /// Only reducing, until the owner resumes or the hold has passed.
    Hold,
}

impl BreakerLevel {
    /// The word used in facts and reasons.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Half => "half",
            Self::ReduceOnly => "reduce_only",
            Self::Hold => "hold",
        }
    }
    /// The level that a drawdown by itself stands for.
    fn of(peak: Usdc, nav: Usdc, config: &CageConfig) -> Self {
        let [first, second, third] = config.drawdown_bps;
        if reaches(peak, nav, third) {
            Self::Hold
        } else if reaches(peak, nav, second) {
            Self::ReduceOnly
        } else if reaches(peak, nav, first) {
            Self::Half
        } else {
            Self::Calm
        }
    }
}

/// A breaker and since when it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Breaker {
    pub level: BreakerLevel,
    since: VirtualTime,
}

/// What a look at the drawdown came to.
pub(crate) struct Turned {
    /// The level before.
    pub from: BreakerLevel,
    /// True when its time was served: drawdowns are measured anew from here, or it would trip again at once.
    pub served: bool,
}

impl Breaker {
    /// Follow the drawdown; tells of a change.
    pub(crate) fn follow(&mut self, now: VirtualTime, peak: Usdc, nav: Usdc, config: &CageConfig) -> Option<Turned> {
        let (from, stood, depth) = (self.level, now.since(self.since), BreakerLevel::of(peak, nav, config));
        let (to, served) = match from {
            BreakerLevel::Calm | BreakerLevel::Half => (depth, false),
            BreakerLevel::ReduceOnly if depth == BreakerLevel::Hold || depth == BreakerLevel::Calm => (depth, false),
            BreakerLevel::ReduceOnly => passed(from, stood >= DAY),
            BreakerLevel::Hold => passed(from, stood >= config.hold()),
        };
        if to == from {
            return None;
        }
        *self = Self { level: to, since: now };
        Some(Turned { from, served })
    }
    /// The owner resumed: a hold is over.
    pub(crate) fn resume(&mut self, now: VirtualTime) -> bool {
        let held = self.level == BreakerLevel::Hold;
        if held {
            *self = Self { level: BreakerLevel::Calm, since: now };
        }
        held
    }
}

fn passed(level: BreakerLevel, served: bool) -> (BreakerLevel, bool) {
    (if served { BreakerLevel::Calm } else { level }, served)
}

/// True when the fall from the peak is at least so many basis points of it.
pub(crate) fn reaches(peak: Usdc, nav: Usdc, bps: u32) -> bool {
    peak > nav && u128::from(peak.minus(nav).0) * 10_000 >= u128::from(peak.0) * u128::from(bps)
}

/// The fall from the peak in basis points, rounded down.
pub(crate) fn drawdown_bps(peak: Usdc, nav: Usdc) -> u32 {
    let bps = u128::from(peak.minus(nav).0) * 10_000 / u128::from(peak.0.max(1));
    u32::try_from(bps).unwrap_or(u32::MAX)
}
