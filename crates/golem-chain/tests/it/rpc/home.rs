//! Money goes home over a real node: signed, once, to one address; what was killed, stopped or reorganised on the way is found
//! out about as with every other act.

use crate::kit::{Town, anvil};
use crate::rpc::golem::{Golem, bounded, way};
use alloy_primitives::{Address, U256};
use golem_cage::GoingLeave;
use golem_chain::rpc::Recalled;
use golem_core::intent::{Asset, Intent, Outcome, Refusal};
use golem_core::{HomeSum, Usdc};
use golem_venue::{Account, Venue, VenueError};
use serde_json::json;

fn home() -> Address {
    way().address().bytes().into()
}

fn all() -> GoingLeave {
    GoingLeave { usdc: Usdc(u64::MAX), asset: Asset(u128::MAX), coin: Asset(u128::MAX), unwrap: Asset(u128::MAX) }
}

fn sum(golem: &Golem) -> [u128; 2] {
    let (own, home) = (golem.town.holdings(golem.who), golem.town.holdings(home()));
    [own[0] + home[0], own[1] + home[1]]
}

#[test]
fn both_tokens_go_home_to_the_unit_and_once() {
    if anvil::is_missing() {
        return;
    }
    for usdc_is_token0 in [true, false] {
        let mut golem = Golem::new(Town::new(usdc_is_token0));
        let bought = bounded(&mut golem, 1_000, 50);
        golem.settle(&bought);
        golem.leave = all();
        let [usdc, asset] = golem.town.holdings(golem.who);
        let before = sum(&golem);
        for (n, what) in [HomeSum::Asset(Asset(asset)), HomeSum::Usdc(Usdc(usdc as u64))].into_iter().enumerate() {
            let preview = golem.preview(Intent::Home { sum: what });
            assert_eq!((preview.outcome, preview.refusal()), (Outcome::SentHome { sum: what }, None), "{preview:?}");
            let receipt = golem.settle(&preview);
            assert_eq!(receipt.outcome, preview.outcome);
            assert!(receipt.gas.used > 21_000 && receipt.gas.used < 80_000, "{:?}", receipt.gas);
            let key = golem.key();
            golem.restart();
            golem.venue.begin_turn();
            let again = golem.venue.recall(key, &preview).unwrap();
            assert!(matches!(&again, Recalled::Settled(r) if r.outcome == receipt.outcome), "{n}: {again:?}");
        }
        assert_eq!(golem.town.holdings(golem.who), [0, 0]);
        assert_eq!((golem.town.holdings(home()), sum(&golem)), ([usdc, asset], before), "nothing is lost on the way");
        let none = golem.preview(Intent::Home { sum: HomeSum::Usdc(Usdc(1)) });
        assert_eq!(none.refusal(), Some(Refusal::Funds), "there is no more");
        assert!(golem.venue.take_odd().is_empty(), "an honest transfer is nothing odd");
    }
}

#[test]
fn more_than_there_is_is_not_sent_and_what_was_unwrapped_is_coin() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let bought = bounded(&mut golem, 1_000, 50);
    golem.settle(&bought);
    golem.leave = all();
    let [usdc, asset] = golem.town.holdings(golem.who);
    for what in [HomeSum::Usdc(Usdc(usdc as u64 + 1)), HomeSum::Asset(Asset(asset + 1)), HomeSum::Usdc(Usdc(0))] {
        let preview = golem.preview(Intent::Home { sum: what });
        assert_eq!(preview.refusal(), Some(Refusal::Funds), "{what:?}");
    }
    let coin = |golem: &Golem| -> U256 {
        let said = golem.town.anvil.call("eth_getBalance", json!([golem.who, "latest"]));
        said.as_str().expect("a number").parse().expect("a number")
    };
    let (before, give) = (coin(&golem), Asset(asset / 2));
    let unwrap = golem.preview(Intent::Unwrap { give });
    assert_eq!(unwrap.outcome, Outcome::Unwrapped { gave: give });
    let receipt = golem.settle(&unwrap);
    assert_eq!(receipt.outcome, unwrap.outcome);
    assert!(coin(&golem) > before, "what was wrapped pays for gas now");
    assert!(golem.venue.take_odd().is_empty());
    // And what is left of it goes home, too.
    let there = coin(&golem);
    let half = Asset((there / U256::from(2)).to());
    for (wei, why) in [(Asset(there.to::<u128>() + 1), Refusal::Funds), (Asset(0), Refusal::Funds)] {
        assert_eq!(golem.preview(Intent::Home { sum: HomeSum::Coin(wei) }).refusal(), Some(why), "{wei}");
    }
    let preview = golem.preview(Intent::Home { sum: HomeSum::Coin(half) });
    let receipt = golem.settle(&preview);
    assert_eq!(receipt.outcome, Outcome::SentHome { sum: HomeSum::Coin(half) }, "{preview:?}");
    let said = golem.town.anvil.call("eth_getBalance", json!([home(), "latest"]));
    assert_eq!(said.as_str().expect("a number").parse::<U256>().expect("a number"), U256::from(half.0));
    let key = golem.key();
    golem.restart();
    golem.venue.begin_turn();
    let again = golem.venue.recall(key, &preview);
    assert!(matches!(&again, Ok(Recalled::Settled(r)) if r.outcome == receipt.outcome), "{again:?}");
}

#[test]
fn a_transfer_that_a_reorganisation_took_back_lands_again_or_is_known_not_to_have() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    golem.leave = all();
    let preview = golem.preview(Intent::Home { sum: HomeSum::Usdc(Usdc::whole(100)) });
    let receipt = golem.settle(&preview);
    assert!(receipt.was_done());
    let key = golem.key();
    golem.town.anvil.call("anvil_reorg", json!([1, []]));
    assert_eq!(golem.town.holdings(home())[0], 0, "it is gone");
    for _ in 0..10 {
        golem.venue.begin_turn();
        let _seen = golem.venue.poll();
        golem.town.anvil.mine(1);
        golem.venue.begin_turn();
        match golem.venue.recall(key, &preview) {
            Ok(Recalled::Settled(again)) if again.was_done() => {
                assert_eq!(golem.town.holdings(home())[0], Usdc::whole(100).0.into(), "byte for byte, once");
                return;
            }
            Ok(_) | Err(VenueError::Unreachable(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
    panic!("it never landed again");
}

#[test]
fn without_the_signer_s_word_nothing_is_sent_whatever_the_venue_is_told() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    golem.leave = all();
    golem.venue.begin_turn();
    let before = golem.town.holdings(golem.who);
    // No permit, no key: the venue itself sends nothing.
    let done = golem.venue.send_home(Account(golem.who.into()), way(), HomeSum::Usdc(Usdc(1)));
    assert!(done.is_err(), "{done:?}");
    assert_eq!((golem.town.holdings(golem.who), golem.town.holdings(home())[0]), (before, 0));
}
