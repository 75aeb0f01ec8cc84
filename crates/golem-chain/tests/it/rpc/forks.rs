//! Forks of somebody's chain, at the head and in the past.

use crate::kit::{Town, anvil};
use crate::rpc::golem::Golem;
use alloy_primitives::U256;
use golem_core::Usdc;
use golem_core::intent::Asset;
use golem_venue::{Account, Header, MarketTrade, Venue, VenueError};
use serde_json::json;

#[test]
fn the_market_of_somebodys_chain_is_not_ours_but_that_of_a_fork_is() {
    if anvil::is_missing() {
        return;
    }
    for usdc_is_token0 in [true, false] {
        let mut golem = Golem::new(Town::new(usdc_is_token0));
        let header = Header { timestamp: 2_000_000_000, base_fee: 5 };
        assert_eq!(golem.venue.begin_block(header), Err(VenueError::NotOurs));
        assert_eq!(golem.venue.trade(&MarketTrade::Buy { pay: Usdc::whole(1) }), Err(VenueError::NotOurs));
        assert_eq!(golem.venue.fund_to(golem.account(), Usdc::whole(1)), Err(VenueError::NotOurs));

        let before = golem.venue.view().expect("a view");
        let mut fork = golem.venue.fork_at(before.point).expect("a fork");
        assert_eq!(fork.view().expect("a view"), before);
        let bought = fork.trade(&MarketTrade::Buy { pay: Usdc::whole(200_000) }).expect("a trade");
        assert_eq!(bought.usdc, 200_000_000_000);
        assert!(bought.asset < 0 && bought.crossed > 0, "{bought:?}");
        let there = fork.view().expect("a view");
        assert_eq!(there.point.index, 1, "the market's hands take no place in the block");
        // The same trade on the node itself does the same.
        let data = golem.town.swap(true, U256::from(200_000_000_000u64));
        golem.town.as_market(Some(golem.town.site.maker), &data, U256::ZERO);
        golem.venue.begin_turn();
        let real = golem.venue.view().expect("a view");
        assert_eq!((real.pool, real.fee_growth), (there.pool, there.fee_growth));

        assert_eq!(fork.begin_block(header), Ok(before.point.block + 1));
        let back = MarketTrade::ToPrice { sqrt_price_x96: before.pool.sqrt_price_x96 };
        fork.trade(&back).expect("a trade");
        let now = fork.view().expect("a view");
        assert_eq!(now.pool.sqrt_price_x96, before.pool.sqrt_price_x96);
        assert_eq!((now.timestamp, now.base_fee), (2_000_000_000, 5));
        // Earlier points of the fork can be had again, and a fork of a fork goes its own way.
        let mut earlier = fork.fork_at(there.point).expect("a fork of the fork");
        assert_eq!(earlier.view().expect("a view"), there);
        let range =
            golem_core::venue::Range { lower: now.pool.tick / 10 * 10 - 100, upper: now.pool.tick / 10 * 10 + 100 };
        fork.trade(&MarketTrade::Provide { range, liquidity: 1_000_000_000_000 }).expect("liquidity");
        assert_eq!(fork.view().expect("a view").pool.liquidity, now.pool.liquidity + 1_000_000_000_000);
        fork.trade(&MarketTrade::Withdraw { range, liquidity: u128::MAX }).expect("liquidity");
        assert_eq!(fork.view().expect("a view").pool.liquidity, now.pool.liquidity);
        // An account of the fork's own gets money and can act.
        let somebody = Account([0x77; 20]);
        fork.fund_to(somebody, Usdc::whole(500)).expect("money");
        fork.fund_to(somebody, Usdc::whole(500)).expect("nothing more");
        assert_eq!(fork.book(somebody).expect("a book").usdc, Usdc::whole(500));
        let done = fork.execute(somebody, &golem_core::Action::Buy { pay: Usdc::whole(500), min_out: Asset(1) });
        assert_eq!(done.expect("done").refused, None);
        fork.fund_to(somebody, Usdc::whole(700)).expect("more money");
        assert_eq!(fork.book(somebody).expect("a book").usdc, Usdc::whole(200));
    }
}

#[test]
fn a_past_point_can_be_forked_between_the_transactions_of_its_block() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let (maker, swap) = (golem.town.site.maker, golem.town.swap(true, U256::from(10_000_000_000u64)));
    golem.town.anvil.call("evm_setAutomine", json!([false]));
    (0..3).for_each(|_| drop(golem.town.post_as_market(Some(maker), &swap, U256::ZERO)));
    golem.town.anvil.mine(1);
    let block = golem.town.anvil.height();
    golem.town.anvil.mine(5);
    golem.venue.begin_turn();
    let mut prices = Vec::new();
    for index in 0..=3 {
        let mut fork = golem.venue.fork_at(golem_core::Point { block, index }).expect("a fork");
        let view = fork.view().expect("a view");
        assert_eq!(view.point, golem_core::Point { block, index });
        prices.push(view.pool.sqrt_price_x96);
    }
    prices.dedup();
    assert_eq!(prices.len(), 4);
    assert_eq!(golem.venue.view().expect("a view").pool.sqrt_price_x96, prices[3]);
    for missing in [golem_core::Point { block, index: 4 }, golem_core::Point { block: block + 100, index: 0 }] {
        assert!(matches!(golem.venue.fork_at(missing), Err(VenueError::NoSuchPoint(p)) if p == missing));
    }
}
