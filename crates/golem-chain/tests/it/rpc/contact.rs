//! First contact: contracts that do not belong together are refused with the reason, and what a proxy runs is pinned.

use crate::kit::{Anvil, Tokens, Town, anvil};
use crate::rpc::golem::Golem;
use crate::rpc::nodes::{config, wall_ms};
use alloy_primitives::aliases::U24;
use alloy_primitives::{Address, B256, U256, address, hex};
use alloy_sol_types::SolCall;
use golem_chain::contracts::{OddToken, odd_token};
use golem_chain::rpc::{Addresses, RpcConfig, RpcVenue, beacon_slot, implementation_slots};
use golem_venue::{Venue, VenueError};
use golem_wallet::RouterKind;
use golem_wallet::abi::UniswapV3Factory as Factory;
use serde_json::{Value, json};

/// Somewhere without code.
const FREE: Address = address!("00000000000000000000000000000000000000c9");
const BEACON: Address = address!("00000000000000000000000000000000000000cb");
const ELSEWHERE: Address = address!("00000000000000000000000000000000000000ca");

fn meet(config: &RpcConfig) -> Result<RpcVenue, VenueError> {
    RpcVenue::open(config, Box::new(|| 0.5), Box::new(wall_ms))
}

fn settings(town: &Town) -> RpcConfig {
    let max_answer_bytes = 8 << 20;
    RpcConfig { addresses: town.addresses(), max_answer_bytes, ..config(vec![town.anvil.url()]) }
}

fn code(town: &Town, at: Address) -> Value {
    town.anvil.call("eth_getCode", json!([at, "latest"]))
}

#[test]
fn contracts_that_do_not_belong_together_are_refused_with_the_reason() {
    if anvil::is_missing() {
        return;
    }
    let town = Town::new(true);
    let places = town.site.places;
    let right = settings(&town);
    assert!(meet(&right).is_ok());
    let create = Factory::createPoolCall { tokenA: places.usdc, tokenB: places.weth, fee: U24::from(3_000) };
    town.as_market(Some(places.factory), &create.abi_encode().into(), U256::ZERO);
    let get = Factory::getPoolCall { tokenA: places.usdc, tokenB: places.weth, fee: U24::from(3_000) };
    let dear = Address::from_word(town.read(places.factory, &get).into());
    let other = town.as_market(None, &odd_token(OddToken::Rebasing), U256::ZERO);
    let other: Address = other["contractAddress"].as_str().and_then(|a| a.parse().ok()).expect("a token");
    // A contract that says all the right things of itself, and is no router.
    town.anvil.call("anvil_setCode", json!([FREE, code(&town, places.positions)]));
    town.anvil.mine(1);
    let maker = town.site.maker;
    type Change = Box<dyn Fn(&mut Addresses)>;
    let cases: Vec<(&str, Change)> = vec![
        ("the pool takes a fee of 3000 millionths", Box::new(move |a| a.pool.at = dear)),
        ("the pool was made by", Box::new(move |a| a.factory.at = maker)),
        ("is called pool in the settings, and does not answer", Box::new(move |a| a.pool.at = maker)),
        ("is called router in the settings, and does not answer", Box::new(move |a| a.router.at = maker)),
        ("is called positions in the settings, and does not answer", Box::new(move |a| a.positions.at = maker)),
        ("is not the first router of Uniswap v3", Box::new(|a| a.router.at = FREE)),
        ("token of the pool is", Box::new(move |a| a.asset.at = other)),
        ("usdc counts 18 decimals", Box::new(|a| std::mem::swap(&mut a.usdc, &mut a.asset))),
        ("there is no code at", Box::new(|a| a.router.at = ELSEWHERE)),
    ];
    for (reason, change) in cases {
        let mut wrong = right.clone();
        change(&mut wrong.addresses);
        match meet(&wrong).map(drop) {
            Err(why @ (VenueError::Unfit(_) | VenueError::Changed(_))) => {
                assert!(why.to_string().contains(reason), "{reason}: {why}");
            }
            other => panic!("{reason}: {other:?}"),
        }
    }
    assert!(matches!(meet(&RpcConfig { chain_id: 1, ..right }), Err(VenueError::Changed(_))));
}

/// The same contract with another address for one that is written into its code, at a place of its own.
fn with_another(town: &Town, of: Address, written: Address, instead: Address) {
    let text = code(town, of).as_str().expect("code").to_owned();
    let changed = text.replace(&hex::encode(written), &hex::encode(instead));
    assert!(written == instead || text != changed, "{written} is not written into {of}");
    town.anvil.call("anvil_setCode", json!([FREE, changed]));
    town.anvil.mine(1);
}

