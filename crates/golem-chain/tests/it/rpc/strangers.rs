//! Strangers put tokens and positions into a golem's account: nothing of it counts, and nothing of its own is hidden by it.

use crate::kit::{Behave, Town, anvil};
use crate::rpc::golem::{Golem, bounded};
use alloy_primitives::{Address, U256};
use golem_core::intent::{Asset, Intent, Outcome, Refusal};
use golem_core::venue::Gifts;
use golem_core::{Book, Usdc};
use golem_venue::Venue;
use golem_wallet::abi::NonfungiblePositionManager as Positions;
use serde_json::json;

/// Ranges far above the price and around it, in either order of tokens: the first takes no part in trading.
fn ranges(usdc_is_token0: bool) -> [(i32, i32); 2] {
    let at = if usdc_is_token0 { 200_310 } else { -200_310 };
    [(at + 40_000, at + 50_000), (at - 20_000, at + 20_000)]
}

fn book(golem: &mut Golem) -> Book {
    golem.venue.begin_turn();
    let who = golem.account();
    golem.venue.book(who).expect("a book")
}

fn gifts(golem: &mut Golem) -> Gifts {
    // What pays for gas is its own.
    Gifts { coin: Asset::ZERO, ..golem.venue.gifts().expect("gifts").0 }
}

/// A golem with some of the asset and a position of its own.
fn invested(golem: &mut Golem) -> u64 {
    let preview = bounded(golem, 2_000, 50);
    let bought = golem.settle(&preview);
    assert!(matches!(bought.outcome, Outcome::Bought { .. }), "{bought:?}");
    let add = golem.preview(Intent::Add {
        pay: Usdc::whole(900),
        give: Asset(4 * Asset::WHOLE / 10),
        width_bps: 1_000,
        tolerance_bps: 100,
    });
    let receipt = golem.settle(&add);
    receipt.after.and_then(|after| after.position).expect("a position").id
}

#[test]
fn no_gift_of_tokens_or_positions_counts_and_no_dust_hides_what_is_owned() {
    if anvil::is_missing() {
        return;
    }
    for order in [true, false] {
        let mut golem = Golem::new(Town::new(order));
        let ([far, around], who) = (ranges(order), golem.who);
        // More than anybody looks through, and before its own.
        for _ in 0..17 {
            golem.town.give_position(who, around, 0.01);
        }
        assert_eq!(book(&mut golem).position, None, "what it never opened is not its own");
        let own = invested(&mut golem);
        let before = book(&mut golem);
        assert_eq!(before.position.map(|p| p.id), Some(own));
        assert_eq!(gifts(&mut golem), Gifts { positions: 17, ..Gifts::default() });

        golem.town.give_asset(who, 3 * Asset::WHOLE);
        golem.town.give_dollars(who, 5_000);
        golem.town.give_position(who, far, 700.0);
        golem.town.add_to_position(own, 0.01);
        let told = {
            let after = book(&mut golem);
            assert_eq!((after.asset, after.position.map(|p| (p.id, p.range, p.liquidity))), {
                (before.asset, before.position.map(|p| (p.id, p.range, p.liquidity)))
            });
            let (was, is) = (before.worth, after.worth);
            assert_eq!((was.position, was.exposure), (is.position, is.exposure));
            // A cent more of liquidity in the pool makes a sale better by no more than that.
            assert!(is.unwound.0.abs_diff(was.unwound.0) <= 10, "{was:?} and {is:?}");
            gifts(&mut golem)
        };
        assert_eq!((told.asset, told.positions), (Asset(3 * Asset::WHOLE), 18));
        assert!(told.liquidity > 0);
        // Only the record is left, and says the same.
        golem.restart();
        assert_eq!((book(&mut golem).asset, gifts(&mut golem)), (before.asset, told));
        leaves_with_its_own(&mut golem, own, &before);
    }
}

