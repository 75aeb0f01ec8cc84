//! The rules that are not about amounts: slippage, minima, tolerance, reference price, loops.

use crate::kit::{DAY, Desk, HOUR, Kept, usd, worth};
use golem_cage::Denial;
use golem_core::intent::{Asset, Outcome, Refusal};
use golem_core::venue::Range;
use golem_core::{Action, Intent, Preview, Usdc};

pub fn some() -> Desk {
    Desk { usdc: usd(600).0, asset: usd(200).0, position: Some((usd(100).0, usd(100).0)) }
}

pub fn kept() -> Kept {
    Kept::new(usd(1_000))
}

#[test]
fn an_expected_result_may_lie_one_per_cent_below_spot_and_no_more() {
    let (pay, edge) = (usd(100).0, usd(99).0);
    assert_eq!(kept().why(&some().buy_getting(pay, edge)), "permitted");
    assert_eq!(
        kept().ask(&some().buy_getting(pay, edge - 1)).unwrap_err(),
        Denial::Slippage { expected: Usdc(edge - 1), fair: Usdc(pay), cap: 100 }
    );
    assert_eq!(kept().why(&some().sell_getting(pay, edge)), "permitted");
    assert_eq!(
        kept().ask(&some().sell_getting(pay, edge - 1)).unwrap_err(),
        Denial::Slippage { expected: Usdc(edge - 1), fair: Usdc(pay), cap: 100 }
    );
    // A fraction of a unit of the asset that is given away counts as a whole one.
    let mut preview = some().sell_getting(pay, edge);
    let gave = Asset(worth(pay).0 + 1);
    preview.intent = Intent::Sell { give: gave, min_out: Usdc(edge) };
    preview.actions = vec![Action::Sell { give: gave, min_out: Usdc(edge) }];
    preview.outcome = Outcome::Sold { gave, got: Usdc(edge) };
    preview.after.asset = Asset(preview.after.asset.0 - 1);
    assert_eq!(kept().why(&preview), "slippage");
    // And one that comes in counts as nothing.
    let mut preview = some().buy_getting(pay, edge);
    let got = Asset(worth(edge).0 - 1);
    preview.intent = Intent::Buy { pay: Usdc(pay), min_out: got };
    preview.actions = vec![Action::Buy { pay: Usdc(pay), min_out: got }];
    preview.outcome = Outcome::Bought { paid: Usdc(pay), got };
    preview.after.asset = Asset(preview.after.asset.0 - 1);
    assert_eq!(kept().why(&preview), "slippage");
}

fn with_minimum(mut preview: Preview, min_asset: u128, min_usdc: u64) -> Preview {
    match (&mut preview.intent, &mut preview.actions[0]) {
        (Intent::Buy { min_out, .. }, Action::Buy { min_out: also, .. }) => {
            (*min_out, *also) = (Asset(min_asset), Asset(min_asset));
        }
        (Intent::Sell { min_out, .. }, Action::Sell { min_out: also, .. }) => {
            (*min_out, *also) = (Usdc(min_usdc), Usdc(min_usdc));
        }
        (_, Action::Mint { min_pay, min_give, .. }) => (*min_pay, *min_give) = (Usdc(min_usdc), Asset(min_asset)),
        (_, Action::Burn { min_out, min_asset: min, .. }) => (*min_out, *min) = (Usdc(min_usdc), Asset(min_asset)),
        _ => panic!("no minimum here"),
    }
    preview
}

#[test]
fn a_swap_needs_a_minimum_near_what_is_expected() {
    let amount = usd(100).0;
    let (least, least_usdc) = (worth(usd(99).0).0, usd(99).0);
    for (preview, expected) in [
        (with_minimum(some().buy(amount), least, 0), "permitted"),
        (with_minimum(some().buy(amount), least - 1, 0), "minimum"),
        (with_minimum(some().buy(amount), 0, 0), "minimum"),
        (with_minimum(some().buy(amount), u128::MAX, 0), "permitted"),
        (with_minimum(some().sell(amount), 0, least_usdc), "permitted"),
        (with_minimum(some().sell(amount), 0, least_usdc - 1), "minimum"),
        (with_minimum(some().sell(amount), 0, 0), "minimum"),
        (with_minimum(some().sell(amount), 0, u64::MAX), "permitted"),
    ] {
        assert_eq!(kept().why(&preview), expected, "{preview:?}");
    }
    // Nothing for nothing is still no minimum.
    assert_eq!(kept().why(&some().buy(0)), "minimum");
    assert_eq!(kept().why(&some().sell(0)), "minimum");
}

