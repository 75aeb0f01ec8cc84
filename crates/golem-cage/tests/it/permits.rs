//! Permits: what they say, how long they hold, that they are used once, and how they are settled.

use crate::kit::{CODE, DAY, Desk, Kept, as_predicted, desk, usd, worth};
use golem_cage::{Amiss, CageFact, Denial, Window};
use golem_core::intent::{Outcome, Refusal};
use golem_core::venue::{Range, VenueId};
use golem_core::{Action, Asset, Preview, Receipt, Tick, Usdc};

fn some() -> Desk {
    Desk { usdc: usd(600).0, asset: usd(200).0, position: Some((usd(100).0, usd(100).0)) }
}

fn kept() -> Kept {
    let mut kept = Kept::new(usd(1_000));
    kept.tick = 70;
    kept
}

fn last_settled(kept: &Kept) -> (u64, Usdc, Usdc, Option<Amiss>) {
    match kept.facts.last() {
        Some(CageFact::Settled { permit, reserved, booked, amiss, .. }) => (*permit, *reserved, *booked, *amiss),
        other => panic!("{other:?}"),
    }
}

fn used(kept: &Kept, window: Window) -> Usdc {
    let status = kept.cage.status(&kept.config);
    status.windows.iter().find(|w| w.window == window).unwrap().used
}

/// Who asks whether anything may still be carried out hears of a permit until it is settled or has expired.
#[test]
fn a_permit_is_open_until_it_is_settled_or_expires() {
    let open_at = |k: &Kept, tick| k.cage.has_open_permit(Tick(tick));
    let mut k = kept();
    assert!(!open_at(&k, 70), "nothing was asked for");
    let _permit = k.ask(&some().add(50, 30)).unwrap();
    assert_eq!([70, 71, 72].map(|tick| open_at(&k, tick)), [true, true, false]);
}

#[test]
fn a_permit_says_exactly_what_was_asked() {
    let mut k = kept();
    let preview = some().add(50, 30);
    let permit = k.ask(&preview).unwrap();
    assert_eq!((permit.id(), permit.tick(), permit.expires()), (1, Tick(70), Tick(72)));
    assert_eq!((permit.venue(), permit.code(), permit.policy()), (VenueId::UniswapV3, CODE, k.config.hash()));
    assert_eq!((permit.intent(), permit.actions()), (preview.intent, preview.actions.as_slice()));
    assert_eq!((permit.max_usdc(), permit.max_asset()), (Usdc(50), worth(30)));
    assert!(permit.covers(0, &preview.actions[0]));
    assert!(!permit.covers(1, &preview.actions[0]));
    assert!(!permit.covers(0, &Action::Collect { position: 11 }));
    let CageFact::Permitted { permit: id, at_risk, max_usdc, max_asset, expires, policy, looping, actions, .. } =
        k.facts.last().unwrap()
    else {
        panic!("{:?}", k.facts.last())
    };
    assert_eq!((*id, *at_risk, *max_usdc, *max_asset), (1, Usdc(80), Usdc(50), worth(30)));
    assert_eq!((*expires, *policy, *looping, actions), (Tick(72), k.config.hash(), false, &preview.actions));
    // Elsewhere, it says so.
    let mut elsewhere = Kept::with(usd(1_000), |c| c.venues = [VenueId::UniswapV2].into());
    let there = Preview { venue: VenueId::UniswapV2, ..some().buy(5) };
    assert_eq!(elsewhere.ask(&there).unwrap().venue(), VenueId::UniswapV2);
    // A sale risks nothing, and says what can leave.
    let permit = k.ask(&some().sell(40)).unwrap();
    assert_eq!((permit.id(), permit.max_usdc(), permit.max_asset()), (2, Usdc(0), worth(40)));
    assert_eq!(k.cage.status(&k.config).permits, 2);
    assert_eq!(k.cage.status(&k.config).outstanding, 2);
}