/// It takes out and sells what it owns, to the unit, and leaves behind what it was given.
fn leaves_with_its_own(golem: &mut Golem, own: u64, before: &Book) {
    let owned = before.position.expect("a position").liquidity;
    let remove = golem.preview(Intent::Remove { share_bps: 10_000, tolerance_bps: 100 });
    let receipt = golem.act(&remove).expect("a receipt");
    assert_eq!(receipt.outcome, remove.outcome);
    assert!(matches!(receipt.outcome, Outcome::Removed { liquidity, .. } if liquidity == owned), "{receipt:?}");
    assert_eq!(receipt.after.and_then(|after| after.position), None);
    let owner = golem.town.read(golem.town.site.places.positions, &Positions::ownerOfCall { tokenId: U256::from(own) });
    assert_eq!(Address::from_word(owner.into()), golem.who, "what a stranger added stays where it is");
    let give = book(golem).asset;
    assert_eq!(
        golem.preview(Intent::Sell { give: give.plus(Asset(1)), min_out: Usdc(1) }).refusal(),
        Some(Refusal::Funds)
    );
    let sell = golem.preview(Intent::Sell { give, min_out: Usdc::whole(1) });
    let least = match sell.outcome {
        Outcome::Sold { got, .. } => Usdc(got.0 - got.0 / 100),
        other => panic!("{other:?}"),
    };
    let sell = golem.preview(Intent::Sell { give, min_out: least });
    golem.act(&sell).expect("a receipt");
    assert_eq!(book(golem).asset, Asset::ZERO);
    assert_eq!(golem.town.holdings(golem.who)[1], 3 * Asset::WHOLE, "the gift is still there");
    // And opens another, with another number.
    let again = invested(golem);
    assert_ne!(again, own);
}

#[test]
fn what_is_missing_is_missing_whatever_else_there_is() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let preview = bounded(&mut golem, 2_000, 50);
    golem.settle(&preview);
    let had = book(&mut golem).asset;
    let (who, market) = (golem.who, golem.town.site.market);
    golem.town.take_asset(who, market, had.0 / 2);
    let left = Asset(had.0 - had.0 / 2);
    assert_eq!(book(&mut golem).asset, left);
    golem.town.give_asset(who, had.0);
    assert_eq!((book(&mut golem).asset, gifts(&mut golem).asset), (had, left));
}

#[test]
fn dust_that_comes_between_preview_and_sending_does_not_keep_a_position_open() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let own = invested(&mut golem);
    let owned = book(&mut golem).position.expect("a position").liquidity;
    let remove = golem.preview(Intent::Remove { share_bps: 10_000, tolerance_bps: 100 });
    golem.town.add_to_position(own, 0.01);
    golem.venue.begin_turn();
    let receipt = golem.act(&remove).expect("a receipt");
    assert!(matches!(receipt.outcome, Outcome::Removed { liquidity, .. } if liquidity == owned), "{receipt:?}");
    assert_eq!(book(&mut golem).position, None);
}

#[test]
fn dust_in_front_of_every_removal_makes_one_of_them_revert_and_no_more() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(false));
    let own = invested(&mut golem);
    let owned = book(&mut golem).position.expect("a position").liquidity;
    // Somebody sees every transaction before it is mined, and is faster.
    let (node, dust) = (golem.town.anvil.address.clone(), golem.town.dust(own));
    golem.proxy.behave(move |method, _| {
        if method == "eth_sendRawTransaction" {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendTransaction", "params": [dust] });
            crate::kit::http::post(&node, &body.to_string()).expect("the stranger's transaction");
        }
        Behave::Pass
    });
    let mut told = Vec::new();
    for _ in 0..2 {
        let remove = golem.preview(Intent::Remove { share_bps: 10_000, tolerance_bps: 100 });
        told.push(golem.act(&remove).expect("a receipt").outcome);
    }
    assert_eq!(told[0], Outcome::Refused { why: Refusal::Reverted }, "its deed could not be taken back");
    assert!(matches!(told[1], Outcome::Removed { liquidity, .. } if liquidity == owned), "{told:?}");
    assert_eq!(book(&mut golem).position, None);
    assert!(gifts(&mut golem).positions > 0, "what the stranger added is left behind, with its deed");
}
