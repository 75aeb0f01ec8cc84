//! The market on a fork: hands of its own are put onto it, with means that are written into the tokens' books, and it
//! trades as it likes.

// The macro writes the items of `MarketMaker`; its source says what each does.
#![allow(missing_docs)]

use super::Fork;
use super::evm::{self, GAS, Ran, Tx};
use super::reads::tick24;
use crate::contracts::market_maker;
use alloy_primitives::aliases::U160;
use alloy_primitives::{Address, I256, U256, address, keccak256};
use alloy_sol_types::{SolCall, SolValue, sol};
use golem_core::Usdc;
use golem_core::intent::Asset;
use golem_core::venue::Range;
use golem_venue::pool::{MAX_RATIO, MIN_RATIO};
use golem_venue::spot::{number, ordered};
use golem_venue::{MarketTrade, Traded, VenueError};
use golem_wallet::abi::{Erc20, UniswapV3Pool as Pool};

sol! {
    /// What is used of the market's hands.
    interface MarketMaker {
        function swap(bool zeroForOne, int256 amount, uint160 limit) external returns (int256, int256);
        function provide(int24 lower, int24 upper, uint128 liquidity) external returns (uint256, uint256);
        function withdraw(int24 lower, int24 upper, uint128 liquidity) external returns (uint128, uint128);
    }
}

/// The account by which the market acts on a fork. Nobody has its key.
const MARKET: Address = address!("bad0000000000000000000000000000000000f02");

/// The market's hands on a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForkMarket {
    maker: Address,
}

impl Fork {
    pub(super) fn let_trade(&mut self, trade: &MarketTrade) -> Result<Traded, VenueError> {
        let usdc_is_token0 = self.places.usdc_is_token0();
        let now = U256::from(self.pool(&Pool::slot0Call {})?.sqrtPriceX96);
        let (lowest, highest) = (MIN_RATIO + U256::from(1), MAX_RATIO - U256::from(1));
        match *trade {
            MarketTrade::ToPrice { sqrt_price_x96 } => match number(sqrt_price_x96) {
                limit if limit == now => Ok(Traded::default()),
                // More than any market has: only the price stops it.
                limit => self.swap(limit < now, U256::MAX >> 1, limit),
            },
            MarketTrade::Buy { pay: Usdc(0) } | MarketTrade::Sell { give: Asset(0) } => Ok(Traded::default()),
            MarketTrade::Buy { pay } => {
                self.swap(usdc_is_token0, U256::from(pay.0), if usdc_is_token0 { lowest } else { highest })
            }
            MarketTrade::Sell { give } => {
                self.swap(!usdc_is_token0, U256::from(give.0), if usdc_is_token0 { highest } else { lowest })
            }
            MarketTrade::Provide { liquidity: 0, .. } => Ok(Traded::default()),
            MarketTrade::Provide { range, liquidity } => {
                let (lower, upper) = (tick24(range.lower)?, tick24(range.upper)?);
                let paid = self.as_market(&MarketMaker::provideCall { lower, upper, liquidity })?;
                self.traded(signed(paid._0)?, signed(paid._1)?, 0)
            }
            MarketTrade::Withdraw { range, liquidity } => self.withdraw(range, liquidity),
        }
    }

    fn swap(&mut self, down: bool, amount: U256, limit: U256) -> Result<Traded, VenueError> {
        let before = self.pool(&Pool::slot0Call {})?.tick.as_i32();
        let (amount, limit) = (I256::from_raw(amount), U160::from(limit & (U256::MAX >> 96)));
        let moved = self.as_market(&MarketMaker::swapCall { zeroForOne: down, amount, limit })?;
        let fit = |x: I256| i128::try_from(x).map_err(|_| VenueError::Bug("an amount does not fit".into()));
        let crossed = self.crossed_since(before)?;
        self.traded(fit(moved._0)?, fit(moved._1)?, crossed)
    }

