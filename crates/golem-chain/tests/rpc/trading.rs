//! Whole intents on a real node: preview on a fork, permit, sending, receipt. What the receipt says is on the chain, to
//! the unit, whatever happens in between.

use crate::kit::{Anvil, Behave, Maker, Proxy, Tokens, Town, anvil};
use crate::nodes::{config, wall_ms};
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;
use golem_cage::{Ask, Cage, CageConfig, Spent};
use golem_chain::calls::Call;
use golem_chain::rpc::{Event, Fork, Hands, Recalled, RpcConfig, RpcVenue, Sender, Theirs, TouchedState};
use golem_core::intent::{Asset, Intent, Outcome, Refusal};
use golem_core::venue::VenueId;
use golem_core::verification::flows;
use golem_core::{Action, OutcomeVerification, Preview, Receipt, Tick, Usdc, VirtualTime};
use golem_venue::{Account, Header, Trade, Venue, VenueError, act};
use golem_wallet::{Addresses, Key, Signer};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A golem's whole equipment on a node.
struct Golem {
    town: Town,
    proxy: Proxy,
    config: RpcConfig,
    dir: TempDir,
    venue: RpcVenue,
    cage: Cage,
    rules: CageConfig,
    who: Address,
    tick: u64,
    permit: u64,
    /// The millisecond at which its clock stands still; the machine's clock without one.
    stopped_ms: Option<u64>,
}

const SECRET: [u8; 32] = [9; 32];

impl Golem {
    fn new(town: Town) -> Self {
        Self::by(town, None)
    }

    fn by(town: Town, stopped_ms: Option<u64>) -> Self {
        let proxy = Proxy::before(&town.anvil.address);
        let mut config = config(vec![proxy.url()]);
        config.addresses = town.addresses();
        config.turn_budget_ms = 20_000;
        config.request_timeout_ms = 2_000;
        config.bump_after_ms = 10_000;
        config.max_answer_bytes = 8 << 20;
        let who = Key::of(&SECRET).expect("a key").address();
        town.fund(who, 10_000);
        let dir = tempfile::tempdir().expect("a directory");
        let venue = open(&config, &dir, stopped_ms);
        // Limits are not under test here.
        let rules = CageConfig {
            per_tx_share_bps: 10_000,
            per_hour_share_bps: 100_000,
            per_day_share_bps: 1_000_000,
            per_tx_usdc: Usdc::whole(1_000_000),
            per_hour_usdc: Usdc::whole(1_000_000),
            per_day_usdc: Usdc::whole(1_000_000),
            max_position_bps: 10_000,
            max_exposure_bps: 10_000,
            max_slippage_bps: 1_000,
            loop_repeats: 20,
            ..CageConfig::default()
        };
        Self { town, proxy, config, dir, venue, cage: Cage::default(), rules, who, tick: 0, permit: 0, stopped_ms }
    }

    /// As after a restart: only the record is left.
    fn restart(&mut self) {
        self.venue = open(&self.config, &self.dir, self.stopped_ms);
    }

    fn preview(&mut self, intent: Intent) -> Preview {
        self.venue.begin_turn();
        let who = self.account();
        let mut all = act::preview(&mut self.venue, who, &[intent], Some(0));
        all.pop().expect("a preview")
    }

    fn account(&self) -> Account {
        Account(self.who.into())
    }

    fn permit(&mut self, preview: &Preview) -> Spent {
        self.tick += 1;
        let (tick, now) = (Tick(self.tick), VirtualTime(self.tick * 40_000));
        let nav = Usdc::whole(10_000);
        let ask = Ask { tick, now, nav, preview };
        let permit = self.cage.ask(&ask, &self.rules, &mut Vec::new());
        permit.unwrap_or_else(|denial| panic!("{denial}: {preview:?}")).spend(tick).expect("a fresh permit")
    }

    fn act(&mut self, preview: &Preview) -> Result<Receipt, VenueError> {
        let spent = self.permit(preview);
        let key = self.key();
        let receipt = self.venue.act(&key, preview, &spent);
        self.permit = spent.permit().id();
        if let Ok(receipt) = &receipt {
            self.close(receipt);
        }
        receipt
    }

    /// The last permit is used up: this came of it.
    fn close(&mut self, receipt: &Receipt) {
        self.cage.settle(self.permit, Tick(self.tick), receipt, &mut Vec::new());
    }

