//! The pool's own mean price: what its contract observed over some time. Nobody can move it within a block, and it does not
//! depend on when a golem looked.

use super::Fork;
use alloy_primitives::U256;
use golem_venue::{MeanTick, VenueError};
use golem_wallet::abi::UniswapV3Pool as Pool;

impl Fork {
    /// The mean tick over the last so many seconds, or over as many as the pool's observations reach back; with the seconds
    /// that it really covers.
    pub(in super::super) fn mean_over(&mut self, seconds: u32) -> Result<Option<MeanTick>, VenueError> {
        match self.observed(seconds)? {
            Some(tick) => Ok(Some(MeanTick { tick, seconds })),
            None => {
                let reach = self.reach()?.min(seconds);
                Ok(self.observed(reach)?.map(|tick| MeanTick { tick, seconds: reach }))
            }
        }
    }

    /// The contract's own answer; none when it does not reach back so far.
    fn observed(&mut self, seconds: u32) -> Result<Option<i32>, VenueError> {
        let ask = Pool::observeCall { secondsAgos: vec![seconds, 0] };
        let Some(said) = self.try_ask(self.places.pool, &ask)? else { return Ok(None) };
        let [then, now] = said.tickCumulatives[..] else { return Ok(None) };
        let mean = now.as_i64().wrapping_sub(then.as_i64()).checked_div_euclid(i64::from(seconds));
        Ok(mean.and_then(|mean| i32::try_from(mean).ok()))
    }

    /// Seconds since the oldest observation that the pool still has.
    fn reach(&mut self) -> Result<u32, VenueError> {
        let slot0 = self.pool(&Pool::slot0Call {})?;
        let places = u64::from(slot0.observationCardinality).max(1);
        let after = (u64::from(slot0.observationIndex) + 1) % places;
        let mut oldest = self.pool(&Pool::observationsCall { index: U256::from(after) })?;
        if !oldest.initialized {
            oldest = self.pool(&Pool::observationsCall { index: U256::ZERO })?;
        }
        // The contract counts seconds in 32 bits, too.
        Ok((self.open.timestamp as u32).wrapping_sub(oldest.blockTimestamp))
    }
}