#[test]
fn liquidity_needs_a_bound_on_the_price_and_a_small_tolerance() {
    let add = || some().add(usd(50).0, usd(50).0);
    let dust = Desk { position: Some((5, 5)), ..some() };
    let little = Desk { position: Some((5, 6)), ..some() };
    for (preview, expected) in [
        (with_minimum(dust.remove(10_000), 0, 0), "permitted"),
        (with_minimum(little.remove(10_000), 0, 0), "minimum"),
        (with_minimum(some().add(5, 5), 0, 0), "permitted"),
        (with_minimum(some().add(5, 6), 0, 0), "minimum"),
        (with_minimum(dust.rebalance(5, 5), 0, 0), "permitted"),
        (with_minimum(dust.rebalance(5, 6), 0, 0), "minimum"),
        (with_minimum(little.rebalance(5, 5), 0, 0), "minimum"),
        // Half a per cent of a range of six per cent to either side leaves five sixths of what goes in, and eleven
        // twelfths of what comes out, of both tokens.
        (with_minimum(add(), 0, 0), "minimum"),
        (with_minimum(add(), worth(usd(50).0).0, 0), "minimum"),
        (with_minimum(add(), 0, usd(50).0), "minimum"),
        (with_minimum(add(), worth(usd(42).0).0, usd(42).0), "permitted"),
        (with_minimum(add(), worth(usd(41).0).0, usd(42).0), "minimum"),
        (with_minimum(add(), worth(usd(42).0).0, usd(41).0), "minimum"),
        (with_minimum(some().remove(5_000), 0, 0), "minimum"),
        (with_minimum(some().remove(5_000), worth(usd(50).0).0, 1), "minimum"),
        (with_minimum(some().remove(5_000), 1, usd(50).0), "minimum"),
        (with_minimum(some().remove(5_000), worth(usd(46).0).0, usd(46).0), "permitted"),
        (with_minimum(some().remove(5_000), worth(usd(44).0).0, usd(46).0), "minimum"),
    ] {
        assert_eq!(kept().why(&preview), expected, "{preview:?}");
    }
    // A range that the tolerated move can leave on both sides needs no minimum: no price can cost more than that.
    for (lower, upper, expected) in [
        (-50, 50, "permitted"),
        (-70, 50, "minimum"),
        (-1_000, 1_000, "minimum"),
        (100, -100, "minimum"),
        (i32::MIN, i32::MAX, "minimum"),
    ] {
        for mut preview in [add(), some().remove(5_000), some().rebalance(usd(100).0, usd(100).0)] {
            let range = Range { lower, upper };
            preview.before.position.as_mut().unwrap().range = range;
            preview.actions.iter_mut().for_each(|action| match action {
                Action::Mint { range: old, min_pay, min_give, .. } => {
                    (*old, *min_pay, *min_give) = (range, Usdc(0), Asset(0));
                }
                Action::Burn { min_out, min_asset, .. } => (*min_out, *min_asset) = (Usdc(0), Asset(0)),
                _ => {}
            });
            assert_eq!(kept().why(&preview), expected, "{lower} {upper} {preview:?}");
        }
    }
    for (bps, expected) in [(0, "permitted"), (100, "permitted"), (101, "tolerance"), (u32::MAX, "tolerance")] {
        let mut previews = [add(), some().remove(5_000), some().rebalance(usd(100).0, usd(100).0)];
        for preview in &mut previews {
            if let Intent::Add { tolerance_bps, .. }
            | Intent::Remove { tolerance_bps, .. }
            | Intent::Rebalance { tolerance_bps, .. } = &mut preview.intent
            {
                *tolerance_bps = bps;
            }
            assert_eq!(kept().why(preview), expected, "{preview:?}");
        }
    }
}

