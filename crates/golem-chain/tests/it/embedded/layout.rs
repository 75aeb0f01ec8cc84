//! What is read by slot is what the contracts say themselves.

use super::common::{ACCOUNT_RANGE, account, chain};
use super::script::{act, sample};
use alloy_primitives::{Address, U256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use golem_chain::calls::Call;
use golem_chain::embedded::{EmbeddedChain, Tx};
use golem_core::Usdc;
use golem_core::venue::Range;
use golem_venue::spot::{number, ordered};
use golem_venue::{Header, MarketTrade, Venue};
use golem_wallet::abi::{Erc20, NonfungiblePositionManager as Positions, QuoterV2, UniswapV3Pool};

alloy_sol_types::sol! {
    /// What these tests alone ask of the contracts.
    interface AskedHere {
        function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
        function createAndInitializePoolIfNecessary(
            address token0, address token1, uint24 fee, uint160 sqrtPriceX96
        ) external payable returns (address pool);
    }
}

/// What a contract answers.
pub fn ask<C: SolCall>(chain: &mut EmbeddedChain, to: Address, call: &C) -> C::Return {
    let Call { to, data } = Call::new(to, call);
    let ran = chain.call(&Tx { to: Some(to), data, gas_limit: 10_000_000, ..Tx::default() }).unwrap();
    assert!(ran.success, "{:?} {:?}", alloy_sol_types::decode_revert_reason(&ran.output), ran.halted);
    C::abi_decode_returns(&ran.output).unwrap()
}

#[test]
fn the_pool_and_the_books_are_what_the_contracts_say() {
    for usdc_is_token0 in [true, false] {
        let Some(mut chain) = chain(usdc_is_token0) else { return };
        let places = chain.site().places;
        for (step, op) in sample(33, 150).iter().enumerate() {
            act(&mut chain, op);
            if step % 5 != 0 {
                continue;
            }
            let view = chain.view().unwrap();
            let slot0 = ask(&mut chain, places.pool, &UniswapV3Pool::slot0Call {});
            assert_eq!(U256::from(slot0.sqrtPriceX96), number(view.pool.sqrt_price_x96));
            assert_eq!(slot0.tick.as_i32(), view.pool.tick);
            assert_eq!(ask(&mut chain, places.pool, &UniswapV3Pool::liquidityCall {}), view.pool.liquidity);
            let growth0 = ask(&mut chain, places.pool, &UniswapV3Pool::feeGrowthGlobal0X128Call {});
            let growth1 = ask(&mut chain, places.pool, &UniswapV3Pool::feeGrowthGlobal1X128Call {});
            assert_eq!([growth0, growth1], view.fee_growth.map(number));
            for who in ACCOUNT_RANGE {
                books(&mut chain, who);
            }
        }
    }
}

fn books(chain: &mut EmbeddedChain, who: u8) {
    let places = chain.site().places;
    let (book, owner) = (chain.book(account(who)).unwrap(), Address::from(account(who).0));
    let balance = Erc20::balanceOfCall { account: owner };
    assert_eq!(ask(chain, places.usdc, &balance), U256::from(book.usdc.0));
    assert_eq!(ask(chain, places.weth, &balance), U256::from(book.asset.0));
    let count = ask(chain, places.positions, &Positions::balanceOfCall { owner });
    assert_eq!(count, U256::from(u8::from(book.position.is_some())));
    let Some(position) = book.position else { return };
    let id = ask(chain, places.positions, &Positions::tokenOfOwnerByIndexCall { owner, index: U256::ZERO });
    assert_eq!(id, U256::from(position.id));
    let kept = ask(chain, places.positions, &Positions::positionsCall { tokenId: id });
    let range = Range { lower: kept.tickLower.as_i32(), upper: kept.tickUpper.as_i32() };
    assert_eq!((range, kept.liquidity), (position.range, position.liquidity));
    // What collecting would really pay.
    let params =
        Positions::CollectParams { tokenId: id, recipient: owner, amount0Max: u128::MAX, amount1Max: u128::MAX };
    let call = Call::new(places.positions, &Positions::collectCall { params });
    let ran = chain
        .call(&Tx { from: owner, to: Some(call.to), data: call.data, gas_limit: 10_000_000, ..Tx::default() })
        .unwrap();
    let paid = <(U256, U256)>::abi_decode(&ran.output).unwrap();
    let [fees, fees_asset] = ordered(places.usdc_is_token0(), paid.0, paid.1);
    assert_eq!((fees, fees_asset), (U256::from(position.fees.0), U256::from(position.fees_asset.0)));
}

#[test]
fn what_unwinding_is_said_to_bring_is_what_it_brings() {
    use golem_core::Action;
    use golem_core::intent::Asset;
    for usdc_is_token0 in [true, false] {
        let Some(mut chain) = chain(usdc_is_token0) else { return };
        let mut unwound = 0;
        for op in sample(34, 200) {
            act(&mut chain, &op);
            for who in ACCOUNT_RANGE {
                let book = chain.book(account(who)).unwrap();
                if book.position.is_none() && book.asset == Asset::ZERO {
                    continue;
                }
                let head = chain.head();
                let mut fork = chain.fork_at(head).unwrap();
                if let Some(p) = book.position {
                    let (liquidity, position) = (p.liquidity, p.id);
                    let (min_out, min_asset) = (Usdc(0), Asset(0));
                    let close = Action::Burn { position, liquidity, min_out, min_asset, close: true };
                    let action = if liquidity > 0 { close } else { Action::Collect { position } };
                    assert_eq!(fork.execute(account(who), &action).unwrap().refused, None);
                }
                let give = fork.book(account(who)).unwrap().asset;
                if give > Asset::ZERO {
                    let sale = fork.execute(account(who), &Action::Sell { give, min_out: Usdc(0) }).unwrap();
                    assert_eq!(sale.refused, None);
                }
                let after = fork.book(account(who)).unwrap();
                assert_eq!(book.usdc.plus(book.worth.unwound), after.usdc);
                unwound += 1;
            }
        }
        assert!(unwound > 100, "{unwound}");
    }
}

#[test]
fn crossings_are_what_the_quoter_counts() {
    let Some(mut chain) = chain(true) else { return };
    let places = chain.site().places;
    let quoter = chain.site().quoter_v2;
    let mut crossed = 0;
    for (n, usdc) in [1u64, 1_000, 100_000, 3_000_000, 20_000_000, 50_000_000].into_iter().enumerate() {
        let pay = Usdc::whole(usdc);
        let params = QuoterV2::QuoteExactInputSingleParams {
            tokenIn: places.usdc,
            tokenOut: places.weth,
            amountIn: U256::from(pay.0),
            fee: alloy_primitives::aliases::U24::from(500),
            sqrtPriceLimitX96: alloy_primitives::aliases::U160::ZERO,
        };
        let quote = ask(&mut chain, quoter, &QuoterV2::quoteExactInputSingleCall { params });
        let traded = chain.trade(&MarketTrade::Buy { pay }).unwrap();
        assert_eq!(traded.crossed, quote.initializedTicksCrossed, "{usdc}");
        assert_eq!(traded.asset, -i128::try_from(quote.amountOut).unwrap());
        crossed += traded.crossed;
        chain.begin_block(Header { timestamp: 1_700_000_040 + 40 * n as u64, base_fee: 1 }).unwrap();
    }
    assert!(crossed >= 10, "{crossed}");
}

/// USDC for one whole of the asset in the v2 pair, as the contract says.
fn pair_price(chain: &mut EmbeddedChain, usdc_is_token0: bool) -> f64 {
    let pair = chain.site().pair;
    let reserves = ask(chain, pair, &AskedHere::getReservesCall {});
    let [r0, r1] = [reserves.reserve0, reserves.reserve1].map(|r| r.to::<u128>() as f64);
    let price = if usdc_is_token0 { r0 / r1 } else { r1 / r0 };
    price * 1e12
}

#[test]
fn the_pair_follows_the_pool() {
    for usdc_is_token0 in [true, false] {
        let Some(mut chain) = chain(usdc_is_token0) else { return };
        let start = pair_price(&mut chain, usdc_is_token0);
        assert!((start / 2_000.0 - 1.0).abs() < 1e-6, "{start}");
        for (n, price) in [2_010.0, 2_100.0, 2_500.0, 1_200.0, 1_210.0, 4_000.0, 4_000.1].into_iter().enumerate() {
            let to = golem_venue::spot::sqrt_price_of(price, usdc_is_token0);
            chain.trade(&MarketTrade::ToPrice { sqrt_price_x96: to }).unwrap();
            chain.begin_block(Header { timestamp: 1_700_000_040 + 40 * n as u64, base_fee: 1 }).unwrap();
            // It follows with the next trade, as far as its fee lets it.
            chain.trade(&MarketTrade::Buy { pay: Usdc(1) }).unwrap();
            let pair = pair_price(&mut chain, usdc_is_token0);
            assert!((pair / price - 1.0).abs() < 0.0105, "{pair} at {price}");
        }
    }
}

#[test]
fn the_mean_tick_is_what_the_pool_observes() {
    let Some(mut chain) = chain(true) else { return };
    let pool = chain.site().places.pool;
    let start = chain.view().unwrap();
    for n in 1..=130u64 {
        chain.begin_block(Header { timestamp: start.timestamp + 40 * n, base_fee: 1 }).unwrap();
        let tick = start.pool.tick + (n as i32 * 37) % 90;
        let sqrt_price_x96 = golem_venue::spot::wide(golem_venue::pool::maths::ratio_at(tick).unwrap());
        chain.trade(&MarketTrade::ToPrice { sqrt_price_x96 }).unwrap();
        for seconds in [1, 40, 100, 600, 1_800] {
            if seconds > 40 * n {
                // Further back than it goes: as far as there is anything.
                let all = chain.mean_tick(seconds as u32).unwrap().unwrap();
                assert_eq!(u64::from(all.seconds), 40 * n + 1, "block {n}, {seconds} s");
                continue;
            }
            let call = UniswapV3Pool::observeCall { secondsAgos: vec![seconds as u32, 0] };
            let sums = ask(&mut chain, pool, &call).tickCumulatives;
            let expected = (sums[1].as_i64() - sums[0].as_i64()).div_euclid(seconds as i64);
            let mean = chain.mean_tick(seconds as u32).unwrap().unwrap();
            assert_eq!((mean.tick, mean.seconds), (expected as i32, seconds as u32), "block {n}, {seconds} s");
        }
    }
}

#[test]
fn an_estimate_is_just_enough() {
    let Some(mut chain) = chain(true) else { return };
    let (from, places) = (Address::repeat_byte(9), chain.site().places);
    let approve = Call::new(places.usdc, &Erc20::approveCall { spender: places.router, value: U256::from(5) });
    let tx = Tx { from, to: Some(approve.to), data: approve.data, gas_limit: u64::MAX, ..Tx::default() };
    let enough = chain.estimate_gas(&tx).unwrap().unwrap();
    assert!(chain.call(&Tx { gas_limit: enough, ..tx.clone() }).unwrap().success);
    assert!(!chain.call(&Tx { gas_limit: enough - 1, ..tx }).is_ok_and(|ran| ran.success));
    let transfer = Call::new(places.usdc, &Erc20::transferCall { to: from, value: U256::from(5) });
    let refused = Tx { from, to: Some(transfer.to), data: transfer.data, gas_limit: u64::MAX, ..Tx::default() };
    assert!(chain.estimate_gas(&refused).unwrap().is_err());
}

#[test]
fn a_position_of_another_pool_is_not_taken_for_ours() {
    // Somebody sends an account a position in the 0.3 % pool of the same tokens.
    use alloy_primitives::aliases::{I24, U24, U160};
    let Some(mut chain) = chain(true) else { return };
    let places = chain.site().places;
    let (giver, taker) = (account(1), Address::from(account(2).0));
    chain.fund_to(giver, Usdc::whole(1_000)).unwrap();
    let price = U160::from(number(chain.view().unwrap().pool.sqrt_price_x96));
    let (token0, token1, fee) = (places.usdc, places.weth, U24::from(3_000));
    let tick = chain.view().unwrap().pool.tick.div_euclid(60) * 60;
    let (lower, upper) = (I24::try_from(tick + 600).unwrap(), I24::try_from(tick + 1_200).unwrap());
    let params = Positions::MintParams {
        token0,
        token1,
        fee,
        tickLower: lower,
        tickUpper: upper,
        amount0Desired: U256::from(1_000_000),
        amount1Desired: U256::ZERO,
        amount0Min: U256::ZERO,
        amount1Min: U256::ZERO,
        recipient: taker,
        deadline: U256::MAX,
    };
    let create = AskedHere::createAndInitializePoolIfNecessaryCall { token0, token1, fee, sqrtPriceX96: price };
    for (n, call) in [
        Call::new(places.positions, &create),
        Call::new(places.usdc, &Erc20::approveCall { spender: places.positions, value: U256::from(1_000_000) }),
        Call::new(places.positions, &Positions::mintCall { params }),
    ]
    .into_iter()
    .enumerate()
    {
        let tx = Tx {
            from: giver.0.into(),
            to: Some(call.to),
            data: call.data,
            gas_limit: 10_000_000,
            max_fee: 20_000_000_000,
            ..Tx::default()
        };
        let signed =
            golem_chain::embedded::SignedOutside { hash: keccak256([n as u8]), envelope: vec![n as u8].into() };
        let ran = chain.submit(&tx, signed).unwrap();
        assert!(ran.success, "{n}: {:?}", alloy_sol_types::decode_revert_reason(&ran.output));
    }
    assert_eq!(ask(&mut chain, places.positions, &Positions::balanceOfCall { owner: taker }), U256::from(1));
    assert_eq!(chain.book(account(2)).unwrap().position, None);
    let sent = chain.transaction_named(keccak256([2])).unwrap().unwrap();
    assert_eq!(sent.signed.as_ref().unwrap().envelope.as_ref(), &[2]);
    chain.commit().unwrap();
    assert_eq!(chain.transaction_named(keccak256([2])).unwrap(), Some(sent.clone()));
    assert!(chain.mined(&sent).unwrap().logs.len() >= 3);
}
