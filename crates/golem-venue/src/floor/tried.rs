//! What is tried on copies of a floor: lived points with the path that the world took since, and the present with a future
//! that is made up. The floor itself stays as it is.

use super::Floor;
use super::past::PastLook;
use crate::copy::MarketCopy;
use crate::venue::{Account, Venue, VenueError};
use golem_core::door::{ForkFailure, ForkFrom, ForkReply, ForkRequest, ForkResult, ForkRun, MOST_FORK_RUNS};
use golem_core::{Point, Usdc};

/// The present, ready to be copied.
struct PresentPlace {
    venue: Box<dyn Venue>,
}

impl Floor {
    /// Carry every run of a request out for an account that was given so much, each on a copy of its own.
    pub fn try_on_fork(&mut self, who: Account, deposits: Usdc, request: &ForkRequest) -> ForkReply {
        if request.runs.len() > MOST_FORK_RUNS {
            return request.unanswered(ForkFailure::Unsound);
        }
        if self.trouble.is_some() {
            return request.unanswered(ForkFailure::Stuck);
        }
        let mut reply = request.unanswered(ForkFailure::Unsound);
        // In the order of their points, so that the past between them is lived again once.
        let mut order: Vec<usize> = (0..request.runs.len()).filter(|n| request.runs[*n].is_sound()).collect();
        order.sort_by_key(|n| request.runs[*n].from);
        let here = self.outside.save();
        let (mut look, mut present) = (PastLook::new(self.tick(), self.step_ticks), None);
        for n in order {
            let run = &request.runs[n];
            reply.runs[n] = match run.from {
                ForkFrom::Lived(point) => self.try_lived(&mut look, point, who, run),
                ForkFrom::Present => self.try_present(&mut present, who, deposits, run),
            };
        }
        // The same world outside went back and comes here again: it answers the same for the same tick.
        if let Err(why) = self.outside.restore(&here) {
            self.trouble = Some(VenueError::Bug(why));
        }
        reply
    }

    fn try_lived(&mut self, look: &mut PastLook, point: Point, who: Account, run: &ForkRun) -> ForkResult {
        let step_ticks = self.step_ticks;
        let place = self.place_at(look, point, who).map_err(|why| failure(&why))?;
        let (market, tick, lived) = (place.market.clone(), place.tick, place.lived.clone());
        let mut venue = place.venue.copy().map_err(|why| failure(&why))?;
        let copy = MarketCopy { venue: &mut *venue, market, who, tick, step_ticks, lived: &lived };
        let (path, outside) = (&mut look.path, &mut *self.outside);
        copy.run(run, |tick| path.at(outside, tick))
    }

    fn try_present(
        &mut self,
        present: &mut Option<PresentPlace>,
        who: Account,
        deposits: Usdc,
        run: &ForkRun,
    ) -> ForkResult {
        let place = match present.take() {
            Some(place) => place,
            None => self.present(who, deposits).map_err(|why| failure(&why))?,
        };
        let place = present.insert(place);
        let mut venue = place.venue.copy().map_err(|why| failure(&why))?;
        let view = venue.view().map_err(|why| failure(&why))?;
        let (market, still) = self.market.imagined(&view);
        let (tick, step_ticks) = (self.tick(), self.step_ticks);
        MarketCopy { venue: &mut *venue, market, who, tick, step_ticks, lived: &[] }.run(run, |_| Some(still))
    }

    /// The head with what the account was given: a copy gets it, the chain itself gets it with the next act.
    fn present(&mut self, who: Account, deposits: Usdc) -> Result<PresentPlace, VenueError> {
        let mut venue = self.ground.copy()?;
        venue.fund_to(who, deposits)?;
        Ok(PresentPlace { venue })
    }
}

fn failure(why: &VenueError) -> ForkFailure {
    match why {
        VenueError::NoSuchPoint(_) => ForkFailure::NoSuchPoint,
        _ => ForkFailure::Stuck,
    }
}
