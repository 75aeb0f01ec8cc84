//! Whole intents on a real node: preview on a fork, permit, sending, receipt. What the receipt says is on the chain, to
//! the unit, whatever happens in between.

use crate::kit::{Anvil, Behave, Tokens, Town, anvil};
use crate::rpc::golem::{Golem, SECRET, at_its_reference, bounded, buy, signer_addresses};
use crate::rpc::nodes::{config, wall_ms};
use alloy_primitives::U256;
use golem_chain::rpc::{AccountHands, Fork, Recalled, RpcVenue, Sender, TouchedState};
use golem_core::door::{ForkAct, ForkDeed, ForkFailure, ForkFrom, ForkRequest, ForkRun};
use golem_core::intent::{Asset, Intent, Outcome, Refusal};
use golem_core::{OutcomeVerification, Point, Tick, Usdc};
use golem_venue::scenario::{Happening, ScenarioEvent};
use golem_venue::{Account, Venue, VenueError, act};
use golem_wallet::{Key, Signer};
use serde_json::json;

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
    let kept = golem.venue.hands().expect("hands").sender().record().touched(key).expect("a record").expect("kept");
    assert_eq!(kept, touched);
    let (places, who) = (golem.venue.places(), golem.account());
    let bytes = kept.to_bytes().expect("bytes");
    drop(golem);

    let kept = TouchedState::from_bytes(&bytes).expect("what was written");
    let (slots, accounts) = (kept.slots.len(), kept.accounts.len());
    let mut fork = Fork::over(kept, places);
    let again = act::preview(&mut fork, who, &[preview.intent], None).pop().map(at_its_reference).expect("a preview");
    assert_eq!(again, preview);
    assert_eq!(again.outcome, receipt.outcome);
    assert!(bytes.len() < 400_000, "{} bytes for {slots} slots of {accounts} accounts", bytes.len());
    // What nobody looked at is not made up.
    assert!(fork.book(Account([7; 20])).is_err());
}

#[test]
fn what_was_done_on_a_node_can_be_dreamt_of_and_so_can_its_future() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let preview = bounded(&mut golem, 1_000, 50);
    let receipt = golem.settle(&preview);
    let (key, who, point) = (golem.key(), golem.account(), receipt.point.expect("a place"));
    golem.venue.hands().expect("hands").sender().record().keep_landed(point, key, &preview.actions).expect("kept");
    let height = golem.town.anvil.height();
    let run = |from, what, steps| ForkRun { from, acts: vec![ForkAct { after: 0, what }], weather: Vec::new(), steps };
    let elsewhere = Point { index: point.index + 7, ..point };
    let crash = Happening::Shock { bps: -2_000, over_ticks: 2, reverts: false };
    let share = ForkDeed::KeepShare { share_bps: 5_000, band_bps: 100 };
    let runs = vec![
        run(ForkFrom::Lived(point), ForkDeed::AsLived, 5),
        run(ForkFrom::Lived(point), ForkDeed::Once(preview.intent), 0),
        run(ForkFrom::Lived(elsewhere), ForkDeed::Unwind, 0),
        ForkRun {
            weather: vec![ScenarioEvent { at_tick: 2, for_ticks: 9, what: crash }],
            ..run(ForkFrom::Present, share, 6)
        },
        run(ForkFrom::Present, share, 6),
    ];
    let request = ForkRequest { runs };
    golem.venue.begin_turn();
    let reply = golem.venue.try_on_fork(who, &request);
    assert!(reply.is_for(&request));
    for same in &reply.runs[..2] {
        let same = same.as_ref().expect("it was touched");
        assert_eq!((same.acted[0].outcome, same.steps), (receipt.outcome, 0));
    }
    assert_eq!(reply.runs[2], Err(ForkFailure::NoSuchPoint));
    let [crash, calm] = [3, 4].map(|n| reply.runs[n].as_ref().expect("the head can be read"));
    assert_eq!((crash.steps, calm.steps), (6, 6));
    assert!(crash.prices[1] < calm.prices[1] * 0.85 && crash.after < calm.after, "{crash:?} {calm:?}");
    assert_eq!(golem.town.anvil.height(), height, "nothing was sent");
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
    assert!(matches!(venue.take_hands(AccountHands::new(sender, signer)), Err(VenueError::Changed(_))));
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

/// The owner allows much per unit of gas, but an intent only what its permit was given for.
#[test]
fn gas_beyond_what_the_permit_was_given_for_is_not_paid() {
    if anvil::is_missing() {
        return;
    }
    const BASE: u64 = 20_000_000_000;
    for wide in [false, true] {
        let mut golem = Golem::charged(Town::new(true), None, |config| config.max_fee_gwei = 10_000);
        let raise = |golem: &mut Golem, to: u64| {
            golem.town.anvil.call("anvil_setNextBlockBaseFeePerGas", json!([format!("{to:#x}")]));
            golem.town.anvil.mine(1);
            golem.venue.begin_turn();
        };
        raise(&mut golem, BASE);
        let preview = bounded(&mut golem, 1_000, 50);
        // Twice what it costs now, as a share of ten thousand dollars.
        let twice = u32::try_from(preview.gas.cost.0.div_ceil(500_000)).expect("fits");
        assert!(twice > 3, "{} is too little to be a share", preview.gas.cost);
        golem.rules.max_gas_bps = if wide { 10 * twice } else { twice };
        // Before it is sent, gas becomes three times as dear.
        raise(&mut golem, 3 * BASE);
        let nonce = |golem: &Golem| golem.town.anvil.number("eth_getTransactionCount", json!([golem.who, "latest"]));
        let before = nonce(&golem);
        let receipt = golem.settle(&preview);
        assert_eq!(receipt.outcome == Outcome::Refused { why: Refusal::Cancelled }, !wide, "{receipt:?}");
        assert_eq!(nonce(&golem) == before, !wide, "nothing is sent at such a price, unless it is within the permit");
    }
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
    assert_eq!(golem.venue.recall(key, &preview), Ok(Recalled::NeverSent));
}
