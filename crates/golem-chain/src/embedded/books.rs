//! What an account holds and what it is worth: the contracts' numbers read by slot, and exact arithmetic over them.

use super::stored::StateError;
use super::{ChainError, EmbeddedChain, layout};
use alloy_primitives::{Address, U256};
use golem_core::intent::Asset;
use golem_core::venue::PoolSeen;
use golem_core::{Book, Hash, Usdc};
use golem_venue::checks::AccountHeld;
use golem_venue::deed::Deed;
use golem_venue::pool::{Owner, Pool, PoolParts};
use golem_venue::spot::{ordered, wide};
use golem_venue::worth::{self, WorthAt};
use golem_venue::{Account, MeanTick, View};

impl EmbeddedChain {
    pub(super) fn see(&mut self) -> Result<View, ChainError> {
        let places = self.site.places;
        let seen = self.pool_seen()?;
        let growth = layout::fee_growth(&mut self.state, places.pool)?;
        Ok(View {
            point: self.point(),
            timestamp: self.open.timestamp,
            base_fee: u128::from(self.open.base_fee),
            pool: seen,
            fee_growth: growth.map(wide),
            usdc_is_token0: places.usdc_is_token0(),
            code: self.code()?,
        })
    }

    pub(super) fn pool_seen(&mut self) -> Result<PoolSeen, ChainError> {
        let pool = self.site.places.pool;
        let slot0 = layout::slot0(&mut self.state, pool)?;
        let liquidity = layout::liquidity(&mut self.state, pool)?;
        Ok(PoolSeen { sqrt_price_x96: wide(slot0.sqrt_price), tick: slot0.tick, liquidity })
    }

    /// Hash over the code of the contracts that golems use, as found.
    fn code(&mut self) -> Result<Hash, ChainError> {
        let p = self.site.places;
        let mut hasher = blake3::Hasher::new();
        for address in [p.usdc, p.weth, p.pool, p.factory, p.router, p.positions] {
            hasher.update(self.state.info(address)?.code_hash.as_slice());
        }
        Ok(Hash(*hasher.finalize().as_bytes()))
    }

    fn balances(&mut self, who: Address) -> Result<(Usdc, Asset), StateError> {
        let p = self.site.places;
        let usdc = layout::usdc(&mut self.state, p.usdc, who)?;
        let asset = layout::weth(&mut self.state, p.weth, who)?;
        Ok((Usdc(usdc.saturating_to()), Asset(asset.saturating_to())))
    }

    fn deed(&mut self, who: Address) -> Result<Option<Deed>, StateError> {
        let p = self.site.places;
        layout::deed(&mut self.state, p.positions, p.pool, who)
    }

    pub(super) fn held(&mut self, who: Address) -> Result<AccountHeld, ChainError> {
        let (usdc, asset) = self.balances(who)?;
        let position = self.deed(who)?.map(|d| (d.id, d.range, d.liquidity));
        Ok(AccountHeld { usdc, asset, position })
    }

    pub(super) fn keep_books(&mut self, who: Account) -> Result<Book, ChainError> {
        let who = Address::from(who.0);
        let (usdc, asset) = self.balances(who)?;
        let deed = self.deed(who)?;
        let mut book = Book { point: self.point(), usdc, asset, pool: self.pool_seen()?, ..Book::default() };
        // Most of the time nothing is held, and then there is nothing to reckon.
        if deed.is_some() || asset > Asset::ZERO {
            let pool = self.pool(deed.as_ref())?;
            let usdc_is_token0 = self.site.places.usdc_is_token0();
            let at = WorthAt { pool: &pool, usdc_is_token0, base_fee: u128::from(self.open.base_fee) };
            book.position = deed.as_ref().map(|deed| worth::seen(at, deed));
            book.worth = worth::appraise(at, deed.as_ref(), asset);
        }
        Ok(book)
    }

