//! The trading floor: a chain of our own, the market around it and the world outside, put together as what a golem looks at
//! and acts on. Golems that live on the same chain share one floor.

mod chapter;
mod ground;
mod hands;
mod outside;
mod past;
mod tried;
mod world;

pub use chapter::ChapterShelf;
pub use ground::{FloorGround, KeptStep, NotedEffect};
pub use hands::FloorHands;
pub use outside::WorldOutside;
pub use world::FloorWorld;

use crate::market::{Market, MarketConfig, Outside, OutsideTick, PoolGauge};
use crate::scenario::Scenario;
use crate::venue::VenueError;
use crate::{GenesisConfig, PaperVenue};
use chapter::{Chapter, ClosedChapter};
use golem_core::dice::Dice;
use golem_core::plain;
use golem_core::reference::REFERENCE_WINDOW_S;
use golem_core::{NOMINAL_TICK_S, ReferencePrice, Timestamp};
use past::reliving::Waypoints;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A chain that keeps itself is written after so many steps, when the golem on it has been.
const WRITE_EVERY: u64 = 256;
/// And after so many whoever has been written: memory is bounded.
const WRITE_AT_LAST: u64 = 4_096;

/// What a floor is made of, besides its chain.
pub struct FloorPlan {
    pub market: MarketConfig,
    /// Its dice: those of [`golem_core::Strand::Market`].
    pub dice: Dice,
    /// Calendar time of tick 0.
    pub epoch: Timestamp,
    /// Nominal ticks from one block to the next: 1, or a bar of recorded history.
    pub step_ticks: u64,
    /// Weather from tick 0 on.
    pub scenario: Option<Scenario>,
}

/// A chain, its market, and the world outside.
pub struct Floor {
    ground: Box<dyn FloorGround>,
    market: Market,
    gauge: PoolGauge,
    outside: Box<dyn Outside>,
    step_ticks: u64,
    epoch: Timestamp,
    /// What there was to see at the last step.
    last: Option<KeptStep>,
    /// Steps since a chain that keeps itself was last written; what is lost with them is made again the same.
    unwritten: u64,
    /// What keeps the chain from going on, if anything does.
    trouble: Option<VenueError>,
    /// The chapter that is being lived, on a chain that is kept with the golem on it.
    chapter: Option<Chapter>,
    /// Chapters that are over and were not handed over yet.
    closed: Vec<ClosedChapter>,
    /// Where those are that were.
    shelf: Option<Box<dyn ChapterShelf>>,
    /// Moments of chapters that were lived again, to do so sooner the next time.
    waypoints: Waypoints,
}

/// The part of a floor that a chain with a file keeps for it.
#[derive(Serialize, Deserialize)]
struct FloorInFile {
    market: Vec<u8>,
    gauge: PoolGauge,
    outside: Vec<u8>,
    last: Option<KeptStep>,
}

impl FloorPlan {
    /// How the chain begins: at the price the outside world has at tick 0, and so long before it that there is a reference
    /// for it from the first look on.
    #[must_use]
    pub fn genesis(&self, usdc_is_token0: bool, first: &OutsideTick) -> GenesisConfig {
        let before = NOMINAL_TICK_S + u64::from(REFERENCE_WINDOW_S);
        let begun = u64::try_from(self.epoch.0).unwrap_or(0).saturating_sub(before);
        self.market.genesis(usdc_is_token0, first.price, begun, first.gas_gwei)
    }
}

impl Floor {
    /// A floor over a chain that has just begun with this genesis.
    ///
    /// # Errors
    /// When the scenario is unsound.
    pub fn new(
        plan: FloorPlan,
        genesis: &GenesisConfig,
        ground: Box<dyn FloorGround>,
        outside: Box<dyn Outside>,
    ) -> Result<Self, VenueError> {
        let mut market = Market::new(plan.market, plan.dice, plan.epoch, genesis.liquidity.clone());
        if let Some(scenario) = &plan.scenario {
            market.inject(&scenario.events, 0).map_err(|problems| {
                let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
                VenueError::Bug(format!("scenario {}: {}", scenario.name, told.join("; ")))
            })?;
        }
        let (gauge, step_ticks, epoch) = (PoolGauge::default(), plan.step_ticks.max(1), plan.epoch);
        let (last, unwritten, trouble, chapter) = (None, 0, None, None);
        let (closed, shelf, waypoints) = (Vec::new(), None, Waypoints::default());
        Ok(Self {
            ground,
            market,
            gauge,
            outside,
            step_ticks,
            epoch,
            last,
            unwritten,
            trouble,
            chapter,
            closed,
            shelf,
            waypoints,
        })
    }

