//! One tick of the market: the block, then liquidity, noise and arbitrage in this order, then whoever distorts the price.

use super::{Market, OutsideTick, arbitrage, noise, price, sound};
use crate::scenario::{Conditions, WHOLE_PPM};
use crate::spot::price_f64;
use crate::venue::{Header, MarketTrade, Traded, Venue, VenueError, View};
use golem_core::venue::Wide;
use golem_core::{NOMINAL_TICK_S, ProtocolState, Usdc};
use serde::{Deserialize, Serialize};

/// What one tick of the market did, and where it left the pool.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MarketStep {
    pub tick: u64,
    /// The block that was opened.
    pub block: u64,
    /// Its time, in seconds since 1970.
    pub timestamp: u64,
    /// Its base fee, in wei.
    pub base_fee: u128,
    /// The outside price, events included.
    pub outside: f64,
    /// The pool's price, in USDC per unit of the asset.
    pub price: f64,
    /// How far the pool is from the outside price, in basis points of it.
    pub off_outside_bps: f64,
    /// Liquidity in range.
    pub liquidity: u128,
    /// USDC that changed hands.
    pub volume: Usdc,
    /// What the pool took of it, in USDC.
    pub fees: Usdc,
    /// Swaps.
    pub trades: u32,
    /// State of the protocol, where anybody says.
    pub protocol: Option<ProtocolState>,
}

/// What the outside and the events make of a tick.
struct Now {
    outside: f64,
    base_fee: u128,
    noise_median: f64,
    conditions: Conditions,
    /// Ticks that this step covers: more than one where blocks lie further apart.
    ticks: u64,
}

/// Swaps so far.
#[derive(Default)]
pub(super) struct SwapTally {
    volume: Usdc,
    trades: u32,
}

impl SwapTally {
    /// How many.
    pub fn trades(&self) -> u32 {
        self.trades
    }
    /// Trade, and count it. The USDC side is the volume, whichever way it goes.
    pub fn trade(&mut self, venue: &mut dyn Venue, trade: &MarketTrade) -> Result<Traded, VenueError> {
        let traded = venue.trade(trade)?;
        let usdc = u64::try_from(traded.usdc.unsigned_abs()).unwrap_or(u64::MAX);
        self.volume = self.volume.plus(Usdc(usdc));
        self.trades = self.trades.saturating_add(1);
        Ok(traded)
    }
}

impl Market {
    /// Let one nominal tick pass: opens its block and moves the pool.
    ///
    /// # Errors
    /// When the venue cannot, or when the tick is not after the last one.
    pub fn step(&mut self, venue: &mut dyn Venue, tick: u64, outside: &OutsideTick) -> Result<MarketStep, VenueError> {
        if tick < self.next_tick() {
            return Err(VenueError::Bug(format!("the market was asked for tick {tick} after it had passed")));
        }
        let mut tally = SwapTally::default();
        // Whoever front-ran a golem that never came sells before the block is over.
        self.back_run(venue, &mut tally)?;
        let before = venue.view()?;
        let now = self.hear(tick, outside, price_f64(&before));
        let due = self.epoch.saturating_add(tick.saturating_mul(NOMINAL_TICK_S));
        let timestamp = due.max(before.timestamp.saturating_add(1));
        let block = venue.begin_block(Header { timestamp, base_fee: now.base_fee })?;

        if let Some(was) = self.state.pushed_from.take() {
            to_price(venue, &mut tally, before.pool.sqrt_price_x96, was)?;
        }
        self.keep_liquidity(venue, &now)?;
        self.noise(venue, &mut tally, tick, &now)?;
        let mut view = venue.view()?;
        if let Some(trade) = arbitrage::wanted(&view, now.outside) {
            tally.trade(venue, &trade)?;
            view = venue.view()?;
        }
        if let Some(bps) = now.conditions.push_bps {
            view = self.push(venue, &mut tally, &view, bps)?;
        }
        self.state.tick = Some(tick);
        self.state.acts = 0;
        let protocol = now.conditions.protocol.or(outside.protocol);
        Ok(measured(tick, block, &now, &view, &tally, protocol))
    }

