//! First contact with a chain: pool, factory, fee, tokens, router and position manager are held against each other, before
//! anything is believed of them and before anything is allowed to them.

use super::fees::GasRule;
use super::fork::Fork;
use super::head::{Head, ask_block, block};
use super::node::Node;
use super::venue::RpcVenue;
use alloy_primitives::aliases::{U24, U160};
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use golem_core::reference::{LEAST_WINDOW_S, REFERENCE_WINDOW_S};
use golem_venue::VenueError;
use golem_venue::pool::{FEE, SPACING};
use golem_venue::spot::ordered;
use golem_wallet::RouterKind;
use golem_wallet::abi::{
    NonfungiblePositionManager as Positions, SwapRouter as Router, SwapRouter02 as Router02,
    UniswapV3Factory as Factory, UniswapV3Pool as Pool,
};

/// What the router of Uniswap v3 says to whoever comes too late. Later routers take other arguments, and say nothing.
const TOO_LATE: &str = "Transaction too old";

/// What the second router says when it may not take the tokens of whoever called.
const NOT_ALLOWED: &str = "STF";
/// Somebody without money and allowances.
const NOBODY: Address = Address::repeat_byte(0x0b);

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
        if p.router_kind == RouterKind::V2 {
            let manager = self.told("router", p.router, &Router02::positionManagerCall {})?;
            same("the router knows the position manager", manager, "positions", p.positions)?;
        }
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
        if self.rule() == GasRule::OpStack {
            // Whoever does not tell what a transaction costs would have every preview fail.
            self.data_fee(p.router, &Bytes::new(), U256::ZERO)?;
        }
        match p.router_kind {
            RouterKind::V1 => self.router_understands(p.usdc, p.weth),
            RouterKind::V2 => self.second_router_understands(p.usdc, p.weth),
        }
    }

    /// What a contract says of itself; one that says nothing is not what the settings call it.
    pub(super) fn told<C: SolCall>(&mut self, name: &str, at: Address, call: &C) -> Result<C::Return, VenueError> {
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
        let data = Router::exactInputSingleCall { params }.abi_encode();
        self.router_says(data.into(), TOO_LATE, "the first router of Uniswap v3 (SwapRouter, v1)")
    }

    /// The same of the second router: the multicall that is too late is told so, and the swap within one in time gets as far as
    /// taking the tokens, which nobody allowed it to.
    fn second_router_understands(&mut self, from: Address, to: Address) -> Result<(), VenueError> {
        let params = Router02::ExactInputSingle02Params {
            tokenIn: from,
            tokenOut: to,
            fee: U24::from(FEE),
            recipient: NOBODY,
            amountIn: U256::from(1),
            amountOutMinimum: U256::ZERO,
            sqrtPriceLimitX96: U160::ZERO,
        };
        let swap: Bytes = Router02::exactInputSingleCall { params }.abi_encode().into();
        for (deadline, said) in [(U256::ZERO, TOO_LATE), (U256::MAX, NOT_ALLOWED)] {
            let call = Router02::multicallCall { deadline, data: vec![swap.clone()] };
            self.router_says(call.abi_encode().into(), said, "the second router of Uniswap v3 (SwapRouter02, v2)")?;
        }
        Ok(())
    }

    /// Hold what the router says to a call that it must refuse against what it should say.
    fn router_says(&mut self, data: Bytes, wanted: &str, called: &str) -> Result<(), VenueError> {
        let router = self.places().router;
        let (_, _, output) = self.attempt(NOBODY, router, data)?;
        match alloy_sol_types::decode_revert_reason(&output) {
            Some(why) if why.contains(wanted) => Ok(()),
            _ => unfit(format!(
                "{router} is called router in the settings, and is not {called}; chain.rpc.router says which it is"
            )),
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
        let Some(pace_ms) = pace_ms(&self.node, &head)? else { return Ok(()) };
        let kept = self.here()?.observations()?;
        match memory(self.places.pool, kept, pace_ms) {
            PoolMemory::Long(_) => {}
            PoolMemory::Short(words) => self.warning = Some(words),
            PoolMemory::TooShort(words) => return unfit(words),
        }
        Ok(())
    }
}