    /// What the golem told the router and the position manager after a block.
    fn told_since(&self, block: u64) -> Vec<Bytes> {
        let who = |value: &Value| value.as_str().and_then(|text| text.parse::<Address>().ok());
        let places = self.town.site.places;
        let mut told = Vec::new();
        for number in block + 1..=self.town.anvil.height() {
            let found = self.town.anvil.call("eth_getBlockByNumber", json!([format!("{number:#x}"), true]));
            let all = found["transactions"].as_array().expect("transactions");
            let ours = all.iter().filter(|tx| who(&tx["from"]) == Some(self.who));
            let acts =
                ours.filter(|tx| who(&tx["to"]).is_some_and(|to| [places.router, places.positions].contains(&to)));
            told.extend(acts.map(|tx| serde_json::from_value::<Bytes>(tx["input"].clone()).expect("data")));
        }
        told
    }

    /// The gas of an action's own transaction, on a fork of its own with the approvals before it.
    fn gas_of(&self, here: &TouchedState, action: &Action, call: Call) -> i64 {
        let places = self.town.site.places;
        let mut fork = Fork::over(here.clone(), places);
        let approve = |Call { to, data }| {
            let value = U256::ZERO;
            Theirs { from: self.who, to: Some(to), value, data, gas_limit: 1_000_000 }
        };
        let approvals: Vec<Theirs> = places.approvals(action).into_iter().map(approve).collect();
        fork.replay(&approvals).expect("approvals");
        let (success, gas, _) = fork.attempt(self.who, call.to, call.data).expect("an attempt");
        assert!(success, "{action:?}");
        i64::try_from(gas).expect("fits")
    }

    fn key(&self) -> String {
        format!("t{}", self.tick)
    }

    /// Do it, and hold the chain against the receipt: the balances have changed by what it says and nothing is allowed
    /// to anybody any more.
    fn settle(&mut self, preview: &Preview) -> Receipt {
        let before = self.town.holdings(self.who);
        let receipt = self.act(preview).unwrap_or_else(|e| panic!("{e}: {preview:?}"));
        self.agrees(before, &receipt);
        receipt
    }

    fn agrees(&mut self, before: [u128; 2], receipt: &Receipt) {
        let after = self.town.holdings(self.who);
        let said = flows(&receipt.outcome);
        for (i, what) in ["usdc", "asset"].into_iter().enumerate() {
            let real = i128::try_from(after[i]).expect("fits") - i128::try_from(before[i]).expect("fits");
            assert_eq!(real, said[i], "{what}: {receipt:?}");
        }
        let book = receipt.after.expect("a book after");
        assert_eq!([u128::from(book.usdc.0), book.asset.0], after);
        let largest = self.town.allowances(self.who).into_iter().max().expect("allowances");
        assert!(largest <= U256::from(before[0].max(before[1]) / 1_000), "{largest} is still allowed");
    }
}

fn open(config: &RpcConfig, dir: &TempDir, stopped_ms: Option<u64>) -> RpcVenue {
    let clock = Box::new(move || stopped_ms.unwrap_or_else(wall_ms));
    let mut venue = RpcVenue::open(config, Box::new(|| 0.5), clock).expect("a venue");
    let signer = Signer::new(Key::of(&SECRET).expect("a key"), signer_addresses(&mut venue));
    let sender = Sender::open(venue.node(), &dir.path().join("sent.db"), signer.address()).expect("a sender");
    venue.take_hands(Hands::new(sender, signer)).expect("hands");
    venue
}

fn buy(dollars: u64) -> Intent {
    Intent::Buy { pay: Usdc::whole(dollars), min_out: Asset(1) }
}

/// A buy whose least result is so many basis points below what the preview expects.
fn bounded(golem: &mut Golem, dollars: u64, bps: u128) -> Preview {
    let preview = golem.preview(buy(dollars));
    let Outcome::Bought { got, .. } = preview.outcome else { panic!("{preview:?}") };
    golem.preview(Intent::Buy { pay: Usdc::whole(dollars), min_out: Asset(got.0 - got.0 * bps / 10_000) })
}

/// Seconds between the beginning of the block that a preview is inside of and its deadline.
const PREVIEW_PATIENCE: u64 = 300;

