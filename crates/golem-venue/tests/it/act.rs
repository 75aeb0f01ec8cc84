//! Intents, their previews and their receipts, on the paper venue.

use crate::paper_world;

use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::verification::{OutcomeVerification, flows};
use golem_core::{Action, Dice, Intent, ReferenceKind, ReferencePrice, Strand, Tick, Usdc};
use golem_venue::{MarketTrade, Venue, act, spot};
use paper_world::{GOLEMS, Op, meaning, perform, venue};

#[test]
fn preview_equals_receipt_in_ten_thousand_of_ten_thousand() {
    let (mut actions, mut refused, mut done) = (0, 0, 0);
    for order in [true, false] {
        let mut venue = venue(order);
        let dice = Dice::open(11, Strand::World);
        let mut tick = 0;
        while actions < if order { 5_000 } else { 10_000 } {
            tick += 1;
            let mut draws = dice.draws(tick);
            let line = ((draws.bits() % 14) as u8, draws.bits(), draws.bits());
            match meaning(&mut venue, line) {
                Op::Wants(who, intent) => {
                    let preview = act::preview(&mut venue, who, &[intent], None).remove(0);
                    let receipt = act::carry_out(&mut venue, who, &preview).unwrap();
                    assert_eq!(preview.outcome, receipt.outcome, "{intent:?}");
                    assert_eq!((preview.gas, &preview.logs), (receipt.gas, &receipt.logs), "{intent:?}");
                    assert_eq!(Some(preview.after), receipt.after, "{intent:?}");
                    assert!(OutcomeVerification::of(Tick(tick), 0, &preview, &receipt).is_exact());
                    let change = |f: fn(&golem_core::Book) -> i128| f(&preview.after) - f(&preview.before);
                    let [usdc, asset, _] = flows(&receipt.outcome);
                    assert_eq!((usdc, asset), (change(|b| i128::from(b.usdc.0)), change(|b| b.asset.0 as i128)));
                    actions += 1;
                    refused += u32::from(preview.refusal().is_some());
                    done += u32::from(preview.refusal().is_none());
                }
                op => drop(perform(&mut venue, &op)),
            }
            for who in GOLEMS {
                venue.fund_to(who, Usdc::whole(10_000 + tick / 4)).unwrap();
            }
        }
    }
    assert_eq!(actions, 10_000);
    assert!(done > 5_000 && refused > 500, "{done} done and {refused} refused");
}

#[test]
fn a_list_is_previewed_in_order_and_a_refused_one_leaves_no_trace() {
    let (mut venue, who) = (venue(true), GOLEMS[0]);
    let buy = Intent::Buy { pay: Usdc::whole(1_000), min_out: Asset(1) };
    let dear = Intent::Buy { pay: Usdc::whole(1_000), min_out: Asset(u128::MAX) };
    let sell = Intent::Sell { give: Asset(Asset::WHOLE / 4), min_out: Usdc(1) };
    let known = ReferencePrice { kind: ReferenceKind::PoolMean, tick: 7, spot: 0, window_s: 1_800 };
    let alone = act::preview(&mut venue, who, &[buy, sell], Some(known));
    let with = act::preview(&mut venue, who, &[buy, dear, sell], Some(known));
    assert_eq!((&alone[0], &alone[1]), (&with[0], &with[2]));
    assert_eq!(with[1].refusal(), Some(Refusal::Slippage));
    assert!(with[1].gas.charged > 0 && !with[1].actions.is_empty());
    assert_eq!(with[1].before.usdc, with[0].after.usdc);
    assert_eq!(with[2].before, with[0].after);
    let spot = |n: usize| with[n].before.pool.tick;
    assert_eq!(with[0].reference, Some(known.beside(spot(0))));
    assert_eq!(with[2].reference, Some(known.beside(spot(2))), "beside what the first would leave");
    // Nothing of all that happened.
    assert_eq!(venue.holder(who).usdc, Usdc::whole(10_000));
    for preview in [&alone[0], &alone[1]] {
        let receipt = act::carry_out(&mut venue, who, preview).unwrap();
        assert_eq!((receipt.outcome, receipt.after), (preview.outcome, Some(preview.after)));
    }
}

