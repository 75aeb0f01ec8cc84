//! Every money limit at its edge: exactly at it, one above, after time, by splitting, across a restart.

use crate::kit::{DAY, Desk, HOUR, Kept, as_predicted, desk, usd};
use golem_cage::{CageConfig, Denial, Window};
use golem_core::Receipt;
use golem_core::Usdc;
use golem_core::intent::{Outcome, Refusal};

/// Settings under which only the limit in question can deny a buy.
fn wide(config: &mut CageConfig) {
    let most = Usdc(u64::MAX);
    (config.per_tx_usdc, config.per_hour_usdc, config.per_day_usdc, config.per_life_usdc) = (most, most, most, most);
    (config.per_tx_share_bps, config.per_hour_share_bps, config.per_day_share_bps) = (10_000, 100_000, 1_000_000);
    (config.max_position_bps, config.max_exposure_bps) = (10_000, 10_000);
    config.loop_repeats = 1_000;
    config.loop_window = 1_000;
    config.bleed_bps = 10_000;
}

#[test]
fn one_intent_is_held_to_the_smaller_of_amount_and_share() {
    // (net asset value, amount, share, the most)
    for (nav, amount, share, most) in [
        (usd(100_000), usd(10_000), 5_000, usd(10_000)),
        (usd(1_000), usd(10_000), 5_000, usd(500)),
        (Usdc(1_001), usd(10_000), 5_000, Usdc(500)),
        (usd(20_000), usd(10_000), 5_000, usd(10_000)),
        (Usdc(u64::MAX), Usdc(u64::MAX - 1), 10_000, Usdc(u64::MAX - 1)),
    ] {
        let fresh = || {
            Kept::with(nav, |c| {
                wide(c);
                (c.per_tx_usdc, c.per_tx_share_bps) = (amount, share);
            })
        };
        let rich = Desk { usdc: nav.0, ..Desk::default() };
        assert_eq!(fresh().why(&rich.buy(most.0)), "permitted", "{nav} {most}");
        let denial = fresh().ask(&rich.buy(most.0 + 1)).unwrap_err();
        let above = Denial::Limit { window: Window::Tx, asked: Usdc(most.0 + 1), used: Usdc(0), cap: most };
        assert_eq!(denial, above, "{nav} {most}");
    }
}

#[test]
fn windows_sum_and_slide_to_the_millisecond() {
    type Set = fn(&mut CageConfig);
    let cases: [(Set, u64, Option<u64>, &str); 5] = [
        (|c| c.per_hour_usdc = usd(300), 300, Some(HOUR), "per_hour"),
        (|c| c.per_day_usdc = usd(300), 300, Some(DAY), "per_day"),
        (|c| c.per_hour_share_bps = 300, 300, Some(HOUR), "per_hour"),
        (|c| c.per_day_share_bps = 300, 300, Some(DAY), "per_day"),
        (|c| c.per_life_usdc = usd(300), 300, None, "per_life"),
    ];
    for (set, cap, length, name) in cases {
        let mut kept = Kept::with(usd(10_000), |c| {
            wide(c);
            set(c);
        });
        let rich = desk(10_000);
        kept.now_s = 40;
        // Split under the limit, apart in time.
        kept.carry(&rich.buy(usd(cap - 100).0)).unwrap();
        kept.wait(400);
        assert_eq!(kept.why(&rich.buy(usd(100).0 + 1)), name);
        kept.carry(&rich.buy(usd(100).0)).unwrap();
        assert_eq!(kept.why(&rich.buy(1)), name, "nothing is left");
        let Some(length) = length else {
            kept.wait(400 * DAY);
            assert_eq!(kept.why(&rich.buy(1)), name, "a life is not a window that slides");
            continue;
        };
        // The first is out of the window exactly its length after it was booked.
        kept.now_s = 40 + length - 1;
        assert_eq!(kept.why(&rich.buy(1)), name);
        kept.now_s = 40 + length;
        assert_eq!(kept.why(&rich.buy(usd(cap - 100).0 + 1)), name);
        kept.carry(&rich.buy(usd(cap - 100).0)).unwrap();
        assert_eq!(kept.why(&rich.buy(1)), name);
    }
}