#[test]
fn a_preview_is_what_happens_to_the_unit_in_both_token_orders_but_for_the_bytes_of_the_deadline() {
    if anvil::is_missing() {
        return;
    }
    // The first deadline of a preview, from which the others follow second by second; the one deadline of everything
    // that is sent; and the gas by which its bytes are dearer: a zero byte costs 4, another 16.
    for (usdc_is_token0, first, sent, dearer) in [
        (true, 0x6a5b_1210, 0x6a5b_1501, 0),
        (false, 0x6a5b_0010, 0x6a5b_0301, 12),
        (true, 0x6aff_fe08, 0x6b00_0000, -36),
    ] {
        let town = Town::on(Anvil::since(first - PREVIEW_PATIENCE), usdc_is_token0, Tokens::Plain);
        let now = sent - config(Vec::new()).deadline_s;
        everything_is_as_previewed(&mut Golem::by(town, Some(now * 1_000)), sent, dearer);
    }
}

/// One intent of each kind, each done at once after its preview.
fn everything_is_as_previewed(golem: &mut Golem, deadline: u64, dearer: i64) {
    let add = Intent::Add { pay: Usdc::whole(1_000), give: Asset(Asset::WHOLE / 2), width_bps: 500, tolerance_bps: 50 };
    let more = Intent::Add { pay: Usdc::whole(100), give: Asset(Asset::WHOLE / 10), width_bps: 0, tolerance_bps: 50 };
    let sell = Intent::Sell { give: Asset(Asset::WHOLE / 10), min_out: Usdc::whole(195) };
    let closing = Intent::Remove { share_bps: 10_000, tolerance_bps: 50 };
    let script = [
        bounded(golem, 3_000, 50).intent,
        sell,
        add,
        more,
        Intent::Collect,
        Intent::Remove { share_bps: 4_000, tolerance_bps: 50 },
        closing,
    ];
    for intent in script {
        if intent == Intent::Collect {
            // Somebody trades, so that there is something to collect.
            for (buy, amount) in [(true, U256::from(5_000_000_000u64)), (false, U256::from(2 * Asset::WHOLE))] {
                golem.town.as_market(Some(golem.town.site.maker), &golem.town.swap(buy, amount), U256::ZERO);
            }
        }
        let preview = golem.preview(intent);
        let here = golem.venue.touched().expect("what was touched");
        let height = golem.town.anvil.height();
        let receipt = golem.settle(&preview);
        let held = OutcomeVerification::of(Tick(golem.tick), 0, &preview, &receipt);
        assert_eq!(receipt.outcome, preview.outcome, "{intent:?}");
        let [action] = &preview.actions[..] else { panic!("{preview:?}") };
        let tried = golem.venue.places().act(golem.who, action, here.stage.timestamp + PREVIEW_PATIENCE);
        let done = golem.venue.places().act(golem.who, action, deadline);
        assert_eq!(golem.told_since(height), std::slice::from_ref(&done.data), "{intent:?}");
        let dearer = if intent == Intent::Collect { 0 } else { dearer };
        assert_eq!(gas_of_bytes(&done.data) - gas_of_bytes(&tried.data), dearer, "{intent:?}");
        let [tried, done] = [tried, done].map(|call| golem.gas_of(&here, action, call));
        let off = done - tried;
        if intent == closing {
            // What is cleared is paid back up to a fifth of all gas: a fifth of these bytes as well.
            assert!((5 * off - 4 * dearer).abs() < 5, "{off} of {dearer}");
        } else {
            assert_eq!(off, dearer, "{intent:?}");
        }
        assert_eq!(receipt.gas.used, preview.gas.used.strict_add_signed(off), "{intent:?}");
        assert_eq!(receipt.gas.charged, preview.gas.charged.strict_add_signed(off), "{intent:?}");
        let foreseen = i64::try_from(preview.gas.charged).expect("fits");
        assert_eq!(held.deviations.gas_deviation_bps, Some(off * 10_000 / foreseen), "{intent:?}");
        assert_eq!(receipt.logs, preview.logs, "{intent:?}");
        let (mut there, mut said) = (receipt.after.expect("a book"), preview.after);
        // Their points and the gas price of their moments differ; all amounts are the same.
        (there.point, there.worth.gas) = (said.point, said.worth.gas);
        (there.worth.gas, said.worth.gas) = (Usdc::ZERO, Usdc::ZERO);
        assert_eq!(there, said, "{intent:?}");
    }
    assert!(golem.venue.take_odd().is_empty());
    let ether = golem.town.anvil.number("eth_getBalance", json!([golem.who, "latest"]));
    assert!(ether < 10 * Asset::WHOLE, "gas was paid");
}

