//! The first block: which contracts are made, in which order, and with what. A list of transactions and nothing else, so
//! that any node can be given the same beginning, at the same addresses.

use super::market::MarketMaker;
use crate::calls::{Call, Places};
use crate::contracts::{ContractPiece, Contracts, V2_PAIR_INIT_HASH, V3_POOL_INIT_HASH, market_maker, usdc, weth9};
use alloy_primitives::aliases::{I24, U24, U160};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use golem_core::venue::Range;
use golem_venue::GenesisConfig;
use golem_venue::pool::FEE;
use golem_venue::spot::{number, ordered};
use golem_wallet::RouterKind;
use golem_wallet::abi::{Erc20, UniswapV2Factory, UniswapV3Factory, UniswapV3Pool, Weth9};
use serde::{Deserialize, Serialize};

/// Observations that the pool keeps for its own mean price: an hour, at a block every 40 seconds.
const OBSERVATIONS: u16 = 90;
/// Liquidity of the pair: a million dollars and as much ether when one costs two thousand.
const PAIR_LIQUIDITY: u128 = 22_360_679_774_997_897;

/// Everything that stands on a chain of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The contracts that golems use.
    pub places: Places,
    /// The account that made them all, and by which the market acts.
    pub market: Address,
    /// The market's hands.
    pub maker: Address,
    /// The first v3 quoter.
    pub quoter: Address,
    /// The second v3 quoter.
    pub quoter_v2: Address,
    /// Reads many ticks at once.
    pub tick_lens: Address,
    /// The v2 factory.
    pub v2_factory: Address,
    /// The v2 router.
    pub v2_router: Address,
    /// The v2 pair of the same tokens.
    pub pair: Address,
}

/// One transaction of the first block; the market's account sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployStep {
    /// Where it goes; none makes a contract.
    pub to: Option<Address>,
    /// Ether that goes with it.
    pub value: U256,
    /// What it says.
    pub data: Bytes,
}

/// Ether that the market's account begins with.
#[must_use]
pub fn endowment() -> U256 {
    U256::from(1) << 140
}

/// What the market's hands get of each token.
fn means() -> U256 {
    U256::from(1) << 130
}

/// Where everything will stand: the market's account is the first of a fixed series whose first two contracts are in the
/// wanted order.
#[must_use]
pub fn site(usdc_is_token0: bool) -> Site {
    let account = |k: u32| Address::from_word(keccak256(format!("golem market {k}")));
    let in_order = |a: &Address| (a.create(0) < a.create(1)) == usdc_is_token0;
    let market = (0..).map(account).find(in_order).unwrap_or_default();
    let (usdc, weth, factory) = (market.create(0), market.create(1), market.create(2));
    let v2_factory = market.create(8);
    let [token0, token1] = ordered(usdc_is_token0, usdc, weth);
    let pool_salt = keccak256((token0, token1, U24::from(FEE)).abi_encode());
    let pair_salt = keccak256((token0, token1).abi_encode_packed());
    let places = Places {
        usdc,
        weth,
        factory,
        router: market.create(3),
        router_kind: RouterKind::V1,
        positions: market.create(4),
        pool: factory.create2(pool_salt, V3_POOL_INIT_HASH),
    };
    Site {
        places,
        market,
        maker: market.create(14),
        quoter: market.create(5),
        quoter_v2: market.create(6),
        tick_lens: market.create(7),
        v2_factory,
        v2_router: market.create(9),
        pair: v2_factory.create2(pair_salt, V2_PAIR_INIT_HASH),
    }
}

/// The transactions of the first block. Either router stands at the same place.
#[must_use]
pub fn script(contracts: &Contracts, genesis: &GenesisConfig, router: RouterKind) -> (Site, Vec<DeployStep>) {
    let mut site = site(genesis.usdc_is_token0);
    site.places.router_kind = router;
    let Site { places, market, maker, .. } = site;
    let [token0, token1] = ordered(genesis.usdc_is_token0, places.usdc, places.weth);
    let periphery = (places.factory, places.weth).abi_encode();
    let make = |code: &Bytes, arguments: &[u8]| DeployStep {
        to: None,
        value: U256::ZERO,
        data: [code.as_ref(), arguments].concat().into(),
    };
    let piece = |p: ContractPiece, arguments: &[u8]| make(contracts.creation(p), arguments);
    let fee = U24::from(FEE);
    let price = U160::from(number(genesis.sqrt_price_x96) & (U256::MAX >> 96));
    let mut steps = vec![
        make(usdc(), &[]),
        make(weth9(), &[]),
        piece(ContractPiece::V3Factory, &[]),
        match router {
            RouterKind::V1 => piece(ContractPiece::SwapRouter, &periphery),
            RouterKind::V2 => {
                let arguments = (site.v2_factory, places.factory, places.positions, places.weth).abi_encode();
                piece(ContractPiece::SwapRouter02, &arguments)
            }
        },
        // Positions go without pictures: nothing describes them.
        piece(ContractPiece::PositionManager, &(places.factory, places.weth, Address::ZERO).abi_encode()),
        piece(ContractPiece::Quoter, &periphery),
        piece(ContractPiece::QuoterV2, &periphery),
        piece(ContractPiece::TickLens, &[]),
        piece(ContractPiece::V2Factory, &market.abi_encode()),
        piece(ContractPiece::V2Router, &(site.v2_factory, places.weth).abi_encode()),
        call(places.factory, &UniswapV3Factory::createPoolCall { tokenA: token0, tokenB: token1, fee }),
        call(site.v2_factory, &UniswapV2Factory::createPairCall { tokenA: token0, tokenB: token1 }),
        call(places.pool, &UniswapV3Pool::initializeCall { sqrtPriceX96: price }),
        call(
            places.pool,
            &UniswapV3Pool::increaseObservationCardinalityNextCall { observationCardinalityNext: OBSERVATIONS },
        ),
        make(market_maker(), &(places.pool, site.pair, token0, token1, places.usdc).abi_encode()),
        call(places.usdc, &MarketMaker::mintCall { to: maker, value: means() }),
        DeployStep { value: means(), ..call(places.weth, &Weth9::depositCall {}) },
        call(places.weth, &Erc20::transferCall { to: maker, value: means() }),
    ];
    steps.extend(genesis.liquidity.iter().map(|(range, liquidity)| provide(maker, *range, *liquidity)));
    if let Some([amount0, amount1]) = pair_amounts(number(genesis.sqrt_price_x96)) {
        steps.push(call(maker, &MarketMaker::providePairCall { amount0, amount1 }));
    }
    (site, steps)
}

fn provide(maker: Address, range: Range, liquidity: u128) -> DeployStep {
    let tick = |t| I24::try_from(t).unwrap_or(I24::MIN);
    call(maker, &MarketMaker::provideCall { lower: tick(range.lower), upper: tick(range.upper), liquidity })
}

/// What goes into the pair at a price; nothing where the price is so extreme that a pair could not hold it.
fn pair_amounts(sqrt_price: U256) -> Option<[U256; 2]> {
    let liquidity = U256::from(PAIR_LIQUIDITY);
    let amount0 = (liquidity << 96usize).checked_div(sqrt_price)?;
    let amount1 = liquidity.checked_mul(sqrt_price)? >> 96;
    let sane = U256::from(1_000_000)..U256::from(1) << 104;
    (sane.contains(&amount0) && sane.contains(&amount1)).then_some([amount0, amount1])
}

fn call(to: Address, call: &impl SolCall) -> DeployStep {
    let Call { to, data } = Call::new(to, call);
    DeployStep { to: Some(to), value: U256::ZERO, data }
}
