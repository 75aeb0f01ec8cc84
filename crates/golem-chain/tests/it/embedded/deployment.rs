//! The first block: everything stands where it should, whatever the token order.

use super::common::{account, chain, contracts, genesis};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig, site};
use golem_core::{Action, Asset, Point, Usdc};
use golem_venue::{PaperVenue, Venue};
use golem_wallet::RouterKind;

#[test]
fn a_chain_begins_like_paper_in_both_token_orders() {
    for usdc_is_token0 in [true, false] {
        let Some(mut chain) = chain(usdc_is_token0) else { return };
        let mut paper = PaperVenue::genesis(&genesis(usdc_is_token0)).unwrap();
        let (ours, theirs) = (chain.view().unwrap(), paper.view().unwrap());
        assert_eq!(ours.usdc_is_token0, usdc_is_token0);
        assert_eq!(ours.point, Point { block: 1, index: 0 });
        assert_eq!((ours.point, ours.timestamp, ours.base_fee), (theirs.point, theirs.timestamp, theirs.base_fee));
        assert_eq!((ours.pool, ours.fee_growth), (theirs.pool, theirs.fee_growth));
        let (ours, theirs) = (chain.whole_pool().unwrap(), paper.pool().clone());
        assert_eq!(ours.ticks().collect::<Vec<_>>(), theirs.ticks().collect::<Vec<_>>());
        assert_eq!(ours.held(), theirs.held());
    }
}

/// The kind of the router is kept beside the chain: what wrote nothing of it has the first one.
#[test]
fn a_chain_with_the_second_router_is_resumed_with_it() {
    let Some(contracts) = contracts() else { return };
    let dir = tempfile::tempdir().unwrap();
    for (name, router) in [("first", RouterKind::V1), ("second", RouterKind::V2)] {
        let path = dir.path().join(name);
        let config = EmbeddedConfig { router, ..EmbeddedConfig::new(genesis(true)) };
        let mut chain = EmbeddedChain::open(&path, contracts, &config).unwrap();
        chain.fund_to(account(1), Usdc::whole(1_000)).unwrap();
        chain.commit().unwrap();
        drop(chain);
        let mut again = EmbeddedChain::resume(&path).unwrap();
        assert_eq!(again.site().places.router_kind, router);
        let buy = Action::Buy { pay: Usdc::whole(10), min_out: Asset(1) };
        let done = again.execute(account(1), &buy).unwrap();
        assert_eq!((done.refused, done.usdc), (None, -10_000_000), "{router:?}");
        let other = EmbeddedConfig { router: if name == "first" { RouterKind::V2 } else { RouterKind::V1 }, ..config };
        drop(again);
        assert!(EmbeddedChain::open(&path, contracts, &other).is_err(), "it begins otherwise");
    }
}

#[test]
fn the_same_beginning_is_the_same_chain() {
    let Some(contracts) = contracts() else { return };
    let mut digests = Vec::new();
    for usdc_is_token0 in [true, true, false] {
        let config = EmbeddedConfig::new(genesis(usdc_is_token0));
        let mut chain = EmbeddedChain::open_in_memory(contracts, &config).unwrap();
        assert_eq!(chain.site(), &site(usdc_is_token0));
        digests.push((chain.digest().unwrap(), chain.genesis_hash()));
    }
    assert_eq!(digests[0], digests[1]);
    assert_ne!(digests[1], digests[2]);
}