    /// Only what the market itself has put in on this fork can be taken out.
    fn withdraw(&mut self, range: Range, liquidity: u128) -> Result<Traded, VenueError> {
        let (lower, upper) = (tick24(range.lower)?, tick24(range.upper)?);
        let maker = self.hands()?.maker;
        let key = keccak256((maker, lower, upper).abi_encode_packed());
        let liquidity = liquidity.min(self.pool(&Pool::positionsCall { key })?.liquidity);
        if liquidity == 0 {
            return Ok(Traded::default());
        }
        let got = self.as_market(&MarketMaker::withdrawCall { lower, upper, liquidity })?;
        self.traded(-signed(U256::from(got._0))?, -signed(U256::from(got._1))?, 0)
    }

    fn traded(&self, amount0: i128, amount1: i128, crossed: u32) -> Result<Traded, VenueError> {
        let [usdc, asset] = ordered(self.places.usdc_is_token0(), amount0, amount1);
        Ok(Traded { usdc, asset, crossed })
    }

    fn as_market<C: SolCall>(&mut self, call: &C) -> Result<C::Return, VenueError> {
        let maker = self.hands()?.maker;
        let ran = self.send(Tx { gas_limit: 4 * GAS, ..self.call(MARKET, maker, call.abi_encode().into()) })?;
        if ran.success {
            return C::abi_decode_returns(&ran.output).map_err(|e| VenueError::Bug(e.to_string()));
        }
        let why = alloy_sol_types::decode_revert_reason(&ran.output).unwrap_or_default();
        Err(VenueError::Bug(format!("the market cannot do that: {why}")))
    }

    /// The market's hands, put onto the fork when they are first needed. That is no transaction of the chain's: it takes
    /// no place in the block.
    fn hands(&mut self) -> Result<ForkMarket, VenueError> {
        if let Some(market) = self.market {
            return Ok(market);
        }
        let p = self.places;
        let [token0, token1] = ordered(p.usdc_is_token0(), p.usdc, p.weth);
        let arguments = (p.pool, Address::ZERO, token0, token1, p.usdc).abi_encode();
        let data = [market_maker().as_ref(), &arguments].concat().into();
        let tx = Tx { from: MARKET, data, gas_limit: GAS, ..Tx::default() };
        let Ran { created: Some(maker), success: true, .. } = self.make(tx)? else {
            return Err(VenueError::Bug("the market's hands cannot be put onto the fork".into()));
        };
        // More than any pool holds, and far from where a number could overflow.
        for token in [p.usdc, p.weth] {
            self.endow(token, maker, U256::from(1) << 120)?;
        }
        let market = ForkMarket { maker };
        self.takes_hands(market);
        Ok(market)
    }

    /// Write into a token's books that an account has so much. Which slot says so differs from token to token: it is
    /// among those that the token looks at when it is asked.
    fn endow(&mut self, token: Address, who: Address, amount: U256) -> Result<(), VenueError> {
        let ask: Tx = self.call(Address::ZERO, token, Erc20::balanceOfCall { account: who }.abi_encode().into());
        let (_, looked) = evm::run(&mut self.state, self.stage.chain_id, &self.open, &ask)?;
        for (address, account) in looked {
            for slot in account.storage.keys() {
                let mut trial = self.clone();
                evm::set(&mut trial.state, address, *slot, amount)?;
                if trial.balance(token, who).is_ok_and(|found| found == amount) {
                    return self.set(address, *slot, amount);
                }
            }
        }
        Err(VenueError::Bug(format!("where {token} keeps its balances was not found")))
    }

    /// Give an account so much in all. One that already holds something was given all of it by somebody before the fork.
    pub(super) fn give_up_to(&mut self, who: Address, deposits: Usdc) -> Result<(), VenueError> {
        let held = self.held(who)?;
        let empty = held.usdc == Usdc::ZERO && held.asset == Asset::ZERO && held.position.is_none();
        let given = match self.given.get(&who) {
            Some(given) => *given,
            None if empty => Usdc::ZERO,
            None => deposits,
        };
        let more = deposits.minus(given);
        if more > Usdc::ZERO {
            self.endow(self.places.usdc, who, U256::from(held.usdc.plus(more).0))?;
        }
        self.gave(who, deposits.max(given));
        Ok(())
    }
}

fn signed(x: U256) -> Result<i128, VenueError> {
    i128::try_from(x).map_err(|_| VenueError::Bug("an amount does not fit".into()))
}
