//! Everything the paper venue knows at one point, and what the market and the passing of blocks do to it. What an account
//! does is in `execute`. Nothing here fails halfway.

use crate::deed::Deed;
use crate::genesis::GenesisConfig;
use crate::observations::Observations;
use crate::pool::{Owner, Pool, PoolError};
use crate::spot::{number, ordered};
use crate::venue::{Account, Header, MarketTrade, Traded};
use crate::worth::WorthAt;
use alloy_primitives::U256;
use golem_core::intent::Asset;
use golem_core::venue::Range;
use golem_core::{Point, Usdc};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an account has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaperHolder {
    /// Everything it was ever given.
    pub deposits: Usdc,
    pub usdc: Usdc,
    pub asset: Asset,
    pub deed: Option<Deed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaperState {
    pub pool: Pool,
    /// Where the pool stood at the end of its last blocks; the open one is not among them.
    pub observations: Observations,
    pub accounts: Arc<BTreeMap<Account, PaperHolder>>,
    pub next_deed: u64,
    pub point: Point,
    pub timestamp: u64,
    pub base_fee: u128,
    pub usdc_is_token0: bool,
}

impl PaperState {
    pub fn new(pool: Pool, config: &GenesisConfig) -> Self {
        Self {
            observations: Observations::begun(config.timestamp, pool.tick()),
            pool,
            accounts: Arc::default(),
            next_deed: 1,
            point: Point { block: 1, index: 0 },
            timestamp: config.timestamp,
            base_fee: config.base_fee,
            usdc_is_token0: config.usdc_is_token0,
        }
    }
    pub fn weight(&self) -> usize {
        let accounts = self.accounts.len() * size_of::<(Account, PaperHolder)>();
        size_of::<Self>() + self.pool.weight(None) + self.observations.weight(None) + accounts
    }
    pub fn surroundings(&self) -> WorthAt<'_> {
        WorthAt { pool: &self.pool, usdc_is_token0: self.usdc_is_token0, base_fee: self.base_fee }
    }
    pub fn holder(&self, who: Account) -> PaperHolder {
        self.accounts.get(&who).copied().unwrap_or_default()
    }
    pub fn set(&mut self, who: Account, holder: PaperHolder) {
        Arc::make_mut(&mut self.accounts).insert(who, holder);
    }
    pub fn passed(&mut self, transactions: u32) {
        self.point.index = self.point.index.saturating_add(transactions);
    }

    pub fn begin_block(&mut self, header: Header) {
        self.observations.close_block(self.timestamp, self.pool.tick());
        self.point = Point { block: self.point.block.saturating_add(1), index: 0 };
        (self.timestamp, self.base_fee) = (header.timestamp, header.base_fee);
    }

    /// One transaction, when something is still to be given.
    pub fn fund_to(&mut self, who: Account, deposits: Usdc) {
        let mut holder = self.holder(who);
        let more = deposits.minus(holder.deposits);
        if more > Usdc::ZERO {
            holder.deposits = deposits;
            holder.usdc = holder.usdc.plus(more);
            self.set(who, holder);
            self.passed(1);
        }
    }

    /// One transaction, when there is something to do.
    pub fn trade(&mut self, trade: &MarketTrade) -> Result<Traded, PoolError> {
        let now = self.pool.sqrt_price();
        match *trade {
            MarketTrade::ToPrice { sqrt_price_x96 } => match number(sqrt_price_x96) {
                limit if limit == now => Ok(Traded::default()),
                // More than any market has: only the price stops it.
                limit => self.market_swap(limit < now, U256::MAX >> 1, Some(limit)),
            },
            MarketTrade::Buy { pay: Usdc(0) } | MarketTrade::Sell { give: Asset(0) } => Ok(Traded::default()),
            MarketTrade::Buy { pay } => self.market_swap(self.usdc_is_token0, U256::from(pay.0), None),
            MarketTrade::Sell { give } => self.market_swap(!self.usdc_is_token0, U256::from(give.0), None),
            MarketTrade::Provide { range, liquidity } => self.provide(range, liquidity),
            MarketTrade::Withdraw { range, liquidity } => self.withdraw(range, liquidity),
        }
    }
    fn market_swap(&mut self, down: bool, amount: U256, limit: Option<U256>) -> Result<Traded, PoolError> {
        let swap = self.pool.quote(down, amount, limit)?;
        let (paid, got) = (signed(swap.paid)?, signed(swap.got)?);
        self.pool.apply(&swap);
        self.passed(1);
        Ok(self.traded(if down { [paid, -got] } else { [-got, paid] }, swap.crossed()))
    }
    fn provide(&mut self, range: Range, liquidity: u128) -> Result<Traded, PoolError> {
        let delta = signed(liquidity)?;
        if delta == 0 {
            return Ok(Traded::default());
        }
        let [amount0, amount1] = self.pool.change(Owner::Market, range, delta)?.amounts;
        self.passed(1);
        Ok(self.traded([signed(amount0)?, signed(amount1)?], 0))
    }
    fn withdraw(&mut self, range: Range, liquidity: u128) -> Result<Traded, PoolError> {
        let delta = signed(liquidity.min(self.pool.stake(Owner::Market, range).liquidity))?;
        if delta == 0 {
            return Ok(Traded::default());
        }
        self.pool.change(Owner::Market, range, -delta)?;
        let [amount0, amount1] = self.pool.collect(Owner::Market, range, [u128::MAX; 2]);
        self.passed(1);
        Ok(self.traded([-signed(amount0)?, -signed(amount1)?], 0))
    }
    fn traded(&self, [amount0, amount1]: [i128; 2], crossed: u32) -> Traded {
        let [usdc, asset] = ordered(self.usdc_is_token0, amount0, amount1);
        Traded { usdc, asset, crossed }
    }
}

fn signed(x: u128) -> Result<i128, PoolError> {
    i128::try_from(x).map_err(|_| PoolError::Overflow)
}
