//! A whole golem on a node dressed as Base: made from the example that people copy, over the second router, on a chain that takes
//! a fee for the chain below beside the gas. It trades, dies, settles, and its money goes home; its books are the chain's.

use super::books;
use super::node::{Anvil, Town, anvil};
use super::stage::{DOLLARS, HOME, Node, Stage};
use alloy_primitives::{Address, B256, U256, address};
use alloy_sol_types::{SolCall, sol};
use golem_chain::contracts::{FeeTeller, fee_teller};
use golem_chain::rpc::GAS_PRICE_ORACLE;
use serde_json::json;
use std::path::Path;

sol! {
    interface Teller {
        function set(uint256 perTransaction, uint256 perByte) external;
    }
}

/// Where an OP-stack chain keeps what it knows of the chain below.
const L1_BLOCK: Address = address!("4200000000000000000000000000000000000015");

/// A node of the OP stack, with its oracle and the second router. Its id is a development node's, since no other may be lived
/// through at full speed.
fn base() -> Town {
    let town = Town::with_second_router(Anvil::of_op_stack(&[]), false);
    town.stand_at(GAS_PRICE_ORACLE, &fee_teller(FeeTeller::GasPriceOracle));
    costs(&town, 20);
    town.age(400);
    town
}

/// Let the chain below cost so many gwei: what the node takes for it, and what the oracle tells, which is a little more.
fn costs(town: &Town, gwei: u64) {
    let wei = U256::from(gwei) * U256::from(1_000_000_000u64);
    let slot = |n: u8, value: U256| {
        town.anvil.call("anvil_setStorageAt", json!([L1_BLOCK, B256::with_last_byte(n), B256::from(value)]));
    };
    slot(1, wei);
    slot(7, U256::from(1));
    slot(3, U256::from(2_269u64) << 96 | U256::from(1_055_762u64) << 64 | U256::from(4));
    let each = wei * U256::from(16 * 2_269u64) / U256::from(1_000_000u64);
    let set = Teller::setCall { perTransaction: each * U256::from(100), perByte: each / U256::from(4) };
    town.as_market(Some(GAS_PRICE_ORACLE), &set.abi_encode().into(), U256::ZERO);
}

fn sets(node: &Node) -> Vec<String> {
    let mut sets = vec![
        format!("chain.rpc.urls=[\"http://{}\"]", node.address()),
        "chain.rpc.url_env=[]".to_owned(),
        "chain.rpc.chain_id=31337".to_owned(),
        format!("chain.home={HOME}"),
        "chain.rpc.confirmations=0".to_owned(),
        "chain.rpc.max_age_s=86400".to_owned(),
        "chain.rpc.poll_ms=10".to_owned(),
        "policy.template=eth-dca".to_owned(),
        "policy.cooldown_ticks=1".to_owned(),
        "policy.eth_dca.every_ticks=3".to_owned(),
        "policy.eth_dca.amount_usdc=50".to_owned(),
    ];
    sets.extend(node.contracts().into_iter().map(|(name, at)| format!("chain.rpc.addresses.{name}.at={at}")));
    sets
}

#[test]
fn a_golem_from_the_example_lives_and_dies_on_base_and_its_money_goes_home() {
    if anvil::is_missing() {
        return;
    }
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/base.toml");
    let node = Node::Anvil(Box::new(base()));
    let sets = sets(&node);
    let mut stage = Stage::of(node, &example, &sets);
    stage.node_funds();
    stage.live_until_it_traded();
    let (books, beside) = stage.chain_says();
    assert!(beside > 0, "the chain below was paid");
    stage.agrees_with(&books);
    // It becomes dear, and the golem goes on.
    costs(stage.town(), 200);
    let trades = stage.trades();
    stage.live(7);
    assert!(stage.trades() > trades);
    let (_, dearer) = stage.chain_says();
    assert!(dearer > 2 * beside, "{dearer} after {beside}");
    stage.home.ok(&["golem", "kill", "ada", "--reason", "enough", "--yes"]);
    stage.die();
    assert_eq!(stage.town().holdings(stage.who), [0, 0], "nothing is left in the account");
    let [usdc, asset] = stage.at_home();
    assert!(asset == 0 && usdc > i128::from(DOLLARS) * 1_000_000 * 98 / 100, "{usdc} and {asset}");
    let (books, _) = stage.chain_says();
    stage.agrees_with(&books);
    // Every wei that is gone and did not go home was booked, to the micro-USDC of each receipt.
    let sent: u128 = stage.facts("dying.home")[0]["sent"][1]["sum"]["coin"].as_str().unwrap().parse().unwrap();
    let gone = stage.ether - stage.number("eth_getBalance") - sent;
    let [least, most] = books::coin(&stage.dir, stage.town().site.places.usdc_is_token0());
    assert!((least..=most).contains(&gone), "{gone} wei are gone, and between {least} and {most} were booked");
    assert!(stage.home.json(&["golem", "replay", "ada"])["ok"].as_bool().unwrap());
}

/// Whether a chain is what is published is told by a command, with a row for each thing and an exit code.
#[test]
fn a_profile_is_listed_and_held_against_a_node() {
    let home = crate::kit::Home::new();
    let all = home.json(&["chain", "profiles"]);
    assert_eq!(all["profiles"].as_array().map(Vec::len), Some(5), "{all}");
    let text = home.ok(&["chain", "profiles"]).out;
    assert!(text.contains("base-sepolia") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let said = home.bardo(&["chain", "check", "bsae", "--rpc-url", "http://127.0.0.1:1"]);
    assert!(said.code == 2 && said.err.contains("did you mean base?"), "{said:?}");
    for (set, why) in [("chain.profile=bsae", "did you mean base?"), ("chain.profile=zz", "there are ethereum, base")] {
        let said = home.bardo(&["golem", "create", "bob", "--set", set]);
        assert!(said.code == 2 && said.err.contains(why), "{said:?}");
    }
    let said = home.bardo(&["golem", "create", "bob", "--set", "chain.profile=base", "--set", "chain.rpc.router=v1"]);
    assert!(said.code == 2 && said.err.contains("Base has no such router"), "{said:?}");
    if anvil::is_missing() {
        return;
    }
    let node = Node::Anvil(Box::new(base()));
    let url = format!("http://{}", node.address());
    let check = |more: &[String]| {
        let mut args = vec!["chain", "check", "base", "--rpc-url", &url];
        args.extend(more.iter().flat_map(|set| ["--set", set.as_str()]));
        home.bardo(&args)
    };
    let wrong = check(&["chain.rpc.chain_id=31337".to_owned()]);
    assert!(wrong.code == 3 && wrong.out.contains("wrong  router") && wrong.out.contains("no code"), "{wrong:?}");
    let other = check(&[]);
    assert!(other.code == 3 && other.out.contains("wrong  chain id"), "{other:?}");
}
