//! One path of a world through its pool, tick by tick, exactly as a golem's floor lives it, for whoever only measures.

use super::WorldPlace;
use golem_core::door::World;
use golem_core::{RawObservation, Secret, Strand};
use golem_venue::floor::{FloorPlan, WorldOutside};
use golem_venue::market::{Market, MarketStep, Outside, PoolGauge};
use golem_venue::{PaperVenue, Venue, VenueError};

/// A pool on paper, the market around it, and a world outside of it.
pub struct PoolPath {
    /// The chain. Whoever acts on it acts between two ticks, as golems do.
    pub venue: PaperVenue,
    /// What the last tick did.
    pub last: Option<MarketStep>,
    market: Market,
    gauge: PoolGauge,
    outside: WorldOutside<Box<dyn World + Send>>,
    next: u64,
}

impl PoolPath {
    /// The path of a place with this seed: the same ticks that a life there meets.
    ///
    /// # Errors
    /// When no pool can begin there.
    pub fn new(place: WorldPlace, seed: u64) -> Result<Self, VenueError> {
        let plan = FloorPlan {
            market: place.market,
            dice: Secret::from_seed(seed).dice(Strand::Market),
            epoch: place.world.epoch(),
            step_ticks: 1,
            scenario: None,
        };
        let mut outside = WorldOutside(place.world);
        let begin = outside.save();
        let first = outside.at(0).ok_or_else(|| VenueError::Unreachable("the world has no beginning".into()))?;
        outside.restore(&begin).map_err(VenueError::Bug)?;
        let genesis = plan.genesis(false, &first);
        let venue = PaperVenue::genesis(&genesis).map_err(|e| VenueError::Bug(e.to_string()))?.without_history();
        let market = Market::new(plan.market, plan.dice, plan.epoch, genesis.liquidity);
        Ok(Self { venue, last: None, market, gauge: PoolGauge::default(), outside, next: 0 })
    }

    /// One tick on: what there is to see of the pool after it.
    ///
    /// # Errors
    /// When the pool cannot go on, or the world has ended.
    pub fn tick(&mut self) -> Result<RawObservation, VenueError> {
        let outside =
            self.outside.at(self.next).ok_or_else(|| VenueError::Unreachable("the world has ended".into()))?;
        let step = self.market.step(&mut self.venue, self.next, &outside)?;
        let view = self.venue.view()?;
        let seen = self.gauge.observe(&view, step.protocol);
        self.last = Some(step);
        self.next += 1;
        Ok(RawObservation { lead_price: outside.lead_price, ..seen })
    }
}