    /// A floor on paper, begun at the outside world's first price.
    ///
    /// # Errors
    /// When the outside world has no first tick, or no pool can begin at its price.
    pub fn paper(plan: FloorPlan, usdc_is_token0: bool, mut outside: Box<dyn Outside>) -> Result<Self, VenueError> {
        let begin = outside.save();
        let first =
            outside.at(0).ok_or_else(|| VenueError::Unreachable("the outside world has no beginning".into()))?;
        outside.restore(&begin).map_err(VenueError::Bug)?;
        let genesis = plan.genesis(usdc_is_token0, &first);
        let venue = PaperVenue::genesis(&genesis).map_err(|e| VenueError::Bug(e.to_string()))?;
        // The floor makes its past again from its chapters; the chain need not remember it a second time.
        let mut floor = Self::new(plan, &genesis, Box::new(venue.without_history()), outside)?;
        floor.begin_chapter()?;
        Ok(floor)
    }

    /// Where chapters that were handed over are found again.
    pub fn read_from(&mut self, shelf: Box<dyn ChapterShelf>) {
        self.shelf = Some(shelf);
    }

    /// The chain, to be looked at: what is done to it past the floor's hands is not in the floor's chapters.
    pub fn ground(&mut self) -> &mut dyn FloorGround {
        self.ground.as_mut()
    }
    /// The market's state and dice, to run it forward on a fork.
    #[must_use]
    pub fn market(&self) -> &Market {
        &self.market
    }
    /// What keeps the chain from going on, if anything does.
    #[must_use]
    pub fn trouble(&self) -> Option<&VenueError> {
        self.trouble.as_ref()
    }
    /// The last step that was taken.
    #[must_use]
    pub fn tick(&self) -> Option<u64> {
        self.last.as_ref().map(|kept| kept.tick)
    }

    /// Bring the chain to a tick; false when the outside world has ended before it.
    fn advance(&mut self, tick: u64) -> Result<bool, VenueError> {
        loop {
            let next = self.last.as_ref().map_or(0, |kept| kept.tick.saturating_add(self.step_ticks));
            if next > tick {
                return Ok(true);
            }
            self.turn_the_page()?;
            let before = self.outside_before(next);
            let Some(outside) = self.outside.at(next) else { return Ok(false) };
            self.keep_outside(next, before)?;
            let step = self.market.step(&mut *self.ground, next, &outside)?;
            let view = self.ground.view()?;
            let mut seen = self.gauge.observe(&view, step.protocol);
            seen.reference = self.reference()?;
            seen.lead_price = outside.lead_price;
            let traded = self.last.as_ref().map_or(0.0, |kept| kept.traded);
            let kept = KeptStep::new(next, view.point, &seen, traded);
            let remembered = if self.ground.keeps_itself() { self.market.memory() } else { Vec::new() };
            self.ground.keep(&kept, &remembered)?;
            self.last = Some(kept);
            self.stepped();
            self.unwritten += 1;
            if self.unwritten >= WRITE_AT_LAST {
                self.commit()?;
            }
        }
    }

    /// What the pool's price is held against now.
    fn reference(&mut self) -> Result<Option<ReferencePrice>, VenueError> {
        let block_s = self.step_ticks.saturating_mul(NOMINAL_TICK_S);
        crate::reference(&mut *self.ground, block_s)
    }

    /// What was seen at a tick: the step at it or the last one before it.
    fn seen(&mut self, tick: u64) -> Result<Option<KeptStep>, VenueError> {
        match &self.last {
            Some(last) if last.tick <= tick => Ok(Some(last.clone())),
            _ => self.ground.recall(tick - tick % self.step_ticks),
        }
    }

    /// Write it down when enough has happened; what goes wrong keeps the chain from going on.
    fn write_if_due(&mut self) {
        if self.unwritten >= WRITE_EVERY && self.trouble.is_none() {
            self.trouble = self.commit().err();
        }
    }

    /// The floor's own state as bytes.
    fn save(&self) -> Vec<u8> {
        let saved = FloorInFile {
            market: self.market.save(),
            gauge: self.gauge.clone(),
            outside: self.outside.save(),
            last: self.last.clone(),
        };
        plain::bytes(&saved)
    }

    /// Go on from what the chain kept: for a chain with a file, after it was opened.
    ///
    /// # Errors
    /// Why the bytes do not fit this floor.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let saved: FloorInFile = postcard::from_bytes(bytes).map_err(|e| format!("the saved floor is damaged: {e}"))?;
        self.market.restore(&saved.market)?;
        self.outside.restore(&saved.outside)?;
        (self.gauge, self.last) = (saved.gauge, saved.last);
        Ok(())
    }

    /// Write down everything that has happened on a chain that keeps itself.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn commit(&mut self) -> Result<(), VenueError> {
        if self.ground.keeps_itself() {
            let state = self.save();
            self.ground.commit(&state)?;
        }
        self.unwritten = 0;
        Ok(())
    }
}

/// One floor, shared by the golems on it.
#[derive(Clone)]
pub struct SharedFloor(Arc<Mutex<Floor>>);

impl SharedFloor {
    /// Share it.
    #[must_use]
    pub fn new(floor: Floor) -> Self {
        Self(Arc::new(Mutex::new(floor)))
    }
    /// Have it to oneself for a moment.
    pub fn hold(&self) -> MutexGuard<'_, Floor> {
        // What a panic left behind is a chain that was not committed; the golem that panicked is stopped by its loop.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