#[test]
fn what_cannot_be_asked_for_is_refused_with_a_reason() {
    let (mut venue, who) = (venue(false), GOLEMS[1]);
    let add = |pay, give| Intent::Add { pay: Usdc(pay), give: Asset(give), width_bps: 100, tolerance_bps: 50 };
    for (intent, why) in [
        (Intent::Buy { pay: Usdc(0), min_out: Asset(0) }, Refusal::Funds),
        (Intent::Buy { pay: Usdc(u64::MAX), min_out: Asset(0) }, Refusal::Funds),
        (Intent::Sell { give: Asset(1), min_out: Usdc(0) }, Refusal::Funds),
        (add(0, 0), Refusal::Funds),
        (add(1_000_000, 0), Refusal::Funds),
        (add(1_000_000, 1), Refusal::Funds),
        (Intent::Remove { share_bps: 10_000, tolerance_bps: 50 }, Refusal::NoPosition),
        (Intent::Collect, Refusal::NoPosition),
        (Intent::Rebalance { width_bps: 100, tolerance_bps: 50 }, Refusal::NoPosition),
    ] {
        let preview = act::preview(&mut venue, who, &[intent], None).remove(0);
        assert_eq!((preview.refusal(), preview.actions.len()), (Some(why), 0), "{intent:?}");
        let receipt = act::carry_out(&mut venue, who, &preview).unwrap();
        assert_eq!((receipt.outcome, receipt.gas.charged), (Outcome::Refused { why }, 0));
    }
    let hold = act::preview(&mut venue, who, &[Intent::Hold], None).remove(0);
    assert_eq!((hold.outcome, hold.actions.len()), (Outcome::Held, 0));
    assert_eq!(act::carry_out(&mut venue, who, &hold).unwrap().outcome, Outcome::Held);
}

/// Previews, lets the price move by some basis points, and carries out.
fn after_a_move(order: bool, set_up: &[Intent], intent: Intent, bps: i32) -> (Outcome, u64) {
    let (mut venue, who) = (venue(order), GOLEMS[2]);
    for first in set_up {
        let preview = act::preview(&mut venue, who, &[*first], None).remove(0);
        assert_eq!(act::carry_out(&mut venue, who, &preview).unwrap().outcome, preview.outcome);
    }
    let preview = act::preview(&mut venue, who, &[intent], None).remove(0);
    assert_eq!(preview.refusal(), None, "{intent:?}");
    let price = spot::price_f64(&venue.view().unwrap()) * (1.0 + f64::from(bps) / 10_000.0);
    venue.trade(&MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(price, order) }).unwrap();
    let receipt = act::carry_out(&mut venue, who, &preview).unwrap();
    (receipt.outcome, receipt.gas.charged)
}

#[test]
fn a_tolerance_bounds_the_move_in_both_directions() {
    let buy = Intent::Buy { pay: Usdc::whole(5_000), min_out: Asset(1) };
    // What 5,000 USDC buy here, about as much as 5,000 USDC beside it want.
    let give = Asset(1_640_000_000_000_000_000);
    let add = Intent::Add { pay: Usdc::whole(5_000), give, width_bps: 500, tolerance_bps: 50 };
    let remove = Intent::Remove { share_bps: 10_000, tolerance_bps: 50 };
    let slipped = Outcome::Refused { why: Refusal::Slippage };
    for order in [true, false] {
        for bps in [-200, -80, 80, 200] {
            for (set_up, intent) in [(&[buy][..], add), (&[buy, add][..], remove)] {
                let (outcome, gas) = after_a_move(order, set_up, intent, bps);
                assert_eq!(outcome, slipped, "{intent:?} after {bps}");
                assert!(gas > 0, "what reverts is paid for");
            }
        }
        for bps in [-45, -10, 0, 10, 45] {
            for (set_up, intent) in [(&[buy][..], add), (&[buy, add][..], remove)] {
                let (outcome, _) = after_a_move(order, set_up, intent, bps);
                assert!(!matches!(outcome, Outcome::Refused { .. }), "{intent:?} after {bps}: {outcome:?}");
            }
        }
    }
}