impl Fork {
    /// How many observations the pool keeps.
    pub(super) fn observations(&mut self) -> Result<u64, VenueError> {
        let pool = self.places().pool;
        Ok(u64::from(self.told("pool", pool, &Pool::slot0Call {})?.observationCardinalityNext))
    }
}

/// How far back a pool's observations reach, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PoolMemory {
    /// As far as is wanted.
    Long(String),
    /// Far enough to trade on, and less than is wanted.
    Short(String),
    /// Not far enough.
    TooShort(String),
}

/// The pace of a chain, in milliseconds a block; none where there are no blocks to measure it by.
pub(super) fn pace_ms(node: &Node, head: &Head) -> Result<Option<u64>, VenueError> {
    let back = head.number.min(LOOKED_BACK);
    if back == 0 {
        return Ok(None);
    }
    let asked = node.agreed(&[ask_block(head.number - back)], &|_, answer| block(answer))?;
    Ok(asked.first().map(|then| head.timestamp.saturating_sub(then.timestamp) * 1_000 / back))
}

/// How far back so many observations reach. A pool notes at most one a second, however many blocks there are in it.
pub(super) fn memory(pool: Address, kept: u64, pace_ms: u64) -> PoolMemory {
    let pace_ms = pace_ms.max(1_000);
    let needed = |window_s: u32| (u64::from(window_s) * 1_000).div_ceil(pace_ms) + 1;
    let (covers, wanted) = (kept * pace_ms / 1_000, needed(REFERENCE_WINDOW_S).min(u64::from(u16::MAX)));
    let found = format!("the pool keeps {kept} observations, which is {covers} seconds when every block trades");
    if kept >= needed(REFERENCE_WINDOW_S) {
        return PoolMemory::Long(found);
    }
    let hint = format!("anybody can make it keep more, once: increaseObservationCardinalityNext({wanted}) on {pool}");
    if kept < needed(LEAST_WINDOW_S) {
        let least = format!("a mean price needs at least {LEAST_WINDOW_S} seconds of them");
        return PoolMemory::TooShort(format!("{found}; {least} ({hint})"));
    }
    PoolMemory::Short(format!(
        "{found}: its mean price may cover as little, instead of {REFERENCE_WINDOW_S}, and a shorter one is cheaper to \
         move ({hint})"
    ))
}

fn same(what: &str, found: Address, name: &str, expected: Address) -> Result<(), VenueError> {
    if found == expected { Ok(()) } else { unfit(format!("{what} {found}, and {name} in the settings is {expected}")) }
}

/// A refusal in words, without what every refusal begins with.
pub(super) fn unfit_words(e: VenueError) -> String {
    match e {
        VenueError::Unfit(what) | VenueError::Changed(what) | VenueError::Unreachable(what) => what,
        other => other.to_string(),
    }
}

fn unfit<T>(what: String) -> Result<T, VenueError> {
    Err(VenueError::Unfit(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pools_memory_is_reckoned_by_the_second_at_most() {
        let kind = |kept, pace_ms| match memory(Address::ZERO, kept, pace_ms) {
            PoolMemory::Long(_) => 'l',
            PoolMemory::Short(_) => 's',
            PoolMemory::TooShort(_) => 't',
        };
        for (kept, pace_ms, wanted) in [
            (151, 12_000, 'l'),
            (150, 12_000, 's'),
            (26, 12_000, 's'),
            (25, 12_000, 't'),
            (901, 2_000, 'l'),
            (151, 2_000, 's'),
            (150, 2_000, 't'),
            // Four blocks a second leave no more observations than one would.
            (1_801, 250, 'l'),
            (1_800, 250, 's'),
            (301, 250, 's'),
            (300, 0, 't'),
        ] {
            assert_eq!(kind(kept, pace_ms), wanted, "{kept} at {pace_ms} ms");
        }
    }
}
