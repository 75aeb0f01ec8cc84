//! A situation, coarse enough to come back: regime, probes, position and exposure.

use crate::policy::Template;
use crate::senses::Probes;
use golem_core::Regime;
use golem_core::intent::Holdings;
use serde::{Deserialize, Serialize};

/// Whether there is a position, and whether it has the price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionState {
    /// There is none.
    None,
    /// It has the price.
    InRange,
    /// The price has left it.
    OutOfRange,
}

/// A situation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scene {
    /// The weather.
    pub regime: Regime,
    /// How loud each probe is.
    pub probes: Probes,
    /// The position.
    pub position: PositionState,
    /// Exposure as a share of wealth.
    pub exposure: f64,
    /// The strategy.
    pub template: Template,
}

impl Scene {
    /// The scene of a turn.
    #[must_use]
    pub fn of(regime: Regime, probes: &Probes, holdings: &Holdings, exposure: f64, template: Template) -> Self {
        let position = match (holdings.liquidity > 0, holdings.in_range) {
            (false, _) => PositionState::None,
            (true, true) => PositionState::InRange,
            (true, false) => PositionState::OutOfRange,
        };
        Self { regime, probes: *probes, position, exposure, template }
    }
    /// Its pattern: scenes with the same one are the same situation, and no two others share it.
    #[must_use]
    pub fn pattern(&self) -> u64 {
        let tenth = (crate::math::unit(self.exposure) * 10.0) as u64;
        let base = [(self.regime as u64, 8), (self.template as u64, 8), (self.position as u64, 4), (tenth, 16)];
        let probes = self.probes.all().map(|severity| (severity as u64, 4));
        base.into_iter().chain(probes).fold(1, |packed, (part, room)| packed * room + part.min(room - 1))
    }
}
