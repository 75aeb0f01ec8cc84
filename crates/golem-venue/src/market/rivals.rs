//! Rivals between a golem's preview and its execution: random trades, and the two halves of a sandwich.
//!
//! Whoever carries a golem's actions out calls [`Market::before`] and [`Market::after`] around them. Without events that say
//! so they do nothing at all.

use super::step::SwapTally;
use super::{Market, noise, price};
use crate::scenario::Conditions;
use crate::spot::price_f64;
use crate::venue::{MarketTrade, Venue, VenueError, View};
use golem_core::intent::Asset;
use golem_core::{Action, Usdc};

impl Market {
    /// What others do just before a golem's actions are carried out; returns how many trades that was.
    ///
    /// # Errors
    /// When the venue cannot.
    pub fn before(&mut self, venue: &mut dyn Venue, actions: &[Action], tick: u64) -> Result<u32, VenueError> {
        let now = Conditions::at(&self.state.events, tick);
        if (now.rivals.is_none() && now.sandwich.is_none()) || actions.is_empty() {
            return Ok(0);
        }
        let mut tally = SwapTally::default();
        self.back_run(venue, &mut tally)?;
        let act = self.state.acts;
        self.state.acts = act.saturating_add(1);
        if let Some((trades, size)) = now.rivals {
            for i in 0..trades.min(16) {
                self.rival(venue, &mut tally, tick, act, i, size)?;
            }
        }
        if let Some((times, every)) = now.sandwich {
            let view = venue.view()?;
            if let Some(first) = actions.iter().find_map(|action| in_front_of(action, times, &view)) {
                let nth = self.state.swaps;
                self.state.swaps = nth.wrapping_add(1);
                if nth.is_multiple_of(every.max(1)) {
                    self.front_run(venue, &mut tally, first)?;
                }
            }
        }
        Ok(tally.trades())
    }

    /// What others do just behind a golem's actions; returns how many trades that was.
    ///
    /// # Errors
    /// When the venue cannot.
    pub fn after(&mut self, venue: &mut dyn Venue) -> Result<u32, VenueError> {
        let mut tally = SwapTally::default();
        self.back_run(venue, &mut tally)?;
        Ok(tally.trades())
    }

    /// The second half of a sandwich, if there was a first.
    pub(super) fn back_run(&mut self, venue: &mut dyn Venue, tally: &mut SwapTally) -> Result<(), VenueError> {
        if let Some(trade) = self.state.back_run.take() {
            tally.trade(venue, &trade)?;
        }
        Ok(())
    }

    fn front_run(
        &mut self,
        venue: &mut dyn Venue,
        tally: &mut SwapTally,
        first: MarketTrade,
    ) -> Result<(), VenueError> {
        let traded = tally.trade(venue, &first)?;
        // What the pool gave is what the front-runner holds, and all of it goes back.
        self.state.back_run = if traded.asset < 0 {
            Some(MarketTrade::Sell { give: Asset(traded.asset.unsigned_abs()) })
        } else {
            let pay = u64::try_from(traded.usdc.unsigned_abs()).unwrap_or(u64::MAX);
            (pay > 0).then_some(MarketTrade::Buy { pay: Usdc(pay) })
        };
        Ok(())
    }

    fn rival(
        &self,
        venue: &mut dyn Venue,
        tally: &mut SwapTally,
        tick: u64,
        act: u32,
        i: u32,
        size: Usdc,
    ) -> Result<(), VenueError> {
        let view = venue.view()?;
        let most = price::reserve_usdc(&view) * price::DEPTH_SHARE;
        let size = noise::rival_size(self.config.noise_spread, &self.dice, tick, act, i, size.as_f64(), most);
        match noise::trade(size, price_f64(&view)) {
            Some(trade) => tally.trade(venue, &trade).map(drop),
            None => Ok(()),
        }
    }
}

/// The front-run of an action: a swap in its direction, so many times its size. `None` when it is no swap.
fn in_front_of(action: &Action, times: f64, view: &View) -> Option<MarketTrade> {
    // Never more than stands behind the price: a larger one would only ruin its own maker.
    let most = price::reserve_usdc(view);
    match *action {
        Action::Buy { pay, .. } => noise::trade((pay.as_f64() * times).min(most), 1.0),
        Action::Sell { give, .. } => {
            let here = price_f64(view);
            noise::trade(-(give.as_f64() * here * times).min(most), here)
        }
        _ => None,
    }
}
