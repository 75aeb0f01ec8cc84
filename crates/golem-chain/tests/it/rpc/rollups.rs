//! What a transaction costs on rollups: told before, bounded by the permit, and booked as it was paid, to the unit of the coin.
//!
//! An OP-stack chain is a node of that kind, which really takes the fee for the chain below; its receipts do not tell it, so
//! that the coin itself has to. Arbitrum's part of the gas is told by a contract in the place of its node's own interface.

use crate::kit::{Anvil, Behave, Town, anvil};
use crate::rpc::golem::{Golem, bounded, buy};
use alloy_primitives::{Address, B256, U256, address};
use alloy_sol_types::{SolCall, sol};
use golem_chain::contracts::{FeeTeller, fee_teller};
use golem_chain::profile::ChainProfile;
use golem_chain::rpc::{GAS_PRICE_ORACLE, GasRule, NODE_INTERFACE, RpcConfig, survey};
use golem_core::intent::{Asset, Intent, Outcome, Refusal};
use golem_core::{Receipt, Usdc};
use golem_venue::pool::Round;
use golem_venue::{Venue, spot};
use golem_wallet::RouterKind;
use serde_json::{Value, json};

sol! {
    interface Teller {
        function set(uint256 perTransaction, uint256 perByte) external;
    }
    interface NodeTeller {
        function set(uint64 perTransaction, uint64 perByte) external;
    }
}

/// Where an OP-stack chain keeps what it knows of the chain below.
const L1_BLOCK: Address = address!("4200000000000000000000000000000000000015");
/// The id of Base.
const BASE: u64 = 8_453;

/// A node of the OP stack with the id of Base: it takes what the chain below costs from the coin of whoever sends.
pub fn op_town(usdc_is_token0: bool) -> Town {
    let anvil = Anvil::of_op_stack(&["--chain-id", &BASE.to_string()]);
    let town = Town::with_second_router(anvil, usdc_is_token0);
    town.stand_at(GAS_PRICE_ORACLE, &fee_teller(FeeTeller::GasPriceOracle));
    town
}

/// Let the chain below cost so much: what the node takes (by its base fee there), and what the oracle tells of it.
pub fn below(town: &Town, l1_base_fee: u128, told: (u128, u128)) {
    let slot = |n: u8, value: U256| {
        town.anvil.call("anvil_setStorageAt", json!([L1_BLOCK, B256::with_last_byte(n), B256::from(value)]));
    };
    slot(1, U256::from(l1_base_fee));
    slot(7, U256::from(1));
    // The scalars of its base fee and its blobs' fee, as on Base.
    slot(3, U256::from(2_269u64) << 96 | U256::from(1_055_762u64) << 64 | U256::from(4));
    tell(town, told);
    town.anvil.mine(1);
}

fn tell(town: &Town, (transaction, byte): (u128, u128)) {
    let call = Teller::setCall { perTransaction: U256::from(transaction), perByte: U256::from(byte) };
    town.as_market(Some(GAS_PRICE_ORACLE), &call.abi_encode().into(), U256::ZERO);
}

fn coin(town: &Town, who: Address) -> u128 {
    town.anvil.number("eth_getBalance", json!([who, "latest"]))
}

fn on_base(config: &mut RpcConfig) {
    (config.chain_id, config.gas, config.tip_wei) = (BASE, GasRule::OpStack, 1_000_000);
}

/// What so much coin is worth in the pool as it is now.
fn dollars(golem: &mut Golem, wei: u128) -> Usdc {
    golem.venue.begin_turn();
    let view = golem.venue.view().expect("a view");
    spot::asset_to_usdc(Asset(wei), view.pool.sqrt_price_x96, view.usdc_is_token0, Round::Up)
}

/// What the transactions since a block paid for gas alone, by their receipts.
fn gas_since(town: &Town, height: u64) -> u128 {
    let receipts = |n: u64| town.anvil.call("eth_getBlockReceipts", json!([format!("{n:#x}")]));
    let of = |receipt: &Value| {
        let read = |key: &str| u128::from_str_radix(receipt[key].as_str().expect(key).trim_start_matches("0x"), 16);
        read("gasUsed").expect("gas") * read("effectiveGasPrice").expect("a price")
    };
    let all = (height + 1..=town.anvil.height()).flat_map(|n| receipts(n).as_array().cloned()).flatten();
    all.map(|receipt| of(&receipt)).sum()
}