#[test]
fn what_is_permitted_counts_before_it_is_settled() {
    let mut kept = Kept::with(usd(10_000), |c| {
        wide(c);
        c.per_hour_usdc = usd(300);
    });
    let rich = desk(10_000);
    let permit = kept.ask(&rich.buy(usd(200).0)).unwrap();
    let denial = kept.ask(&rich.buy(usd(100).0 + 1)).unwrap_err();
    let asked = Usdc(usd(100).0 + 1);
    assert_eq!(denial, Denial::Limit { window: Window::Hour, asked, used: usd(200), cap: usd(300) });
    // It was refused by the world: all of it is free again.
    let refused = Receipt::kept_back(permit.intent(), Refusal::Slippage);
    kept.settle(permit, &refused);
    kept.carry(&rich.buy(usd(300).0)).unwrap();
    assert_eq!(kept.why(&rich.buy(1)), "per_hour");
}

#[test]
fn what_was_reserved_and_not_used_is_released() {
    let mut kept = Kept::with(usd(10_000), |c| {
        wide(c);
        c.per_day_usdc = usd(1_000);
    });
    let rich = Desk { usdc: usd(8_000).0, asset: usd(2_000).0, position: None };
    let preview = rich.add(usd(600).0, usd(400).0);
    let permit = kept.ask(&preview).unwrap();
    assert_eq!(kept.why(&rich.buy(1)), "per_day");
    let mut receipt = as_predicted(&preview);
    receipt.outcome = Outcome::Added { paid: usd(300), gave: crate::kit::worth(usd(200).0), liquidity: 1 };
    kept.settle(permit, &receipt);
    assert_eq!(kept.why(&rich.buy(usd(500).0 + 1)), "per_day");
    assert_eq!(kept.why(&rich.buy(usd(500).0)), "permitted");
}

#[test]
fn shares_follow_the_smaller_of_then_and_now() {
    let limited = |c: &mut CageConfig| {
        wide(c);
        (c.per_hour_share_bps, c.per_day_share_bps) = (10_000, 20_000);
    };
    // Grown since: the window's beginning counts.
    let mut kept = Kept::with(usd(100), limited);
    kept.see(usd(100));
    kept.wait(HOUR - 1);
    kept.nav = usd(1_000);
    let rich = desk(1_000);
    assert_eq!(kept.why(&rich.buy(usd(100).0 + 1)), "per_hour");
    assert_eq!(kept.why(&rich.buy(usd(100).0)), "permitted");

    // An hour on, the hour began with the new value and the day with the old.
    let mut kept = Kept::with(usd(100), limited);
    kept.see(usd(100));
    kept.wait(HOUR);
    kept.see(usd(1_000));
    kept.wait(2 * HOUR);
    kept.see(usd(1_000));
    assert_eq!(kept.why(&rich.buy(usd(200).0 + 1)), "per_day");
    assert_eq!(kept.why(&rich.buy(usd(200).0)), "permitted");

    // Two days on, both.
    kept.wait(2 * DAY);
    kept.see(usd(1_000));
    kept.wait(DAY);
    assert_eq!(kept.why(&rich.buy(usd(1_000).0)), "permitted");

    // Shrunk since: now counts.
    let mut kept = Kept::with(usd(1_000), |c| {
        limited(c);
        (c.drawdown_bps, c.bleed_bps) = ([9_990, 9_995, 10_000], 10_000);
    });
    kept.see(usd(1_000));
    kept.wait(40);
    kept.nav = usd(100);
    assert_eq!(kept.why(&rich.buy(usd(100).0 + 1)), "exposure");
    kept.config.max_exposure_bps = u32::MAX;
    assert_eq!(kept.why(&rich.buy(usd(100).0 + 1)), "per_tx");
    kept.config.per_tx_share_bps = u32::MAX;
    assert_eq!(kept.why(&rich.buy(usd(100).0 + 1)), "per_hour");
    kept.config.per_hour_share_bps = u32::MAX;
    assert_eq!(kept.why(&rich.buy(usd(200).0 + 1)), "per_day");
}