fn gas_of_bytes(data: &[u8]) -> i64 {
    data.iter().map(|byte| if *byte == 0 { 4 } else { 16 }).sum()
}

#[test]
fn a_preview_can_be_tried_again_without_the_node() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let preview = bounded(&mut golem, 1_000, 50);
    let touched = golem.venue.touched().expect("what was touched");
    let receipt = golem.settle(&preview);
    let key = golem.key();
    let kept = golem.venue.hands().expect("hands").sender().record().touched(&key).expect("a record").expect("kept");
    assert_eq!(kept, touched);
    let (places, who) = (golem.venue.places(), golem.account());
    let bytes = kept.to_bytes().expect("bytes");
    drop(golem);

    let kept = TouchedState::from_bytes(&bytes).expect("what was written");
    let (slots, accounts) = (kept.slots.len(), kept.accounts.len());
    let mut fork = Fork::over(kept, places);
    let again = act::preview(&mut fork, who, &[preview.intent], Some(0)).pop().expect("a preview");
    assert_eq!(again, preview);
    assert_eq!(again.outcome, receipt.outcome);
    assert!(bytes.len() < 400_000, "{} bytes for {slots} slots of {accounts} accounts", bytes.len());
    // What nobody looked at is not made up.
    assert!(fork.book(Account([7; 20])).is_err());
}

#[test]
fn a_rival_before_us_changes_the_result_within_the_minimum_or_stops_it() {
    if anvil::is_missing() {
        return;
    }
    for (dollars, refused) in [(200u64, false), (40_000, true)] {
        let mut golem = Golem::new(Town::new(true));
        let preview = bounded(&mut golem, 1_000, 50);
        // The second transaction is the swap; just before it arrives, somebody buys.
        let (node, maker, market) = (golem.town.anvil.address.clone(), golem.town.site.maker, golem.town.site.market);
        let data = golem.town.swap(true, U256::from(dollars) * U256::from(1_000_000));
        let mut seen = 0;
        golem.proxy.behave(move |method, _| {
            seen += i32::from(method == "eth_sendRawTransaction");
            if method == "eth_sendRawTransaction" && seen == 2 {
                let tx = json!([{ "from": market, "to": maker, "data": data, "gas": "0x1c00000" }]);
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendTransaction", "params": tx });
                crate::kit::http::post(&node, &body.to_string()).expect("the rival's transaction");
            }
            Behave::Pass
        });
        let receipt = golem.settle(&preview);
        let held = OutcomeVerification::of(Tick(1), 0, &preview, &receipt);
        let Intent::Buy { min_out, .. } = preview.intent else { panic!() };
        match receipt.outcome {
            Outcome::Bought { got, .. } => {
                assert!(!refused && got >= min_out);
                let off = held.deviations.balance_change_bps.asset.expect("a deviation");
                assert!((-50..0).contains(&off), "{off}");
            }
            Outcome::Refused { why } => {
                assert!(refused);
                assert_eq!(why, Refusal::Slippage);
                assert!(receipt.gas.used > 100_000, "approval, the swap that failed, and taking the approval back");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_sandwich_in_the_same_block_meets_the_minimum() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(false));
    let preview = bounded(&mut golem, 1_000, 50);
    let (node, maker, market) = (golem.town.anvil.address.clone(), golem.town.site.maker, golem.town.site.market);
    let front = golem.town.swap(true, U256::from(40_000_000_000u64));
    let mut seen = 0;
    golem.proxy.behave(move |method, _| {
        seen += i32::from(method == "eth_sendRawTransaction");
        if method == "eth_sendRawTransaction" && seen == 2 {
            let ask = |method: &str, params: Value| {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
                crate::kit::http::post(&node, &body.to_string()).expect("an answer");
            };
            ask("evm_setAutomine", json!([false]));
            let first = json!([{ "from": market, "to": maker, "data": front, "gas": "0x1c00000",
                "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x174876e800" }]);
            ask("eth_sendTransaction", first);
            ask("evm_setIntervalMining", json!([1]));
        }
        Behave::Pass
    });
    let receipt = golem.settle(&preview);
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Slippage });
    let point = receipt.point.expect("a point");
    // The swap itself stands second in its block, behind the one that spoilt it.
    assert!(golem.town.anvil.height() > point.block);
}