#[test]
fn liquidity_moves_lose_no_more_than_rounding_and_slippage() {
    // A token that keeps a part of every transfer for itself would show here.
    for (lost, expected) in
        [(0, "permitted"), (10, "permitted"), (usd(1).0 + 10, "permitted"), (usd(1).0 + 11, "slippage")]
    {
        let mut preview = some().add(usd(50).0, usd(50).0);
        preview.after.worth.position = Usdc(preview.after.worth.position.0 - lost);
        assert_eq!(kept().why(&preview), expected, "adding loses {lost}");
        let mut preview = some().remove(5_000);
        preview.after.worth.position = Usdc(preview.after.worth.position.0 - lost);
        assert_eq!(kept().why(&preview), expected, "removing loses {lost}");
    }
    let mut preview = some().collect(usd(100).0);
    preview.before.worth.fees = Usdc(usd(101).0 + 10);
    assert_eq!(kept().why(&preview), "permitted");
    preview.before.worth.fees = Usdc(usd(101).0 + 11);
    assert_eq!(kept().why(&preview), "slippage");
    let mut preview = some().rebalance(usd(100).0, usd(100).0);
    preview.after.worth.fees = Usdc(5);
    preview.after.worth.position = Usdc(usd(198).0 - 15);
    assert_eq!(kept().why(&preview), "permitted");
    preview.after.worth.position = Usdc(usd(198).0 - 16);
    assert_eq!(kept().why(&preview), "slippage");
    // What is held in the account counts too.
    let mut preview = some().add(usd(50).0, usd(50).0);
    preview.after.asset = Asset(preview.after.asset.0 - worth(usd(2).0).0);
    preview.outcome = Outcome::Added { paid: usd(50), gave: worth(usd(52).0), liquidity: 1 };
    preview.intent = Intent::Add { pay: usd(50), give: worth(usd(52).0), width_bps: 1, tolerance_bps: 1 };
    if let Action::Mint { give, .. } = &mut preview.actions[0] {
        *give = worth(usd(52).0);
    }
    assert_eq!(kept().why(&preview), "slippage");
}

#[test]
fn the_fifth_of_the_same_among_twenty_is_a_loop() {
    let mut k = kept();
    for _ in 0..4 {
        k.carry(&some().buy(7)).unwrap();
    }
    assert_eq!(k.ask(&some().buy(7)).unwrap_err(), Denial::Loop { times: 5, of: 20 });
    assert_eq!(k.why(&some().buy(7)), "loop", "and so on");
    assert_eq!(k.why(&some().buy(8)), "permitted", "another argument is another ask");
    assert_eq!(k.why(&some().add(7, 7)), "permitted", "and so is another kind");
    // Denied asks count.
    let mut k = kept();
    for _ in 0..4 {
        assert_eq!(k.why(&some().buy(usd(900).0)), "contradiction");
    }
    assert_eq!(k.why(&some().buy(usd(900).0)), "loop");
    // Refused ones too.
    let mut k = kept();
    let refused = Preview::refused(some().buy(7).intent, Refusal::NoMarket);
    for _ in 0..4 {
        assert_eq!(k.ask(&refused).unwrap_err(), Denial::WouldFail { why: Refusal::NoMarket });
    }
    assert_eq!(k.why(&refused), "loop");
}

#[test]
fn a_loop_ends_by_other_asks_or_by_time() {
    // Four of the same and fifteen others: the first is still among the last twenty. With sixteen it is not.
    for (others, expected) in [(15, "loop"), (16, "permitted")] {
        let mut k = kept();
        for _ in 0..4 {
            k.carry(&some().buy(7)).unwrap();
        }
        for n in 0..others {
            k.carry(&some().buy(100 + n)).unwrap();
        }
        assert_eq!(k.why(&some().buy(7)), expected, "{others}");
    }
    for (seconds, expected) in [(HOUR - 1, "loop"), (HOUR, "permitted")] {
        let mut k = kept();
        for _ in 0..4 {
            k.carry(&some().buy(7)).unwrap();
        }
        k.wait(seconds);
        assert_eq!(k.why(&some().buy(7)), expected, "{seconds}");
    }
    // The guard's own denials do not prolong it.
    let mut k = kept();
    for _ in 0..4 {
        k.carry(&some().buy(7)).unwrap();
    }
    for _ in 0..89 {
        k.wait(40);
        assert_eq!(k.why(&some().buy(7)), "loop");
    }
    k.wait(40);
    assert_eq!(k.why(&some().buy(7)), "permitted");
}

