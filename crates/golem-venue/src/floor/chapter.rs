//! A floor's past in little room: a state now and then, and what golems did since. The market is a function of that state,
//! of the world outside and of addressed dice, so that everything in between is made again whenever somebody asks for it.

use super::Floor;
use crate::act;
use crate::market::Market;
use crate::paper::PaperVenue;
use crate::venue::{Account, Venue, VenueError};
use golem_core::door::PastRow;
use golem_core::{Action, HomeSum, Homeward, Point, Usdc};
use serde::{Deserialize, Serialize};

/// Steps of a chapter: as many as are made again within a few hundredths of a second.
const STEPS: u64 = 4_096;
/// A busy floor closes its chapters earlier.
const INTERVENTIONS: usize = 1_024;

/// What a golem did between two steps of the market.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Intervention {
    /// It was given so much in all.
    Fund(Account, Usdc),
    /// It did this.
    CarryOut(Account, Vec<Action>),
    /// It sent something home.
    SendHome(Account, Homeward, HomeSum),
}

/// A stretch of a floor's past: where it began, and what golems did in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Chapter {
    /// Where in the chain's history it begins.
    begins: Point,
    /// The step before it, if there was one.
    tick: Option<u64>,
    /// Steps of the market in it.
    steps: u64,
    ground: Vec<u8>,
    market: Vec<u8>,
    outside: Vec<u8>,
    /// Each with the tick of the step that it came after.
    interventions: Vec<(Option<u64>, Intervention)>,
}

impl Chapter {
    fn read(bytes: &[u8]) -> Result<Self, VenueError> {
        postcard::from_bytes(bytes).map_err(|e| VenueError::Store(format!("a chapter of the past is damaged: {e}")))
    }
    fn is_full(&self) -> bool {
        self.steps >= STEPS || self.interventions.len() >= INTERVENTIONS
    }
    /// True when a point lies in it: every step opens a block.
    pub(super) fn covers(&self, point: Point) -> bool {
        self.begins <= point && point.block <= self.begins.block.saturating_add(self.steps)
    }
    pub(super) fn begins(&self) -> Point {
        self.begins
    }
    pub(super) fn tick(&self) -> Option<u64> {
        self.tick
    }
    pub(super) fn ground(&self) -> &[u8] {
        &self.ground
    }
    pub(super) fn market(&self) -> &[u8] {
        &self.market
    }
    pub(super) fn outside(&self) -> &[u8] {
        &self.outside
    }
    pub(super) fn interventions(&self) -> &[(Option<u64>, Intervention)] {
        &self.interventions
    }
}

/// A chapter that is over, packed.
#[derive(Debug, Clone)]
pub(super) struct ClosedChapter {
    begins: Point,
    body: Vec<u8>,
}

/// Where the chapters that were handed over are found again.
pub trait ChapterShelf: Send {
    /// The last chapter that is kept under this number or a smaller one.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn last_until(&mut self, place: u64) -> Result<Option<Vec<u8>>, String>;
}

impl Floor {
    /// Begin a chapter here: a floor whose chain keeps itself needs none.
    pub(super) fn begin_chapter(&mut self) -> Result<(), VenueError> {
        if !self.ground.keeps_itself() {
            self.chapter = Some(Chapter {
                begins: self.ground.view()?.point,
                tick: self.tick(),
                steps: 0,
                ground: self.ground.save()?,
                market: self.market.save(),
                outside: self.outside.save(),
                interventions: Vec::new(),
            });
        }
        Ok(())
    }

    /// Close a chapter that is full, before the next step is taken.
    pub(super) fn turn_the_page(&mut self) -> Result<(), VenueError> {
        if let Some(full) = self.chapter.take_if(|chapter| chapter.is_full()) {
            let body = postcard::to_stdvec(&full).map_err(|e| VenueError::Bug(e.to_string()))?;
            self.closed.push(ClosedChapter { begins: full.begins, body });
            self.begin_chapter()?;
        }
        Ok(())
    }

    /// A step was taken.
    pub(super) fn stepped(&mut self) {
        if let Some(chapter) = &mut self.chapter {
            chapter.steps += 1;
        }
    }

    /// Chapters that are over, to be kept by somebody else from now on. No two begin in the same block.
    pub(super) fn hand_over(&mut self) -> Vec<PastRow> {
        let closed = std::mem::take(&mut self.closed);
        closed.into_iter().map(|ClosedChapter { begins, body }| PastRow { place: begins.block, body }).collect()
    }