#[test]
fn after_a_crash_in_the_middle_the_rest_is_not_done_and_nothing_is_left_behind() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let preview = bounded(&mut golem, 1_000, 50);
    let before = golem.town.holdings(golem.who);
    // The approval lands; then nobody can be reached any more.
    let mut dead = false;
    golem.config.turn_budget_ms = 4_000;
    golem.restart();
    golem.proxy.behave(move |method, _| {
        if dead {
            return Behave::Cut;
        }
        dead = method == "eth_sendRawTransaction";
        Behave::Pass
    });
    match golem.act(&preview) {
        Err(VenueError::Unknown(_)) => {}
        other => panic!("{other:?}"),
    }
    golem.proxy.reform();
    golem.config.turn_budget_ms = 20_000;
    golem.restart();
    assert!(golem.town.allowances(golem.who).iter().any(|a| !a.is_zero()), "the approval is on the chain");
    let key = golem.key();
    let Recalled::Settled(receipt) = golem.venue.recall(&key, &preview).expect("an answer") else { panic!() };
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Cancelled });
    golem.agrees(before, &receipt);
    assert!(golem.town.allowances(golem.who).iter().all(U256::is_zero), "and taken back");
    assert_eq!(golem.venue.recall("never", &preview), Ok(Recalled::NeverSent));
}

#[test]
fn after_a_crash_behind_the_broadcast_the_receipt_is_the_same_as_without() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let preview = bounded(&mut golem, 1_000, 50);
    let before = golem.town.holdings(golem.who);
    golem.config.turn_budget_ms = 4_000;
    golem.restart();
    // The swap arrives and is mined, and no answer ever comes back.
    let mut sent = 0;
    golem.proxy.behave(move |method, _| {
        if sent >= 2 {
            return Behave::Hang;
        }
        sent += i32::from(method == "eth_sendRawTransaction");
        if sent == 2 { Behave::Forget } else { Behave::Pass }
    });
    assert!(matches!(golem.act(&preview), Err(VenueError::Unknown(_))));
    golem.proxy.reform();
    golem.config.turn_budget_ms = 20_000;
    golem.restart();
    let key = golem.key();
    for _ in 0..2 {
        let Recalled::Settled(receipt) = golem.venue.recall(&key, &preview).expect("an answer") else { panic!() };
        assert_eq!(receipt.outcome, preview.outcome);
        golem.agrees(before, &receipt);
    }
}

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

#[test]
fn the_market_of_somebodys_chain_is_not_ours_but_that_of_a_fork_is() {
    if anvil::is_missing() {
        return;
    }
    for usdc_is_token0 in [true, false] {
        let mut golem = Golem::new(Town::new(usdc_is_token0));
        let header = Header { timestamp: 2_000_000_000, base_fee: 5 };
        assert_eq!(golem.venue.begin_block(header), Err(VenueError::NotOurs));
        assert_eq!(golem.venue.trade(&Trade::Buy { pay: Usdc::whole(1) }), Err(VenueError::NotOurs));
        assert_eq!(golem.venue.fund_to(golem.account(), Usdc::whole(1)), Err(VenueError::NotOurs));

        let before = golem.venue.view().expect("a view");
        let mut fork = golem.venue.fork_at(before.point).expect("a fork");
        assert_eq!(fork.view().expect("a view"), before);
        let bought = fork.trade(&Trade::Buy { pay: Usdc::whole(200_000) }).expect("a trade");
        assert_eq!(bought.usdc, 200_000_000_000);
        assert!(bought.asset < 0 && bought.crossed > 0, "{bought:?}");
        let there = fork.view().expect("a view");
        assert_eq!(there.point.index, 1, "the market's hands take no place in the block");
        // The same trade on the node itself does the same.
        let data = golem.town.swap(true, U256::from(200_000_000_000u64));
        golem.town.as_market(Some(golem.town.site.maker), &data, U256::ZERO);
        golem.venue.begin_turn();
        let real = golem.venue.view().expect("a view");
        assert_eq!((real.pool, real.fee_growth), (there.pool, there.fee_growth));

        assert_eq!(fork.begin_block(header), Ok(before.point.block + 1));
        let back = Trade::ToPrice { sqrt_price_x96: before.pool.sqrt_price_x96 };
        fork.trade(&back).expect("a trade");
        let now = fork.view().expect("a view");
        assert_eq!(now.pool.sqrt_price_x96, before.pool.sqrt_price_x96);
        assert_eq!((now.timestamp, now.base_fee), (2_000_000_000, 5));
        // Earlier points of the fork can be had again, and a fork of a fork goes its own way.
        let mut earlier = fork.fork_at(there.point).expect("a fork of the fork");
        assert_eq!(earlier.view().expect("a view"), there);
        let range =
            golem_core::venue::Range { lower: now.pool.tick / 10 * 10 - 100, upper: now.pool.tick / 10 * 10 + 100 };
        fork.trade(&Trade::Provide { range, liquidity: 1_000_000_000_000 }).expect("liquidity");
        assert_eq!(fork.view().expect("a view").pool.liquidity, now.pool.liquidity + 1_000_000_000_000);
        fork.trade(&Trade::Withdraw { range, liquidity: u128::MAX }).expect("liquidity");
        assert_eq!(fork.view().expect("a view").pool.liquidity, now.pool.liquidity);
        // An account of the fork's own gets money and can act.
        let somebody = Account([0x77; 20]);
        fork.fund_to(somebody, Usdc::whole(500)).expect("money");
        fork.fund_to(somebody, Usdc::whole(500)).expect("nothing more");
        assert_eq!(fork.book(somebody).expect("a book").usdc, Usdc::whole(500));
        let done = fork.execute(somebody, &golem_core::Action::Buy { pay: Usdc::whole(500), min_out: Asset(1) });
        assert_eq!(done.expect("done").refused, None);
        fork.fund_to(somebody, Usdc::whole(700)).expect("more money");
        assert_eq!(fork.book(somebody).expect("a book").usdc, Usdc::whole(200));
    }
}