    /// Take in what the outside says; what is not sound is as it was.
    fn hear(&mut self, tick: u64, outside: &OutsideTick, pool: f64) -> Now {
        let since = self.next_tick();
        let state = &mut self.state;
        let ticks = state.tick.map_or(1, |last| tick.saturating_sub(last));
        state.settle(tick);
        let conditions = Conditions::over(&state.events, since, tick);
        let raw = sound(outside.price).or(state.outside).unwrap_or(pool);
        if let Some(last) = state.outside {
            // Exactly nothing unless an event scales the returns.
            state.lasting += (conditions.volatility - 1.0) * libm::log(raw / last);
        }
        state.outside = Some(raw);
        let shift = (state.lasting + conditions.log_price).clamp(-20.0, 20.0);
        let gas = outside.gas_gwei.and_then(sound).unwrap_or(self.config.gas_gwei);
        let volume = state.volume.hear(tick, outside.volume);
        Now {
            outside: raw * libm::exp(shift),
            base_fee: self.config.base_fee(gas * conditions.gas),
            noise_median: self.config.noise_median(volume),
            conditions,
            ticks,
        }
    }

    /// Take as much of the market's liquidity out, or bring it back, as the events want.
    fn keep_liquidity(&mut self, venue: &mut dyn Venue, now: &Now) -> Result<(), VenueError> {
        let (was, wanted) = (self.state.drained_ppm, now.conditions.drained_ppm);
        if was != wanted {
            for (range, full) in self.own.iter().copied() {
                let (was, wanted) = (millionths(full, was), millionths(full, wanted));
                let trade = if wanted > was {
                    MarketTrade::Withdraw { range, liquidity: wanted - was }
                } else {
                    MarketTrade::Provide { range, liquidity: was - wanted }
                };
                if wanted != was {
                    venue.trade(&trade)?;
                }
            }
            self.state.drained_ppm = wanted;
        }
        Ok(())
    }

    fn noise(&self, venue: &mut dyn Venue, tally: &mut SwapTally, tick: u64, now: &Now) -> Result<(), VenueError> {
        let mut draws = self.dice.draws(tick);
        let (count, larger) = noise::count(&self.config, &mut draws, now.ticks);
        for _ in 0..count {
            let view = venue.view()?;
            let most = price::reserve_usdc(&view) * price::DEPTH_SHARE * self.config.noise_most;
            let size = noise::size(&self.config, &mut draws, now.noise_median * larger, most);
            if let Some(trade) = noise::trade(size, price_f64(&view)) {
                tally.trade(venue, &trade)?;
            }
        }
        Ok(())
    }

    /// Push the pool's price away, and remember from where.
    fn push(
        &mut self,
        venue: &mut dyn Venue,
        tally: &mut SwapTally,
        view: &View,
        bps: i32,
    ) -> Result<View, VenueError> {
        let was = view.pool.sqrt_price_x96;
        let goal = price_f64(view) * (1.0 + f64::from(bps.max(-9_999)) / 10_000.0);
        to_price(venue, tally, was, price::sqrt_price_near(goal, view.usdc_is_token0))?;
        self.state.pushed_from = Some(was);
        venue.view()
    }
}

fn to_price(venue: &mut dyn Venue, tally: &mut SwapTally, from: Wide, goal: Wide) -> Result<(), VenueError> {
    if from != goal {
        tally.trade(venue, &MarketTrade::ToPrice { sqrt_price_x96: goal })?;
    }
    Ok(())
}

/// So many millionths of a liquidity. Divided first, since a liquidity may need all its bits.
pub(super) fn millionths(liquidity: u128, ppm: u64) -> u128 {
    (liquidity / u128::from(WHOLE_PPM)).saturating_mul(u128::from(ppm.min(WHOLE_PPM)))
}

fn measured(
    tick: u64,
    block: u64,
    now: &Now,
    view: &View,
    tally: &SwapTally,
    protocol: Option<ProtocolState>,
) -> MarketStep {
    let price = price_f64(view);
    MarketStep {
        tick,
        block,
        timestamp: view.timestamp,
        base_fee: view.base_fee,
        outside: now.outside,
        price,
        off_outside_bps: (price / now.outside - 1.0) * 10_000.0,
        liquidity: view.pool.liquidity,
        volume: tally.volume,
        fees: tally.volume.share_bps(5),
        trades: tally.trades,
        protocol,
    }
}