#[test]
fn what_reduces_is_only_warned_of_loops() {
    let mut k = kept();
    for n in 1..=8 {
        k.carry(&some().collect(3)).unwrap();
        let looping = k.facts.iter().rev().find_map(|fact| match fact {
            golem_cage::CageFact::Permitted { looping, .. } => Some(*looping),
            _ => None,
        });
        assert_eq!(looping, Some(n >= 5), "{n}");
    }
}

#[test]
fn what_would_fail_or_do_nothing_is_denied() {
    let mut preview = some().sell(5);
    preview.outcome = Outcome::Refused { why: Refusal::Funds };
    assert_eq!(kept().ask(&preview).unwrap_err(), Denial::WouldFail { why: Refusal::Funds });
    let mut hold = some().buy(5);
    (hold.intent, hold.outcome) = (Intent::Hold, Outcome::Held);
    hold.actions.clear();
    for _ in 0..9 {
        assert_eq!(kept().ask(&hold).unwrap_err(), Denial::Nothing);
    }
}

#[test]
fn what_reduces_finds_a_way_out_of_everything_that_is_about_money() {
    let mut k = kept();
    k.config.per_tx_usdc = Usdc(0);
    k.config.per_life_usdc = Usdc(0);
    (k.config.max_exposure_bps, k.config.max_position_bps, k.config.max_outstanding) = (0, 0, 0);
    k.see(usd(1_000));
    k.wait(40);
    k.see(usd(100));
    k.halt();
    for day in 0..3 {
        for preview in [some().sell(usd(200).0), some().remove(10_000), some().collect(9), some().remove(1)] {
            let permit = k.ask(&preview).unwrap();
            assert_eq!(permit.max_usdc(), Usdc(0), "day {day}");
        }
        k.wait(DAY);
    }
    assert_eq!(k.cage.status(&k.config).windows[3].used, Usdc(0));
}

#[test]
fn a_wish_cannot_stand_on_one_that_was_denied() {
    // All in the asset: a purchase is only thinkable after a sale.
    let full = Desk { usdc: usd(400).0, asset: usd(600).0, position: None };
    let sold = Desk { usdc: usd(900).0, asset: usd(100).0, position: None };
    let mut greedy = full.sell(usd(500).0);
    greedy.intent = Intent::Sell { give: worth(usd(500).0), min_out: Usdc(1) };
    greedy.actions = vec![Action::Sell { give: worth(usd(500).0), min_out: Usdc(1) }];
    let mut kept = kept();
    assert_eq!(kept.why(&greedy), "minimum");
    assert_eq!(kept.ask(&sold.buy(usd(50).0)).unwrap_err(), Denial::Unfounded);
    assert_eq!(kept.why(&sold.add(usd(50).0, 0)), "unfounded");
    // Nor on one that was denied for being asked too often.
    kept.wait(40);
    let again = full.buy(usd(1).0);
    for _ in 0..5 {
        kept.why(&again);
        kept.tick += 1;
    }
    assert_eq!(kept.why(&again), "loop");
    assert_eq!(kept.why(&sold.buy(usd(50).0)), "unfounded");
    // What only reduces stands on anything.
    assert_eq!(kept.why(&sold.sell(usd(50).0)), "permitted");
    // In another turn, or on what was permitted, the same is fine.
    kept.wait(40);
    assert_eq!(kept.why(&full.sell(usd(500).0)), "permitted");
    assert_eq!(kept.why(&sold.buy(usd(50).0)), "permitted");
}
