//! The market's own doings on the chain, through its hands: one cheap transaction each.

// The macro writes the items of `MarketMaker`; its source says what each does.
#![allow(missing_docs)]

use super::{ChainError, EmbeddedChain, layout};
use crate::calls::Call;
use crate::evm::{Ran, Tx};
use alloy_primitives::aliases::{I24, U160};
use alloy_primitives::{I256, U256};
use alloy_sol_types::{SolCall, sol};
use golem_core::Usdc;
use golem_core::intent::Asset;
use golem_core::venue::Range;
use golem_venue::pool::{MAX_RATIO, MIN_RATIO, maths};
use golem_venue::spot::{number, ordered};
use golem_venue::{Account, MarketTrade, Traded};

sol! {
    /// The market's hands, and the minting that the dollar allows its maker.
    interface MarketMaker {
        function mint(address to, uint256 value) external returns (bool);
        function giveUpTo(address who, uint256 total) external payable;
        function swap(bool zeroForOne, int256 amount, uint160 limit) external returns (int256, int256);
        function swapBoth(
            bool zeroForOne, int256 amount, uint160 limit, uint256[2] calldata paid, uint256[2] calldata got
        ) external returns (int256, int256);
        function provide(int24 lower, int24 upper, uint128 liquidity) external returns (uint256, uint256);
        function withdraw(int24 lower, int24 upper, uint128 liquidity) external returns (uint128, uint128);
        function providePair(uint256 amount0, uint256 amount1) external returns (uint256);
    }
}

/// Gas for whatever the market does.
const GAS: u64 = 50_000_000;
/// Ether that comes with what an account is given, for its gas: more than any life can use.
const ETHER: u128 = 1_000_000_000_000_000_000_000_000_000;
const Q96: U256 = U256::from_limbs([0, 1 << 32, 0, 0]);

impl EmbeddedChain {
    pub(super) fn let_trade(&mut self, trade: &MarketTrade) -> Result<Traded, ChainError> {
        let usdc_is_token0 = self.site.places.usdc_is_token0();
        let now = layout::slot0(&mut self.state, self.site.places.pool)?.sqrt_price;
        let one = U256::from(1);
        match *trade {
            MarketTrade::ToPrice { sqrt_price_x96 } => match number(sqrt_price_x96) {
                limit if limit == now => Ok(Traded::default()),
                // More than any market has: only the price stops it.
                limit => self.market_swap(limit < now, U256::MAX >> 1, limit),
            },
            MarketTrade::Buy { pay: Usdc(0) } | MarketTrade::Sell { give: Asset(0) } => Ok(Traded::default()),
            MarketTrade::Buy { pay } => {
                let limit = if usdc_is_token0 { MIN_RATIO + one } else { MAX_RATIO - one };
                self.market_swap(usdc_is_token0, U256::from(pay.0), limit)
            }
            MarketTrade::Sell { give } => {
                let limit = if usdc_is_token0 { MAX_RATIO - one } else { MIN_RATIO + one };
                self.market_swap(!usdc_is_token0, U256::from(give.0), limit)
            }
            MarketTrade::Provide { range, liquidity } => self.provide(range, liquidity),
            MarketTrade::Withdraw { range, liquidity } => self.withdraw(range, liquidity),
        }
    }

    fn market_swap(&mut self, down: bool, amount: U256, limit: U256) -> Result<Traded, ChainError> {
        let before = layout::slot0(&mut self.state, self.site.places.pool)?.tick;
        let (amount, limit) = (I256::from_raw(amount), U160::from(limit & (U256::MAX >> 96)));
        let maker = self.site.maker;
        let call = match self.pair_swap()? {
            None => Call::new(maker, &MarketMaker::swapCall { zeroForOne: down, amount, limit }),
            Some((paid, got)) => {
                Call::new(maker, &MarketMaker::swapBothCall { zeroForOne: down, amount, limit, paid, got })
            }
        };
        let ran = self.as_market(call, U256::ZERO)?;
        let moved = MarketMaker::swapCall::abi_decode_returns(&ran.output).map_err(unreadable)?;
        let amount = |x: I256| i128::try_from(x).map_err(|_| ChainError::Bug("an amount does not fit".to_owned()));
        let [usdc, asset] = ordered(self.site.places.usdc_is_token0(), amount(moved._0)?, amount(moved._1)?);
        Ok(Traded { usdc, asset, crossed: self.crossed_since(before)? })
    }

    fn provide(&mut self, range: Range, liquidity: u128) -> Result<Traded, ChainError> {
        if liquidity == 0 {
            return Ok(Traded::default());
        }
        let (lower, upper) = ticks(range)?;
        let call = Call::new(self.site.maker, &MarketMaker::provideCall { lower, upper, liquidity });
        let ran = self.as_market(call, U256::ZERO)?;
        let paid = MarketMaker::provideCall::abi_decode_returns(&ran.output).map_err(unreadable)?;
        self.traded(signed(paid._0)?, signed(paid._1)?)
    }