#[test]
fn a_past_point_can_be_forked_between_the_transactions_of_its_block() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let (maker, swap) = (golem.town.site.maker, golem.town.swap(true, U256::from(10_000_000_000u64)));
    golem.town.anvil.call("evm_setAutomine", json!([false]));
    (0..3).for_each(|_| drop(golem.town.post_as_market(Some(maker), &swap, U256::ZERO)));
    golem.town.anvil.mine(1);
    let block = golem.town.anvil.height();
    golem.town.anvil.mine(5);
    golem.venue.begin_turn();
    let mut prices = Vec::new();
    for index in 0..=3 {
        let mut fork = golem.venue.fork_at(golem_core::Point { block, index }).expect("a fork");
        let view = fork.view().expect("a view");
        assert_eq!(view.point, golem_core::Point { block, index });
        prices.push(view.pool.sqrt_price_x96);
    }
    prices.dedup();
    assert_eq!(prices.len(), 4);
    assert_eq!(golem.venue.view().expect("a view").pool.sqrt_price_x96, prices[3]);
    for missing in [golem_core::Point { block, index: 4 }, golem_core::Point { block: block + 100, index: 0 }] {
        assert!(matches!(golem.venue.fork_at(missing), Err(VenueError::NoSuchPoint(p)) if p == missing));
    }
}

#[test]
fn other_code_at_a_pinned_place_stops_everything_also_after_a_restart() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let preview = bounded(&mut golem, 100, 50);
    let pool = golem.town.site.places.pool;
    let code = golem.town.anvil.call("eth_getCode", json!([pool, "latest"]));
    let mut other = code.as_str().expect("code").to_owned();
    other.push_str("00");
    golem.town.anvil.call("anvil_setCode", json!([pool, other]));
    golem.town.anvil.mine(1);
    let before = golem.town.holdings(golem.who);
    golem.venue.begin_turn();
    assert!(matches!(golem.venue.view(), Err(VenueError::Changed(_))));
    assert!(matches!(golem.act(&preview), Err(VenueError::Changed(_))));
    assert_eq!(golem.town.holdings(golem.who), before);
    // A new process that was told no hash remembers what it met.
    let mut venue = RpcVenue::open(&golem.config, Box::new(|| 0.5), Box::new(wall_ms)).expect("first contact");
    let signer = Signer::new(Key::of(&SECRET).expect("a key"), signer_addresses(&mut venue));
    let sender = Sender::open(venue.node(), &golem.dir.path().join("sent.db"), signer.address()).expect("a sender");
    assert!(matches!(venue.take_hands(Hands::new(sender, signer)), Err(VenueError::Changed(_))));
}

