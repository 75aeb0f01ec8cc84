//! State read from real nodes: pinned code, decimals, accounts and slots at an agreed block, recorded as they are touched.

use crate::kit::{Anvil, Behave, Proxy, anvil};
use crate::rpc::nodes::{config, node};
use alloy_primitives::{Address, B256, KECCAK256_EMPTY, U256, address, keccak256};
use golem_chain::rpc::{
    Addresses, Backing, ForkStage, GasRule, Node, Pinned, Pins, Remote, TouchedState, code_hashes, hold_decimals,
};
use golem_core::Point;
use golem_venue::VenueError;
use serde_json::{Value, json};

const ONE: Address = address!("00000000000000000000000000000000000000c1");
const TWO: Address = address!("00000000000000000000000000000000000000c2");
const NOBODY: Address = address!("00000000000000000000000000000000000000c3");

fn stage(node: &Node) -> ForkStage {
    let below = node.head().expect("a head");
    let point = Point { block: below.number + 1, index: 0 };
    let (timestamp, base_fee) = (below.timestamp + 1, below.next_base_fee(GasRule::Ethereum));
    ForkStage { chain_id: 31_337, point, below, timestamp, base_fee, owner: None }
}

#[test]
fn code_is_known_by_its_hash_without_being_carried() {
    if anvil::is_missing() {
        return;
    }
    let anvil = Anvil::start();
    anvil.call("anvil_setCode", json!([ONE, "0x6001"]));
    anvil.call("anvil_setCode", json!([TWO, "0x6002"]));
    anvil.call("anvil_setBalance", json!([NOBODY, "0x1"]));
    anvil.mine(1);
    let node = node(&config(vec![anvil.url()]));
    let head = node.head().expect("a head");
    let found = code_hashes(&node, &head, &[ONE, TWO, NOBODY]).expect("hashes");
    assert_eq!(found, [keccak256([0x60, 1]), keccak256([0x60, 2]), KECCAK256_EMPTY]);
}

#[test]
fn a_contract_with_other_code_is_refused_whoever_pinned_it() {
    if anvil::is_missing() {
        return;
    }
    let anvil = Anvil::start();
    for at in [ONE, TWO] {
        anvil.call("anvil_setCode", json!([at, "0x6001"]));
    }
    anvil.mine(1);
    let at = |at, code_hash| Pinned { code_hash, ..Pinned::at(at) };
    let mut addresses = Addresses {
        usdc: at(ONE, None),
        asset: at(TWO, None),
        pool: at(ONE, None),
        factory: at(ONE, None),
        router: at(ONE, None),
        positions: at(ONE, None),
    };
    let node = node(&config(vec![anvil.url()]));
    let mut pins = Pins::of(&addresses);
    let head = node.head().expect("a head");
    // Of each of the six: its own code, its beacon's and what runs behind it, or that there is none.
    assert_eq!(pins.hold(&node, &head).map(|all| all.len()), Ok(18));
    anvil.call("anvil_setCode", json!([TWO, "0x6002"]));
    anvil.mine(1);
    let head = node.look_again().expect("a head");
    match pins.hold(&node, &head) {
        Err(VenueError::Changed(why)) => assert!(why.starts_with("asset at"), "{why}"),
        other => panic!("{other:?}"),
    }
    // A stranger would now be taken for the real one; the owner's word, or what was met before, is not.
    assert!(Pins::of(&addresses).hold(&node, &head).is_ok());
    let mut met = Pins::of(&addresses);
    met.remember("asset", keccak256([0x60, 1]));
    assert!(matches!(met.hold(&node, &head), Err(VenueError::Changed(_))));
    addresses.asset.code_hash = Some(keccak256([0x60, 1]));
    assert!(matches!(Pins::of(&addresses).hold(&node, &head), Err(VenueError::Changed(_))));
    addresses.asset = at(NOBODY, None);
    assert!(matches!(Pins::of(&addresses).hold(&node, &head), Err(VenueError::Changed(_))));
}

#[test]
fn tokens_that_count_otherwise_are_refused() {
    if anvil::is_missing() {
        return;
    }
    let anvil = Anvil::start();
    // Returns one word, whatever it is asked.
    let counts = |at: Address, word: &str| {
        anvil.call("anvil_setCode", json!([at, format!("0x7f{word:0>64}60005260206000f3")]));
        anvil.mine(1);
    };
    let at = Pinned::at;
    let addresses = Addresses { usdc: at(ONE), asset: at(TWO), ..Addresses::default() };
    let node = node(&config(vec![anvil.url()]));
    counts(TWO, "12");
    for (word, right) in [("6", true), ("0", false), ("12", false), ("ff", false), ("106", false), ("8", false)] {
        counts(ONE, word);
        let head = node.look_again().expect("a head");
        let held = hold_decimals(&node, &head, &addresses);
        match held {
            Ok(()) => assert!(right, "{word}"),
            Err(VenueError::Changed(why)) => assert!(!right && why.starts_with("usdc counts"), "{why}"),
            Err(other) => panic!("{other:?}"),
        }
    }
    counts(ONE, "6");
    counts(TWO, "6");
    let head = node.look_again().expect("a head");
    assert!(matches!(hold_decimals(&node, &head, &addresses), Err(VenueError::Changed(_))));
    assert!(hold_decimals(&node, &head, &Addresses { asset: at(NOBODY), ..addresses }).is_err(), "no token at all");
}

