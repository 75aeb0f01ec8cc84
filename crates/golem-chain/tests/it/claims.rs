//! What is said of a chain, held against a real one: transactions, accounts, balances of its coin, and the pool's price at the end of a block.

use crate::embedded::common;
use crate::kit::{Town, anvil};
use crate::rpc::golem::{Golem, bounded};
use golem_core::door::{ChainClaim, ClaimRequest};
use golem_core::{Action, Asset, Usdc};
use golem_venue::{Header, MarketTrade, Venue, spot};
use serde_json::json;

fn says<V: Venue>(venue: &mut V, claims: Vec<ChainClaim>) -> Vec<Option<bool>> {
    let request = ClaimRequest { claims };
    let reply = venue.bear_out(&request);
    assert!(reply.is_for(&request));
    reply.holds
}

/// What one unit of the asset costs now, in micro-USDC.
fn price<V: Venue>(venue: &mut V, usdc_is_token0: bool) -> u64 {
    let price = venue.view().unwrap().pool.sqrt_price_x96;
    (spot::price_of(price, usdc_is_token0) * 1e6) as u64
}

#[test]
fn a_chain_in_this_process_says_what_is_so() {
    for usdc_is_token0 in [true, false] {
        let Some(mut chain) = common::chain(usdc_is_token0) else { return };
        let who = common::account(1);
        chain.fund_to(who, Usdc::whole(5_000)).unwrap();
        let before = price(&mut chain, usdc_is_token0);
        let block = chain.view().unwrap().point.block;
        chain.execute(who, &Action::Buy { pay: Usdc::whole(3_000), min_out: Asset(1) }).unwrap();
        // By more than a price may be off.
        let dearer = MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(2_100.0, usdc_is_token0) };
        chain.trade(&dearer).unwrap();
        let after = price(&mut chain, usdc_is_token0);
        assert!(after > before + before / 50, "{before} to {after}");
        let said = |micro_usdc| ChainClaim::Price { block, micro_usdc };
        assert_eq!(says(&mut chain, vec![said(after)]), [None], "the block is open");
        let open = chain.open_block();
        chain.begin_block(Header { timestamp: open.timestamp + 12, base_fee: u128::from(open.base_fee) }).unwrap();
        // Later trades change nothing of what was.
        chain.execute(who, &Action::Sell { give: Asset(Asset::WHOLE), min_out: Usdc(1) }).unwrap();
        let claims = vec![said(after), said(after + after / 200), said(before), said(after + after / 50)];
        assert_eq!(says(&mut chain, claims), [Some(true), Some(true), Some(false), Some(false)]);
        let ahead = ChainClaim::Price { block: block + 9, micro_usdc: after };
        let last = ChainClaim::Price { block: u64::MAX, micro_usdc: after };
        assert_eq!(says(&mut chain, vec![ahead, last]), [None, None]);

        let seen = chain.block(block).unwrap().unwrap();
        assert!(seen.transactions > 0);
        let sent = chain.transaction(golem_core::Point { block, index: 0 }).unwrap().unwrap();
        let hash = chain.name_of(&sent).0;
        let mut other = hash;
        other[31] ^= 1;
        let there = |hash| ChainClaim::Transaction { hash };
        assert_eq!(says(&mut chain, vec![there(hash), there(other)]), [Some(true), Some(false)]);

        let pool: [u8; 20] = chain.site().places.pool.into();
        let at = |address| ChainClaim::Address { address };
        assert_eq!(says(&mut chain, vec![at(pool), at(who.0), at([0x77; 20])]), [Some(true), Some(true), Some(false)]);
        let coin = u128::try_from(chain.balance(who.0.into()).unwrap()).unwrap();
        let holds = |address, least| ChainClaim::Balance { address, least };
        let claims = vec![holds(who.0, coin), holds(who.0, coin + 1), holds([0x77; 20], 0), holds([0x77; 20], 1)];
        assert_eq!(says(&mut chain, claims), [Some(true), Some(false), Some(true), Some(false)]);
    }
}

#[test]
fn somebodys_node_says_what_is_so_and_nobody_says_what_it_does_not_know() {
    if anvil::is_missing() {
        return;
    }
    for usdc_is_token0 in [true, false] {
        let mut golem = Golem::new(Town::new(usdc_is_token0));
        golem.venue.begin_turn();
        let before = price(&mut golem.venue, usdc_is_token0);
        let preview = bounded(&mut golem, 5_000, 500);
        let receipt = golem.settle(&preview);
        let block = receipt.point.expect("a place").block;
        golem.venue.begin_turn();
        let after = price(&mut golem.venue, usdc_is_token0);
        let said = |block, micro_usdc| ChainClaim::Price { block, micro_usdc };
        // The head itself, then the same block once it is past.
        for _ in 0..2 {
            golem.venue.begin_turn();
            let claims =
                vec![said(block, after), said(block, after * 2), said(block - 1, before), said(block + 500, after)];
            assert_eq!(says(&mut golem.venue, claims), [Some(true), Some(false), Some(true), None]);
            golem.town.anvil.mine(3);
        }
        let told = golem.town.anvil.call("eth_getBlockByNumber", json!([format!("{block:#x}"), false]));
        let hash: alloy_primitives::B256 = told["transactions"][0].as_str().unwrap().parse().unwrap();
        let mut other = hash.0;
        other[0] ^= 1;
        golem.venue.begin_turn();
        let there = |hash| ChainClaim::Transaction { hash };
        assert_eq!(says(&mut golem.venue, vec![there(hash.0), there(other)]), [Some(true), Some(false)]);
        let who: [u8; 20] = golem.who.into();
        let pool: [u8; 20] = golem.venue.places().pool.into();
        let at = |address| ChainClaim::Address { address };
        assert_eq!(
            says(&mut golem.venue, vec![at(who), at(pool), at([0x77; 20])]),
            [Some(true), Some(true), Some(false)]
        );
        let coin = golem.town.anvil.number("eth_getBalance", json!([golem.who, "latest"]));
        let holds = |address, least| ChainClaim::Balance { address, least };
        let claims = vec![holds(who, coin), holds(who, coin + 1), holds([0x77; 20], 0)];
        assert_eq!(says(&mut golem.venue, claims), [Some(true), Some(false), Some(true)]);
        // Whoever cannot be reached says nothing.
        golem.proxy.behave(|_, _| crate::kit::Behave::Cut);
        golem.venue.begin_turn();
        assert_eq!(says(&mut golem.venue, vec![at(who), there(hash.0)]), [None, None]);
    }
}