fn signer_addresses(venue: &mut RpcVenue) -> Addresses {
    let p = venue.places();
    Addresses {
        chain_id: venue.chain_id(),
        venue: VenueId::UniswapV3,
        code: venue.view().expect("a view").code,
        usdc: p.usdc,
        weth: p.weth,
        pool: p.pool,
        fee: 500,
        router: p.router,
        positions: p.positions,
    }
}

#[test]
fn a_lie_about_the_price_holds() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    golem.config.urls.push(golem.town.anvil.url());
    golem.restart();
    let honest = golem.preview(buy(100));
    assert_eq!(honest.refusal(), None);
    // The first slot of the pool holds its price.
    let pool = json!(golem.town.site.places.pool);
    golem.town.anvil.mine(1);
    golem.proxy.behave(move |method, params| match method {
        "eth_getStorageAt" if params[0] == pool && params[1].as_str().is_some_and(|s| s.ends_with("000")) => {
            Behave::Change(Box::new(|word| *word = json!(word.as_str().unwrap_or_default().replacen('5', "6", 1))))
        }
        _ => Behave::Pass,
    });
    golem.venue.begin_turn();
    match golem.venue.view() {
        Err(VenueError::Unreachable(why)) => assert!(why.contains("disagree"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(golem.preview(buy(100)).refusal(), Some(Refusal::NoMarket));
}

#[test]
fn a_crash_at_any_question_leaves_the_books_equal_to_the_chain() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let mut seen = [0; 3];
    for point in (0..60).step_by(4) {
        let preview = bounded(&mut golem, 20, 50);
        let before = golem.town.holdings(golem.who);
        (golem.config.turn_budget_ms, golem.config.retries) = (2_500, 0);
        golem.restart();
        golem.venue.view().expect("a view");
        let mut left = point;
        golem.proxy.behave(move |_, _| {
            left -= 1;
            if left < 0 { Behave::Cut } else { Behave::Pass }
        });
        let sent = golem.act(&preview);
        let key = golem.key();
        golem.proxy.reform();
        (golem.config.turn_budget_ms, golem.config.retries) = (20_000, 3);
        golem.restart();
        let receipt = match golem.venue.recall(&key, &preview).expect("an answer") {
            Recalled::Settled(receipt) => receipt,
            Recalled::NeverSent => {
                assert!(!matches!(sent, Ok(Receipt { outcome: Outcome::Bought { .. }, .. })));
                assert_eq!(golem.town.holdings(golem.who), before);
                seen[0] += 1;
                golem.close(&Receipt::kept_back(preview.intent, Refusal::NoMarket));
                continue;
            }
            Recalled::Unknown => panic!("still unknown with everybody there"),
        };
        golem.close(&receipt);
        golem.agrees(before, &receipt);
        match receipt.outcome {
            Outcome::Bought { .. } => seen[1] += 1,
            Outcome::Refused { .. } => seen[2] += 1,
            other => panic!("{other:?}"),
        }
        if let Ok(said) = sent {
            assert_eq!(said.outcome, receipt.outcome);
        }
        assert!(golem.town.allowances(golem.who).iter().all(U256::is_zero));
    }
    assert!(seen.iter().all(|n| *n > 0), "never sent, done, and given up all happened: {seen:?}");
}

#[test]
fn a_reorganised_swap_lands_again_and_its_new_end_is_what_counts() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    assert_eq!(golem.venue.poll(), Ok(Vec::new()));
    let preview = bounded(&mut golem, 1_000, 50);
    let before = golem.town.holdings(golem.who);
    let first = golem.settle(&preview);
    let key = golem.key();
    assert_eq!(golem.venue.poll(), Ok(Vec::new()));
    // The block of the swap goes, and in its place somebody else buys first.
    golem.town.anvil.call("anvil_reorg", json!([1, []]));
    assert_eq!(golem.town.holdings(golem.who), before);
    let rival = golem.town.swap(true, U256::from(200_000_000u64));
    golem.town.as_market(Some(golem.town.site.maker), &rival, U256::ZERO);
    golem.venue.begin_turn();
    let events = golem.venue.poll().expect("events");
    assert!(matches!(&events[..], [Event::Rewound { .. }, Event::Reorged { key: k, now: None, .. }, ..] if *k == key));
    let Recalled::Settled(again) = golem.venue.recall(&key, &preview).expect("an answer") else { panic!() };
    golem.agrees(before, &again);
    let (Outcome::Bought { got: once, .. }, Outcome::Bought { got: now, .. }) = (first.outcome, again.outcome) else {
        panic!("{first:?} {again:?}")
    };
    assert!(now < once, "the rival was first");
    golem.venue.begin_turn();
    assert_eq!(golem.venue.poll(), Ok(Vec::new()), "settled, and told");
}