#[test]
fn a_permit_holds_for_two_turns() {
    for (tick, good) in [(69, false), (70, true), (71, true), (72, false), (u64::MAX, false)] {
        let permit = kept().ask(&some().buy(5)).unwrap();
        let spent = permit.spend(Tick(tick));
        assert_eq!(spent.is_ok(), good, "{tick}");
        if let Err(stale) = spent {
            let text = format!("permit 1 holds from turn 70 until before turn 72; this is turn {tick}");
            assert_eq!(stale.to_string(), text);
        }
    }
}

#[test]
fn each_action_is_taken_once_and_in_order() {
    let mut k = kept();
    let preview = some().rebalance(usd(100).0, usd(100).0);
    let [burn, mint] = preview.actions[..] else { panic!() };
    let mut spent = k.ask(&preview).unwrap().spend(Tick(70)).unwrap();
    assert!(spent.take(&mint).is_err());
    assert_eq!(spent.taken(), 0);
    spent.take(&burn).unwrap();
    assert!(spent.take(&burn).is_err());
    assert_eq!(spent.taken(), 1);
    spent.take(&mint).unwrap();
    let error = spent.take(&mint).unwrap_err();
    assert_eq!(error.to_string(), "permit 1 does not cover this as its action 2");
    assert_eq!((spent.taken(), spent.permit().id()), (2, 1));
}

#[test]
fn a_mint_may_take_less_and_ask_for_more_and_nothing_else() {
    let mut k = kept();
    let preview = some().rebalance(100, 100);
    let permit = k.ask(&preview).unwrap();
    let Action::Mint { position, range, pay, give, min_pay, min_give } = preview.actions[1] else { panic!() };
    let mint = |pay: u64, give: u128, min_pay: u64, min_give: u128| Action::Mint {
        position,
        range,
        pay: Usdc(pay),
        give: Asset(give),
        min_pay: Usdc(min_pay),
        min_give: Asset(min_give),
    };
    let (p, g, mp, mg) = (pay.0, give.0, min_pay.0, min_give.0);
    for (action, covered) in [
        (mint(p, g, mp, mg), true),
        (mint(p - 1, g, mp, mg), true),
        (mint(p, g - 1, mp, mg), true),
        (mint(0, 0, mp + 1, mg + 1), true),
        (mint(p + 1, g, mp, mg), false),
        (mint(p, g + 1, mp, mg), false),
        (mint(p, g, mp - 1, mg), false),
        (mint(p, g, mp, mg - 1), false),
        (Action::Mint { position: Some(11), range, pay, give, min_pay, min_give }, false),
        (Action::Mint { position, range: Range { lower: -600, upper: 610 }, pay, give, min_pay, min_give }, false),
    ] {
        assert_eq!(permit.covers(1, &action), covered, "{action:?}");
        assert!(!permit.covers(0, &action));
    }
    // What burns or swaps is exactly itself.
    let Action::Burn { position, liquidity, min_out, min_asset, close } = preview.actions[0] else { panic!() };
    let less = Action::Burn { position, liquidity: liquidity - 1, min_out, min_asset, close };
    assert!(permit.covers(0, &preview.actions[0]) && !permit.covers(0, &less));
    let permit = k.ask(&some().buy(50)).unwrap();
    assert!(!permit.covers(0, &Action::Buy { pay: Usdc(49), min_out: worth(50) }));
    assert!(!permit.covers(0, &mint(1, 1, 1, 1)));
}

#[test]
fn one_permit_for_the_same_intent_and_four_in_all() {
    let mut k = kept();
    let first = k.ask(&some().buy(1)).unwrap();
    assert_eq!(k.ask(&some().buy(1)).unwrap_err(), Denial::Twice { permit: 1 });
    for n in 2..=4 {
        assert_eq!(k.why(&some().buy(n)), "permitted");
    }
    assert_eq!(k.ask(&some().buy(5)).unwrap_err(), Denial::Outstanding { open: 4, cap: 4 });
    // What reduces is not among them and not held up by them; but one at a time for the same.
    assert_eq!(k.why(&some().sell(5)), "permitted");
    assert_eq!(k.why(&some().sell(5)), "twice");
    assert_eq!(k.why(&some().collect(5)), "permitted");
    assert_eq!(k.why(&some().buy(6)), "outstanding");
    let receipt = Receipt::kept_back(first.intent(), Refusal::Withheld);
    k.settle(first, &receipt);
    assert_eq!(k.why(&some().buy(6)), "permitted");
    assert_eq!(k.why(&some().buy(7)), "outstanding");
    // When they can no longer be used, they are not in the way, but what they reserved still counts.
    k.tick = 71;
    assert_eq!(k.why(&some().buy(2)), "twice");
    k.tick = 72;
    assert_eq!(k.why(&some().buy(2)), "permitted");
    assert_eq!(used(&k, Window::Hour), Usdc(2 + 3 + 4 + 6 + 2));
}