#[test]
fn what_was_touched_is_there_without_the_node_and_nothing_else_is() {
    if anvil::is_missing() {
        return;
    }
    let anvil = Anvil::start();
    anvil.call("anvil_setCode", json!([ONE, "0x6001"]));
    anvil.call("anvil_setBalance", json!([ONE, "0x5"]));
    anvil.call("anvil_setStorageAt", json!([ONE, B256::with_last_byte(7), B256::with_last_byte(9)]));
    anvil.mine(2);
    let node = node(&config(vec![anvil.url()]));
    let mut remote = Remote::at(node.clone(), stage(&node));
    let account = remote.account(ONE).expect("an account");
    assert_eq!((account.balance, account.nonce, account.code_hash), (U256::from(5), 0, keccak256([0x60, 1])));
    assert_eq!(remote.slot(ONE, U256::from(7)), Ok(U256::from(9)));
    assert_eq!(remote.slot(ONE, U256::from(8)), Ok(U256::ZERO));
    assert!(remote.account(NOBODY).expect("an account").balance.is_zero());
    let first = remote.block_hash(1).expect("a hash");

    // The chain moves on; what is read of this block does not.
    anvil.mine(1);
    anvil.call("anvil_setStorageAt", json!([ONE, B256::with_last_byte(6), B256::with_last_byte(1)]));
    anvil.mine(1);
    assert_eq!(remote.slot(ONE, U256::from(6)), Ok(U256::ZERO));

    let bytes = remote.touched().to_bytes().expect("bytes");
    drop(anvil);
    let mut kept = TouchedState::from_bytes(&bytes).expect("what was written");
    assert_eq!(&kept, remote.touched());
    assert_eq!(kept.account(ONE), Ok(account));
    assert_eq!(kept.slot(ONE, U256::from(7)), Ok(U256::from(9)));
    assert_eq!(kept.code(account.code_hash).expect("code")[..], [0x60, 1]);
    assert_eq!(kept.block_hash(1), Ok(first));
    assert!(kept.slot(ONE, U256::from(5)).is_err() && kept.account(TWO).is_err());
    assert!(remote.slot(ONE, U256::from(5)).is_err());
    assert!(matches!(remote.take_fault(), Some(VenueError::Unreachable(_))));
    let mut rotten = bytes.clone();
    let at = bytes.windows(2).position(|w| w == [0x60, 1]).expect("the code");
    rotten[at] ^= 1;
    assert!(TouchedState::from_bytes(&rotten).is_err());
}

#[test]
fn what_was_touched_before_is_fetched_in_few_requests() {
    if anvil::is_missing() {
        return;
    }
    let anvil = Anvil::start();
    anvil.call("anvil_setCode", json!([ONE, "0x6001"]));
    anvil.mine(1);
    let proxy = Proxy::before(&anvil.address);
    let node = node(&config(vec![proxy.url()]));
    let mut first = Remote::at(node.clone(), stage(&node));
    first.account(ONE).expect("an account");
    (0..50).for_each(|k| assert_eq!(first.slot(ONE, U256::from(k)), Ok(U256::ZERO)));
    anvil.mine(1);
    node.begin_turn();
    let mut second = Remote::at(node.clone(), stage(&node));
    second.fetch_ahead(first.touched(), &[(ONE, keccak256([0x60, 1]))]);
    assert!(second.touched().slots.is_empty(), "fetched is not touched");
    let asked = proxy.asked();
    second.account(ONE).expect("an account");
    (0..50).for_each(|k| assert_eq!(second.slot(ONE, U256::from(k)), Ok(U256::ZERO)));
    assert_eq!(proxy.asked(), asked, "no further question");
    assert_eq!(second.touched().slots.len(), 50);
}

#[test]
fn a_lie_about_a_slot_is_an_error_and_not_a_value() {
    if anvil::is_missing() {
        return;
    }
    let anvil = Anvil::start();
    anvil.mine(1);
    let proxy = Proxy::before(&anvil.address);
    proxy.behave(|method, _: &Value| match method {
        "eth_getStorageAt" => Behave::Answer(json!(B256::with_last_byte(1))),
        _ => Behave::Pass,
    });
    let node = node(&config(vec![proxy.url(), anvil.url()]));
    let mut remote = Remote::at(node.clone(), stage(&node));
    assert!(remote.slot(ONE, U256::ZERO).expect_err("two words").contains("disagree"));
    assert!(remote.touched().slots.is_empty());
}
