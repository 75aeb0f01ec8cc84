//! Tokens that do something else than they say.

use crate::kit::{Behave, Maker, Tokens, Town, anvil};
use crate::rpc::golem::{Golem, bounded, buy};
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use golem_chain::rpc::ReceiptOwned;
use golem_core::door::EffectKey;
use golem_core::intent::{Asset, Intent, Outcome};
use golem_core::{Tick, Usdc};
use serde_json::{Value, json};

#[test]
fn a_token_that_keeps_a_fee_is_noticed_and_what_arrives_is_what_counts() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::with(true, Tokens::Fee(100)));
    // It cannot be paid with: the pool counts what arrives.
    let preview = golem.preview(buy(1_000));
    assert!(preview.refusal().is_some(), "{preview:?}");
    let asset = golem.town.site.places.weth;
    let give = Asset(Asset::WHOLE / 2);
    let gift = golem_wallet::abi::Erc20::transferCall { to: golem.who, value: U256::from(give.0) }.abi_encode();
    wrap_and(&golem, asset, gift.into());
    // It was given, and counts as its own for once.
    let owned = ReceiptOwned { asset: i128::try_from(give.0).expect("fits"), ..ReceiptOwned::default() };
    golem.venue.hands().expect("hands").sender().record().own(EffectKey::new(Tick(0), 0), &owned).expect("a record");
    golem.restart();
    let sell = Intent::Sell { give, min_out: Usdc::whole(900) };
    let preview = golem.preview(sell);
    let Outcome::Sold { got, .. } = preview.outcome else { panic!("{preview:?}") };
    assert!(got < Usdc::whole(991), "a hundredth of it never arrives: {got}");
    let receipt = golem.settle(&preview);
    assert_eq!(receipt.outcome, preview.outcome);
    let odd = golem.venue.take_odd();
    assert_eq!(odd.len(), 1, "{odd:?}");
    assert_eq!(odd[0].token, golem.town.site.places.usdc);
    assert_eq!(odd[0].flow.real, i128::from(got.0));
    assert!(odd[0].flow.by_pool > odd[0].flow.real);
}

/// The market wraps ether, and does something with it.
fn wrap_and(golem: &Golem, asset: Address, data: Bytes) {
    let deposit = golem_wallet::abi::Weth9::depositCall {}.abi_encode().into();
    golem.town.as_market(Some(asset), &deposit, U256::from(Asset::WHOLE));
    golem.town.as_market(Some(asset), &data, U256::ZERO);
}

#[test]
fn a_token_whose_balances_move_by_themselves_is_noticed() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::with(false, Tokens::Rebasing));
    let preview = bounded(&mut golem, 1_000, 50);
    golem.settle(&preview);
    assert!(golem.venue.take_odd().is_empty(), "as long as it stays put it is a token like any other");
    let preview = bounded(&mut golem, 1_000, 50);
    // In the block of the swap, everybody's balance shrinks.
    let (node, asset, market) = (golem.town.anvil.address.clone(), golem.town.site.places.weth, golem.town.site.market);
    let rebase: Bytes = Maker::rebaseCall { scale: U256::from(999_999_999_999_999_999u64) }.abi_encode().into();
    let mut seen = 0;
    golem.proxy.behave(move |method, _| {
        seen += i32::from(method == "eth_sendRawTransaction");
        if method == "eth_sendRawTransaction" && seen == 2 {
            let ask = |method: &str, params: Value| {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
                crate::kit::http::post(&node, &body.to_string()).expect("an answer");
            };
            ask("evm_setAutomine", json!([false]));
            ask(
                "eth_sendTransaction",
                json!([{ "from": market, "to": asset, "data": rebase, "gas": "0x100000",
                "maxFeePerGas": "0x77359401", "maxPriorityFeePerGas": "0x1" }]),
            );
            ask("evm_setIntervalMining", json!([1]));
        }
        Behave::Pass
    });
    let before = golem.town.holdings(golem.who);
    let receipt = golem.act(&preview).expect("a receipt");
    golem.agrees(before, &receipt);
    let odd = golem.venue.take_odd();
    assert_eq!(odd.iter().map(|o| o.token).collect::<Vec<_>>(), [asset]);
    assert!(odd[0].flow.real < odd[0].flow.logged);
}