    fn withdraw(&mut self, range: Range, liquidity: u128) -> Result<Traded, ChainError> {
        let held = layout::stake(&mut self.state, self.site.places.pool, self.site.maker, range)?.liquidity;
        let liquidity = liquidity.min(held);
        if liquidity == 0 {
            return Ok(Traded::default());
        }
        let (lower, upper) = ticks(range)?;
        let call = Call::new(self.site.maker, &MarketMaker::withdrawCall { lower, upper, liquidity });
        let ran = self.as_market(call, U256::ZERO)?;
        let got = MarketMaker::withdrawCall::abi_decode_returns(&ran.output).map_err(unreadable)?;
        self.traded(-signed(U256::from(got._0))?, -signed(U256::from(got._1))?)
    }

    fn traded(&self, amount0: i128, amount1: i128) -> Result<Traded, ChainError> {
        let [usdc, asset] = ordered(self.site.places.usdc_is_token0(), amount0, amount1);
        Ok(Traded { usdc, asset, crossed: 0 })
    }

    pub(super) fn give_up_to(&mut self, who: Account, deposits: Usdc) -> Result<(), ChainError> {
        let (who, total) = (who.0.into(), U256::from(deposits.0));
        if layout::given(&mut self.state, self.site.maker, who)? >= total {
            return Ok(());
        }
        let call = Call::new(self.site.maker, &MarketMaker::giveUpToCall { who, total });
        self.as_market(call, U256::from(ETHER)).map(drop)
    }

    /// The market's transactions do not revert: one that would was not to be asked for, and leaves no trace.
    fn as_market(&mut self, call: Call, value: U256) -> Result<Ran, ChainError> {
        let (from, max_fee) = (self.site.market, u128::from(self.open.base_fee));
        let tx = Tx { from, to: Some(call.to), value, data: call.data, gas_limit: GAS, max_fee, ..Tx::default() };
        let ran = self.send(&tx, None)?;
        if ran.success {
            return Ok(ran);
        }
        self.take_back()?;
        let why = alloy_sol_types::decode_revert_reason(&ran.output).or(ran.halted).unwrap_or_default();
        Err(ChainError::Bug(format!("the market cannot do that: {why}")))
    }

    /// What to pay into the pair and get from it, when its price is more than a hundredth away from the pool's.
    fn pair_swap(&mut self) -> Result<Option<PairSwap>, ChainError> {
        let price = layout::slot0(&mut self.state, self.site.places.pool)?.sqrt_price;
        let [r0, r1] = layout::reserves(&mut self.state, self.site.pair)?;
        let fair = maths::mul_div(r0, price, Q96).and_then(|x| maths::mul_div(x, price, Q96));
        let Some(fair) = fair else { return Ok(None) };
        let is_near = r1.abs_diff(fair).saturating_mul(U256::from(100)) <= fair;
        if r0.is_zero() || is_near {
            return Ok(None);
        }
        Ok(back_in_line(r0, r1, price))
    }
}

/// What goes into a pair and what comes out, of each token.
type PairSwap = ([U256; 2], [U256; 2]);

/// The swap that brings a pair to a price, but for its fee; nothing when it could not be made.
fn back_in_line(r0: U256, r1: U256, price: U256) -> Option<PairSwap> {
    let root = r0.checked_mul(r1)?.root(2);
    let (want0, want1) = (maths::mul_div(root, Q96, price)?, maths::mul_div(root, price, Q96)?);
    let out = |paid: U256, from: U256, to: U256| {
        let paid = paid.checked_mul(U256::from(997))?;
        paid.checked_mul(to)?.checked_div(from.checked_mul(U256::from(1000))?.checked_add(paid)?)
    };
    let most = U256::from(1) << 110;
    let (paid, got) = if want0 > r0 {
        let paid = want0 - r0;
        ([paid, U256::ZERO], [U256::ZERO, out(paid, r0, r1)?])
    } else {
        let paid = want1.checked_sub(r1)?;
        ([U256::ZERO, paid], [out(paid, r1, r0)?, U256::ZERO])
    };
    let sane = got.iter().any(|x| !x.is_zero()) && want0 < most && want1 < most;
    sane.then_some((paid, got))
}

fn ticks(range: Range) -> Result<(I24, I24), ChainError> {
    let tick = |t| I24::try_from(t).map_err(|_| ChainError::Bug(format!("{t} is no tick")));
    Ok((tick(range.lower)?, tick(range.upper)?))
}

fn signed(x: U256) -> Result<i128, ChainError> {
    i128::try_from(x).map_err(|_| ChainError::Bug("an amount does not fit".to_owned()))
}

fn unreadable(e: alloy_sol_types::Error) -> ChainError {
    ChainError::Bug(format!("the market's hands said something else: {e}"))
}