    /// Bytes that its past takes in memory, roughly.
    #[must_use]
    pub fn past_bytes(&self) -> usize {
        let open = |c: &Chapter| {
            let each = |(_, what): &(Option<u64>, Intervention)| match what {
                Intervention::Fund(..) | Intervention::SendHome(..) => size_of::<Intervention>(),
                Intervention::CarryOut(_, actions) => size_of::<Intervention>() + actions.len() * size_of::<Action>(),
            };
            let states = c.ground.len() + c.market.len() + c.outside.len();
            states + c.interventions.iter().map(each).sum::<usize>()
        };
        let closed: usize = self.closed.iter().map(|c| c.body.len()).sum();
        closed + self.chapter.as_ref().map_or(0, open) + self.ground.history_bytes() + self.waypoints.weight()
    }

    /// Write down what a golem did.
    pub(super) fn note(&mut self, what: impl FnOnce() -> Intervention) {
        let tick = self.tick();
        if let Some(chapter) = &mut self.chapter {
            chapter.interventions.push((tick, what()));
        }
    }

    /// The chain as it was at any point of its life; see [`Venue::fork_at`].
    ///
    /// # Errors
    /// When the point is not in its history, or its past cannot be read.
    pub fn fork_at(&mut self, point: Point) -> Result<Box<dyn Venue>, VenueError> {
        match self.ground.fork_at(point) {
            Err(VenueError::NoSuchPoint(_)) if self.chapter.is_some() => self.made_again(point),
            other => other,
        }
    }

    fn made_again(&mut self, point: Point) -> Result<Box<dyn Venue>, VenueError> {
        let missing = || VenueError::NoSuchPoint(point);
        if point > self.ground.view()?.point {
            return Err(missing());
        }
        let chapter = self.chapter_of(point)?.ok_or_else(missing)?;
        // The same world outside goes back and comes here again: it answers the same for the same tick.
        let here = self.outside.save();
        let made = self.again(&chapter, point);
        self.outside.restore(&here).map_err(VenueError::Bug)?;
        made?.fork(point).map(|fork| Box::new(fork) as Box<dyn Venue>)
    }

    pub(super) fn chapter_of(&mut self, point: Point) -> Result<Option<Chapter>, VenueError> {
        if let Some(open) = self.chapter.as_ref().filter(|c| c.begins <= point) {
            return Ok(Some(open.clone()));
        }
        if let Some(closed) = self.closed.iter().rev().find(|c| c.begins <= point) {
            return Chapter::read(&closed.body).map(Some);
        }
        let Some(shelf) = &mut self.shelf else { return Ok(None) };
        // The one that begins in the point's own block may begin after it.
        for place in [Some(point.block), point.block.checked_sub(1)].into_iter().flatten() {
            let Some(bytes) = shelf.last_until(place).map_err(VenueError::Store)? else { return Ok(None) };
            let chapter = Chapter::read(&bytes)?;
            if chapter.begins <= point {
                return Ok(Some(chapter));
            }
        }
        Ok(None)
    }

    /// Live a chapter again on a chain of its own, as far as a point.
    fn again(&mut self, chapter: &Chapter, point: Point) -> Result<PaperVenue, VenueError> {
        let damaged = |e: String| VenueError::Store(format!("a chapter of the past is damaged: {e}"));
        let mut ground = PaperVenue::restore(&chapter.ground).map_err(|e| damaged(e.to_string()))?;
        let mut market = self.market.clone();
        market.restore(&chapter.market).map_err(damaged)?;
        self.outside.restore(&chapter.outside).map_err(damaged)?;
        let mut interventions = chapter.interventions.iter().peekable();
        let mut tick = chapter.tick;
        loop {
            while let Some((_, what)) = interventions.next_if(|(after, _)| *after == tick) {
                what.again(&mut ground, &mut market, tick.unwrap_or_default())?;
            }
            if ground.view()?.point >= point {
                return Ok(ground);
            }
            let next = tick.map_or(0, |t| t.saturating_add(self.step_ticks));
            let outside = self.outside.at(next).ok_or(VenueError::NoSuchPoint(point))?;
            market.step(&mut ground, next, &outside)?;
            tick = Some(next);
        }
    }
}

impl Intervention {
    pub(super) fn again(&self, ground: &mut PaperVenue, market: &mut Market, tick: u64) -> Result<(), VenueError> {
        match self {
            Self::Fund(who, deposits) => ground.fund_to(*who, *deposits),
            Self::CarryOut(who, actions) => {
                market.before(ground, actions, tick)?;
                act::perform(ground, (*who).into(), actions, |_, _| Ok(()))?;
                market.after(ground).map(drop)
            }
            Self::SendHome(who, way, sum) => {
                // Nobody trades around a transfer; the market is asked all the same, as it was then.
                market.before(ground, &[Action::Home { sum: *sum }], tick)?;
                ground.send_home(*who, *way, *sum)?;
                market.after(ground).map(drop)
            }
        }
    }
}