#[test]
fn a_value_that_was_in_force_when_a_window_began_counts_even_if_seen_long_before() {
    let mut kept = Kept::with(usd(100), wide);
    kept.config.per_hour_share_bps = 10_000;
    kept.see(usd(100));
    kept.wait(10 * DAY);
    kept.nav = usd(1_000);
    assert_eq!(kept.why(&desk(1_000).buy(usd(100).0 + 1)), "per_hour");
    assert_eq!(kept.why(&desk(1_000).buy(usd(100).0)), "permitted");
}

/// What the day's limit allows at `now_s` when these values were seen before: all of what the day began with.
fn day_cap(seen: &[(u64, u64)], now_s: u64, nav: u64) -> Usdc {
    let mut kept = Kept::with(usd(1), |c| {
        wide(c);
        c.per_day_share_bps = 10_000;
        (c.drawdown_bps, c.bleed_bps) = ([9_998, 9_999, 10_000], 10_000);
    });
    for (at, nav) in seen {
        kept.now_s = *at;
        kept.see(usd(*nav));
    }
    kept.now_s = now_s;
    kept.see(usd(nav));
    kept.cage.status(&kept.config).windows[2].cap
}

#[test]
fn a_day_begins_with_what_was_in_force_then_and_a_doubt_permits_less() {
    let slot = 1_800;
    // Seen in the slot before the day, and higher within its first slot: the earlier one was still in force.
    assert_eq!(day_cap(&[(0, 100), (2 * slot - 100, 1_000)], DAY + slot + 100, 1_000), usd(100));
    // Lower within its first slot: perhaps already in force.
    assert_eq!(day_cap(&[(0, 1_000), (2 * slot - 100, 100), (3 * slot, 1_000)], DAY + slot + 100, 1_000), usd(100));
    // Lower only later in the day: not in force when it began.
    assert_eq!(day_cap(&[(0, 1_000), (5 * slot, 100), (6 * slot, 1_000)], DAY + slot + 100, 1_000), usd(1_000));
    // The last before the day counts, not those before it.
    assert_eq!(day_cap(&[(0, 100), (slot, 500), (2 * slot, 700)], DAY + 4 * slot, 1_000), usd(700));
    assert_eq!(day_cap(&[(0, 100), (slot, 500), (2 * slot, 700)], DAY + 3 * slot - 1, 1_000), usd(500));
    // A younger life began with its first value, or the lowest of its first slot.
    assert_eq!(day_cap(&[(0, 300), (10, 200), (20, 900), (slot, 100)], 4 * slot, 1_000), usd(200));
}

#[test]
fn memory_stays_bounded_however_long_a_life_is() {
    let mut kept = Kept::with(usd(10_000), |c| {
        wide(c);
        c.loop_repeats = 2;
        c.loop_window = 20;
    });
    let rich = desk(10_000);
    for n in 0..4_000 {
        kept.wait(200);
        kept.carry(&rich.buy(1_000 + n)).unwrap();
        if n % 100 == 99 {
            // 288 sums, 48 values and 19 prints, of some ten to twenty bytes each.
            let size = postcard::to_stdvec(&kept.cage).unwrap().len();
            assert!(size < 4_500, "{size} after {n}");
        }
    }
}