#[test]
fn settling_books_what_really_moved() {
    let moved = |paid: u64, gave: u64| (Usdc(paid), worth(gave));
    // (receipt's outcome for an add of 60 and 40, booked, amiss)
    for (outcome, booked, amiss) in [
        (Outcome::Added { paid: moved(60, 40).0, gave: moved(60, 40).1, liquidity: 1 }, 100, None),
        (Outcome::Added { paid: moved(59, 38).0, gave: moved(59, 38).1, liquidity: 1 }, 97, None),
        (Outcome::Added { paid: Usdc(0), gave: Asset(worth(38).0 + 1), liquidity: 1 }, 39, None),
        (
            Outcome::Moved { got: Usdc(9), got_asset: Asset(9), paid: Usdc(50), gave: worth(1), had: 1, liquidity: 1 },
            51,
            None,
        ),
        (Outcome::Refused { why: Refusal::Slippage }, 0, None),
        (Outcome::Held, 0, None),
        (Outcome::Sold { gave: worth(10), got: Usdc(10) }, 0, None),
        (Outcome::Bought { paid: Usdc(61), got: worth(1) }, 100, Some(Amiss::Beyond)),
        (Outcome::Bought { paid: Usdc(161), got: worth(1) }, 161, Some(Amiss::Beyond)),
        (Outcome::Added { paid: Usdc(60), gave: worth(80), liquidity: 1 }, 140, Some(Amiss::Beyond)),
        (Outcome::Added { paid: Usdc(0), gave: Asset(worth(40).0 + 1), liquidity: 1 }, 100, Some(Amiss::Beyond)),
        (Outcome::Added { paid: Usdc(0), gave: Asset(u128::MAX), liquidity: 1 }, u64::MAX, Some(Amiss::Beyond)),
    ] {
        let mut k = kept();
        let preview = some().add(60, 40);
        let permit = k.ask(&preview).unwrap();
        let mut receipt = as_predicted(&preview);
        receipt.outcome = outcome;
        k.settle(permit, &receipt);
        assert_eq!(last_settled(&k), (1, Usdc(100), Usdc(booked), amiss), "{outcome:?}");
        for window in [Window::Hour, Window::Day, Window::Life] {
            assert_eq!(used(&k, window), Usdc(booked), "{outcome:?}");
        }
        assert_eq!(used(&k, Window::Tx), Usdc(0));
    }
}

#[test]
fn amounts_too_large_to_reckon_with_are_booked_in_full() {
    let k = Kept::with(Usdc(u64::MAX), |c| {
        (c.per_tx_usdc, c.per_hour_usdc) = (Usdc(u64::MAX), Usdc(u64::MAX));
        (c.per_day_usdc, c.per_life_usdc) = (Usdc(u64::MAX), Usdc(u64::MAX));
        (c.per_tx_share_bps, c.max_position_bps, c.max_exposure_bps) = (10_000, 10_000, 10_000);
    });
    let whale = Desk { usdc: 10, asset: u64::MAX - 10, position: None };
    let preview = whale.add(1, u64::MAX - 10);
    for (less, booked) in [(0, u64::MAX - 10), (1, u64::MAX - 10)] {
        let mut k = k.clone();
        let permit = k.ask(&preview).unwrap();
        let mut receipt = as_predicted(&preview);
        receipt.outcome = Outcome::Added { paid: Usdc(0), gave: Asset(worth(u64::MAX - 10).0 - less), liquidity: 1 };
        k.settle(permit, &receipt);
        assert_eq!(last_settled(&k), (1, Usdc(u64::MAX - 9), Usdc(booked), None), "{less}");
    }
}