#[test]
fn moving_a_position_takes_only_what_came_out_of_it() {
    let buy = Intent::Buy { pay: Usdc::whole(4_000), min_out: Asset(1) };
    let add = Intent::Add {
        pay: Usdc::whole(2_000),
        give: Asset(600_000_000_000_000_000),
        width_bps: 300,
        tolerance_bps: 100,
    };
    let moved = Intent::Rebalance { width_bps: 100, tolerance_bps: 100 };
    for order in [true, false] {
        for bps in [-60, 0, 60] {
            match after_a_move(order, &[buy, add], moved, bps).0 {
                Outcome::Moved { got, got_asset, paid, gave, had, liquidity } => {
                    assert!(paid <= got && gave <= got_asset && had > 0 && liquidity > 0);
                }
                Outcome::Removed { got, got_asset, liquidity } => {
                    assert!(bps != 0 && liquidity > 0 && got > Usdc::ZERO && got_asset > Asset::ZERO);
                }
                other => panic!("{other:?} after {bps}"),
            }
        }
        // So far off that not even the first half is done.
        let (outcome, _) = after_a_move(order, &[buy, add], moved, 250);
        assert_eq!(outcome, Outcome::Refused { why: Refusal::Slippage });
    }
}

#[test]
fn a_position_out_of_its_range_cannot_be_moved_without_a_swap() {
    let (mut venue, who) = (venue(true), GOLEMS[0]);
    let steps = [
        Intent::Buy { pay: Usdc::whole(4_000), min_out: Asset(1) },
        Intent::Add { pay: Usdc::whole(2_000), give: Asset(Asset::WHOLE / 2), width_bps: 100, tolerance_bps: 100 },
    ];
    for step in steps {
        let preview = act::preview(&mut venue, who, &[step], None).remove(0);
        act::carry_out(&mut venue, who, &preview).unwrap();
    }
    venue.trade(&MarketTrade::ToPrice { sqrt_price_x96: spot::sqrt_price_of(3_300.0, true) }).unwrap();
    let moved = Intent::Rebalance { width_bps: 100, tolerance_bps: 100 };
    let preview = act::preview(&mut venue, who, &[moved], None).remove(0);
    assert_eq!((preview.refusal(), preview.actions.len()), (Some(Refusal::Funds), 0));
    assert!(venue.holder(who).deed.is_some());
}

#[test]
fn a_share_of_a_position_is_that_share_and_all_of_it_closes() {
    let (mut venue, who) = (venue(false), GOLEMS[0]);
    let steps = [
        Intent::Buy { pay: Usdc::whole(4_000), min_out: Asset(1) },
        Intent::Add { pay: Usdc::whole(2_000), give: Asset(Asset::WHOLE / 2), width_bps: 0, tolerance_bps: 100 },
    ];
    for step in steps {
        let preview = act::preview(&mut venue, who, &[step], None).remove(0);
        act::carry_out(&mut venue, who, &preview).unwrap();
    }
    let (view, book) = (venue.view().unwrap(), venue.book(who).unwrap());
    let all = book.position.unwrap().liquidity;
    for (share_bps, expected, closes) in [
        (1, all / 10_000, false),
        (2_500, all / 4, false),
        (9_999, all - all / 10_000 - 1, false),
        (10_000, all, true),
        (u32::MAX, all, true),
    ] {
        let actions = act::resolve(&Intent::Remove { share_bps, tolerance_bps: 10 }, &view, &book).unwrap();
        let [Action::Burn { liquidity, close, .. }] = actions[..] else { panic!("{actions:?}") };
        assert!(liquidity.abs_diff(expected) <= 1 && close == closes, "{share_bps}: {liquidity} of {all}");
    }
    let nothing = act::resolve(&Intent::Remove { share_bps: 0, tolerance_bps: 10 }, &view, &book);
    assert_eq!(nothing, Err(Refusal::NoPosition));
}
