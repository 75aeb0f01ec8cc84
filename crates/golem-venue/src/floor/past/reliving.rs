//! A chapter that is being lived again, on a chain of its own, from one lived point to the next.

use super::super::chapter::{Chapter, Intervention};
use super::LivedPlace;
use super::path::{LivedPath, STRIDE, is_marked};
use crate::market::{Market, Outside};
use crate::paper::PaperVenue;
use crate::venue::{Account, Venue, VenueError};
use golem_core::{Action, Point};
use std::collections::VecDeque;

/// As many moments of chapters that were lived again are kept as an open chapter has, and a few of older ones.
const MOST_WAYPOINTS: usize = 48;

/// Where a chapter that is lived again has come to: after a step, with what golems did since then still to do.
#[derive(Debug, Clone)]
struct Moment {
    ground: PaperVenue,
    market: Market,
    tick: Option<u64>,
    /// Interventions that are done.
    done: usize,
}

/// A moment to begin again from.
#[derive(Debug)]
struct Waypoint {
    /// Where its chapter begins.
    chapter: Point,
    moment: Moment,
    /// Where the world outside stood before its next tick.
    outside: Vec<u8>,
}

/// Moments of chapters that were lived again: they are made as they are passed, the longest unused go first, and none is
/// ever written down.
#[derive(Debug, Default)]
pub(in crate::floor) struct Waypoints(VecDeque<Waypoint>);

impl Waypoints {
    /// The last moment of a chapter from which a point can be reached.
    fn nearest(&mut self, chapter: Point, point: Point) -> Option<&Waypoint> {
        let reach = |w: &Waypoint| w.chapter == chapter && w.moment.ground.at_point() <= point;
        let n = (0..self.0.len()).filter(|n| reach(&self.0[*n])).max_by_key(|n| self.0[*n].moment.tick)?;
        let found = self.0.remove(n)?;
        self.0.push_back(found);
        self.0.back()
    }
    fn keep(&mut self, waypoint: Waypoint) {
        let same = |w: &Waypoint| w.chapter == waypoint.chapter && w.moment.tick == waypoint.moment.tick;
        if self.0.iter().any(same) {
            return;
        }
        if self.0.len() >= MOST_WAYPOINTS {
            self.0.pop_front();
        }
        self.0.push_back(waypoint);
    }
    /// Nothing of what was lived again is worth anything any more.
    pub fn clear(&mut self) {
        self.0.clear();
    }
    /// Bytes that they take, roughly.
    pub fn weight(&self) -> usize {
        self.0.iter().map(|w| w.moment.ground.weight() + w.outside.len() + size_of::<Waypoint>()).sum()
    }
}

/// What living again needs besides the chapter.
pub(in crate::floor) struct Surroundings<'a> {
    pub market: &'a Market,
    pub outside: &'a mut dyn Outside,
    pub step_ticks: u64,
    pub waypoints: &'a mut Waypoints,
    pub path: &'a mut LivedPath,
}

/// A chapter, and how far it has been lived again.
#[derive(Debug)]
pub(in crate::floor) struct Reliving {
    chapter: Chapter,
    now: Moment,
}

impl Reliving {
    /// Begin at the chapter's beginning, or at the last moment that is kept before the point.
    pub fn begin(chapter: Chapter, point: Point, around: &mut Surroundings<'_>) -> Result<Self, VenueError> {
        let damaged = |e: String| VenueError::Store(format!("a chapter of the past is damaged: {e}"));
        let (now, outside) = match around.waypoints.nearest(chapter.begins(), point) {
            Some(waypoint) => (waypoint.moment.clone(), waypoint.outside.clone()),
            None => {
                let ground = PaperVenue::restore(chapter.ground()).map_err(|e| damaged(e.to_string()))?;
                let mut market = around.market.clone();
                market.restore(chapter.market()).map_err(damaged)?;
                let (ground, tick) = (ground.without_history(), chapter.tick());
                (Moment { ground, market, tick, done: 0 }, chapter.outside().to_vec())
            }
        };
        let next = now.tick.map_or(0, |tick| tick.saturating_add(around.step_ticks));
        around.path.begin(next, around.outside, &outside).map_err(damaged)?;
        Ok(Self { chapter, now })
    }

    /// True when the point lies ahead in this chapter, and no kept moment lies between.
    pub fn leads_to(&self, point: Point) -> bool {
        self.chapter.covers(point) && self.now.ground.at_point() <= point
    }

    /// Live on as far as a point, and stop there: where an account's own act begins, before others reacted to it.
    pub fn to(&mut self, point: Point, who: Account, around: &mut Surroundings<'_>) -> Result<LivedPlace, VenueError> {
        let missing = || VenueError::NoSuchPoint(point);
        loop {
            while let Some(what) = self.pending().cloned() {
                if let Some(place) = self.deed_at(point, who, &what)? {
                    return Ok(place);
                }
                if self.now.ground.at_point() == point {
                    return Ok(self.place(Vec::new()));
                }
                what.again(&mut self.now.ground, &mut self.now.market, self.now.tick.unwrap_or_default())?;
                self.now.done += 1;
            }
            let here = self.now.ground.at_point();
            if here == point {
                return Ok(self.place(Vec::new()));
            }
            if here.block >= point.block {
                return Err(missing());
            }
            self.step(around)?.ok_or_else(missing)?;
        }
    }

    /// What a golem did next, before the next step.
    fn pending(&self) -> Option<&Intervention> {
        let (after, what) = self.chapter.interventions().get(self.now.done)?;
        (*after == self.now.tick).then_some(what)
    }

    /// The place before an act of this account, when it is that act which begins at the point: others may have traded
    /// between.
    fn deed_at(&self, point: Point, who: Account, what: &Intervention) -> Result<Option<LivedPlace>, VenueError> {
        let Intervention::CarryOut(whose, actions) = what else { return Ok(None) };
        if *whose != who || actions.is_empty() || self.now.ground.at_point().block != point.block {
            return Ok(None);
        }
        let Moment { mut ground, mut market, tick, .. } = self.now.clone();
        market.before(&mut ground, actions, tick.unwrap_or_default())?;
        Ok((ground.at_point() == point).then(|| self.place(actions.clone())))
    }

    fn place(&self, lived: Vec<Action>) -> LivedPlace {
        let Moment { ground, market, tick, .. } = self.now.clone();
        LivedPlace { venue: Box::new(ground) as Box<dyn Venue>, market, tick, lived }
    }

    /// One step of the market; nothing when it was not lived.
    fn step(&mut self, around: &mut Surroundings<'_>) -> Result<Option<()>, VenueError> {
        let tick = self.now.tick.map_or(0, |tick| tick.saturating_add(around.step_ticks));
        let Some(told) = around.path.at(around.outside, tick) else { return Ok(None) };
        self.now.market.step(&mut self.now.ground, tick, &told)?;
        self.now.tick = Some(tick);
        let next = tick.saturating_add(around.step_ticks);
        if is_marked(next, around.step_ticks, STRIDE)
            && let Some(outside) = around.path.before(around.outside, next)
        {
            around.waypoints.keep(Waypoint { chapter: self.chapter.begins(), moment: self.now.clone(), outside });
        }
        Ok(Some(()))
    }
}
