//! A whole golem on a node's chain: the real binary with a real wallet against a real node, killed and stopped in
//! between. At the end its books are the chain's, to the unit.

#[path = "../../../golem-chain/tests/it/kit/mod.rs"]
#[allow(unused_imports, reason = "a part of the kit is used")]
pub(crate) mod node;

use crate::kit;

mod books;
mod dressed;
mod homecoming;
mod killed;
mod record;
mod secrets;
pub(crate) mod stage;
mod strangers;

use alloy_primitives::U256;
use kit::count;
use node::{Town, anvil};
use serde_json::{Value, json};
use stage::{Node, Stage};
use std::time::Duration;

#[test]
fn killed_and_stopped_again_and_again_its_books_equal_the_chain() {
    if anvil::is_missing() {
        return;
    }
    for node in [Node::anvil(true), Node::anvil(false), Node::served()] {
        let stage = Stage::new(node);
        stage.live(10);
        assert!(stage.trades() >= 3, "a life without trades proves nothing");
        stage.agrees();
        for n in 0..count(6, 100) as u64 {
            let mut child = stage.start();
            std::thread::sleep(Duration::from_millis(1_400 + (n * 7_919) % 1_500));
            if n % 3 == 2 {
                let told = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
                assert!(told.success());
                assert_eq!(child.wait().unwrap().code(), Some(0), "a request to stop is followed");
            } else {
                child.kill().unwrap();
                child.wait().unwrap();
            }
        }
        let before = stage.trades();
        stage.live(10);
        assert!(stage.trades() > before);
        stage.agrees();
        assert!(stage.home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
    }
}

#[test]
fn a_reorganisation_while_it_was_stopped_is_unwound_in_the_first_turn() {
    if anvil::is_missing() {
        return;
    }
    // Seen soon, or only after more blocks than are watched; and once with a rival who leaves no room for it.
    for (blocks_later, rival, lands) in
        [(0, 200_000_000u64, true), (100, 200_000_000, true), (0, 40_000_000_000, false)]
    {
        let stage = Stage::new(Node::anvil(true));
        let town = stage.town();
        stage.live_until_it_traded();
        let before = books::said(&stage.dir);
        let balance = town.holdings(stage.who);
        // The block of the purchase goes, and in its place somebody else buys first.
        town.anvil.call("anvil_reorg", json!([1, []]));
        assert_ne!(town.holdings(stage.who), balance, "{:#?}", stage.facts("action.outcome"));
        let swap = town.swap(true, U256::from(rival));
        town.as_market(Some(town.site.maker), &swap, U256::ZERO);
        town.anvil.mine(blocks_later);
        stage.live(1);
        let told = stage.facts("chain.reorged");
        assert_eq!(told.len(), 1, "{told:?}");
        stage.agrees();
        let after = books::said(&stage.dir);
        assert_ne!(before, after, "the same purchase brings something else now");
        assert_eq!(before.usdc == after.usdc, lands, "paid again, or not at all: {before:?} {after:?}");
        assert!(town.allowances(stage.who).iter().all(U256::is_zero), "nothing is allowed to anybody any more");
        stage.live(1);
        assert_eq!(stage.facts("chain.reorged").len(), 1, "told once");
        stage.agrees();
    }
}

#[test]
fn a_pushed_pool_is_not_traded_with_until_it_is_back() {
    if anvil::is_missing() {
        return;
    }
    for buy in [true, false] {
        let stage = Stage::new(Node::anvil(buy));
        stage.live(12);
        let (town, before) = (stage.town(), pool_price(&stage));
        let trades = stage.trades();
        assert!(trades >= 3);
        // A hundred and fifty thousand dollars move this pool by seven per cent.
        let amount = if buy { U256::from(150_000_000_000u64) } else { U256::from(75u64) * U256::from(10u64.pow(18)) };
        push(town, buy, amount);
        let held = town.holdings(stage.who);
        stage.live(9);
        let outcomes = stage.facts("action.outcome");
        assert_eq!(stage.trades(), trades, "nothing is traded at a price that nobody else has: {outcomes:#?}");
        assert_eq!(town.holdings(stage.who), held, "nothing leaves");
        let denied = stage.facts("cage.denied");
        assert!(denied.iter().any(|fact| fact.to_string().contains("off_reference")), "{denied:?}");
        // And back.
        let pushed = pool_price(&stage);
        assert!((pushed / before - 1.0).abs() > 0.05, "{before} and {pushed}");
        let back =
            if buy { U256::from(before_asset(150_000.0, before, pushed)) } else { U256::from(150_000_000_000u64) };
        push(town, !buy, back);
        town.anvil.mine(1);
        stage.live(9);
        assert!(stage.trades() > trades, "life goes on");
        stage.agrees();
    }
}

/// What has to be sold to undo a purchase, about: the dollars at the mean of both prices.
fn before_asset(dollars: f64, before: f64, pushed: f64) -> u128 {
    (dollars / (before * pushed).sqrt() * 1e18) as u128
}

fn pool_price(stage: &Stage) -> f64 {
    stage.live(1);
    stage.home.json(&["golem", "status", "ada"])["price"].as_f64().unwrap()
}

fn push(town: &Town, buy: bool, amount: U256) {
    let swap = town.swap(buy, amount);
    town.as_market(Some(town.site.maker), &swap, U256::ZERO);
}

#[test]
fn what_is_wrong_is_said_before_the_first_turn() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::unfunded(Node::anvil(true));
    let run = |extra: &[&str]| stage.home.bardo(&[&["golem", "run", "ada", "--ticks", "1"], extra].concat());
    let pass = stage.passphrase.display().to_string();
    for _ in 0..2 {
        let said = run(&["--passphrase-file", &pass]);
        assert!(said.code == 2 && said.err.contains("holds 0.00 USDC") && said.err.contains("hint: "), "{said:?}");
    }
    let wrong = stage.home.path().join("wrong");
    stage::private(&wrong, "another\n");
    let said = run(&["--passphrase-file", &wrong.display().to_string()]);
    assert!(said.code == 2 && said.err.contains("does not open"), "{said:?}");
    // Settings that lack what such a chain needs make no golem.
    let said = stage.home.bardo(&["golem", "create", "bob", "--chain", "rpc", "--json"]);
    let told: Value = serde_json::from_str(said.err.trim()).unwrap_or_else(|_| said.out.parse().unwrap());
    assert!(said.code == 2 && told.to_string().contains("chain.rpc.urls"), "{said:?}");
    let settings = stage.home.path().join("settings.toml").display().to_string();
    let said = stage.home.bardo(&["golem", "create", "bob", "--config", &settings]);
    assert!(said.code == 2 && said.err.contains("one wallet, one golem"), "{said:?}");
    let said = stage.home.bardo(&["golem", "create", "bob", "--config", &settings, "--set", "chain.wallet=mian"]);
    assert!(said.code == 2 && said.err.contains("did you mean main?"), "{said:?}");
    assert_eq!(stage.home.json(&["golem", "list"]).as_array().unwrap().len(), 1);
    // Other code than was met first is refused by the gate.
    let town = stage.town();
    town.fund(stage.who, stage::DOLLARS);
    stage.live(3);
    let pool = town.site.places.pool;
    let mut code = town.anvil.call("eth_getCode", json!([pool, "latest"])).as_str().unwrap().to_owned();
    code.push_str("00");
    town.anvil.call("anvil_setCode", json!([pool, code]));
    town.anvil.mine(1);
    let said = run(&["--passphrase-file", &pass]);
    assert!(said.code == 3 && said.err.contains("not the chain it was"), "{said:?}");
}
