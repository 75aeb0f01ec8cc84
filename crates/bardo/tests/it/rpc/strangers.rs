//! Strangers and a golem's worth: what they put into its account is told and changes nothing; what leaves it closes opening.

use crate::rpc::node::anvil;
use crate::rpc::stage::{Node, Stage};
use golem_core::intent::Asset;
use serde_json::Value;

/// What a golem is worth and holds, by its status.
fn worth(stage: &Stage) -> (u64, Value) {
    let status = stage.home.json(&["golem", "status", "ada"]);
    (status["balance_micro_usdc"].as_u64().unwrap_or_else(|| panic!("{status:#}")), status["exposure"].clone())
}

#[test]
fn gifts_are_told_and_move_nothing() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::new(Node::anvil(true));
    let town = stage.town();
    stage.live(10);
    let trades = stage.trades();
    assert!(trades >= 3);
    let (before, _) = worth(&stage);
    for _ in 0..17 {
        town.give_position(stage.who, (180_000, 220_000), 0.01);
    }
    town.give_asset(stage.who, 40 * Asset::WHOLE);
    town.give_dollars(stage.who, 100_000);
    stage.live(9);
    // Eighty thousand dollars of the asset, and a hundred thousand beside: a few cents of gas and rent is all that moved.
    let (after, _) = worth(&stage);
    assert!(before.abs_diff(after) < before / 500, "{before} and {after}");
    assert!(stage.trades() > trades, "it goes on as before");
    assert_eq!(stage.facts("chain.books_differ"), Vec::<Value>::new());
    let told = stage.facts("chain.gift");
    let last = told.last().expect("a gift is a fact");
    assert_eq!(last["positions"], 17, "{last}");
    assert_eq!(
        last["asset"].as_str().map(str::to_owned).unwrap_or_else(|| last["asset"].to_string()),
        (40 * Asset::WHOLE).to_string()
    );
    assert_eq!(last["amount_micro_usdc"], 100_000_000_000u64, "{last}");
    assert!(told.len() <= 2, "told when it changes, and no more: {told:?}");
    assert!(stage.home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
}

#[test]
fn what_left_the_account_closes_opening_until_it_is_back() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::new(Node::anvil(false));
    let town = stage.town();
    stage.live(10);
    let (trades, [_, asset]) = (stage.trades(), town.holdings(stage.who));
    assert!(trades >= 3 && asset > 0);
    town.take_asset(stage.who, town.site.market, asset / 2);
    stage.live(9);
    assert_eq!(stage.trades(), trades, "nothing is opened while the books differ");
    assert_eq!(stage.facts("chain.books_differ").len(), 1);
    town.give_asset(stage.who, asset / 2);
    stage.live(9);
    assert!(stage.trades() > trades, "what is explained is behind it");
    assert_eq!(stage.facts("chain.books_agree").len(), 1);
}

#[test]
fn dollars_that_left_the_account_close_opening_until_they_are_back() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::new(Node::anvil(true));
    let town = stage.town();
    stage.live(10);
    let trades = stage.trades();
    assert!(trades >= 3);
    town.take_dollars(stage.who, town.site.market, 1_000);
    stage.live(9);
    assert_eq!(stage.trades(), trades, "nothing is opened while the books differ");
    let told = stage.facts("chain.books_differ");
    assert_eq!(told.len(), 1, "{told:?}");
    let (books, there) = (&told[0]["amount_micro_usdc"], &told[0]["chain"]["usdc"]);
    assert_eq!(books.as_u64().unwrap() - there.as_u64().unwrap(), 1_000_000_000, "{told:?}");
    town.give_dollars(stage.who, 1_000);
    stage.live(9);
    assert!(stage.trades() > trades, "what is explained is behind it");
    assert_eq!(stage.facts("chain.books_agree").len(), 1);
    // Fed before the owner has sent: the books say more than is there, until it arrives.
    let trades = stage.trades();
    stage.home.ok(&["golem", "feed", "ada", "--usdc", "500"]);
    stage.live(9);
    assert_eq!((stage.trades(), stage.facts("chain.books_differ").len()), (trades, 2));
    town.give_dollars(stage.who, 500);
    stage.live(9);
    assert!(stage.trades() > trades && stage.facts("chain.books_agree").len() == 2);
    // What was fed and not yet noticed is no gift either way.
    assert!(stage.home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
}
