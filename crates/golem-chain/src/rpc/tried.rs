//! What is tried on copies of somebody's chain: its head as the nodes tell it, and the places where the golem acted, as
//! far as the previews of those acts looked at them.
//!
//! No archive node is asked. What nobody looked at then is not known now, and a run that needs it is stuck; what the market
//! did afterwards is not known either, so that no step follows on a lived place.

use super::fork::Fork;
use super::venue::RpcVenue;
use golem_core::door::{ForkFailure, ForkFrom, ForkReply, ForkRequest, ForkResult, ForkRun, MOST_FORK_RUNS};
use golem_core::{Dice, Point, Strand};
use golem_venue::copy::MarketCopy;
use golem_venue::market::{Market, MarketConfig};
use golem_venue::{Account, Venue, VenueError, View};

impl RpcVenue {
    /// Carry every run of a request out for an account, each on a copy of its own.
    pub fn try_on_fork(&mut self, who: Account, request: &ForkRequest) -> ForkReply {
        let mut reply = request.unanswered(ForkFailure::Unsound);
        if request.runs.len() <= MOST_FORK_RUNS {
            for (run, result) in request.runs.iter().zip(&mut reply.runs).filter(|(run, _)| run.is_sound()) {
                *result = match run.from {
                    ForkFrom::Lived(point) => self.try_landed(point, who, run),
                    ForkFrom::Present => self.try_head(who, run),
                };
            }
        }
        reply
    }

    fn try_head(&mut self, who: Account, run: &ForkRun) -> ForkResult {
        let mut copy = self.copy().map_err(|why| failure(&why))?;
        let view = copy.view().map_err(|why| failure(&why))?;
        let (market, still) = quiet(&view).imagined(&view);
        MarketCopy { venue: &mut *copy, market, who, tick: Some(0), step_ticks: 1, lived: &[] }
            .run(run, |_| Some(still))
    }

    fn try_landed(&mut self, point: Point, who: Account, run: &ForkRun) -> ForkResult {
        let (places, rule) = (self.places(), self.config.gas);
        let hands = self.hands().ok_or(ForkFailure::NoChain)?;
        let record = hands.sender().record();
        let (key, lived) = record.landed(point).map_err(|why| failure(&why))?.ok_or(ForkFailure::NoSuchPoint)?;
        let touched = record.touched(key).map_err(|why| failure(&why))?.ok_or(ForkFailure::NoSuchPoint)?;
        let mut fork = Fork::over(touched, places).charging(rule);
        let market = quiet(&fork.view().map_err(|why| failure(&why))?);
        MarketCopy { venue: &mut fork, market, who, tick: Some(0), step_ticks: 1, lived: &lived }.run(run, |_| None)
    }
}

/// A market in which nobody trades but for arbitrage: who trades on somebody's chain, and how much, is not for us to make
/// up.
fn quiet(view: &View) -> Market {
    let config = MarketConfig { noise_per_tick: 0.0, ..MarketConfig::default() };
    Market::upon(config, Dice::open(0, Strand::Dream), view, 0)
}

fn failure(why: &VenueError) -> ForkFailure {
    match why {
        VenueError::NoSuchPoint(_) => ForkFailure::NoSuchPoint,
        _ => ForkFailure::Stuck,
    }
}
