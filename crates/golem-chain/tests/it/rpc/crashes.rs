//! Ended in the middle, or turned back by the chain: what is found afterwards is what happened, and nothing is left behind.

use crate::kit::{Behave, Town, anvil};
use crate::rpc::golem::{Golem, bounded};
use alloy_primitives::U256;
use golem_chain::rpc::{ChainEvent, Recalled};
use golem_core::Receipt;
use golem_core::intent::{Outcome, Refusal};
use golem_venue::{Venue, VenueError};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

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
    let Recalled::Settled(receipt) = golem.venue.recall(key, &preview).expect("an answer") else { panic!() };
    assert_eq!(receipt.outcome, Outcome::Refused { why: Refusal::Cancelled });
    golem.agrees(before, &receipt);
    assert!(golem.town.allowances(golem.who).iter().all(U256::is_zero), "and taken back");
    assert_eq!(
        golem.venue.recall(golem_core::door::EffectKey::new(golem_core::Tick(99), 0), &preview),
        Ok(Recalled::NeverSent)
    );
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
        let Recalled::Settled(receipt) = golem.venue.recall(key, &preview).expect("an answer") else { panic!() };
        assert_eq!(receipt.outcome, preview.outcome);
        golem.agrees(before, &receipt);
    }
}

/// At how many questions it is ended.
const POINTS: usize = 8;

/// How many questions a purchase asks when nobody disturbs it, and how long it takes on this machine.
fn undisturbed(golem: &mut Golem) -> (usize, u64) {
    let preview = bounded(golem, 20, 50);
    golem.restart();
    golem.venue.view().expect("a view");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    golem.proxy.behave(move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        Behave::Pass
    });
    let begun = Instant::now();
    let bought = golem.settle(&preview);
    let took_ms = u64::try_from(begun.elapsed().as_millis()).expect("fits");
    assert_eq!(bought.outcome, preview.outcome);
    golem.proxy.reform();
    (asked.load(Ordering::Relaxed), took_ms)
}

#[test]
fn a_crash_at_any_question_leaves_the_books_equal_to_the_chain() {
    if anvil::is_missing() {
        return;
    }
    let mut golem = Golem::new(Town::new(true));
    let mut seen = [0; 3];
    let (asked, took_ms) = undisturbed(&mut golem);
    // The last of them lies behind the last question.
    let all = asked + POINTS;
    for point in (0..=all).step_by(all / POINTS) {
        let preview = bounded(&mut golem, 20, 50);
        let before = golem.town.holdings(golem.who);
        (golem.config.turn_budget_ms, golem.config.retries) = (2_000 + 2 * took_ms, 0);
        golem.restart();
        let mut left = i64::try_from(point).expect("fits");
        golem.proxy.behave(move |_, _| {
            left -= 1;
            if left < 0 { Behave::Cut } else { Behave::Pass }
        });
        let sent = golem.act(&preview);
        let key = golem.key();
        golem.proxy.reform();
        (golem.config.turn_budget_ms, golem.config.retries) = (20_000, 3);
        golem.restart();
        let receipt = match golem.venue.recall(key, &preview).expect("an answer") {
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
    assert!(
        seen.iter().all(|n| *n > 0),
        "never sent, done, and given up all happened: {seen:?} of {asked} questions in {took_ms} ms"
    );
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
    assert!(
        matches!(&events[..], [ChainEvent::Rewound { .. }, ChainEvent::Reorged { key: k, now: None, .. }, ..] if *k == key)
    );
    let Recalled::Settled(again) = golem.venue.recall(key, &preview).expect("an answer") else { panic!() };
    golem.agrees(before, &again);
    let (Outcome::Bought { got: once, .. }, Outcome::Bought { got: now, .. }) = (first.outcome, again.outcome) else {
        panic!("{first:?} {again:?}")
    };
    assert!(now < once, "the rival was first");
    golem.venue.begin_turn();
    assert_eq!(golem.venue.poll(), Ok(Vec::new()), "settled, and told");
}