#[test]
fn contracts_of_another_exchange_or_coin_are_refused_with_the_reason() {
    if anvil::is_missing() {
        return;
    }
    let town = Town::new(true);
    let p = town.site.places;
    let right = settings(&town);
    type Change = fn(&mut Addresses);
    let (pool, router, positions): (Change, Change, Change) =
        (|a| a.pool.at = FREE, |a| a.router.at = FREE, |a| a.positions.at = FREE);
    for (reason, of, written, change) in [
        ("the router trades with pools of", p.router, p.factory, router),
        ("the router wraps the chain's coin as", p.router, p.weth, router),
        ("the position manager puts liquidity into pools of", p.positions, p.factory, positions),
        ("the position manager wraps the chain's coin as", p.positions, p.weth, positions),
        // All that the pool says of itself is right, and the factory knows another.
        ("the factory's pool of these tokens is", p.pool, p.pool, pool),
    ] {
        with_another(&town, of, written, if of == p.pool { written } else { ELSEWHERE });
        let mut wrong = right.clone();
        change(&mut wrong.addresses);
        match meet(&wrong).map(drop) {
            Err(why @ VenueError::Unfit(_)) => assert!(why.to_string().contains(reason), "{reason}: {why}"),
            other => panic!("{reason}: {other:?}"),
        }
    }
    town.anvil.call("anvil_setStorageAt", json!([p.pool, B256::ZERO, B256::ZERO]));
    town.anvil.mine(1);
    match meet(&right).map(drop) {
        Err(why @ VenueError::Unfit(_)) => assert!(why.to_string().contains("nobody has opened it"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_router_is_the_one_that_the_settings_say() {
    if anvil::is_missing() {
        return;
    }
    let first = Town::new(true);
    let second = Town::with_second_router(Anvil::start(), true);
    for (town, right, wrong, reason) in [
        (&first, RouterKind::V1, RouterKind::V2, "does not answer positionManager()"),
        (&second, RouterKind::V2, RouterKind::V1, "is not the first router of Uniswap v3"),
    ] {
        let settings = |router| RpcConfig { router, ..settings(town) };
        assert!(meet(&settings(right)).is_ok());
        match meet(&settings(wrong)).map(drop) {
            Err(why @ VenueError::Unfit(_)) => assert!(why.to_string().contains(reason), "{why}"),
            other => panic!("{other:?}"),
        }
    }
    // One that says all the right things of itself and does not take the calls: the same code with one selector changed.
    let places = second.site.places;
    for (selector, other) in [("5ae401dc", "5ae401dd"), ("04e45aaf", "04e45aae")] {
        let text = code(&second, places.router).as_str().expect("code").to_owned();
        let broken = text.replacen(&format!("63{selector}"), &format!("63{other}"), 1);
        assert_ne!(text, broken, "{selector}");
        second.anvil.call("anvil_setCode", json!([FREE, broken]));
        second.anvil.mine(1);
        let mut settings = RpcConfig { router: RouterKind::V2, ..settings(&second) };
        settings.addresses.router.at = FREE;
        match meet(&settings).map(drop) {
            Err(why @ VenueError::Unfit(_)) => assert!(why.to_string().contains("not the second router"), "{why}"),
            other => panic!("{selector}: {other:?}"),
        }
    }
}

/// Let the dollar be a proxy, as the real one is: its code moves elsewhere, its state stays.
fn behind_a_proxy(town: &Town, slot: U256) {
    let usdc = town.site.places.usdc;
    town.anvil.call("anvil_setCode", json!([FREE, code(town, usdc)]));
    let slot = B256::from(slot);
    let proxy = format!("0x363d3d373d3d363d7f{}545af43d6000803e6038573d6000fd5b3d6000f3", hex::encode(slot));
    town.anvil.call("anvil_setStorageAt", json!([usdc, slot, FREE.into_word()]));
    town.anvil.call("anvil_setCode", json!([usdc, proxy]));
    town.anvil.mine(1);
}

#[test]
fn what_a_proxy_runs_is_pinned_too_also_over_a_restart() {
    if anvil::is_missing() {
        return;
    }
    for slot in implementation_slots() {
        let town = Town::new(true);
        behind_a_proxy(&town, slot);
        let mut golem = Golem::new(town);
        let met = golem.venue.view().expect("a view").code;
        let town = &golem.town;
        let mut other = code(town, FREE).as_str().expect("code").to_owned();
        other.push_str("00");
        town.anvil.call("anvil_setCode", json!([ELSEWHERE, other]));
        town.anvil.call("anvil_setStorageAt", json!([town.site.places.usdc, B256::from(slot), ELSEWHERE.into_word()]));
        town.anvil.mine(1);
        golem.venue.begin_turn();
        match golem.venue.view() {
            Err(VenueError::Changed(why)) => assert!(why.contains("usdc") && why.contains("is a proxy"), "{why}"),
            other => panic!("{other:?}"),
        }
        let again = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| golem.restart()));
        assert!(again.is_err(), "what was met first is remembered");
        let mut stranger = meet(&golem.config).expect("whoever meets it now takes it for the real one");
        assert_ne!(stranger.view().expect("a view").code, met, "and does not take a permit for the other");
    }
}

/// A contract that says what its first slot holds, and one that runs whatever such a contract says.
const BEACON_CODE: &str = "0x5f545f5260205ff3";
fn beacon_proxy() -> String {
    let slot = hex::encode(B256::from(beacon_slot()));
    let ask = "635c60da1b60e01b5f5260205f60045f845afa50505f51";
    let run = "365f5f375f5f365f845af43d5f5f3e604e573d5ffd5b3d5ff3";
    format!("0x7f{slot}54{ask}{run}")
}

#[test]
fn what_a_beacon_tells_a_proxy_to_run_is_pinned_and_the_beacon_too() {
    if anvil::is_missing() {
        return;
    }
    let told = |town: &Town, at: Address| {
        town.anvil.call("anvil_setStorageAt", json!([BEACON, B256::ZERO, at.into_word()]));
        town.anvil.mine(1);
    };
    let mut met = Vec::new();
    for beacon_itself in [false, true] {
        let town = Town::new(true);
        let usdc = town.site.places.usdc;
        town.anvil.call("anvil_setCode", json!([FREE, code(&town, usdc)]));
        town.anvil.call("anvil_setCode", json!([BEACON, BEACON_CODE]));
        town.anvil.call("anvil_setStorageAt", json!([usdc, B256::from(beacon_slot()), BEACON.into_word()]));
        town.anvil.call("anvil_setCode", json!([usdc, beacon_proxy()]));
        told(&town, FREE);
        let mut golem = Golem::new(town);
        let preview = crate::rpc::golem::bounded(&mut golem, 100, 50);
        golem.settle(&preview);
        met.push(golem.venue.view().expect("a view").code);
        let town = &golem.town;
        if beacon_itself {
            town.anvil.call("anvil_setCode", json!([BEACON, format!("{BEACON_CODE}00")]));
            town.anvil.mine(1);
        } else {
            let other = format!("{}00", code(town, FREE).as_str().expect("code"));
            town.anvil.call("anvil_setCode", json!([ELSEWHERE, other]));
            told(town, ELSEWHERE);
        }
        golem.venue.begin_turn();
        let word = if beacon_itself { "the beacon it asks" } else { "runs the code" };
        match golem.venue.view() {
            Err(VenueError::Changed(why)) => assert!(why.contains("usdc") && why.contains(word), "{why}"),
            other => panic!("{other:?}"),
        }
        let again = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| golem.restart()));
        assert!(again.is_err(), "what was met first is remembered");
        let mut stranger = meet(&golem.config).expect("whoever meets it now takes it for the real one");
        assert_ne!(stranger.view().expect("a view").code, met[0], "and does not take a permit for the other");
    }
    assert_eq!(met[0], met[1]);
}

#[test]
fn a_pool_that_forgets_too_soon_is_refused_with_what_to_do() {
    if anvil::is_missing() {
        return;
    }
    let town = Town::forgetful(Anvil::start(), true, Tokens::Plain);
    match meet(&settings(&town)).map(drop) {
        Err(VenueError::Unfit(why)) => {
            assert!(why.contains("90 observations") && why.contains("increaseObservationCardinalityNext"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    // Enough to trade on, and less than is wanted: that is said, with what to do.
    town.keep_observations(301);
    let warned = meet(&settings(&town)).expect("a venue");
    let warning = warned.warning().expect("a warning");
    assert!(warning.contains("301 observations") && warning.contains("instead of 1800"), "{warning}");
    assert!(warning.contains("increaseObservationCardinalityNext(1801)"), "{warning}");
    for more in [700, 1_100, 1_500, 1_801] {
        town.keep_observations(more);
    }
    assert_eq!(meet(&settings(&town)).expect("a venue").warning(), None);
}
