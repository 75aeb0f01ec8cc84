//! The reference on a node's chain: the mean that a golem reads is what the pool's own contract observes, to the tick.

use crate::kit::{Town, anvil};
use crate::rpc::nodes::{config, wall_ms};
use alloy_primitives::{Bytes, U256, hex};
use alloy_sol_types::SolCall;
use golem_chain::rpc::{RpcConfig, RpcVenue};
use golem_core::intent::Asset;
use golem_core::reference::REFERENCE_WINDOW_S;
use golem_venue::{MeanTick, Venue};
use golem_wallet::abi::UniswapV3Pool as Pool;
use serde_json::json;

/// What the contract itself says at the head: the mean tick since so many seconds, rounded down; nothing when it does not
/// remember that long.
fn observed(town: &Town, seconds: u32) -> Option<i32> {
    let data = hex::encode_prefixed(Pool::observeCall { secondsAgos: vec![seconds, 0] }.abi_encode());
    let said =
        town.anvil.try_call("eth_call", json!([{ "to": town.site.places.pool, "data": data }, "latest"])).ok()?;
    let said: Bytes = serde_json::from_value(said).expect("bytes");
    let said = Pool::observeCall::abi_decode_returns(&said).expect("two sums");
    let moved = said.tickCumulatives[1].as_i64() - said.tickCumulatives[0].as_i64();
    Some(i32::try_from(moved.div_euclid(i64::from(seconds))).expect("a tick"))
}

/// Somebody trades to and fro, with pauses of all lengths, and ends far from where it was most of the time.
fn trade(town: &Town) {
    let trades: [(bool, u128, u64); 9] = [
        (true, 3_000_000_000, 1),
        (true, 9_000_000_000, 40),
        (false, 2 * Asset::WHOLE, 7),
        (true, 500_000_000, 200),
        (false, 5 * Asset::WHOLE, 3),
        (false, 3 * Asset::WHOLE, 90),
        (true, 1_000_000_000, 1),
        (false, Asset::WHOLE / 3, 61),
        (false, 30 * Asset::WHOLE, 1),
    ];
    for (buy, amount, pause) in trades {
        town.as_market(Some(town.site.maker), &town.swap(buy, U256::from(amount)), U256::ZERO);
        town.age(pause);
    }
}

#[test]
fn the_mean_is_what_the_contract_observes() {
    if anvil::is_missing() {
        return;
    }
    for order in [true, false] {
        let town = Town::new(order);
        trade(&town);
        let settings =
            RpcConfig { addresses: town.addresses(), max_answer_bytes: 8 << 20, ..config(vec![town.anvil.url()]) };
        let mut venue = RpcVenue::open(&settings, Box::new(|| 0.5), Box::new(wall_ms)).expect("a venue");
        let windows = [1, 2, 13, 60, 61, 62, 150, 300, 404, REFERENCE_WINDOW_S];
        let read = windows.map(|seconds| venue.mean_tick(seconds).expect("a mean").expect("one"));
        let spot = venue.view().expect("a view").pool.tick;
        // The block that was looked at from within.
        town.anvil.mine(1);
        for (seconds, mean) in windows.into_iter().zip(read) {
            assert_eq!(observed(&town, mean.seconds), Some(mean.tick), "over {seconds} seconds");
            if mean.seconds < seconds {
                assert_eq!(seconds, REFERENCE_WINDOW_S, "it is not that old");
                assert_eq!(observed(&town, mean.seconds + 1), None, "as far back as the contract remembers");
            }
        }
        let MeanTick { tick, .. } = read[windows.len() - 1];
        assert!(tick.abs_diff(spot) > 5, "a mean of {tick} and a price of {spot} prove nothing");
        assert!(read.iter().map(|mean| mean.tick).collect::<std::collections::BTreeSet<_>>().len() > 4);
    }
}
