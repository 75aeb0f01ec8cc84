//! The first block: everything stands where it should, whatever the token order.

use super::common::{chain, contracts, genesis};
use golem_chain::embedded::{EmbeddedChain, EmbeddedConfig, site};
use golem_core::Point;
use golem_venue::{PaperVenue, Venue};

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
