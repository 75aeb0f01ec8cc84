//! Lived points with the market around them: where a copy can begin. A chain without a file is lived again from its
//! chapters; one with a file keeps what the market remembered at each step and before each act.

pub(super) mod path;
pub(super) mod reliving;

use super::Floor;
use crate::market::Market;
use crate::venue::{Account, Venue, VenueError};
use golem_core::{Action, Point};
use path::LivedPath;
use reliving::{Reliving, Surroundings};
use serde::{Deserialize, Serialize};

/// Steps between two moments of the world outside that a chain with a file keeps.
const KEPT_EVERY: u64 = 256;

/// A place in the past that a copy can begin at.
pub(super) struct LivedPlace {
    pub venue: Box<dyn Venue>,
    pub market: Market,
    pub tick: Option<u64>,
    /// What the account did there.
    pub lived: Vec<Action>,
}

/// What a chain with a file keeps of an act, under the point at which it begins.
#[derive(Debug, Serialize, Deserialize)]
struct KeptDeed {
    who: Account,
    tick: u64,
    /// Where others began to react to it.
    from: Point,
    actions: Vec<Action>,
    /// What the market remembered then.
    market: Vec<u8>,
}

/// The past, as far as one question has looked at it. Points are best asked for in ascending order.
pub(super) struct PastLook {
    pub path: LivedPath,
    reliving: Option<Reliving>,
    place: Option<(Point, LivedPlace)>,
}

impl PastLook {
    pub fn new(last: Option<u64>, step_ticks: u64) -> Self {
        Self { path: LivedPath::until(last, step_ticks), reliving: None, place: None }
    }
}

impl Floor {
    /// The place at a lived point, for an account.
    pub(super) fn place_at<'a>(
        &mut self,
        look: &'a mut PastLook,
        point: Point,
        who: Account,
    ) -> Result<&'a mut LivedPlace, VenueError> {
        let known = look.place.take().filter(|(at, _)| *at == point);
        let place = match known {
            Some((_, place)) => place,
            None if self.chapter.is_some() => self.lived_again(look, point, who)?,
            None => self.kept_place(look, point, who)?,
        };
        Ok(&mut look.place.insert((point, place)).1)
    }

    fn lived_again(&mut self, look: &mut PastLook, point: Point, who: Account) -> Result<LivedPlace, VenueError> {
        let missing = || VenueError::NoSuchPoint(point);
        if point > self.ground.view()?.point {
            return Err(missing());
        }
        let mut reliving = look.reliving.take().filter(|r| r.leads_to(point));
        let chapter = if reliving.is_none() { Some(self.chapter_of(point)?.ok_or_else(missing)?) } else { None };
        let mut around = Surroundings {
            market: &self.market,
            outside: &mut *self.outside,
            step_ticks: self.step_ticks,
            waypoints: &mut self.waypoints,
            path: &mut look.path,
        };
        if let Some(chapter) = chapter {
            reliving = Some(Reliving::begin(chapter, point, &mut around)?);
        }
        let reliving = look.reliving.insert(reliving.ok_or_else(missing)?);
        reliving.to(point, who, &mut around)
    }

    fn kept_place(&mut self, look: &mut PastLook, point: Point, who: Account) -> Result<LivedPlace, VenueError> {
        let missing = || VenueError::NoSuchPoint(point);
        let damaged = |e: String| VenueError::Store(format!("what was kept of {point}: {e}"));
        let deed = self.ground.kept_aside(&deed_key(point))?;
        let deed: Option<KeptDeed> =
            deed.map(|b| postcard::from_bytes(&b)).transpose().map_err(|e| damaged(e.to_string()))?;
        let (tick, from, lived, memory) = match deed.filter(|deed| deed.who == who) {
            Some(deed) => (deed.tick, deed.from, deed.actions, deed.market),
            None => {
                let tick = self.tick_of(point).ok_or_else(missing)?;
                let kept = self.ground.recall(tick)?.filter(|kept| kept.point == point).ok_or_else(missing)?;
                let memory = self.ground.recall_market(tick)?.ok_or_else(missing)?;
                (tick, kept.point, Vec::new(), memory)
            }
        };
        let market = self.market.as_it_was(&memory).map_err(damaged)?;
        let next = tick.saturating_add(self.step_ticks);
        if !look.path.reaches(next) && Some(next) <= self.tick() {
            let marked = next - next % self.step_ticks.saturating_mul(KEPT_EVERY);
            let state = self.ground.kept_aside(&outside_key(marked))?.ok_or_else(missing)?;
            look.path.begin(marked, &mut *self.outside, &state).map_err(damaged)?;
        }
        Ok(LivedPlace { venue: self.ground.fork_at(from)?, market, tick: Some(tick), lived })
    }

    /// The tick of the step that opened a point's block: every step opens one.
    fn tick_of(&self, point: Point) -> Option<u64> {
        let last = self.last.as_ref()?;
        let back = last.point.block.checked_sub(point.block)?;
        last.tick.checked_sub(back.checked_mul(self.step_ticks)?)
    }

    /// Where the world outside stands before it tells a tick, where that is to be kept.
    pub(super) fn outside_before(&self, next: u64) -> Option<Vec<u8>> {
        let kept = self.ground.keeps_itself() && path::is_marked(next, self.step_ticks, KEPT_EVERY);
        kept.then(|| self.outside.save())
    }

    /// It has told the tick: keep where it stood before.
    pub(super) fn keep_outside(&mut self, next: u64, before: Option<Vec<u8>>) -> Result<(), VenueError> {
        before.map_or(Ok(()), |state| self.ground.keep_aside(&outside_key(next), &state))
    }

    /// What there is before others react to an act, where that is to be kept.
    pub(super) fn before_deed(&mut self) -> Result<Option<(Point, Vec<u8>)>, VenueError> {
        if !self.ground.keeps_itself() {
            return Ok(None);
        }
        Ok(Some((self.ground.view()?.point, self.market.memory())))
    }

    /// An act begins here: keep what is needed to begin a copy before it.
    pub(super) fn keep_deed(
        &mut self,
        who: Account,
        actions: &[Action],
        before: Option<(Point, Vec<u8>)>,
    ) -> Result<(), VenueError> {
        let Some((from, market)) = before.filter(|_| !actions.is_empty()) else { return Ok(()) };
        let key = deed_key(self.ground.view()?.point);
        // One that was never sent leaves its place to the next.
        if self.ground.kept_aside(&key)?.is_some() {
            return Ok(());
        }
        let (tick, actions) = (self.tick().unwrap_or_default(), actions.to_vec());
        let deed = golem_core::plain::bytes(&KeptDeed { who, tick, from, actions, market });
        self.ground.keep_aside(&key, &deed)
    }
}

fn deed_key(point: Point) -> Vec<u8> {
    [b"d".as_slice(), &point.block.to_be_bytes(), &point.index.to_be_bytes()].concat()
}

fn outside_key(tick: u64) -> Vec<u8> {
    [b"o".as_slice(), &tick.to_be_bytes()].concat()
}
