//! First contact with a chain: pool, factory, fee, tokens, router and position manager are held against each other, before
//! anything is believed of them and before anything is allowed to them.

use super::fork::Fork;
use super::head::{ask_block, block};
use super::venue::RpcVenue;
use alloy_primitives::aliases::{U24, U160};
use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall;
use golem_core::reference::{LEAST_WINDOW_S, REFERENCE_WINDOW_S};
use golem_venue::VenueError;
use golem_venue::pool::{FEE, SPACING};
use golem_venue::spot::ordered;
use golem_wallet::abi::{
    NonfungiblePositionManager as Positions, SwapRouter as Router, UniswapV3Factory as Factory, UniswapV3Pool as Pool,
};

/// What the router of Uniswap v3 says to whoever comes too late. Later routers take other arguments, and say nothing.
const TOO_LATE: &str = "Transaction too old";

/// Blocks over which the pace of the chain is measured.
const LOOKED_BACK: u64 = 64;

impl Fork {
    /// Hold the contracts against each other.
    ///
    /// # Errors
    /// [`VenueError::Unfit`] with what does not fit.
    pub(super) fn meet(&mut self) -> Result<(), VenueError> {
        let p = self.places();
        let [token0, token1] = ordered(p.usdc_is_token0(), p.usdc, p.weth);
        let fee = U24::from(FEE);
        let of_pool = self.told("pool", p.pool, &Pool::factoryCall {})?;
        same("the pool was made by", of_pool, "factory", p.factory)?;
        same(
            "the first token of the pool is",
            self.told("pool", p.pool, &Pool::token0Call {})?,
            "usdc or asset",
            token0,
        )?;
        same(
            "the second token of the pool is",
            self.told("pool", p.pool, &Pool::token1Call {})?,
            "asset or usdc",
            token1,
        )?;
        let charged = self.told("pool", p.pool, &Pool::feeCall {})?;
        let spacing = self.told("pool", p.pool, &Pool::tickSpacingCall {})?.as_i32();
        if charged != fee || spacing != SPACING {
            let found = format!("the pool takes a fee of {charged} millionths, with {spacing} ticks between ranges");
            return unfit(format!(
                "{found}; only pools with {FEE} and {SPACING} are traded here, so name another pool"
            ));
        }
        let get = Factory::getPoolCall { tokenA: p.usdc, tokenB: p.weth, fee };
        same("the factory's pool of these tokens is", self.told("factory", p.factory, &get)?, "pool", p.pool)?;
        let of_router = self.told("router", p.router, &Router::factoryCall {})?;
        same("the router trades with pools of", of_router, "factory", p.factory)?;
        let of_positions = self.told("positions", p.positions, &Positions::factoryCall {})?;
        same("the position manager puts liquidity into pools of", of_positions, "factory", p.factory)?;
        // Gas is paid in the chain's coin and reckoned at the price of the asset.
        same(
            "the router wraps the chain's coin as",
            self.told("router", p.router, &Router::WETH9Call {})?,
            "asset",
            p.weth,
        )?;
        let wrapped = self.told("positions", p.positions, &Positions::WETH9Call {})?;
        same("the position manager wraps the chain's coin as", wrapped, "asset", p.weth)?;
        if self.told("pool", p.pool, &Pool::slot0Call {})?.sqrtPriceX96.is_zero() {
            return unfit("the pool has no price yet: nobody has opened it".to_owned());
        }
        self.router_understands(p.usdc, p.weth)
    }

    /// What a contract says of itself; one that says nothing is not what the settings call it.
    fn told<C: SolCall>(&mut self, name: &str, at: Address, call: &C) -> Result<C::Return, VenueError> {
        match self.try_ask(at, call) {
            Ok(Some(said)) => Ok(said),
            Ok(None) | Err(VenueError::Changed(_)) => {
                unfit(format!("{at} is called {name} in the settings, and does not answer {}", C::SIGNATURE))
            }
            Err(other) => Err(other),
        }
    }

    /// Whether the router takes the call that will be sent: one that is too late is told so.
    fn router_understands(&mut self, from: Address, to: Address) -> Result<(), VenueError> {
        let params = Router::ExactInputSingleParams {
            tokenIn: from,
            tokenOut: to,
            fee: U24::from(FEE),
            recipient: Address::ZERO,
            deadline: U256::ZERO,
            amountIn: U256::from(1),
            amountOutMinimum: U256::ZERO,
            sqrtPriceLimitX96: U160::ZERO,
        };
        let (router, data) = (self.places().router, Router::exactInputSingleCall { params }.abi_encode());
        let (_, _, output) = self.attempt(Address::ZERO, router, data.into())?;
        match alloy_sol_types::decode_revert_reason(&output) {
            Some(why) if why.contains(TOO_LATE) => Ok(()),
            _ => unfit(format!("{router} is called router in the settings, and is not the first router of Uniswap v3")),
        }
    }
}

impl RpcVenue {
    /// Whether the pool keeps enough observations for a mean price that nobody can shorten: with a trade in every block, the
    /// ring holds as many blocks as it has places. Where they are enough to trade on, and fewer than are wanted, what that
    /// means is noted for the owner.
    ///
    /// # Errors
    /// [`VenueError::Unfit`] when it does not, with what to do.
    pub(super) fn hold_observations(&mut self) -> Result<(), VenueError> {
        let head = self.node.head()?;
        let back = head.number.min(LOOKED_BACK);
        let asked = self.node.agreed(&[ask_block(head.number - back)], &|_, answer| block(answer))?;
        let Some(then) = asked.first().filter(|_| back > 0) else { return Ok(()) };
        let (pool, pace_ms) = (self.places.pool, head.timestamp.saturating_sub(then.timestamp) * 1_000 / back);
        let needed = |window_s: u32| (u64::from(window_s) * 1_000).div_ceil(pace_ms.max(1)) + 1;
        let slot0 = self.here()?.told("pool", pool, &Pool::slot0Call {})?;
        let kept = u64::from(slot0.observationCardinalityNext);
        if kept >= needed(REFERENCE_WINDOW_S) {
            return Ok(());
        }
        let (covers, wanted) = (kept * pace_ms / 1_000, needed(REFERENCE_WINDOW_S).min(u64::from(u16::MAX)));
        let found = format!("the pool keeps {kept} observations, which is {covers} seconds when every block trades");
        let hint =
            format!("anybody can make it keep more, once: increaseObservationCardinalityNext({wanted}) on {pool}");
        if kept < needed(LEAST_WINDOW_S) {
            return unfit(format!("{found}; a mean price needs at least {LEAST_WINDOW_S} seconds of them ({hint})"));
        }
        self.warning = Some(format!(
            "{found}: its mean price may cover as little, instead of {REFERENCE_WINDOW_S}, and a shorter one is cheaper to \
             move ({hint})"
        ));
        Ok(())
    }
}

fn same(what: &str, found: Address, name: &str, expected: Address) -> Result<(), VenueError> {
    if found == expected { Ok(()) } else { unfit(format!("{what} {found}, and {name} in the settings is {expected}")) }
}

fn unfit<T>(what: String) -> Result<T, VenueError> {
    Err(VenueError::Unfit(what))
}