/// Do it, and hold what was booked for gas against the coin that is gone; what of that was taken beside the gas.
fn pays(golem: &mut Golem, intent: Intent) -> (Receipt, u128) {
    let preview = golem.preview(intent);
    assert_eq!(preview.refusal(), None, "{preview:?}");
    let (before, height) = (coin(&golem.town, golem.who), golem.town.anvil.height());
    let receipt = golem.settle(&preview);
    let paid = before - coin(&golem.town, golem.who);
    assert_eq!(receipt.gas.cost, dollars(golem, paid), "what was booked is what is gone: {paid} wei, {receipt:?}");
    let (told, booked) = (preview.gas.cost.0, receipt.gas.cost.0);
    // A preview counts no tip, which more than doubles the price of gas on an idle node.
    assert!(told > booked / 3 && told < booked * 2, "the preview knew about it: {told} before, {booked} after");
    (receipt, paid - gas_since(&golem.town, height))
}

#[test]
fn what_the_chain_below_takes_is_told_before_and_booked_to_the_unit() {
    if anvil::is_missing() {
        return;
    }
    for usdc_is_token0 in [true, false] {
        let town = op_town(usdc_is_token0);
        below(&town, 0, (0, 0));
        let mut golem = Golem::charged(town, None, on_base);
        let trade = bounded(&mut golem, 300, 50).intent;
        let (free, nothing) = pays(&mut golem, trade);
        assert!(matches!(free.outcome, Outcome::Bought { .. }));
        assert!(nothing < 1_000, "next to nothing was taken beside the gas: {nothing} wei");
        // The chain below becomes dear, and dearer still: in the end it is most of the cost.
        let mut beside = 0;
        for l1_gwei in [4_000u128, 400_000] {
            // About what the node will take: sixteen times the scalar over a million for each of some two hundred bytes.
            let each = l1_gwei * 1_000_000_000 * 16 * 2_269 / 1_000_000;
            below(&golem.town, l1_gwei * 1_000_000_000, (each * 100, each / 10));
            let trade = bounded(&mut golem, 300, 50).intent;
            let (_, taken) = pays(&mut golem, trade);
            assert!(taken > 9 * beside && taken > 0, "{taken} wei after {beside}");
            beside = taken;
        }
        let sell = Intent::Sell { give: Asset(Asset::WHOLE / 100), min_out: Usdc::whole(19) };
        pays(&mut golem, sell);
    }
}

#[test]
fn coin_that_is_unwrapped_or_sent_home_is_no_cost() {
    if anvil::is_missing() {
        return;
    }
    let town = op_town(true);
    below(&town, 40_000_000_000, (100_000_000_000, 100_000_000));
    let mut golem = Golem::charged(town, None, on_base);
    golem.leave = golem_cage::GoingLeave {
        usdc: Usdc(u64::MAX),
        asset: Asset(u128::MAX),
        coin: Asset(u128::MAX),
        unwrap: Asset(u128::MAX),
    };
    let bought = bounded(&mut golem, 300, 50).intent;
    pays(&mut golem, bought);
    let give = Asset(Asset::WHOLE / 20);
    let preview = golem.preview(Intent::Unwrap { give });
    let before = coin(&golem.town, golem.who);
    let receipt = golem.settle(&preview);
    let paid = before + give.0 - coin(&golem.town, golem.who);
    assert_eq!(receipt.gas.cost, dollars(&mut golem, paid), "what came out of its wrapping is not gone");
    let home = golem.preview(Intent::Home { sum: golem_core::HomeSum::Coin(give) });
    let before = coin(&golem.town, golem.who);
    let receipt = golem.settle(&home);
    let paid = before - give.0 - coin(&golem.town, golem.who);
    assert_eq!(receipt.gas.cost, dollars(&mut golem, paid), "nor is what went home a cost");
}