#[test]
fn a_receipt_of_something_else_or_for_no_permit_is_booked_all_the_same() {
    let mut k = kept();
    let permit = k.ask(&some().buy(100)).unwrap();
    let other = Receipt::kept_back(some().buy(50).intent, Refusal::Slippage);
    k.settle(permit, &other);
    assert_eq!(last_settled(&k), (1, Usdc(100), Usdc(100), Some(Amiss::Other)));
    let mut k = kept();
    let permit = k.ask(&some().buy(100)).unwrap();
    k.settle(permit, &as_predicted(&some().buy(300)));
    assert_eq!(last_settled(&k), (1, Usdc(100), Usdc(300), Some(Amiss::Other)));
    // Settled already.
    k.cage.settle(1, Tick(70), &as_predicted(&some().buy(7)), &mut k.facts);
    assert_eq!(last_settled(&k), (1, Usdc(0), Usdc(7), Some(Amiss::Unknown)));
    assert_eq!(used(&k, Window::Life), Usdc(307));
    // The asset counts too, where there is a price for it.
    let mut receipt = as_predicted(&some().add(7, 20));
    k.cage.settle(1, Tick(70), &receipt, &mut k.facts);
    assert_eq!(last_settled(&k), (1, Usdc(0), Usdc(27), Some(Amiss::Unknown)));
    receipt.after = None;
    k.cage.settle(1, Tick(70), &receipt, &mut k.facts);
    assert_eq!(last_settled(&k), (1, Usdc(0), Usdc(7), Some(Amiss::Unknown)));
}

#[test]
fn a_changed_receipt_books_what_is_more_and_never_makes_room() {
    let paid = |micro: u64| Some(as_predicted(&some().buy(micro)));
    // (settled with, what it became, what is booked in the end)
    for (was, now, booked) in [
        (paid(100), paid(130), 130),
        (paid(100), paid(100), 100),
        (paid(100), paid(70), 100),
        (paid(100), None, 100),
        (None, paid(40), 40),
        (None, None, 0),
    ] {
        let mut k = kept();
        if let Some(was) = &was {
            let permit = k.ask(&some().buy(100)).unwrap();
            k.settle(permit, was);
        }
        k.cage.amend(was.as_ref(), now.as_ref());
        for window in [Window::Hour, Window::Day, Window::Life] {
            assert_eq!(used(&k, window), Usdc(booked), "{was:?} became {now:?}");
        }
    }
}

#[test]
fn a_permit_that_nobody_settles_is_taken_as_spent() {
    let mut k = kept();
    drop(k.ask(&some().buy(100)).unwrap());
    k.now_s = DAY - 1;
    k.see(usd(1_000));
    assert_eq!((used(&k, Window::Hour), used(&k, Window::Life)), (Usdc(100), Usdc(100)));
    assert_eq!(k.cage.status(&k.config).outstanding, 1);
    k.now_s = DAY;
    k.see(usd(1_000));
    assert_eq!(last_settled(&k), (1, Usdc(100), Usdc(100), Some(Amiss::Never)));
    assert_eq!((used(&k, Window::Hour), used(&k, Window::Day), used(&k, Window::Life)), (Usdc(0), Usdc(0), Usdc(100)));
    assert_eq!(k.cage.status(&k.config).outstanding, 0);
}

#[test]
fn however_many_are_left_open_memory_stays_bounded_and_nothing_is_forgotten() {
    let mut k = Kept::with(usd(1_000), |c| c.loop_repeats = 20);
    for n in 1..=100 {
        k.tick = 10 * n;
        drop(k.ask(&desk(1_000).buy(n)).unwrap());
    }
    assert_eq!(k.cage.status(&k.config).outstanding, 32);
    assert_eq!(used(&k, Window::Hour), Usdc(5_050));
    assert_eq!(used(&k, Window::Life), Usdc(5_050));
    let never = k.facts.iter().filter(|f| matches!(f, CageFact::Settled { amiss: Some(Amiss::Never), .. })).count();
    assert_eq!(never, 68);
}