#[test]
fn a_turn_takes_few_round_trips_once_it_is_known_what_is_looked_at() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let preview = bounded(&mut golem, 1_000, 50);
    golem.settle(&preview);
    let mut trips = Vec::new();
    for _ in 0..3 {
        golem.town.anvil.mine(1);
        let before = golem.proxy.trips();
        let sell = golem.preview(Intent::Sell { give: Asset(Asset::WHOLE / 10), min_out: Usdc::whole(195) });
        assert_eq!(sell.refusal(), None);
        trips.push(golem.proxy.trips() - before);
    }
    assert!(trips[1] <= 12 && trips[2] <= 12, "{trips:?}");
}

#[test]
fn gas_that_became_too_dear_cancels_the_intent_and_leaves_no_trace() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    golem.config.max_fee_gwei = 20;
    golem.restart();
    let preview = bounded(&mut golem, 100, 50);
    golem.town.anvil.call("anvil_setNextBlockBaseFeePerGas", json!(["0x174876e800"]));
    golem.town.anvil.mine(1);
    golem.venue.begin_turn();
    let receipt = golem.settle(&preview);
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Cancelled });
    assert_eq!(receipt.gas.used, 0);
    let key = golem.key();
    assert_eq!(golem.venue.recall(&key, &preview), Ok(Recalled::NeverSent));
}

#[test]
fn a_position_that_is_moved_takes_what_came_out_of_it_although_a_rival_made_that_less() {
    if anvil::is_missing() {
        return;
    }
    for (usdc_is_token0, rival_buys) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut golem = Golem::new(Town::new(usdc_is_token0));
        let bought = bounded(&mut golem, 4_000, 50);
        golem.settle(&bought);
        let add = Intent::Add { pay: Usdc::whole(2_000), give: Asset(Asset::WHOLE), width_bps: 800, tolerance_bps: 50 };
        let added = golem.preview(add);
        golem.settle(&added);
        let preview = golem.preview(Intent::Rebalance { width_bps: 500, tolerance_bps: 100 });
        let (Outcome::Moved { got: foreseen, got_asset: foreseen_asset, .. }, [_, Action::Mint { pay, give, .. }]) =
            (preview.outcome, &preview.actions[..])
        else {
            panic!("{preview:?}")
        };
        // Just before the position is closed, somebody moves the price, so that less of one token comes out.
        let (node, maker, market) = (golem.town.anvil.address.clone(), golem.town.site.maker, golem.town.site.market);
        let amount = if rival_buys { U256::from(2_000_000_000u64) } else { U256::from(Asset::WHOLE) };
        let data = golem.town.swap(rival_buys, amount);
        let mut seen = 0;
        golem.proxy.behave(move |method, _| {
            seen += i32::from(method == "eth_sendRawTransaction");
            if method == "eth_sendRawTransaction" && seen == 1 {
                let tx = json!([{ "from": market, "to": maker, "data": data, "gas": "0x1c00000" }]);
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendTransaction", "params": tx });
                crate::kit::http::post(&node, &body.to_string()).expect("the rival's transaction");
            }
            Behave::Pass
        });
        let before = golem.town.holdings(golem.who);
        let receipt = golem.settle(&preview);
        let Outcome::Moved { got, got_asset, paid, gave, liquidity, .. } = receipt.outcome else {
            panic!("{usdc_is_token0} {rival_buys}: {receipt:?}")
        };
        assert!(got < foreseen || got_asset < foreseen_asset, "the rival made a difference");
        assert!(liquidity > 0 && paid <= got && gave <= got_asset, "nothing of the account's own went in: {receipt:?}");
        assert!(paid <= *pay && gave <= *give, "never more than was permitted: {receipt:?}");
        let after = golem.town.holdings(golem.who);
        assert!(after[0] >= before[0] && after[1] >= before[1]);
    }
}
