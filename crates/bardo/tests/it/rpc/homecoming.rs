//! A golem on a real node dies, is killed while it does, and is withdrawn from: its money is at home, its books are the chain's.

use super::node::anvil;
use super::stage::{DOLLARS, HOME, Node, Stage};
use serde_json::Value;
use std::time::Duration;

fn micro(dollars: u64) -> i128 {
    i128::from(dollars) * 1_000_000
}

fn own(stage: &Stage) -> [u128; 2] {
    stage.town().holdings(stage.who)
}

#[test]
fn a_death_brings_everything_home_to_the_unit() {
    if anvil::is_missing() {
        return;
    }
    for usdc_first in [true, false] {
        let stage = Stage::new(Node::anvil(usdc_first));
        stage.live_until_it_traded();
        let said = stage.home.ok(&["golem", "kill", "ada", "--reason", "enough", "--yes"]);
        assert!(said.err.contains("with its wallet"), "{said:?}");
        stage.die();
        assert_eq!(own(&stage), [0, 0], "nothing is left in the account");
        let [usdc, asset] = stage.at_home();
        assert_eq!(asset, 0, "what it held was sold");
        assert!(usdc > micro(DOLLARS) - micro(DOLLARS / 50), "{usdc}");
        stage.agrees();
        let told = stage.facts("dying.home");
        let [report] = &told[..] else { panic!("{told:?}") };
        assert_eq!(report["to"], HOME.to_lowercase(), "{report}");
        assert_eq!(report["sent"].as_array().map(Vec::len), Some(2), "its USDC, then its coin: {report}");
        assert_eq!(report["sent"][0]["sum"]["usdc"].as_i64().map(i128::from), Some(usdc), "{report}");
        let coin: u128 = report["sent"][1]["sum"]["coin"].as_str().unwrap().parse().unwrap();
        assert!(coin > stage.ether / 2 && stage.number("eth_getBalance") < stage.ether / 10, "{coin}: {report}");
        let status = stage.home.json(&["golem", "status", "ada"]);
        assert_eq!(status["balance_micro_usdc"], 0, "{status:#}");
        let testament = stage.home.json(&["golem", "testament", "ada"]);
        assert!(testament.to_string().contains(&HOME.to_lowercase()), "{testament}");
        assert!(stage.home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
        let late = stage.home.bardo(&["golem", "withdraw", "ada", "all"]);
        assert!(late.code == 2 && late.err.contains("is dead"), "{late:?}");
    }
}

#[test]
fn killed_again_and_again_while_it_dies_its_money_goes_home_once() {
    if anvil::is_missing() {
        return;
    }
    for n in 0..super::kit::count(2, 30) as u64 {
        let stage = Stage::new(Node::anvil(n % 2 == 0));
        stage.live_until_it_traded();
        stage.home.ok(&["golem", "kill", "ada", "--reason", "enough", "--yes"]);
        for k in 0..12 {
            let mut child = stage.start();
            std::thread::sleep(Duration::from_millis(900 + (n * 7_919 + k * 1_543) % 1_100));
            child.kill().unwrap();
            child.wait().unwrap();
            if stage.standing() == "dead" {
                break;
            }
        }
        stage.die();
        assert_eq!(own(&stage), [0, 0]);
        assert!(stage.at_home()[0] > micro(DOLLARS) - micro(DOLLARS / 50), "{:?}", stage.at_home());
        stage.agrees();
        assert_eq!(stage.facts("dying.home").len(), 1);
        assert!(stage.home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
    }
}

#[test]
fn the_living_are_withdrawn_from_a_part_and_then_all() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::new(Node::anvil(true));
    stage.live_until_it_traded();
    for (word, why) in [("60000", "is more than the"), ("0.05", "is less than the"), ("0", "is less than the")] {
        let said = stage.home.bardo(&["golem", "withdraw", "ada", word]);
        if said.code == 0 {
            stage.live(1);
        }
        let replies: Vec<Value> = stage.facts("order");
        assert!(said.code == 2 && said.err.contains(why) || said.code == 0 && !replies.is_empty(), "{word}: {said:?}");
        assert_eq!(stage.at_home(), [0, 0], "{word}");
    }
    stage.home.ok(&["golem", "withdraw", "ada", "100"]);
    stage.live(3);
    assert_eq!(stage.at_home(), [micro(100), 0]);
    stage.agrees();
    stage.home.ok(&["golem", "withdraw", "ada", "all"]);
    stage.live(70);
    let [usdc, asset] = stage.at_home();
    let capital = stage.home.json(&["golem", "status", "ada"])["capital_micro_usdc"].as_u64().unwrap();
    assert!(asset == 0 && usdc > micro(100) && capital < 1_000_000, "{usdc} and {capital} left");
    assert_eq!(stage.town().holdings(stage.who)[1], 0, "what it held was sold first");
    stage.agrees();
    let told = stage.facts("withdrawn");
    assert_eq!(told.len(), 2, "{told:?}");
    // What it lives on comes home with its death.
    stage.home.ok(&["golem", "kill", "ada", "--reason", "enough", "--yes"]);
    stage.die();
    assert_eq!(own(&stage), [0, 0]);
    assert!(stage.at_home()[0] > micro(DOLLARS) - micro(DOLLARS / 50));
    stage.agrees();
}

#[test]
fn a_home_is_asked_for_and_must_be_one() {
    if anvil::is_missing() {
        return;
    }
    let stage = Stage::unfunded(Node::anvil(true));
    let file = stage.passphrase.to_str().unwrap();
    stage.home.ok(&["wallet", "new", "other", "--passphrase-file", file]);
    let settings = stage.home.path().join("settings.toml").display().to_string();
    let places = stage.town().site.places;
    let own = stage.home.json(&["wallet", "list"]);
    let other =
        own.as_array().unwrap().iter().find(|w| w["name"] == "other").unwrap()["address"].as_str().unwrap().to_owned();
    for (home, why) in [
        (String::new(), "must know its owner's address"),
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD".to_owned(), "checksum"),
        ("0x0000000000000000000000000000000000000000".to_owned(), "nobody"),
        ("0x12".to_owned(), "40 hex digits"),
        (places.usdc.to_string(), "is USDC"),
        (places.pool.to_string(), "is the pool"),
        (places.router.to_string(), "is the router"),
        (other, "itself"),
    ] {
        let set = format!("chain.home=\"{home}\"");
        let said = stage.home.bardo(&[
            "golem",
            "create",
            "bob",
            "--config",
            &settings,
            "--set",
            "chain.wallet=other",
            "--set",
            &set,
        ]);
        assert!(said.code == 2 && said.err.contains(why), "{home}: {said:?}");
    }
}

#[test]
fn gas_that_runs_short_is_bought_before_it_is_needed() {
    if anvil::is_missing() {
        return;
    }
    let mut stage = Stage::new(Node::anvil(true));
    stage.live_until_it_traded();
    let coin = |stage: &Stage| -> u128 {
        stage.home.json(&["golem", "status", "ada"])["coin"].as_str().unwrap().parse().unwrap()
    };
    assert!(coin(&stage) > 0, "status shows the coin");
    // Enough for a few acts at the price of the day, and not for closing everything and going home.
    let low = 1_000_000_000_000_000u128;
    stage.town().anvil.call("anvil_setBalance", serde_json::json!([stage.who, format!("{low:#x}")]));
    stage.town().anvil.call("anvil_setNextBlockBaseFeePerGas", serde_json::json!(["0x3b9aca00"]));
    stage.town().anvil.mine(1);
    stage.live(6);
    let bought: Vec<Value> =
        stage.facts("action.outcome").into_iter().filter(|f| f.to_string().contains("\"unwrapped\"")).collect();
    assert!(!bought.is_empty() && coin(&stage) > low, "{}: {:#?}", coin(&stage), stage.facts("cage.denied").last());
    stage.ether = 0;
    let said = super::books::said(&stage.dir);
    let held = stage.town().holdings(stage.who);
    assert_eq!(i128::try_from(held[1]).unwrap(), said.asset, "the books are the chain's");
    assert_eq!(i128::try_from(held[0]).unwrap(), micro(DOLLARS) + said.usdc);
}