#[test]
fn a_receipt_that_tells_is_believed_and_an_operator_is_found_by_the_coin() {
    if anvil::is_missing() {
        return;
    }
    let town = op_town(true);
    below(&town, 40_000_000_000, (100_000_000_000, 100_000_000));
    let mut golem = Golem::charged(town, None, on_base);
    let l1_fee = 123_456_789_000_u128;
    for (operator, by_receipt) in [("0x0", true), ("0x5", false)] {
        golem.proxy.behave(move |method, _| match method {
            "eth_getTransactionReceipt" => Behave::Change(Box::new(move |receipt: &mut Value| {
                if receipt.is_object() {
                    receipt["l1Fee"] = json!(format!("{l1_fee:#x}"));
                    receipt["operatorFeeScalar"] = json!("0x0");
                    receipt["operatorFeeConstant"] = json!(operator);
                }
            })),
            _ => Behave::Pass,
        });
        let preview = bounded(&mut golem, 200, 50);
        let (before, height) = (coin(&golem.town, golem.who), golem.town.anvil.height());
        let receipt = golem.settle(&preview);
        let gone = before - coin(&golem.town, golem.who);
        let transactions = u128::from(golem.town.anvil.height() - height);
        let told = gas_since(&golem.town, height) + transactions * l1_fee;
        let wanted = if by_receipt { told } else { gone };
        assert_ne!(told, gone);
        assert_eq!(receipt.gas.cost, dollars(&mut golem, wanted));
    }
}

/// Between preview and sending the chain below becomes so dear that the permit does not cover it: nothing is sent. Nor is
/// anything where the coin does not suffice for it.
#[test]
fn bytes_that_cost_more_than_was_permitted_or_is_there_are_not_sent() {
    if anvil::is_missing() {
        return;
    }
    let town = op_town(true);
    below(&town, 1_000_000_000, (1_000_000_000_000, 1_000_000_000));
    let mut golem = Golem::charged(town, None, on_base);
    let preview = bounded(&mut golem, 300, 50);
    let before = golem.town.holdings(golem.who);
    let nonce = |golem: &Golem| golem.town.anvil.number("eth_getTransactionCount", json!([golem.who, "latest"]));
    let sent = nonce(&golem);
    // A hundredfold, which the permit's hundredth of all it owns could pay and the preview never spoke of.
    tell(&golem.town, (100_000_000_000_000, 100_000_000_000));
    golem.venue.begin_turn();
    let receipt = golem.act(&preview).expect("a receipt");
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Cancelled });
    assert_eq!((golem.town.holdings(golem.who), nonce(&golem)), (before, sent), "nothing left the machine");
    // Twice as dear is within what a permit leaves for it.
    let preview = bounded(&mut golem, 300, 50);
    tell(&golem.town, (190_000_000_000_000, 190_000_000_000));
    golem.settle(&preview);
    // Coin for the gas, and none for the bytes.
    let preview = bounded(&mut golem, 300, 50);
    golem.town.anvil.call("anvil_setBalance", json!([golem.who, format!("{:#x}", 150_000_000_000_000u128)]));
    golem.town.anvil.mine(1);
    let receipt = golem.act(&preview).expect("a receipt");
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Funds });
    // A preview that is dearer than the cage allows never becomes a permit.
    tell(&golem.town, (100_000_000_000_000_000, 0));
    let dear = golem.preview(buy(300));
    assert!(dear.gas.cost > Usdc::whole(100), "two transactions at a tenth of an ether each: {}", dear.gas.cost);
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| golem.permit(&dear)));
    assert!(refused.is_err(), "a hundredth of all it owns is the most");
}

#[test]
fn an_op_stack_chain_without_its_oracle_is_refused() {
    if anvil::is_missing() {
        return;
    }
    let town = Town::with_second_router(Anvil::start(), true);
    let config = RpcConfig {
        addresses: town.addresses(),
        router: RouterKind::V2,
        gas: GasRule::OpStack,
        max_answer_bytes: 8 << 20,
        ..crate::rpc::nodes::config(vec![town.anvil.url()])
    };
    let said = golem_chain::rpc::RpcVenue::open(&config, Box::new(|| 0.5), Box::new(crate::rpc::nodes::wall_ms));
    let why = said.map(drop).expect_err("no oracle").to_string();
    assert!(why.contains("gas price oracle"), "{why}");
}