#[test]
fn position_and_exposure_are_judged_on_what_would_be() {
    let limited = |c: &mut CageConfig| {
        wide(c);
        (c.max_position_bps, c.max_exposure_bps) = (6_000, 5_000);
    };
    let nav = usd(1_000);
    let some = Desk { usdc: usd(700).0, asset: usd(300).0, position: None };
    let mut kept = Kept::with(nav, limited);
    assert_eq!(kept.why(&some.add(usd(300).0 + 1, usd(300).0)), "position");
    assert_eq!(kept.why(&some.add(usd(300).0, usd(300).0)), "permitted");
    let mut kept = Kept::with(nav, limited);
    assert_eq!(kept.why(&some.buy(usd(200).0 + 1)), "exposure");
    assert_eq!(kept.why(&some.buy(usd(200).0)), "permitted");
    // What is permitted and not in the books yet counts as well, each against its own limit.
    assert_eq!(kept.why(&some.buy(1)), "exposure");
    assert_eq!(kept.why(&some.add(usd(300).0, usd(300).0)), "permitted");
    assert_eq!(kept.why(&some.add(1, 0)), "position");
    // The denial says what would be.
    let mut kept = Kept::with(nav, limited);
    let denial = kept.ask(&some.buy(usd(200).0 + 1)).unwrap_err();
    assert_eq!(denial, Denial::Exposure { after: Usdc(usd(500).0 + 1), cap: usd(500) });
}

#[test]
fn wishes_that_stand_on_each_other_are_not_counted_twice() {
    let limited = |c: &mut CageConfig| {
        wide(c);
        (c.max_position_bps, c.max_exposure_bps) = (6_000, 5_000);
    };
    let first = desk(1_000);
    let second = Desk { usdc: usd(700).0, asset: usd(300).0, position: None };
    let third = Desk { usdc: usd(400).0, asset: 0, position: Some((usd(300).0, usd(300).0)) };
    // Each preview begins with the books that the one before it ends with.
    let mut kept = Kept::with(usd(1_000), limited);
    assert_eq!(kept.why(&first.buy(usd(300).0)), "permitted");
    assert_eq!(kept.why(&second.add(usd(300).0, usd(300).0)), "permitted");
    assert_eq!(kept.why(&third.buy(usd(200).0 + 1)), "exposure");
    assert_eq!(kept.why(&third.buy(usd(200).0)), "permitted");
    // One that does not stand on the others counts with them.
    let mut kept = Kept::with(usd(1_000), limited);
    assert_eq!(kept.why(&first.buy(usd(300).0)), "permitted");
    assert_eq!(kept.why(&first.buy(usd(200).0 + 1)), "exposure");
    assert_eq!(kept.why(&first.buy(usd(200).0)), "permitted");
    // And neither does one that stands on the first of them only.
    assert_eq!(kept.why(&second.buy(1)), "exposure");
    // Nothing that changes nothing holds this up.
    let mut kept = Kept::with(usd(1_000), limited);
    assert_eq!(kept.why(&third.collect(0)), "permitted");
    assert_eq!(kept.why(&third.buy(usd(200).0)), "permitted");
}

#[test]
fn adding_counts_the_most_that_can_leave_and_moving_counts_the_whole_new_range() {
    let mut kept = Kept::with(usd(1_000), wide);
    kept.config.per_tx_usdc = usd(100);
    let some = Desk { usdc: usd(500).0, asset: usd(300).0, position: Some((usd(100).0, usd(100).0)) };
    assert_eq!(kept.why(&some.add(usd(60).0, usd(40).0 + 1)), "per_tx");
    assert_eq!(kept.why(&some.add(usd(60).0 + 1, usd(40).0)), "per_tx");
    assert_eq!(kept.why(&some.add(usd(60).0, usd(40).0)), "permitted");
    assert_eq!(kept.why(&some.rebalance(usd(60).0 + 1, usd(40).0)), "per_tx");
    assert_eq!(kept.why(&some.rebalance(usd(60).0, usd(40).0)), "permitted");

    // The preview takes less than the action allows: the action counts.
    let mut kept = Kept::with(usd(1_000), wide);
    kept.config.per_tx_usdc = usd(100);
    let mut preview = some.add(usd(50).0, usd(40).0);
    if let golem_core::Action::Mint { give, .. } = &mut preview.actions[0] {
        *give = crate::kit::worth(usd(50).0 + 1);
    }
    preview.intent =
        golem_core::Intent::Add { pay: usd(50), give: crate::kit::worth(usd(60).0), width_bps: 500, tolerance_bps: 50 };
    assert_eq!(kept.why(&preview), "per_tx");

    // The position grows by more than leaves: the growth counts.
    let mut preview = some.add(usd(50).0, usd(50).0);
    preview.after.worth.position = Usdc(preview.after.worth.position.0 + 1);
    assert_eq!(kept.why(&preview), "per_tx");
    let mut preview = some.rebalance(usd(50).0, usd(50).0);
    preview.after.worth.position = Usdc(usd(100).0 + 1);
    assert_eq!(kept.why(&preview), "per_tx");
}

