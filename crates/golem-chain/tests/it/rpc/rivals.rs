//! Somebody trades before us: the result stays within the minimum, or nothing happens.

use crate::kit::{Behave, Town, anvil};
use crate::rpc::golem::{Golem, bounded};
use alloy_primitives::U256;
use golem_core::intent::{Asset, Intent, Outcome, Refusal};
use golem_core::{Action, OutcomeVerification, Tick, Usdc};
use serde_json::{Value, json};

#[test]
fn a_rival_before_us_changes_the_result_within_the_minimum_or_stops_it() {
    if anvil::is_missing() {
        return;
    }
    for (dollars, refused) in [(200u64, false), (40_000, true)] {
        let mut golem = Golem::new(Town::new(true));
        let preview = bounded(&mut golem, 1_000, 50);
        // The second transaction is the swap; just before it arrives, somebody buys.
        let (node, maker, market) = (golem.town.anvil.address.clone(), golem.town.site.maker, golem.town.site.market);
        let data = golem.town.swap(true, U256::from(dollars) * U256::from(1_000_000));
        let mut seen = 0;
        golem.proxy.behave(move |method, _| {
            seen += i32::from(method == "eth_sendRawTransaction");
            if method == "eth_sendRawTransaction" && seen == 2 {
                let tx = json!([{ "from": market, "to": maker, "data": data, "gas": "0x1c00000" }]);
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendTransaction", "params": tx });
                crate::kit::http::post(&node, &body.to_string()).expect("the rival's transaction");
            }
            Behave::Pass
        });
        let receipt = golem.settle(&preview);
        let held = OutcomeVerification::of(Tick(1), 0, &preview, &receipt);
        let Intent::Buy { min_out, .. } = preview.intent else { panic!() };
        match receipt.outcome {
            Outcome::Bought { got, .. } => {
                assert!(!refused && got >= min_out);
                let off = held.deviations.balance_change_bps.asset.expect("a deviation");
                assert!((-50..0).contains(&off), "{off}");
            }
            Outcome::Refused { why } => {
                assert!(refused);
                assert_eq!(why, Refusal::Slippage);
                assert!(receipt.gas.used > 100_000, "approval, the swap that failed, and taking the approval back");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_sandwich_in_the_same_block_meets_the_minimum() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(false));
    let preview = bounded(&mut golem, 1_000, 50);
    let (node, maker, market) = (golem.town.anvil.address.clone(), golem.town.site.maker, golem.town.site.market);
    let front = golem.town.swap(true, U256::from(40_000_000_000u64));
    let mut seen = 0;
    golem.proxy.behave(move |method, _| {
        seen += i32::from(method == "eth_sendRawTransaction");
        if method == "eth_sendRawTransaction" && seen == 2 {
            let ask = |method: &str, params: Value| {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
                crate::kit::http::post(&node, &body.to_string()).expect("an answer");
            };
            ask("evm_setAutomine", json!([false]));
            let first = json!([{ "from": market, "to": maker, "data": front, "gas": "0x1c00000",
                "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x174876e800" }]);
            ask("eth_sendTransaction", first);
            ask("evm_setIntervalMining", json!([1]));
        }
        Behave::Pass
    });
    let receipt = golem.settle(&preview);
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Slippage });
    let point = receipt.point.expect("a point");
    // The swap itself stands second in its block, behind the one that spoilt it.
    assert!(golem.town.anvil.height() > point.block);
}

#[test]
fn a_position_that_is_moved_takes_what_came_out_of_it_although_a_rival_made_that_less() {
    if anvil::is_missing() {
        return;
    }
    for (usdc_is_token0, rival_buys) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut golem = Golem::new(Town::new(usdc_is_token0));
        let bought = bounded(&mut golem, 4_000, 50);
        golem.settle(&bought);
        let add = Intent::Add { pay: Usdc::whole(2_000), give: Asset(Asset::WHOLE), width_bps: 800, tolerance_bps: 50 };
        let added = golem.preview(add);
        golem.settle(&added);
        let preview = golem.preview(Intent::Rebalance { width_bps: 500, tolerance_bps: 100 });
        let (Outcome::Moved { got: foreseen, got_asset: foreseen_asset, .. }, [_, Action::Mint { pay, give, .. }]) =
            (preview.outcome, &preview.actions[..])
        else {
            panic!("{preview:?}")
        };
        // Just before the position is closed, somebody moves the price, so that less of one token comes out.
        let (node, maker, market) = (golem.town.anvil.address.clone(), golem.town.site.maker, golem.town.site.market);
        let amount = if rival_buys { U256::from(2_000_000_000u64) } else { U256::from(Asset::WHOLE) };
        let data = golem.town.swap(rival_buys, amount);
        let mut seen = 0;
        golem.proxy.behave(move |method, _| {
            seen += i32::from(method == "eth_sendRawTransaction");
            if method == "eth_sendRawTransaction" && seen == 1 {
                let tx = json!([{ "from": market, "to": maker, "data": data, "gas": "0x1c00000" }]);
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendTransaction", "params": tx });
                crate::kit::http::post(&node, &body.to_string()).expect("the rival's transaction");
            }
            Behave::Pass
        });
        let before = golem.town.holdings(golem.who);
        let receipt = golem.settle(&preview);
        let Outcome::Moved { got, got_asset, paid, gave, liquidity, .. } = receipt.outcome else {
            panic!("{usdc_is_token0} {rival_buys}: {receipt:?}")
        };
        assert!(got < foreseen || got_asset < foreseen_asset, "the rival made a difference");
        assert!(liquidity > 0 && paid <= got && gave <= got_asset, "nothing of the account's own went in: {receipt:?}");
        assert!(paid <= *pay && gave <= *give, "never more than was permitted: {receipt:?}");
        let after = golem.town.holdings(golem.who);
        assert!(after[0] >= before[0] && after[1] >= before[1]);
    }
}