#[test]
fn on_arbitrum_the_gas_of_the_bytes_is_foreseen_and_left_room_for() {
    if anvil::is_missing() {
        return;
    }
    let town = Town::with_second_router(Anvil::start(), true);
    town.stand_at(NODE_INTERFACE, &fee_teller(FeeTeller::NodeInterface));
    let arbitrum =
        |config: &mut RpcConfig| (config.gas, config.tip_wei, config.max_tip_gwei) = (GasRule::Arbitrum, 0, 0);
    let mut golem = Golem::charged(town, None, arbitrum);
    let cheap = bounded(&mut golem, 300, 50);
    let told = NodeTeller::setCall { perTransaction: 100_000, perByte: 50 };
    golem.town.as_market(Some(NODE_INTERFACE), &told.abi_encode().into(), U256::ZERO);
    let dear = bounded(&mut golem, 300, 50);
    assert_eq!(cheap.gas.used, dear.gas.used, "what runs is the same");
    assert!(dear.gas.cost > cheap.gas.cost, "{} after {}", dear.gas.cost, cheap.gas.cost);
    let height = golem.town.anvil.height();
    golem.settle(&dear);
    let limits: Vec<u64> = (height + 1..=golem.town.anvil.height())
        .flat_map(|n| {
            golem.town.anvil.call("eth_getBlockByNumber", json!([format!("{n:#x}"), true]))["transactions"]
                .as_array()
                .cloned()
        })
        .flatten()
        .map(|tx| u64::from_str_radix(tx["gas"].as_str().expect("gas").trim_start_matches("0x"), 16).expect("gas"))
        .collect();
    assert!(!limits.is_empty() && limits.iter().all(|gas| *gas >= 200_000 + 40_000), "{limits:?}");
}

/// A profile is held against a chain, row by row: everything right, and one thing wrong at a time.
#[test]
fn a_survey_finds_what_is_wrong_and_nothing_else() {
    if anvil::is_missing() {
        return;
    }
    let town = op_town(true);
    below(&town, 1_000_000_000, (1_000_000_000_000, 1_000_000_000));
    town.age(2_000);
    let quoter = town.site.quoter_v2;
    let right = RpcConfig {
        addresses: town.addresses(),
        router: RouterKind::V2,
        chain_id: BASE,
        gas: GasRule::OpStack,
        max_age_s: 86_400,
        max_answer_bytes: 8 << 20,
        ..crate::rpc::nodes::config(vec![town.anvil.url()])
    };
    let look =
        |config: &RpcConfig| survey(config, Some(quoter), Box::new(|| 0.5), Box::new(crate::rpc::nodes::wall_ms));
    let rows = look(&right);
    assert!(rows.iter().all(|row| row.ok), "{rows:#?}");
    let names: Vec<&str> = rows.iter().map(|row| row.what.as_str()).collect();
    assert_eq!(
        names,
        [
            "chain id",
            "head",
            "usdc",
            "asset",
            "pool",
            "factory",
            "router",
            "positions",
            "quoter",
            "decimals",
            "together",
            "depth",
            "observations",
            "price",
            "a swap costs"
        ]
    );
    let free = Address::repeat_byte(0xc9);
    type Change = Box<dyn Fn(&mut RpcConfig)>;
    let cases: Vec<(&str, &str, Change)> = vec![
        ("chain id", "8453", Box::new(|c| c.chain_id = 1)),
        ("router", "no code", Box::new(move |c| c.addresses.router.at = free)),
        ("together", "router", Box::new(|c| c.router = RouterKind::V1)),
        ("decimals", "18", Box::new(|c| std::mem::swap(&mut c.addresses.usdc, &mut c.addresses.asset))),
    ];
    for (what, why, change) in cases {
        let mut wrong = right.clone();
        change(&mut wrong);
        let rows = look(&wrong);
        let found = rows.iter().find(|row| !row.ok).unwrap_or_else(|| panic!("{what}: {rows:#?}"));
        assert!(found.what == what && found.found.contains(why), "{what}: {found:?}");
    }
    // The published addresses are not here: every one of them is told.
    let base = ChainProfile::named("base").expect("a profile");
    let published = base.over(&right, RouterKind::V2).expect("its router");
    let rows = survey(&published, Some(base.quoter.at), Box::new(|| 0.5), Box::new(crate::rpc::nodes::wall_ms));
    let missing = rows.iter().filter(|row| !row.ok && row.found.contains("no code")).count();
    assert_eq!(missing, 7, "{rows:#?}");
}