#[test]
fn a_restart_resets_nothing() {
    let mut kept = Kept::with(usd(10_000), |c| {
        wide(c);
        c.per_life_usdc = usd(300);
    });
    let rich = desk(10_000);
    kept.carry(&rich.buy(usd(300).0)).unwrap();
    let text = serde_json::to_string(&kept.cage).unwrap();
    kept.cage = serde_json::from_str(&text).unwrap();
    assert_eq!(kept.why(&rich.buy(1)), "per_life");
    let bytes = postcard::to_stdvec(&kept.cage).unwrap();
    assert_eq!(postcard::from_bytes::<golem_cage::Cage>(&bytes).unwrap(), kept.cage);
}

#[test]
fn a_clock_that_goes_back_frees_nothing() {
    let mut kept = Kept::with(usd(10_000), |c| {
        wide(c);
        c.per_hour_usdc = usd(300);
    });
    let rich = desk(10_000);
    kept.now_s = 10 * HOUR;
    kept.carry(&rich.buy(usd(300).0)).unwrap();
    kept.now_s = 0;
    assert_eq!(kept.why(&rich.buy(1)), "per_hour");
}

#[test]
fn many_spends_within_five_minutes_are_forgotten_together_and_never_early() {
    let mut kept = Kept::with(usd(10_000), |c| {
        wide(c);
        c.per_hour_usdc = usd(300);
    });
    let rich = desk(10_000);
    for _ in 0..3 {
        kept.carry(&rich.buy(usd(100).0)).unwrap();
        kept.wait(100);
    }
    // At 0, 100 and 200 s: out at 3,800 s, all of them.
    kept.now_s = HOUR + 199;
    assert_eq!(kept.why(&rich.buy(1)), "per_hour");
    kept.now_s = HOUR + 200;
    assert_eq!(kept.why(&rich.buy(usd(300).0)), "permitted");
}

#[test]
fn gas_is_bounded_by_the_budget() {
    let some = Desk { usdc: usd(600).0, asset: usd(200).0, position: None };
    // One per cent of what it is worth; on the way out up to half of what comes in.
    for (preview, cost, expected) in [
        (some.buy(usd(10).0), usd(10).0, "permitted"),
        (some.buy(usd(10).0), usd(10).0 + 1, "gas"),
        (some.sell(usd(1).0), usd(10).0, "permitted"),
        (some.sell(usd(1).0), usd(10).0 + 1, "gas"),
        (some.sell(usd(200).0), usd(100).0, "permitted"),
        (some.sell(usd(200).0), usd(100).0 + 1, "gas"),
    ] {
        let mut preview = preview;
        preview.gas.cost = Usdc(cost);
        let mut kept = Kept::new(usd(1_000));
        match kept.ask(&preview) {
            Ok(permit) => assert_eq!((expected, permit.max_gas() >= Usdc(cost)), ("permitted", true), "{cost}"),
            Err(why) => assert_eq!(why.name(), expected, "{cost}"),
        }
    }
}