    /// The pool as plain numbers: all of its ticks, and the stake that a position is part of. Fees are known at the ends
    /// of that position's range only, which is where they count.
    pub(super) fn pool(&mut self, deed: Option<&Deed>) -> Result<Pool, ChainError> {
        let p = self.site.places;
        let slot0 = layout::slot0(&mut self.state, p.pool)?;
        let known = std::sync::Arc::clone(&self.ticks);
        let mut ticks = Vec::with_capacity(known.len());
        for (&at, &slot) in known.iter() {
            let with_fees = deed.is_some_and(|d| at == d.range.lower || at == d.range.upper);
            ticks.extend(layout::tick(&mut self.state, p.pool, at, slot, with_fees)?);
        }
        let mut stakes = Vec::new();
        if let Some(deed) = deed {
            let stake = layout::stake(&mut self.state, p.pool, p.positions, deed.range)?;
            stakes.push((Owner::Positions, deed.range, stake));
        }
        let usdc = layout::usdc(&mut self.state, p.usdc, p.pool)?;
        let asset = layout::weth(&mut self.state, p.weth, p.pool)?;
        let fit = |x: U256| x.saturating_to::<u128>();
        let parts = PoolParts {
            sqrt_price: slot0.sqrt_price,
            tick: slot0.tick,
            liquidity: layout::liquidity(&mut self.state, p.pool)?,
            fee_growth: layout::fee_growth(&mut self.state, p.pool)?,
            held: ordered(p.usdc_is_token0(), fit(usdc), fit(asset)),
            ticks,
            stakes,
        };
        Pool::from_parts(parts).map_err(|e| ChainError::Bug(format!("the pool's numbers contradict each other: {e}")))
    }

    /// The pool with everything in it, fees at every tick included: for comparison, not for every tick.
    ///
    /// # Errors
    /// When the chain cannot be read.
    pub fn whole_pool(&mut self) -> Result<Pool, ChainError> {
        let p = self.site.places;
        let mut parts = self.pool(None)?.parts();
        for tick in &mut parts.ticks {
            let slot = layout::tick_slot(tick.at);
            *tick = layout::tick(&mut self.state, p.pool, tick.at, slot, true)?.unwrap_or(*tick);
        }
        Pool::from_parts(parts).map_err(|e| ChainError::Bug(format!("the pool's numbers contradict each other: {e}")))
    }

    /// The pool's mean tick over the last seconds, by its own observations, as far back as they go. Nothing when the block
    /// is as old as the last of them.
    ///
    /// # Errors
    /// When the chain cannot be read.
    pub fn mean_tick(&mut self, seconds: u32) -> Result<Option<MeanTick>, ChainError> {
        let pool = self.site.places.pool;
        let slot0 = layout::slot0(&mut self.state, pool)?;
        let now = self.open.timestamp as u32;
        let (at, sum) = layout::observation(&mut self.state, pool, slot0.observation)?;
        let sum_now = sum + i64::from(slot0.tick) * i64::from(now.wrapping_sub(at));
        let mut later = (now, sum_now);
        for back in 0..slot0.cardinality {
            let index = (slot0.observation + slot0.cardinality - back) % slot0.cardinality;
            let (at, sum) = layout::observation(&mut self.state, pool, index)?;
            if at == 0 || now.wrapping_sub(at) > seconds {
                // Between two observations the tick did not change: it is the slope between them.
                let span = i64::from(later.0.wrapping_sub(at)).max(1);
                let start = now.wrapping_sub(seconds);
                if at != 0 {
                    let slope = (later.1 - sum) / span;
                    later = (start, later.1 - slope * i64::from(later.0.wrapping_sub(start)));
                }
                break;
            }
            later = (at, sum);
        }
        let seconds = now.wrapping_sub(later.0);
        let tick = (sum_now - later.1).checked_div_euclid(i64::from(seconds)).and_then(|mean| i32::try_from(mean).ok());
        Ok(tick.map(|tick| MeanTick { tick, seconds }))
    }
}
